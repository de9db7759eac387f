"""Requests that are refused: with which status, which code, and for which field. None of them changes anything."""

import pytest

from running import ACTIONS, SPEC

A = {"actions": ACTIONS}
DECIDE = {
    "no JSON": ("{", None),
    "an empty body": ("", None),
    "a list": ("[]", None),
    "something after it": ('{"actions":[[1,2]]} x', None),
    "unknown field": ({**A, "action": 1}, "action"),
    "the same field twice": ('{"event_id":"a","event_id":"b","actions":[[1,2]]}', "event_id"),
    "no actions": ({"event_id": "x"}, "actions"),
    "empty actions": ({"actions": []}, "actions"),
    "actions of a text": ({"actions": "all"}, "actions"),
    "ragged": ({"actions": [[1, 2], [1, 2], [1]]}, "actions[2]"),
    "an action without numbers": ({"actions": [[], []]}, "actions[0]"),
    "a text among numbers": ({"actions": [[1, 2], [1, "2"]]}, "actions[1][1]"),
    "null among numbers": ({"actions": [[1, None]]}, "actions[0][1]"),
    "a boolean among numbers": ({"actions": [[True, 1]]}, "actions[0][0]"),
    "too large a number": ('{"actions":[[1e999,1]]}', None),
    "NaN": ('{"actions":[[NaN,1]]}', None),
    "a mixture of lists and objects": ({"actions": [{"features": [1, 2]}, [1, 2]]}, "actions[1]"),
    "an object without features": ({"actions": [{"id": "a"}]}, "actions[0].features"),
    "an unknown field of an action": ({"actions": [{"features": [1, 2], "name": "a"}]}, "actions[0].name"),
    "an id that is a number": ({"actions": [{"features": [1, 2], "id": 7}]}, "actions[0].id"),
    "an id twice": ({"actions": [{"features": [1, 2], "id": "a"}, {"features": [2, 1], "id": "a"}]}, "actions[1].id"),
    "another dimension": ({"actions": [[1, 2, 3]]}, "actions"),
    "a context of a text": ({**A, "context": "x"}, "context"),
    "all excluded": ({**A, "excluded": [0, 1, 2]}, "excluded"),
    "excluded beyond": ({**A, "excluded": [3]}, "excluded[0]"),
    "excluded below": ({**A, "excluded": [-1]}, "excluded[0]"),
    "an excluded id that nobody has": ({**A, "excluded": ["a"]}, "excluded[0]"),
    "excluded twice": ({**A, "excluded": [1, 1]}, "excluded"),
    "an event id of a number": ({**A, "event_id": 7}, "event_id"),
    "an empty event id": ({**A, "event_id": ""}, "event_id"),
    "a long event id": ({**A, "event_id": "x" * 129}, "event_id"),
    "an event id of other letters": ({**A, "event_id": "größer"}, "event_id"),
    "an event id with a line break": ({**A, "event_id": "a\nb"}, "event_id"),
    "an event id like the server's": ({**A, "event_id": "rr-1"}, "event_id"),
    "a flag that is none": ({**A, "defer_activation": 1}, "defer_activation"),
    "bad UTF-8": (b'{"event_id":"\xff\xfe","actions":[[1,2]]}', None),
}


@pytest.fixture(scope="module")
def used(shared):
    """An experiment that has states of two dimensions."""
    made = shared.create("refusals")
    made.decide("known")
    return made


def assert_refused(answer, status, code, field):
    assert answer.refusal[:2] == (status, code), answer.body
    if field is not None:
        assert answer.refusal[2] == field, answer.body


@pytest.mark.parametrize("case", DECIDE)
def test_a_wrong_decide_changes_nothing(case, used):
    body, field = DECIDE[case]
    before = used.standing()
    assert_refused(used.post("decide", body), 400, "bad_request", field)
    assert used.standing() == before


REWARD = {
    "no reward": ({"event_id": "known"}, "reward"),
    "no event id": ({"reward": 1}, "event_id"),
    "a reward of a text": ({"event_id": "known", "reward": "1"}, "reward"),
    "no reward at all": ({"event_id": "known", "reward": None}, "reward"),
    "an infinite reward": ('{"event_id":"known","reward":1e999}', None),
    "a reward beyond reckoning": ({"event_id": "known", "reward": 1e101}, "reward"),
    "an unknown field": ({"event_id": "known", "reward": 1, "rewards": 2}, "rewards"),
}


@pytest.mark.parametrize("case", REWARD)
def test_a_wrong_reward_changes_nothing(case, used):
    body, field = REWARD[case]
    before = used.standing()
    assert_refused(used.post("reward", body), 400, "bad_request", field)
    assert used.standing() == before


OTHERS = {
    "predict without states": ("predict", {}, "states"),
    "predict of another dimension": ("predict", {"states": [[1]]}, "states"),
    "predict with both": ("predict", {"states": [[1, 2]], "actions": [[1, 2]]}, None),
    "predict nothing": ("predict", {"states": []}, "states"),
    "activate without an id": ("activate", {}, "event_id"),
    "a deadline of nothing": ("configure", {"reward_deadline_seconds": 0}, "reward_deadline_seconds"),
    "a deadline of a text": ("configure", {"reward_deadline_seconds": "1"}, "reward_deadline_seconds"),
    "an unknown setting": ("configure", {"deadline": 1}, "deadline"),
    "a default without a deadline": ("configure", {"default_reward": 1}, "default_reward"),
    "close with a body": ("close", {"really": True}, None),
    "import of another dimension": ("import", '{"state":[1],"reward":1}', None),
    "import of a large reward": ("import", '{"state":[1,2],"reward":1e101}', None),
    "import of an array": ("import", '[{"state":[1,2],"reward":1}]', None),
}


@pytest.mark.parametrize("case", OTHERS)
def test_other_wrong_calls_change_nothing(case, used):
    call, body, field = OTHERS[case]
    before = used.standing()
    assert_refused(used.post(call, body), 400, "bad_request", field)
    assert used.standing() == before


CREATE = {
    "no name": ({"spec": SPEC}, "name"),
    "no spec": ({"name": "new"}, "spec"),
    "a name with a slash": ({"name": "a/b", "spec": SPEC}, "name"),
    "an empty name": ({"name": "", "spec": SPEC}, "name"),
    "a long name": ({"name": "a" * 65, "spec": SPEC}, "name"),
    "a name of dots": ({"name": "..", "spec": SPEC}, "name"),
    "an unknown policy": ({"name": "new", "spec": {"policy": "best"}}, "spec.policy"),
    "a wrong parameter": ({"name": "new", "spec": {"policy": "k-ucb", "regression": {"ridge": -1}}}, None),
    "an unknown parameter": ({"name": "new", "spec": {"policy": "k-ucb", "ridge": 1}}, "spec.ridge"),
    "a spec of a text": ({"name": "new", "spec": "k-ucb"}, "spec"),
    "a negative deadline": ({"name": "new", "spec": SPEC, "reward_deadline_seconds": -1}, "reward_deadline_seconds"),
    "an unknown field": ({"name": "new", "spec": SPEC, "seed": 1}, "seed"),
    "a file of arms": ({"name": "new", "spec": {"policy": "gp-ucb", "arms": {"file": "/etc/passwd"}}}, None),
}


@pytest.mark.parametrize("case", CREATE)
def test_a_wrong_experiment_is_not_created(case, shared):
    body, field = CREATE[case]
    before = len(shared.get("/v1/experiments").json["experiments"])
    answer = shared.post("/v1/experiments", body)
    assert_refused(answer, 400, "bad_request", field)
    assert "/etc/passwd:" not in answer.message  # no word of what is in the server's files
    assert len(shared.get("/v1/experiments").json["experiments"]) == before


def test_what_is_not_there(shared, used):
    for method, call in [("GET", ""), ("GET", "/log"), ("GET", "/live"), ("GET", "/history"), ("GET", "/decisions"),
                         ("GET", "/decisions/x"), ("POST", "/close")]:
        assert shared.ask(method, "/v1/experiments/nobody" + call, "").refusal[:2] == (404, "not_found")
    bodies = {"decide": A, "reward": {"event_id": "x", "reward": 1}, "activate": {"event_id": "x"},
              "predict": {"states": [[1, 2]]}, "import": '{"state":[1,2],"reward":1}', "configure": {"default_reward": None}}
    for call, body in bodies.items():
        assert shared.post(f"/v1/experiments/nobody/{call}", body).refusal[:2] == (404, "not_found")
    assert used.reward("nobody", 1).refusal == (404, "unknown_event", "event_id")
    assert used.activate("nobody").refusal == (404, "unknown_event", "event_id")
    for path in ["/v1", "/v1/", "/v2/experiments", "/v1/experiments/refusals/nothing", "/v1/experiments/refusals/decide/x",
                 "/nothing.html"]:
        assert shared.get(path).refusal[:2] == (404, "not_found")


@pytest.mark.parametrize("method, path, allowed", [
    ("GET", "/v1/experiments/refusals/decide", {"POST"}), ("DELETE", "/v1/experiments/refusals", {"GET", "HEAD"}),
    ("PUT", "/v1/experiments", {"GET", "HEAD", "POST"}), ("POST", "/healthz", {"GET", "HEAD"}),
    ("PATCH", "/v1/experiments/refusals/close", {"POST"}), ("POST", "/v1/experiments/refusals/log", {"GET", "HEAD"}),
])
def test_wrong_methods_are_told_the_right_ones(method, path, allowed, shared, used):
    answer = shared.ask(method, path, "")
    assert answer.refusal[:2] == (405, "method_not_allowed")
    assert {word.strip() for word in answer.headers["allow"].split(",")} == allowed


@pytest.mark.parametrize("query, field", [("decisions?limit=x", "limit"), ("decisions?limit=-1", "limit"),
                                          ("log?from=x", "from"), ("log?from=-1", "from")])
def test_wrong_parameters_of_an_address(query, field, used):
    assert used.get(query).refusal == (400, "bad_request", field)


def test_the_words_of_an_error(used):
    answer = used.decide("x", [[1, 2], [1]])
    assert answer.json == {"error": {"code": "bad_request", "message": "actions[1] must have 2 numbers, got 1",
                                     "field": "actions[1]"}}
    assert used.decide("known", [[1, 2]]).refusal == (409, "conflict", "event_id")
