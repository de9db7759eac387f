"""The client against a service in the test's own process that misbehaves on command."""

import doctest
import importlib
import inspect
import json
import os
import pickle
import re
import threading
import time

import numpy as np
import pytest

import fake_service as fake
import ridgerunner as rr
from ridgerunner import client as module
from ridgerunner.client import Interrupted, ServiceError, Unreachable

PRICES = [[0.1], [0.5], [0.9]]


@pytest.fixture
def service():
    made = fake.FakeService()
    yield made
    made.stop()


@pytest.fixture
def client(service):
    with rr.Client(service.url, timeout=5, retries=3, backoff=0.001) as made:
        yield made


@pytest.fixture
def experiment(client, service):
    made = client.create("prices", "k-ucb")
    service.seen.clear()
    return made


def bodies(service, path):
    return [json.loads(body) for _, seen, body, _ in service.seen if seen.endswith(path)]


def test_decides_and_rewards(experiment, service):
    decision = experiment.decide(PRICES)
    assert decision.index in range(3) and decision.id is None and decision.propensity == pytest.approx(1 / 3)
    assert re.fullmatch("[0-9a-f]{32}", decision.event_id)
    assert experiment.reward(decision, 0.5) == module.Receipt(decision.event_id, "accepted")
    assert experiment.reward(decision.event_id, 0.5).status == "accepted"
    assert bodies(service, "/reward")[0] == {"event_id": decision.event_id, "reward": 0.5}


def test_candidates_are_arrays_lists_mappings_or_objects(experiment, service):
    experiment.decide(np.array([0.1, 0.5], dtype=np.float32))
    experiment.decide({"low": [0.1], "high": 0.5})
    experiment.decide([{"id": "low", "features": [0.1]}, {"features": np.array([0.5])}], excluded=["low"],
                      defer_activation=True)
    experiment.decide(PRICES, excluded=np.array([0, 2]))
    first, second, third, fourth = bodies(service, "/decide")
    assert first["actions"] == [[pytest.approx(0.1)], [0.5]] and set(first) == {"event_id", "actions"}
    assert second["actions"] == [{"id": "low", "features": [0.1]}, {"id": "high", "features": [0.5]}]
    assert third["actions"][1] == {"features": [0.5]} and third["excluded"] == ["low"]
    assert third["defer_activation"] is True
    assert fourth["excluded"] == [0, 2]


def test_numbers_arrive_exactly(experiment, service):
    values = np.random.default_rng(1).normal(size=(50, 1)) * 10.0 ** np.arange(-150, 150, 6)[:, None]
    experiment.decide(values)
    np.testing.assert_array_equal(np.array(bodies(service, "/decide")[0]["actions"]), values)


def test_predictions_are_arrays(experiment, service):
    forecast = experiment.predict(np.linspace(0, 1, 4))
    assert forecast.mean.shape == forecast.upper.shape == (4,) and forecast.version == 1
    experiment.predict(actions=[[0.5]])
    assert bodies(service, "/predict")[1] == {"states": [[0.5]]}
    experiment.predict(actions=[[0.5]], context=0.25)
    assert bodies(service, "/predict")[2] == {"actions": [[0.5]], "context": [0.25]}


def test_history_is_imported_in_chunks_from_arrays_lists_and_generators(experiment, service):
    assert experiment.import_history(np.linspace(0, 1, 7), np.ones(7), chunk=3) == 7
    assert experiment.import_history([[0.1, 0.2]], [1]) == 1
    assert experiment.import_history(([k, 1] for k in range(5)), (k / 2 for k in range(5)), chunk=5) == 5
    assert experiment.import_history([], []) == 0
    sent = [body for _, path, body, _ in service.seen]
    assert [body.count(b"\n") for body in sent] == [3, 3, 1, 1, 5]
    assert json.loads(sent[4].splitlines()[3]) == {"state": [3.0, 1.0], "reward": 1.5}


def test_a_generator_is_not_read_ahead_of_what_is_sent(experiment, service):
    taken = []
    states = (taken.append(k) or [float(k)] for k in range(10))
    service.faults = [None, fake.refuse(400, "bad_request")]
    with pytest.raises(ServiceError):
        experiment.import_history(states, iter(np.ones(10)), chunk=2)
    assert taken == [0, 1, 2, 3]


def test_states_lists_and_settings(client, experiment):
    state = experiment.configure(reward_deadline_seconds=60, default_reward=None)
    assert state.reward_deadline_seconds == 60 and state.default_reward is None
    assert state.created.isoformat() == "2026-11-16T09:00:00.250000+00:00"
    assert state.counts.decisions == 0 and state.degraded is None and state.spec == {"policy": "k-ucb"}
    assert [one.name for one in client.experiments()] == ["prices"] and client.experiments()[0].spec is None
    assert experiment.close().state == "closed"
    with pytest.raises(ServiceError) as error:
        experiment.decide(PRICES)
    assert (error.value.status, error.value.code) == (409, "closed")


def test_creating_takes_what_a_policy_takes(client, service):
    client.create("a", {"policy": "ek-ucb"}, kernel=rr.Matern52(0.3), ridge=0.5, description="first",
                  reward_deadline_seconds=5, default_reward=0)
    assert bodies(service, "/experiments")[0] == {
        "name": "a", "description": "first", "reward_deadline_seconds": 5.0, "default_reward": 0.0,
        "spec": {"policy": "ek-ucb", "kernel": rr.Matern52(0.3).spec, "regression": {"ridge": 0.5}}}
    assert client.create("a", {"policy": "ek-ucb"}, kernel=rr.Matern52(0.3), ridge=0.5).name == "a"
    with pytest.raises(ServiceError, match="another spec"):
        client.create("a", "ek-ucb")


def test_past_decisions_and_why(experiment):
    first, second = experiment.decide(PRICES), experiment.decide({"a": [0.1]}, event_id="an/id:with?#%in+it")
    experiment.reward(first, 2.0)
    newest = experiment.decisions()
    assert [one.event_id for one in newest] == [second.event_id, first.event_id]
    assert [one.status for one in newest] == ["pending", "rewarded"] and newest[1].reward == 2.0
    why = experiment.explain(second)
    assert why.decision.event_id == second.event_id and why.runner_up is None and why.state.tolist() == [0.1]
    assert experiment.explain(first).runner_up.upper == max(
        one.upper for one in experiment.explain(first).candidates if one.index != first.index)


def test_series_and_live_states(experiment):
    history = experiment.history()
    assert history.reward.tolist() == [0.5, 1.5] and np.isnan(history.radius[0]) and history.seq.dtype == np.int64
    decision = experiment.decide(PRICES)
    moment = next(experiment.live())
    assert moment.state.name == "prices" and moment.shares == {"0": 2} and moment.rates["decisions"] == 2.0
    assert [one.event_id for one in moment.recent] == [decision.event_id]


def test_the_log_is_an_iterator_that_knows_its_end(experiment, service):
    assert [event["type"] for event in experiment.log(start=1)] == ["created", "end"]
    service.faults = [lambda handler, compute: handler.send_stream(handler.path, ['{"seq":1,"type":"created"}\n']) or True]
    with pytest.raises(Unreachable, match="broke off after event 1"):
        list(experiment.log())


def test_a_stream_cut_within_a_line_is_an_error(experiment, service):
    def cut(handler, compute):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                            b'1b\r\n{"seq":1,"type":"created"}\n\r\n8\r\n{"s')
        return fake.drop(handler, compute)
    service.faults = [cut]
    with pytest.raises(Unreachable, match="broke off"):
        list(experiment.log())


def test_streams_leave_the_connection_for_other_requests(experiment):
    live = experiment.live()
    next(live)
    for event in experiment.log():
        assert experiment.state().name == "prices"
    live.close()


def test_connections_are_kept(experiment, service):
    before = service.connections
    for _ in range(20):
        experiment.decide(PRICES)
    assert service.connections == before


def test_every_thread_has_a_connection_of_its_own(experiment, service):
    before, together = service.connections, threading.Barrier(4)

    def work():
        together.wait()
        for _ in range(10):
            experiment.reward(experiment.decide(PRICES), 1.0)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert service.connections == before + 4 and experiment.state().counts.rewards == 40


def test_a_connection_that_the_server_closed_is_replaced_without_a_retry(service):
    with rr.Client(service.url, retries=0) as client:
        experiment = client.create("prices", "k-ucb")
        service.faults = [fake.close_afterwards]
        experiment.state()
        time.sleep(0.05)
        assert experiment.import_history([[0.1]], [1.0]) == 1


@pytest.mark.parametrize("fault", [fake.drop, fake.drop_after_doing, fake.drop_midway, fake.refuse(503, "draining"),
                                   fake.refuse(429, "too_many"), fake.refuse(408, "timeout"), fake.say(502, "proxy")])
def test_a_decision_is_repeated_with_the_same_id_and_made_once(fault, experiment, service):
    service.faults = [fault, fault, fault]
    decision = experiment.decide(PRICES)
    sent = bodies(service, "/decide")
    assert len(sent) == 4 and all(body == sent[0] for body in sent)
    assert list(service.experiments["prices"].decided) == [decision.event_id]


def test_a_reward_is_repeated_and_given_once(experiment, service):
    decision = experiment.decide(PRICES)
    service.faults = [fake.drop_after_doing, fake.refuse(503, "read_only")]
    assert experiment.reward(decision, 0.5).status == "accepted"
    assert experiment.state().counts.rewards == 1


def test_a_late_answer_counts_as_none(service):
    with rr.Client(service.url, timeout=0.2, retries=1, backoff=0.001) as client:
        experiment = client.create("prices", "k-ucb")
        service.faults = [fake.slowly(1)]
        decision = experiment.decide(PRICES)
        assert list(service.experiments["prices"].decided) == [decision.event_id]
        service.faults = [fake.slowly(1), fake.slowly(1)]
        with pytest.raises(Unreachable, match="no answer in 2 tries: timed out"):
            experiment.state()
        assert experiment.state().name == "prices"  # and never the answer to another question


def test_waits_grow_and_are_not_equal(client, monkeypatch):
    waits = []
    monkeypatch.setattr(time, "sleep", waits.append)
    unreachable = rr.Client("http://127.0.0.1:1", retries=10, backoff=0.1)
    with pytest.raises(Unreachable, match="http://127.0.0.1:1 gave no answer in 11 tries: .*Connection refused"):
        unreachable.experiments()
    bounds = [min(0.1 * 2**k, 30) for k in range(10)]
    assert len(waits) == 10 and all(bound / 2 <= wait <= bound for wait, bound in zip(waits, bounds))
    assert len(set(waits)) == 10


def test_the_server_may_ask_for_patience(experiment, service, monkeypatch):
    waits = []
    monkeypatch.setattr(time, "sleep", waits.append)
    tomorrow = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 7))
    service.faults = [fake.refuse(503, "starting", Retry_After="3"), fake.refuse(429, "too_many", Retry_After=tomorrow),
                      fake.refuse(503, "starting", Retry_After="soon")]
    experiment.state()
    assert waits[0] == 3 and 5 < waits[1] <= 7 and waits[2] < 1
    service.faults = [fake.refuse(503, "starting", Retry_After="3600")]
    with pytest.raises(ServiceError, match="it is starting"):  # too long to wait for
        experiment.state()
    assert len(waits) == 3


def test_retries_come_to_an_end(experiment, service):
    service.faults = [fake.refuse(503, "read_only")] * 4
    with pytest.raises(ServiceError) as error:
        experiment.decide(PRICES)
    assert (error.value.status, error.value.code, str(error.value)) == (503, "read_only", "it is read_only")
    assert len(bodies(service, "/decide")) == 4


def test_refusals_are_not_repeated(experiment, service):
    with pytest.raises(ServiceError) as error:
        experiment.reward("nobody", 1.0)
    assert (error.value.status, error.value.code, error.value.field) == (404, "unknown_event", "event_id")
    assert len(service.seen) == 1
    again = pickle.loads(pickle.dumps(error.value))
    assert (again.status, again.code, again.message, again.field) == (404, "unknown_event", "no decision nobody", "event_id")


@pytest.mark.parametrize("fault", [fake.drop, fake.drop_after_doing, fake.drop_midway, fake.refuse(503, "read_only"),
                                   fake.refuse(429, "too_many"), fake.say(504, "<html>gateway timeout</html>")])
def test_an_import_is_repeated_and_learnt_once(fault, experiment, service):
    service.faults = [None, fault]
    assert experiment.import_history(np.zeros((9, 1)), np.zeros(9), chunk=3) == 9
    assert len(service.seen) == 4 and experiment.state().counts.imported == 9


def test_an_import_that_ends_says_how_far_it_came(experiment, service):
    service.faults = [None] + [fake.drop] * 10
    with pytest.raises(Interrupted, match="3 observations are in for certain") as error:
        experiment.import_history(np.zeros((9, 1)), np.zeros(9), chunk=3)
    assert error.value.imported == 3


def test_a_whole_import_can_be_repeated(experiment):
    for _ in range(2):
        assert experiment.import_history(np.zeros((4, 1)), np.zeros(4), chunk=3, import_id="january") == 4
    assert experiment.state().counts.imported == 4
    with pytest.raises(ServiceError, match="had other data"):
        experiment.import_history(np.zeros((4, 1)), np.ones(4), chunk=3, import_id="january")


@pytest.mark.parametrize("text", ["<html>welcome</html>", "{}", "[1]", "null"])
def test_strangers_are_recognised(text, experiment, service):
    service.faults = [fake.say(200, text)]
    with pytest.raises(ServiceError, match="not an answer of this service") as error:
        experiment.state()
    assert error.value.code == "unexpected"


def test_probes_ask_once(client, service):
    assert client.health() and client.ready() and client.ready().status == "ready"
    service.seen.clear()
    service.faults = [fake.say(503, '{"status":"read_only","message":"the disk is full"}')]
    told = client.ready()
    assert not told and (told.status, told.message) == ("read_only", "the disk is full") and len(service.seen) == 1
    service.faults = [fake.drop]
    with pytest.raises(Unreachable):
        client.health()


def test_tokens_are_sent_with_everything(service):
    client = rr.Client(service.url, "s3cret")
    experiment = client.create("prices", "k-ucb")
    list(experiment.log())
    assert len(service.seen) == 2
    assert all(headers["Authorization"] == "Bearer s3cret" for *_, headers in service.seen)
    assert "s3cret" not in repr(client) + repr(experiment)


def test_a_service_may_live_below_a_path(service):
    with pytest.raises(ServiceError):
        rr.Client(service.url + "/bandits/").experiment("a").state()
    assert service.seen[0][1] == "/bandits/v1/experiments/a"


def test_a_fork_leaves_the_parents_connection_alone(experiment, service):
    experiment.state()
    child = os.fork()
    if child == 0:
        os._exit(0 if experiment.state().name == "prices" else 1)
    assert os.waitpid(child, 0)[1] == 0
    before = service.connections
    assert experiment.state().name == "prices" and service.connections == before


def test_a_closed_client_says_so(service):
    with rr.Client(service.url) as client:
        assert client.health()
    with pytest.raises(ValueError, match="the client is closed"):
        client.health()
    with pytest.raises(ValueError, match="the client is closed"):
        next(client.experiment("prices").log())


WRONG = {
    "url": (lambda c, e: rr.Client("127.0.0.1:8080"), "url must be like http://127.0.0.1:8080, got '127.0.0.1:8080'"),
    "port": (lambda c, e: rr.Client("http://a:b"), "url must be like http://127.0.0.1:8080, got 'http://a:b'"),
    "timeout": (lambda c, e: rr.Client("http://a", timeout=0), "timeout must be > 0, got 0"),
    "retries": (lambda c, e: rr.Client("http://a", retries=-1), "retries must be a whole number at least 0, got -1"),
    "token": (lambda c, e: rr.Client("http://a", "x\ny"), "token must be printable ASCII characters without spaces"),
    "name": (lambda c, e: c.experiment("a/b"), "name must be 1 to 64 of the characters A-Z a-z 0-9 _ . -, got 'a/b'"),
    "spec": (lambda c, e: c.create("a", ridge=-1), "ridge must be > 0, got -1"),
    "function": (lambda c, e: c.create("a", kernel=lambda x, y: 1.0),
                 "a kernel function cannot be sent to a service: describe the kernel by a spec"),
    "deadline": (lambda c, e: c.create("a", reward_deadline_seconds=0), "reward_deadline_seconds must be > 0, got 0"),
    "default": (lambda c, e: c.create("a", default_reward=np.inf), "default_reward must be finite, got inf"),
    "event id": (lambda c, e: e.decide(PRICES, event_id=""),
                 "event_id must be 1 to 128 printable ASCII characters without spaces, got ''"),
    "kept id": (lambda c, e: e.decide(PRICES, event_id="rr-1"),
                'event_id must not begin with "rr-", which the service keeps for its own, got \'rr-1\''),
    "umlaut": (lambda c, e: e.reward("ü", 1), "event_id must be 1 to 128 printable ASCII characters without spaces, got 'ü'"),
    "number as id": (lambda c, e: e.activate(7), "event_id must be 1 to 128 printable ASCII characters without spaces, got 7"),
    "no actions": (lambda c, e: e.decide([]), "actions must not be empty"),
    "ragged": (lambda c, e: e.decide([[1.0, 2.0], [3.0]]), "actions must be numbers, in rows of equal length"),
    "texts": (lambda c, e: e.decide([["a"]]), "actions must be real numbers, got <U1"),
    "cube": (lambda c, e: e.decide(np.zeros((1, 1, 1))),
             "actions must be points in rows, an array of n x d numbers, got 1 x 1 x 1"),
    "nan": (lambda c, e: e.decide([[np.nan]]), "actions must be finite"),
    "field": (lambda c, e: e.decide([{"ident": "a", "features": [1]}]),
              "actions[0] must have \"features\" and may have an \"id\", got {'ident': 'a', 'features': [1]}"),
    "number as action id": (lambda c, e: e.decide([{"id": 3, "features": [1]}]), "actions[0].id must be a text, got 3"),
    "twice": (lambda c, e: e.decide([{"id": "a", "features": [1]}, {"id": "a", "features": [2]}]),
              "actions must have different ids, got 'a' twice"),
    "context": (lambda c, e: e.decide(PRICES, context=[[1.0]]),
                "context must be a number or a list of numbers, got an array of 1 x 1"),
    "empty context": (lambda c, e: e.decide(PRICES, context=[]), "context must not be empty"),
    "excluded": (lambda c, e: e.decide(PRICES, excluded=[3]), "excluded[0] must be a whole number from 0 to 2, got 3"),
    "excluded id": (lambda c, e: e.decide({"a": [1]}, excluded=["b"]),
                    "excluded[0] must be the id of an action, got 'b'"),
    "all excluded": (lambda c, e: e.decide({"a": [1], "b": [2]}, excluded=["a", 1]),
                     "excluded must leave an action to choose"),
    "excluded text": (lambda c, e: e.decide({"a": [1]}, excluded="a"),
                      "excluded must be a list of indices or ids, got 'a'"),
    "reward": (lambda c, e: e.reward("a", None), "reward must be a number, got None"),
    "infinite": (lambda c, e: e.reward("a", float("nan")), "reward must be finite, got nan"),
    "large": (lambda c, e: e.reward("a", 1e101), "reward must be at most 1e100 in size, got 1e+101"),
    "predict": (lambda c, e: e.predict(), "predict takes states, or actions with or without a context"),
    "both": (lambda c, e: e.predict([[1]], actions=[[1]]), "predict takes states, or actions with or without a context"),
    "counts": (lambda c, e: e.import_history([[1.0], [2.0]], [1.0]),
               "states and rewards must be equally many, got 1 and more states"),
    "import": (lambda c, e: e.import_history([[1.0], ["x"]], [1.0, 2.0]), "states[1] must be real numbers, got <U1"),
    "imported reward": (lambda c, e: e.import_history([[1.0]], [np.nan]), "rewards[0] must be finite, got nan"),
    "import_id": (lambda c, e: e.import_history([], [], import_id="a b"),
                  "import_id must be 1 to 100 of the characters A-Z a-z 0-9 _ . -, got 'a b'"),
    "chunk": (lambda c, e: e.import_history([], [], chunk=0), "chunk must be a whole number at least 1, got 0"),
    "configure": (lambda c, e: e.configure(), "configure needs reward_deadline_seconds or default_reward"),
    "limit": (lambda c, e: e.decisions(limit=101), "limit must be a whole number from 1 to 100, got 101"),
    "start": (lambda c, e: list(e.log(start=0)), "start must be a whole number at least 1, got 0"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_explain_themselves_and_nothing_is_sent(case, client, experiment, service):
    call, text = WRONG[case]
    with pytest.raises(ValueError) as error:
        call(client, experiment)
    assert str(error.value) == text and service.seen == []


MODULES = ["", ".answers", ".experiments", ".service", ".transport"]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_run(name, client, experiment, service):
    experiment.decide(PRICES, event_id="one")
    experiment.decide(PRICES, event_id="two")
    part = importlib.import_module("ridgerunner.client" + name)
    known = {**vars(module), **vars(part), "rr": rr, "np": np, "client": client, "experiment": experiment,
             "url": service.url}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in doctest.DocTestFinder().find(part, globs=known):
        runner.run(test)
    assert runner.failures == 0


def test_everything_public_is_explained_by_an_example():
    things = [getattr(module, name) for name in module.__all__]
    things += [inspect.getattr_static(owner, name) for owner in (module.Client, module.Experiment)
               for name in dir(owner) if not name.startswith("_")]
    assert all(">>>" in (inspect.getdoc(thing) or "") for thing in things)
