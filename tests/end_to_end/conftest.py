import itertools

import pytest

import running

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """A server for all tests that do not stop, starve or damage theirs."""
    with running.Server(tmp_path_factory.mktemp("shared") / "data") as server:
        yield server


@pytest.fixture
def experiment(shared):
    """A new experiment of the shared server."""
    return shared.create(f"experiment-{next(_numbers)}")


@pytest.fixture
def server(tmp_path):
    """A server of one's own."""
    with running.Server(tmp_path / "data") as made:
        yield made
