"""A client of the decision service, `ridgerunner serve`, on the standard library's http.client.

    >>> from ridgerunner import Client
    >>> client = Client(url)
    >>> experiment = client.create("guide", "ek-ucb", reward_deadline_seconds=3600, default_reward=0.0)
    >>> decision = experiment.decide([[0.1], [0.5], [0.9]])
    >>> experiment.reward(decision, 1.0).status
    'accepted'

What is wrong is a ValueError before anything is sent, what the service refuses a ServiceError, no answer Unreachable.
"""

from .answers import (
    Candidate,
    Counts,
    Decision,
    Degraded,
    Explanation,
    Forecast,
    History,
    Live,
    Made,
    Readiness,
    Receipt,
    State,
)
from .experiments import Experiment
from .service import Client
from .transport import Interrupted, ServiceError, Unreachable

__all__ = [
    "Candidate", "Client", "Counts", "Decision", "Degraded", "Experiment", "Explanation", "Forecast", "History",
    "Interrupted", "Live", "Made", "Readiness", "Receipt", "ServiceError", "State", "Unreachable",
]
