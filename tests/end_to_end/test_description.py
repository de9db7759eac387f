"""/openapi.json describes what the service answers. All tests hold all answers against it; here is what they must have met."""

import time

import description
from running import ACTIONS, SPEC

# What takes an unusual server to see; other tests have it, in servers of their own.
RARE = {401, 403, 408, 413, 429, 431, 500, 503, 507}
# Of an experiment without a model, of archived events: see test_trouble.py and test_archive.py.
ELSEWHERE = {("predict", 409), ("{event_id}", 409), ("{event_id}", 410), ("decide", 410), ("import", 410)}


def test_the_description_is_whole(shared):
    document = description.of(shared)
    assert document["openapi"].startswith("3.") and document["info"]["title"] and document["info"]["version"]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if method == "parameters":
                continue
            assert operation["responses"] and operation["operationId"], (method, path)
            names = {part["name"] for part in operations.get("parameters", []) + operation.get("parameters", [])
                     if part.get("in") == "path"}
            assert set(part[1:-1] for part in path.split("/") if part.startswith("{")) == names, path


def test_every_described_answer_is_given(shared):
    """Drives each operation to each status that it describes."""
    made = shared.create("described", reward_deadline_seconds=1000)
    shared.post("/v1/experiments", {"name": "described", "spec": SPEC, "reward_deadline_seconds": 1000})
    shared.post("/v1/experiments", {"name": "described", "spec": {"policy": "k-ucb"}})
    shared.post("/v1/experiments", "{")
    made.decide("x")
    made.decide("x", [[1, 2]])
    made.post("decide", "{")
    made.post("decide?check=true", {"actions": ACTIONS})
    made.reward("x", 1)
    made.reward("x", 2)
    made.post("reward", "{")
    made.activate("x")
    made.post("activate", "{")
    for call, body in [("predict", {"states": [[1, 2]]}), ("predict", "{"), ("import", '{"state":[1,2],"reward":1}'),
                       ("import", "{"), ("configure", {"reward_deadline_seconds": 2000}), ("configure", "{")]:
        made.post(call, body)
    late = shared.create("described-late", reward_deadline_seconds=0.001)
    for call in ("reward", "activate"):
        late.decide(call, defer_activation=True)
    time.sleep(0.05)
    late.reward("reward", 1)
    late.activate("activate")
    for call in ("", "decisions", "decisions/x", "history", "log", "decisions?limit=x", "log?from=x"):
        made.get(call)
    for method, call, body in [("GET", "", None), ("GET", "/decisions", None), ("GET", "/decisions/x", None), ("GET", "/log", None),
                               ("GET", "/history", None), ("GET", "/live", None), ("POST", "/decide", {"actions": [[1]]}),
                               ("POST", "/reward", {"event_id": "x", "reward": 1}), ("POST", "/activate", {"event_id": "x"}),
                               ("POST", "/predict", {"states": [[1]]}), ("POST", "/import", '{"state":[1],"reward":1}'),
                               ("POST", "/configure", {"default_reward": None}), ("POST", "/close", "")]:
        shared.ask(method, "/v1/experiments/nobody" + call, body)
    made.post("close", {"x": 1})
    made.post("close")
    made.decide("y")
    made.post("import", '{"state":[1,2],"reward":1}')
    for address in ("/v1/experiments", "/healthz", "/readyz", "/metrics", "/openapi.json", "/"):
        shared.get(address)
    described = {(method.upper(), path, int(status)) for path, operations in description.of(shared)["paths"].items()
                 for method, operation in operations.items() if method != "parameters"
                 for status in operation["responses"]}
    streams = {("GET", "/v1/experiments/{name}/live", 200)}  # never ends; it has a test of its own
    missing = {one for one in described - description.exercised - streams
                   if one[2] not in RARE and (one[1].rsplit("/", 1)[1], one[2]) not in ELSEWHERE}
    assert not missing


def test_every_call_of_the_service_is_described(shared):
    described = {(method.upper(), path) for path, operations in description.of(shared)["paths"].items()
                 for method in operations if method != "parameters"}
    name = "/v1/experiments/{name}"
    wanted = {("POST", "/v1/experiments"), ("GET", "/v1/experiments"), ("GET", name)}
    wanted |= {("POST", f"{name}/{call}") for call in ("decide", "reward", "activate", "predict", "import", "configure", "close")}
    wanted |= {("GET", f"{name}/{call}") for call in ("log", "decisions", "decisions/{event_id}", "history", "live")}
    wanted |= {("GET", path) for path in ("/healthz", "/readyz", "/metrics", "/openapi.json")}
    assert wanted <= described


def test_the_checker_finds_what_is_wrong():
    root = {"components": {"schemas": {"Point": {"type": "array", "items": {"type": "number"}}}}}
    schema = {"type": "object", "required": ["a"], "additionalProperties": False, "properties": {
        "a": {"$ref": "#/components/schemas/Point"}, "b": {"enum": ["x", "y"]}, "c": {"type": ["number", "null"], "minimum": 0},
        "d": {"oneOf": [{"type": "string"}, {"type": "integer"}]}, "e": {"type": "string", "pattern": "^[a-z]+$"}}}
    good = {"a": [1, 2.5], "b": "x", "c": None, "d": 1, "e": "abc"}
    assert description.problems(good, schema, root) == []
    for change in [{"a": None}, {"a": [1, "2"]}, {"b": "z"}, {"c": -1}, {"d": 1.5}, {"e": "A"}, {"f": 1}, {"a": [True]}]:
        assert description.problems({**good, **change}, schema, root), change
    assert description.problems({}, schema, root) == ["$.a is missing"]
