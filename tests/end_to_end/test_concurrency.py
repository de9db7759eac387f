"""Many clients at once: what is sent twice is done once, and everybody hears the same."""

import json
import threading

from running import ACTIONS


def together(count, work):
    """The results of work(0), work(1), ... started at the same moment."""
    results, barrier = [None] * count, threading.Barrier(count)

    def run(number):
        barrier.wait()
        results[number] = work(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_twenty_requests_with_one_event_id_make_one_decision(experiment):
    for repeat in range(5):
        answers = together(20, lambda _: experiment.decide(f"same-{repeat}"))
        assert {answer.status for answer in answers} == {200} and len({answer.body for answer in answers}) == 1
    assert len(experiment.events("decided")) == 5 and experiment.counts()["decisions"] == 5


def test_of_twenty_different_requests_with_one_event_id_one_wins(experiment):
    answers = together(20, lambda number: experiment.decide("x", ACTIONS + [[number / 20, 0.5]]))
    assert sorted(answer.status for answer in answers) == [200] + [409] * 19
    assert all(answer.refusal[:2] == (409, "conflict") for answer in answers if answer.status == 409)
    assert len(experiment.events("decided")) == 1


def test_of_twenty_different_rewards_one_counts(experiment):
    experiment.decide("x")
    answers = together(20, lambda number: experiment.reward("x", number % 4))
    accepted = {number % 4 for number, answer in enumerate(answers) if answer.status == 200}
    assert len(accepted) == 1 and sum(answer.status == 200 for answer in answers) == 5
    (event,) = experiment.events("rewarded")
    assert {event["reward"]} == accepted


def test_activation_and_reward_at_the_same_time(experiment):
    for k in range(10):
        experiment.decide(f"e{k}", defer_activation=True)
        answers = together(10, lambda number: experiment.activate(f"e{k}") if number % 2 else experiment.reward(f"e{k}", 1))
        assert {answer.status for answer in answers} == {200}
    events, _ = experiment.log()
    assert experiment.counts()["rewards"] == 10 == sum(event["type"] == "rewarded" for event in events)
    assert sum(event["type"] == "activated" for event in events) == 10 and experiment.get().json["model"]["t"] == 10


def test_everybody_gets_decisions_of_their_own(experiment):
    answers = together(16, lambda number: [experiment.decide() for _ in range(10)])
    ids = [answer.json["event_id"] for part in answers for answer in part]
    assert len(set(ids)) == 160
    events = experiment.events("decided")
    assert len(events) == 160 and len({event["number"] for event in events}) == 160
    assert {event["event_id"] for event in events} == set(ids)


def test_one_experiment_is_created_by_twenty(shared):
    body = {"name": "by-twenty", "spec": {"policy": "k-ucb"}}
    answers = together(20, lambda _: shared.post("/v1/experiments", body))
    assert sorted(answer.status for answer in answers) == [200] * 19 + [201]
    other = together(10, lambda number: shared.post("/v1/experiments", {"name": "one-of-ten", "spec": {
        "policy": "k-ucb", "seed": number}}))
    assert sorted(answer.status for answer in other) == [201] + [409] * 9


def test_decisions_go_on_while_imports_are_learnt(experiment):
    line = json.dumps({"state": [0.5, 0.5], "reward": 1}) + "\n"

    def work(number):
        if number == 0:
            return [experiment.post("import", line * 200) for _ in range(10)]
        return [experiment.decide(f"{number}-{k}") for k in range(20)]

    answers = together(8, work)
    assert all(answer.status == 200 for part in answers for answer in part)
    events, _ = experiment.log()
    assert experiment.counts()["imported"] == 2000 and len(events) == 1 + 10 + 140
