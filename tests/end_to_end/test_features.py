"""Experiments whose spec has features: requests by name, the log and its replay in numbers."""

import json

import pytest

import running

SPEC = {"policy": "k-ucb", "features": {
    "context": [{"name": "hour", "period": 24}, {"name": "city", "type": "category", "values": ["Paris", "Rome"]}],
    "action": [{"name": "price"}]}}
ACTIONS = [{"id": "latte", "features": {"price": 3}}, {"id": "tea", "features": {"price": 2}}]


def test_a_decision_by_name_is_answered_by_id_and_told_apart_by_its_values(shared):
    made = shared.create("named", SPEC)
    body = {"event_id": "first", "context": {"hour": 0, "city": "Rome"}, "actions": ACTIONS}
    first = made.post("decide", body)
    assert first.status == 200 and first.json["id"] == ACTIONS[first.json["index"]]["id"]
    assert made.post("decide", body).json == first.json
    assert made.post("decide", {**body, "context": {"hour": 1, "city": "Rome"}}).refusal[:2] == (409, "conflict")
    assert made.reward("first", 1.0).status == 200
    unknown = made.post("decide", {"context": {"city": "Oslo"}, "actions": [{"price": None}]})
    assert unknown.status == 200 and "id" not in unknown.json


def test_predict_and_import_take_names(shared):
    made = shared.create("named-import", SPEC)
    lines = [{"context": {"hour": 0, "city": "Rome"}, "action": {"price": 3}, "reward": 1},
             {"context": {}, "action": {"price": 2}, "reward": 0}]
    assert made.post("import", "\n".join(map(json.dumps, lines))).json == {"imported": 2}
    running.until(lambda: made.get().json["model"]["t"] == 2)
    assert made.get().json["model"]["dimension"] == 8
    told = made.post("predict", {"context": {"hour": 24, "city": "Rome"}, "actions": [{"price": 3}, {"price": 30}]})
    assert told.json["mean"][0] > 0.4 and abs(told.json["mean"][1]) < 0.01


def test_what_cannot_be_is_refused_with_its_field(shared):
    made = shared.create("named-wrong", SPEC)
    for body, field in [({"context": {"huor": 1}, "actions": ACTIONS}, "context.huor"),
                        ({"context": {"hour": "noon"}, "actions": ACTIONS}, "context.hour"),
                        ({"context": [1, 2], "actions": ACTIONS}, "context"),
                        ({"context": {}, "actions": [[1]]}, "actions[0]"), ({"context": {}}, "actions")]:
        refused = made.post("decide", body)
        assert refused.refusal == (400, "bad_request", field), refused.message
    assert made.counts()["decisions"] == 0


def test_the_exported_log_is_replayed(server, tmp_path):
    made = server.create("named", SPEC)
    for i in range(20):
        body = {"event_id": f"e{i}", "context": {"hour": i, "city": ["Rome", "Paris", None][i % 3]}, "actions": ACTIONS}
        chosen = made.post("decide", body).json
        made.reward(f"e{i}", 1.0 if chosen["id"] == "latte" else 0.0)
    (tmp_path / "log.jsonl").write_bytes(made.get("log").body)
    replayed = running.command("replay", tmp_path / "log.jsonl")
    assert replayed.returncode == 0, replayed.stderr
    server.stop()
    server.start()
    again = made.post("decide", {"event_id": "after", "context": {"hour": 3}, "actions": ACTIONS})
    assert again.status == 200 and again.json["id"] == "latte"


def test_the_python_client_takes_names(shared):
    ridgerunner = pytest.importorskip("ridgerunner")
    experiment = ridgerunner.Client(shared.url).create("named-client", SPEC)
    decision = experiment.decide(ACTIONS, context={"hour": 7, "city": float("nan")})
    assert decision.id in ("latte", "tea")
    experiment.reward(decision, 1.0)
    assert experiment.decide({"latte": {"price": 3}}, context={}).id == "latte"
    assert experiment.predict(actions=ACTIONS, context={"hour": 7}).mean.shape == (2,)
    with pytest.raises(ValueError, match="context.hour must be a number, text, flag or a list of them, got inf"):
        experiment.decide(ACTIONS, context={"hour": float("inf")})
    ids = ridgerunner.Client(shared.url).create("named-client-ids", {"policy": "k-ucb", "features": {}})
    assert ids.decide(["latte", "tea"], excluded=["tea"]).id == "latte"
