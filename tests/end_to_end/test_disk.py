"""A full disk and a failing sync: the service becomes read-only, says so, and has lost nothing that it acknowledged."""

import json
from concurrent.futures import ThreadPoolExecutor

from faults import Faults, small_files
from running import ACTIONS, Experiment, Server, command, figure, until


def decide_until_refused(experiment, most=3000):
    acknowledged = []
    for k in range(most):
        answer = experiment.decide(f"e{k}", ACTIONS * 4)
        if answer.status != 200:
            return acknowledged, answer
        acknowledged.append(answer.json)
    raise AssertionError("it was never refused")


def assert_read_only(server, experiment):
    ready = server.get("/readyz")
    assert ready.status == 503 and ready.json["status"] == "read_only" and ready.json["message"]
    assert server.get("/healthz").status == 200
    for call, body in [("decide", {"actions": ACTIONS}), ("reward", {"event_id": "e1", "reward": 1}), ("close", ""),
                       ("import", '{"state":[0.1,0.2],"reward":1}'), ("configure", {"reward_deadline_seconds": 1})]:
        assert experiment.post(call, body).refusal[:2] == (503, "read_only"), call
    assert server.post("/v1/experiments", {"name": "new", "spec": {"policy": "k-ucb"}}).refusal[:2] == (503, "read_only")
    assert experiment.post("predict", {"states": [[0.1, 0.2]]}).status == 200  # questions are answered all the same
    assert experiment.get().status == 200 and experiment.get("history").status == 200
    assert "ridgerunner_read_only 1" in server.get("/metrics").body.decode()
    assert "error" in server.log


def assert_all_there(experiment, acknowledged):
    events = {event["event_id"]: event for event in experiment.events("decided")}
    for answer in acknowledged:
        assert events[answer["event_id"]]["index"] == answer["index"]
        assert events[answer["event_id"]]["upper"] == answer["upper"]
    for answer in acknowledged[::20]:
        assert experiment.decide(answer["event_id"], ACTIONS * 4).json == answer


def test_a_full_disk(tmp_path):
    with Server(tmp_path / "data", before=small_files(4_000_000)) as server:
        experiment = server.create("full")
        acknowledged, refused = decide_until_refused(experiment)
        assert refused.refusal[:2] == (503, "read_only") and len(acknowledged) > 50
        assert_read_only(server, experiment)
        lines = [json.loads(line) for line in experiment.get("log").body.splitlines()]  # what is durable can be read
        assert {answer["event_id"] for answer in acknowledged} <= {line.get("event_id") for line in lines}
        server.process.terminate()
        assert server.process.wait(timeout=30) in (0, 1)
        assert command("export", "--data", server.folder).returncode == 0
    with Server(tmp_path / "data") as server:  # there is room again
        experiment = Experiment(server, "full")
        assert server.get("/readyz").status == 200
        assert_all_there(experiment, acknowledged)
        assert experiment.decide("next").status == 200


def test_a_failing_sync(tmp_path):
    faults = Faults(tmp_path / "faults")
    with Server(tmp_path / "data", environment=faults.environment) as server:
        experiment = server.create("failing")
        acknowledged = [experiment.decide(f"e{k}", ACTIONS * 4).json for k in range(30)]
        faults.set("fail")
        refused = experiment.decide("lost", ACTIONS * 4)
        assert refused.refusal[:2] == (503, "read_only")
        assert_read_only(server, experiment)
        faults.clear("fail")
        # A sync that failed once cannot be trusted later: what it was to write may be gone without another error.
        assert experiment.decide("later").refusal[:2] == (503, "read_only")
        server.kill()
        server.start()
        assert_all_there(experiment, acknowledged)
        assert experiment.decide("lost", ACTIONS * 4).status == 200  # the client asks again
        assert len([event for event in experiment.events("decided") if event["event_id"] == "lost"]) == 1


def test_nothing_is_acknowledged_before_it_is_durable(tmp_path):
    """While a sync does not return, no answer comes; those who wait share the next sync."""
    faults = Faults(tmp_path / "faults")
    with Server(tmp_path / "data", environment=faults.environment) as server:
        experiment = server.create("slow")
        experiment.decide("warm")
        commits = figure(server, "ridgerunner_commit_seconds_count")
        waiting = 'ridgerunner_queue{for="commit"}'
        faults.set("hold")
        with ThreadPoolExecutor(12) as pool:
            try:
                answers = [pool.submit(experiment.decide, "e0")]
                until(lambda: figure(server, waiting) == 1)
                answers += [pool.submit(experiment.decide, f"e{k}") for k in range(1, 12)]
                until(lambda: figure(server, waiting) == 12)
                assert experiment.post("predict", {"states": [[0.1, 0.2]]}).status == 200  # what needs no disk does not wait
                assert not any(answer.done() for answer in answers)
            finally:
                faults.clear("hold")
            assert {answer.result().status for answer in answers} == {200}
        assert figure(server, "ridgerunner_commit_seconds_count") - commits <= 3  # the first one, and the others together


def test_an_export_that_finds_no_thread_leaves_nothing_behind(tmp_path):
    faults = Faults(tmp_path / "faults")
    with Server(tmp_path / "data", environment=faults.environment) as server:
        experiment = server.create("log")
        experiment.decide("x")
        faults.set("threads")
        for _ in range(20):  # more than may run at a time
            assert experiment.get("log").refusal[:2] == (429, "too_many")
        faults.clear("threads")
        assert len(experiment.log()[0]) == 2
        server.stop()  # waits for nothing that was never started
