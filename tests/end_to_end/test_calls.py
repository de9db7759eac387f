"""Every call and what it answers."""

import http.client
import json
import math
import re
import time

import pytest

from running import ACTIONS, SPEC, until

TIME = r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ"
EXPERIMENT = {"name", "description", "state", "created", "spec", "reward_deadline_seconds", "default_reward", "version",
              "last_event", "counts", "totals", "degraded", "model"}
MADE = {"seq", "time", "event_id", "index", "candidates", "mean", "sd", "lower", "upper", "propensity", "version", "status",
        "reward"}


def test_an_experiment_is_created_once(shared):
    body = {"name": "created.once_-1", "spec": SPEC, "description": "for a test", "reward_deadline_seconds": 60,
            "default_reward": 0.5}
    first = shared.post("/v1/experiments", body)
    assert first.status == 201 and set(first.json) == EXPERIMENT
    told = first.json
    assert (told["name"], told["description"], told["state"]) == ("created.once_-1", "for a test", "open")
    assert (told["reward_deadline_seconds"], told["default_reward"], told["degraded"]) == (60, 0.5, None)
    assert re.fullmatch(TIME, told["created"]) and set(told["counts"].values()) == {0}
    assert told["spec"]["policy"] == "ek-ucb" and told["spec"]["regression"]["ridge"] == 1  # written out in full
    assert told["model"]["dimension"] is None and told["model"]["t"] == 0
    again = shared.post("/v1/experiments", body)
    assert again.status == 200 and {**again.json, "version": told["version"]} == told
    other = shared.post("/v1/experiments", {**body, "spec": {**SPEC, "seed": 8}})
    assert other.refusal[:2] == (409, "exists")


def test_a_spec_may_be_a_presets_name_in_full_or_in_part(shared):
    whole = shared.create("whole-spec", {"policy": "ek-ucb"}).get().json["spec"]
    assert shared.post("/v1/experiments", {"name": "whole-spec", "spec": whole}).status == 200


def test_the_list_is_without_specs(shared, experiment):
    told = shared.get("/v1/experiments").json["experiments"]
    (mine,) = [one for one in told if one["name"] == experiment.name]
    assert set(mine) == EXPERIMENT - {"spec"}
    whole = experiment.get().json
    for told in (mine, whole):
        for behind in ("effective_dimension", "projection_error"):  # computed when somebody has looked
            told["model"].pop(behind)
    assert all(mine[key] == whole[key] for key in set(mine) - {"version"})


def test_a_decision(experiment):
    answer = experiment.decide("first")
    assert answer.status == 200 and answer.headers["content-type"].startswith("application/json")
    told = answer.json
    assert set(told) == {"event_id", "index", "mean", "sd", "lower", "upper", "propensity", "version"}
    assert told["event_id"] == "first" and told["index"] in range(3)
    assert told["propensity"] == pytest.approx(1 / 3)  # the very first choice is drawn
    assert told["lower"] <= told["mean"] <= told["upper"] and told["version"] >= 0
    assert experiment.decide("first").body == answer.body


def test_the_server_makes_event_ids(experiment):
    first, second = experiment.decide().json, experiment.decide().json
    assert re.fullmatch(r"rr-\d+", first["event_id"]) and first["event_id"] != second["event_id"]
    assert experiment.reward(first["event_id"], 1).status == 200


def test_a_state_is_the_context_followed_by_the_action(experiment):
    experiment.decide("whole", [[0.3, 0.1], [0.3, 0.5]])
    experiment.decide("parts", [[0.1], [0.5]], context=[0.3])
    whole, parts = experiment.events("decided")
    assert parts["context"] == [0.3] and parts["actions"] == [[0.1], [0.5]]
    assert whole["state"] in ([0.3, 0.1], [0.3, 0.5]) and parts["state"] in ([0.3, 0.1], [0.3, 0.5])


def test_actions_may_have_ids_and_be_excluded(experiment):
    named = [{"id": "a", "features": [0.1, 0.1]}, {"id": "b", "features": [0.2, 0.1]}, {"features": [0.3, 0.1]}]
    told = experiment.decide("one", named, excluded=["a", 2]).json
    assert (told["index"], told["id"]) == (1, "b")
    told = experiment.decide("two", named, excluded=["b", "a"]).json
    assert told["index"] == 2 and "id" not in told
    assert experiment.decide("three", ACTIONS, excluded=[0, 2]).json["index"] == 1
    events = {event["event_id"]: event for event in experiment.events("decided")}
    assert events["one"]["ids"] == ["a", "b", None] and events["one"]["excluded"] == [0, 2]
    assert events["one"]["propensity"] == 1


def test_fixed_arms_need_no_actions(shared):
    arms = shared.create("arms", {"policy": "gp-ucb", "arms": {"points": [[0.1], [0.5], [0.9]]}})
    assert arms.get().json["model"]["dimension"] == 1
    told = arms.post("decide", {"event_id": "x"}).json
    assert arms.post("reward", {"event_id": "x", "reward": 1}).status == 200
    assert told["index"] in range(3)
    assert arms.post("decide", {"event_id": "y", "excluded": [0, 1]}).json["index"] == 2
    assert arms.post("decide", {"event_id": "z", "excluded": [3]}).refusal[:2] == (400, "bad_request")
    assert arms.post("decide", {"event_id": "z", "excluded": [0, 1, 2]}).refusal[:2] == (400, "bad_request")


def test_a_check_decides_nothing(experiment):
    before = experiment.standing()
    answer = experiment.post("decide?check=true", {"actions": ACTIONS})
    assert answer.json == {"valid": True, "candidates": 3, "dimension": 2}
    assert experiment.post("decide?check=true", {"actions": [[1], [2, 3]]}).refusal[:2] == (400, "bad_request")
    assert experiment.standing() == before
    assert experiment.post("decide?check=perhaps", {"actions": ACTIONS}).refusal == (400, "bad_request", "check")


def test_learning_moves_predictions(experiment):
    states = [[0.1, 0.2], [0.5, 0.6]]
    before = experiment.post("predict", {"states": states}).json
    assert set(before) == {"mean", "sd", "lower", "upper", "version"} and before["mean"] == [0, 0]
    for k in range(5):
        experiment.decide(f"e{k}", [[0.1, 0.2]])
        experiment.reward(f"e{k}", 2.0)
    experiment.log()  # waits for the model
    after = experiment.post("predict", {"states": states}).json
    assert after["mean"][0] > 1 and after["sd"][0] < before["sd"][0] and after["version"] > before["version"]
    parts = experiment.post("predict", {"context": [0.1], "actions": [[0.2]]}).json
    assert parts["mean"] == after["mean"][:1]


def test_history_is_imported_as_a_whole_or_not_at_all(experiment):
    lines = [{"state": [0.1 * k, 0.5], "reward": k} for k in range(5)] + [{"context": [0.1], "action": [0.2], "reward": 1}]
    answer = experiment.post("import", "\n".join(map(json.dumps, lines)) + "\n")
    assert answer.status == 200 and answer.json == {"imported": 6}
    assert experiment.counts()["imported"] == 6
    assert experiment.log()[0][-1]["states"][5] == [0.1, 0.2]
    for bad, said in [({"state": [0.1], "reward": 1}, "line 3"), ({"state": [0.1, 0.1]}, "line 3"), ("x", "line 3")]:
        text = "\n".join(map(json.dumps, lines[:2] + [bad] + lines[2:]))
        answer = experiment.post("import", text)
        assert answer.refusal[:2] == (400, "bad_request") and said in answer.message
    assert experiment.post("import", "").refusal[:2] == (400, "bad_request")
    assert experiment.counts()["imported"] == 6


def test_settings_may_change_for_decisions_to_come(experiment):
    told = experiment.post("configure", {"reward_deadline_seconds": 5, "default_reward": 0}).json
    assert set(told) == EXPERIMENT and (told["reward_deadline_seconds"], told["default_reward"]) == (5, 0)
    told = experiment.post("configure", {"default_reward": None}).json
    assert (told["reward_deadline_seconds"], told["default_reward"]) == (5, None)
    assert experiment.post("configure", {"reward_deadline_seconds": None}).json["reward_deadline_seconds"] is None
    assert [event["type"] for event in experiment.log()[0]] == ["created"] + ["configured"] * 3


def test_a_closed_experiment_takes_rewards_but_decides_no_more(experiment):
    before = experiment.decide("before").json
    assert experiment.post("close").json["state"] == "closed"
    assert experiment.post("close", {}).json["state"] == "closed"
    assert len(experiment.events("closed")) == 1
    assert experiment.decide("after").refusal[:2] == (409, "closed")
    assert experiment.decide("before").json == before  # the answer of then
    assert experiment.reward("before", 1).status == 200
    assert experiment.post("import", '{"state":[1,2],"reward":3}').refusal[:2] == (409, "closed")
    assert experiment.post("predict", {"states": [[0.1, 0.2]]}).status == 200


def test_past_decisions_newest_first(experiment):
    for k in range(25):
        experiment.decide(f"d{k}", [{"id": "only", "features": [0.1, 0.2]}])
    experiment.reward("d24", 3)
    told = experiment.get("decisions").json["decisions"]
    assert [one["event_id"] for one in told] == [f"d{k}" for k in range(24, 4, -1)]
    assert set(told[0]) == MADE | {"id"} and told[0]["id"] == "only" and re.fullmatch(TIME, told[0]["time"])
    assert (told[0]["status"], told[0]["reward"]) == ("rewarded", 3) and told[0]["candidates"] == 1
    assert (told[1]["status"], told[1]["reward"]) == ("pending", None)
    assert len(experiment.get("decisions?limit=3").json["decisions"]) == 3
    assert len(experiment.get("decisions?limit=100").json["decisions"]) == 25


def test_a_decision_is_explained(experiment):
    chosen = experiment.decide("why/not?", ACTIONS, excluded=[0]).json
    told = experiment.get("decisions/why%2Fnot%3F").json
    assert set(told) == MADE | {"state", "explanation"} and told["event_id"] == "why/not?"
    assert told["state"] == ACTIONS[chosen["index"]]
    why = told["explanation"]
    assert set(why) == {"version", "decided_version", "chosen", "runner_up", "candidates"}
    assert why["chosen"]["index"] == chosen["index"] and why["runner_up"]["index"] in {1, 2} - {chosen["index"]}
    assert {one["index"] for one in why["candidates"]} >= {1, 2}
    assert experiment.get("decisions/nobody").refusal[:2] == (404, "unknown_event")


def test_series_have_equal_lengths_and_bounds(experiment):
    for k in range(700):
        experiment.post("import", '{"state":[0.1,0.2],"reward":1}')
    experiment.decide("x")
    experiment.reward("x", 4)
    # Series follow within a second, whether or not anything else happens.
    told = until(lambda: (series := experiment.get("history").json)["rewards"][-1] == 1 and series, seconds=3)
    assert set(told) == {"time", "seq", "decisions", "rewards", "reward", "estimated_regret", "anchors", "radius", "pending"}
    lengths = {len(series) for series in told.values()}
    assert len(lengths) == 1 and 1 <= lengths.pop() <= 512
    assert told["seq"] == sorted(told["seq"]) and told["reward"][-1] == 4
    assert abs(told["time"][-1] / 1000 - time.time()) < 60


def read_event(stream):
    fields = {}
    for line in iter(stream.readline, b"\n"):
        if not line.startswith(b":"):
            name, value = line.decode().rstrip("\n").split(": ", 1)
            fields[name] = value
    return fields


def test_live_states_come_at_once_and_after_changes(experiment):
    connection = http.client.HTTPConnection("127.0.0.1", experiment.server.port, timeout=10)
    connection.request("GET", experiment.path + "/live")
    stream = connection.getresponse()
    assert stream.status == 200 and stream.getheader("Content-Type").startswith("text/event-stream")
    first = read_event(stream)
    told = json.loads(first["data"])
    assert first["event"] == "state" and set(told) == EXPERIMENT - {"spec"} | {"time", "rates", "shares", "recent"}
    assert told["recent"] == [] and told["shares"] == []
    experiment.decide("x", [{"id": "a", "features": [0, 0]}])
    told = json.loads(read_event(stream)["data"])
    assert told["counts"]["decisions"] == 1 and told["shares"] == [{"action": "a", "count": 1}]
    assert [one["event_id"] for one in told["recent"]] == ["x"] and set(told["rates"]) == {"decisions", "rewards"}
    connection.close()


def test_the_log_has_every_event_in_order(experiment):
    experiment.decide("x", excluded=[0], defer_activation=True)
    experiment.activate("x")
    experiment.reward("x", 2.5)
    experiment.post("import", '{"state":[0.1,0.2],"reward":1}')
    experiment.post("configure", {"reward_deadline_seconds": 9})
    experiment.post("close")
    answer = experiment.get("log")
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    events, end = experiment.log()
    assert [event["type"] for event in events] == ["created", "decided", "activated", "rewarded", "imported", "configured",
                                                   "closed"]
    assert all(event["experiment"] == experiment.name and re.fullmatch(TIME, event["time"]) for event in events)
    seqs = [event["seq"] for event in events]
    assert seqs == sorted(set(seqs)) and end["seq"] == seqs[-1] and re.fullmatch("[0-9a-f]{8}", end["model"])
    decided, rewarded = events[1], events[3]
    assert decided["deferred"] is True and decided["excluded"] == [0] and decided["actions"] == ACTIONS
    assert {"number", "version", "index", "mean", "sd", "lower", "upper", "propensity"} <= set(decided)
    assert (rewarded["event_id"], rewarded["decided"], rewarded["reward"]) == ("x", decided["seq"], 2.5)
    assert rewarded["state"] == ACTIONS[decided["index"]]
    later, _ = experiment.log(start=seqs[3])
    assert [event["seq"] for event in later] == seqs[3:]
    assert experiment.log(start=seqs[-1] + 1)[0] == []


def test_numbers_read_back_exactly(experiment):
    values = [math.pi, 1e-300, -1.7976931348623157e308, 5e-324, 0.1 + 0.2, 123456789012345678, -0.0]
    experiment.decide("x", [[value] for value in values])
    assert experiment.events("decided")[0]["actions"] == [[float(value)] for value in values]


def test_totals_count_rewards_and_regret(experiment):
    upper = experiment.decide("x").json["upper"]
    experiment.reward("x", 0.25)
    experiment.log()
    told = experiment.get().json
    assert told["totals"] == {"reward": 0.25, "estimated_regret": pytest.approx(upper - 0.25)}
    assert told["counts"]["rewards"] == 1 and told["version"] == told["last_event"]


def test_probes_and_figures(shared, experiment):
    experiment.decide("x")
    assert shared.get("/healthz").json == {"status": "ok"}
    assert shared.get("/readyz").json["status"] == "ready"
    answer = shared.get("/metrics")
    assert answer.status == 200 and answer.headers["content-type"].startswith("text/plain")
    text = answer.body.decode()
    for line in text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) \w+ .*|[a-z_]+(\{.*\})? [-+0-9.eEInfNa]+", line), line
    for name in ("requests_total", "request_seconds", "commit_seconds", "queue", "anchors", "pending", "read_only"):
        assert f"ridgerunner_{name}" in text
    assert f'experiment="{experiment.name}"' in text


def test_the_dashboard_is_served_by_the_program_itself(shared):
    page = shared.get("/")
    assert page.status == 200 and page.headers["content-type"].startswith("text/html")
    names = re.findall(r'(?:src|href)="\.?(/[^"]+)"', page.body.decode())
    assert names and all(shared.get(name).status == 200 for name in names)
    assert "http://" not in re.sub(r"http://www\.w3\.org/\S+", "", page.body.decode())  # nothing from elsewhere
    assert shared.get("/assets/nothing.js").status == 404
    assert shared.get("/../../etc/passwd").status in (400, 404)
