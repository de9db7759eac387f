"""The Python client against the real service."""

import threading
import time

import numpy as np
import pytest

import ridgerunner as rr
from ridgerunner.client import ServiceError, Unreachable
from running import Server

PRICES = np.linspace(0, 1, 21)


@pytest.fixture
def client(shared):
    with rr.Client(shared.url, timeout=10, retries=0) as made:
        yield made


def test_it_finds_the_best_price_as_the_policy_does(client):
    experiment = client.create("prices", "k-ucb", kernel=rr.Gaussian(0.5))
    for _ in range(60):
        decision = experiment.decide(PRICES)
        price = PRICES[decision.index]
        experiment.reward(decision, price * np.exp(-3 * price**2))
        while experiment.state().version < experiment.state().last_event:
            time.sleep(0.002)
    best = PRICES[experiment.predict(PRICES).mean.argmax()]
    assert abs(best - 0.4) < 0.11
    state = experiment.state()
    assert state.counts.rewards == 60 and state.totals["reward"] > 0 and state.model["t"] == 60 and state.degraded is None
    assert [one.name for one in client.experiments()].count("prices") == 1


def test_every_member_agrees_with_the_service(client):
    experiment = client.create("members", {"policy": "ek-ucb"}, description="all of it", reward_deadline_seconds=100,
                               default_reward=0.5)
    assert experiment.import_history(np.random.default_rng(1).random((2500, 2)), np.ones(2500)) == 2500
    first = experiment.decide({"a": [0.1, 0.2], "b": [0.3, 0.4]}, excluded=["a"])
    assert (first.index, first.id, first.propensity) == (1, "b", 1.0)
    second = experiment.decide([[0.2], [0.4]], context=[0.1], defer_activation=True)
    assert experiment.activate(second).status == "activated" and experiment.reward(first, 2.0).status == "accepted"
    assert [one.status for one in experiment.decisions()] == ["pending", "rewarded"]
    why = experiment.explain(first)
    assert why.chosen.id == "b" and why.runner_up is None and why.state.tolist() == [0.3, 0.4]
    events = list(experiment.log())
    assert [event["type"] for event in events] == ["created", "imported", "imported", "imported", "decided", "decided",
                                                   "activated", "rewarded", "end"]
    assert len(list(experiment.log(start=events[-2]["seq"]))) == 2
    history = experiment.history()
    assert history.reward[-1] == 2.0 and len(history.time) == len(history.radius) <= 512
    moment = next(experiment.live())
    assert moment.state.counts.decisions == 2 and [one.event_id for one in moment.recent] == [second.event_id, first.event_id]
    assert experiment.configure(default_reward=None).default_reward is None
    forecast = experiment.predict(actions=[[0.2], [0.4]], context=[0.1])
    assert forecast.mean.shape == (2,) and (forecast.lower <= forecast.mean).all() and forecast.version == events[-1]["seq"]
    assert experiment.close().state == "closed"
    assert client.health() and client.ready()


def test_refusals_have_the_services_words(client):
    experiment = client.create("refused", "k-ucb")
    experiment.decide([[0.1, 0.2]], event_id="x")
    for call, expected in [
        (lambda: experiment.decide([[0.1, 0.3]], event_id="x"), (409, "conflict", "event_id")),
        (lambda: experiment.decide([[0.1]]), (400, "bad_request", "actions")),
        (lambda: experiment.reward("nobody", 1), (404, "unknown_event", "event_id")),
        (lambda: client.experiment("nobody").state(), (404, "not_found", None)),
        (lambda: client.create("refused", "ek-ucb"), (409, "exists", "name")),
        (lambda: list(client.experiment("nobody").log()), (404, "not_found", None)),
    ]:
        with pytest.raises(ServiceError) as error:
            call()
        assert (error.value.status, error.value.code, error.value.field) == expected


def test_it_lives_through_a_restart(tmp_path):
    """Threads that decide and reward do not notice that the server is killed and started again on its port."""
    with Server(tmp_path / "data") as server:
        client = rr.Client(server.url, timeout=5, retries=12, backoff=0.02)
        experiment = client.create("restarted", "ek-ucb")
        done, trouble, stop = [], [], threading.Event()

        def work(number):
            rng = np.random.default_rng(number)
            try:
                while not stop.is_set():
                    decision = experiment.decide(rng.random((5, 2)))
                    experiment.reward(decision, float(rng.random()))
                    done.append(decision.event_id)
            except Exception as error:
                trouble.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        server.arguments[server.arguments.index("127.0.0.1:0")] = f"127.0.0.1:{server.port}"
        for _ in range(4):
            time.sleep(0.2)
            server.kill()
            time.sleep(0.05)
            server.start()
        time.sleep(0.2)
        stop.set()
        for thread in threads:
            thread.join()
        assert not trouble
        events = list(experiment.log())
        decided = [event["event_id"] for event in events if event["type"] == "decided"]
        rewarded = [event["event_id"] for event in events if event["type"] == "rewarded"]
        assert len(set(decided)) == len(decided) == len(done) and sorted(rewarded) == sorted(decided) == sorted(done)
        client.close()


def test_a_server_that_is_gone_is_unreachable(tmp_path):
    with Server(tmp_path / "data") as server:
        client = rr.Client(server.url, retries=1, backoff=0.01)
        assert client.health()
        server.stop()
        with pytest.raises(Unreachable):
            client.experiments()
