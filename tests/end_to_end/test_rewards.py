"""What can become of a decision: early, late, repeated, contradictory, unknown, expired, deferred and never activated."""

import time
from datetime import datetime

import pytest

from running import Server, until


def statuses(experiment):
    return {one["event_id"]: (one["status"], one["reward"]) for one in experiment.get("decisions").json["decisions"]}


def milliseconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000


def test_a_reward_is_accepted_once_and_the_same_again(experiment):
    experiment.decide("x")
    first = experiment.reward("x", 0.5)
    assert first.json == {"event_id": "x", "status": "accepted"}
    assert experiment.reward("x", 0.5).body == first.body
    assert experiment.reward("x", 0.25).refusal == (409, "conflict", "reward")
    assert len(experiment.events("rewarded")) == 1 and statuses(experiment)["x"] == ("rewarded", 0.5)
    counts = experiment.counts()
    assert (counts["decisions"], counts["rewards"], counts["pending"]) == (1, 1, 0)


def test_an_unknown_decision_cannot_be_rewarded(experiment):
    assert experiment.reward("x", 1).refusal == (404, "unknown_event", "event_id")
    experiment.decide("x")
    assert experiment.reward("x", 1).status == 200


def test_decisions_belong_to_their_experiment(shared, experiment):
    other = shared.create(experiment.name + "-other")
    experiment.decide("x")
    assert other.reward("x", 1).refusal[:2] == (404, "unknown_event")
    assert other.decide("x", [[1, 2, 3]]).status == 200  # the same id means another decision there
    assert other.reward("x", 2).status == 200 and experiment.reward("x", 1).status == 200


def test_a_late_reward_is_refused_and_the_decision_has_expired(shared):
    experiment = shared.create("late", reward_deadline_seconds=0.2)
    experiment.decide("x")
    until(lambda: experiment.counts()["expired"] == 1)
    assert experiment.reward("x", 1).refusal == (410, "expired", "event_id")
    (event,) = experiment.events("expired")
    assert event["event_id"] == "x" and event["default_reward"] is None and event["shown"] is True
    assert statuses(experiment)["x"] == ("expired", None)
    assert experiment.counts()["pending"] == 0 and experiment.get().json["model"]["t"] == 0


def test_a_default_reward_is_learnt_after_the_deadline(shared):
    experiment = shared.create("default", reward_deadline_seconds=0.2, default_reward=-1)
    experiment.decide("x")
    until(lambda: experiment.counts()["defaulted"] == 1)
    experiment.log()
    told = experiment.get().json
    assert told["model"]["t"] == 1 and statuses(experiment)["x"] == ("defaulted", -1)
    assert experiment.events("expired")[0]["default_reward"] == -1
    assert experiment.reward("x", -1).refusal[:2] == (410, "expired")  # even the same
    assert experiment.decide("x").status == 200  # what was decided stays decided


def test_a_reward_in_time_leaves_no_deadline(shared):
    experiment = shared.create("in-time", reward_deadline_seconds=0.4, default_reward=-1)
    experiment.decide("x")
    experiment.reward("x", 1)
    experiment.decide("y")
    until(lambda: experiment.counts()["defaulted"] == 1)
    assert experiment.counts()["rewards"] == 1 and experiment.reward("x", 1).status == 200


def test_deadlines_of_decisions_made_stay_when_settings_change(experiment):
    experiment.decide("none")
    experiment.post("configure", {"reward_deadline_seconds": 0.2, "default_reward": 5})
    experiment.decide("soon")
    experiment.post("configure", {"reward_deadline_seconds": None, "default_reward": None})
    experiment.decide("none-again")
    until(lambda: experiment.counts()["pending"] == 2)
    assert experiment.reward("soon", 1).refusal[:2] == (410, "expired")
    assert experiment.reward("none", 1).status == experiment.reward("none-again", 1).status == 200


def test_a_deferred_decision_counts_from_its_activation_on(experiment):
    experiment.decide("x", defer_activation=True)
    assert statuses(experiment)["x"] == ("deferred", None)
    counts = experiment.counts()
    assert (counts["deferred"], counts["pending"]) == (1, 0)
    first = experiment.activate("x")
    assert first.json == {"event_id": "x", "status": "activated"}
    assert experiment.activate("x").body == first.body and len(experiment.events("activated")) == 1
    counts = experiment.counts()
    assert (counts["deferred"], counts["pending"]) == (0, 1)
    assert experiment.reward("x", 1).status == 200
    assert experiment.activate("x").status == 200 and statuses(experiment)["x"] == ("rewarded", 1)


def test_an_early_reward_is_kept_until_activation(experiment):
    experiment.decide("x", defer_activation=True)
    assert experiment.reward("x", 2).json == {"event_id": "x", "status": "accepted"}
    assert experiment.reward("x", 2).status == 200
    assert experiment.reward("x", 3).refusal[:2] == (409, "conflict")
    experiment.log()
    assert experiment.get().json["model"]["t"] == 0 and experiment.counts()["rewards"] == 0
    assert statuses(experiment)["x"][0] == "deferred"
    assert experiment.activate("x").status == 200
    experiment.log()
    assert experiment.get().json["model"]["t"] == 1 and experiment.counts()["rewards"] == 1
    assert statuses(experiment)["x"] == ("rewarded", 2)
    assert experiment.reward("x", 2).status == 200 and experiment.reward("x", 3).refusal[:2] == (409, "conflict")


def test_a_decision_that_was_not_deferred_is_activated_already(experiment):
    experiment.decide("x")
    assert experiment.activate("x").json == {"event_id": "x", "status": "activated"}
    assert experiment.events("activated") == [] and experiment.counts()["pending"] == 1


@pytest.mark.parametrize("early", [False, True])
def test_a_decision_never_activated_expires_without_a_reward(shared, early):
    experiment = shared.create(f"never-{early}", reward_deadline_seconds=0.3, default_reward=9)
    experiment.decide("x", defer_activation=True)
    if early:
        assert experiment.reward("x", 1).status == 200
    until(lambda: experiment.counts()["expired"] == 1)
    assert experiment.activate("x").refusal == (410, "expired", "event_id")
    assert experiment.reward("x", 1).refusal[:2] == (410, "expired")
    (event,) = experiment.events("expired")
    assert event["shown"] is False and event["default_reward"] is None
    assert experiment.get().json["model"]["t"] == 0 and experiment.counts()["deferred"] == 0
    assert statuses(experiment)["x"] == ("expired", None)


def test_the_deadline_of_a_deferred_decision_begins_with_its_activation(shared):
    """By the times in the log: the later the activation, the later the end."""
    seconds = 3
    experiment = shared.create("begins", reward_deadline_seconds=seconds)
    experiment.decide("x", defer_activation=True)
    time.sleep(0.3)  # a longer one will do as well, up to the deadline
    assert experiment.activate("x").status == 200
    until(lambda: experiment.counts()["expired"] == 1)
    times = {event["type"]: milliseconds(event["time"]) for event in experiment.log()[0]}
    assert times["activated"] >= times["decided"] + 300
    assert times["expired"] >= times["activated"] + 1000 * seconds


def test_deadlines_pass_while_the_server_is_down(tmp_path):
    with Server(tmp_path / "data") as server:
        experiment = server.create("down", reward_deadline_seconds=0.3, default_reward=7)
        experiment.decide("x")
        server.stop()
        time.sleep(0.4)
        server.start()
        assert experiment.reward("x", 1).refusal[:2] == (410, "expired")
        until(lambda: experiment.counts()["defaulted"] == 1)
        assert len(experiment.events("expired")) == 1


def test_a_repeated_decide_must_be_the_same(experiment):
    named = [{"id": "a", "features": [1, 2]}, {"id": "b", "features": [2, 1]}]
    first = experiment.decide("x", named, excluded=["a"])
    again = experiment.post("decide", {"excluded": [0], "actions": named, "event_id": "x"})  # says the same in other words
    assert again.body == first.body
    for body in [{"actions": named}, {"actions": named, "excluded": ["b"]}, {"actions": named[::-1], "excluded": ["a"]},
                 {"actions": [[1, 2], [2, 1]], "excluded": [0]},
                 {"actions": named, "excluded": ["a"], "defer_activation": True}]:
        assert experiment.post("decide", {"event_id": "x", **body}).refusal == (409, "conflict", "event_id")
    experiment.reward("x", 1)
    assert experiment.decide("x", named, excluded=["a"]).body == first.body  # after its reward as well
    assert len(experiment.events("decided")) == 1
