"""Holds answers against /openapi.json, with as much of JSON Schema as it uses."""

import json
import re

_descriptions = {}  # by program
exercised = set()   # (method, path of the description, status)

TYPES = {
    "object": lambda v: isinstance(v, dict), "array": lambda v: isinstance(v, list), "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool), "null": lambda v: v is None,
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
}
ANNOTATIONS = {"description", "title", "example", "examples", "default", "format", "deprecated", "$schema"}


def problems(value, schema, root, at="$"):
    """Where a value is not what the schema says. A keyword that is not known here is an error, never passed over."""
    if schema is True:
        return []
    found = []
    for keyword, wanted in schema.items():
        if keyword in ANNOTATIONS:
            continue
        rule = RULES.get(keyword)
        assert rule, f"the description uses {keyword}, which the checker does not know"
        found += [f"{at}{trouble}" for trouble in rule(value, wanted, schema, root)]
    return found


def _reference(value, wanted, schema, root):
    assert wanted.startswith("#/"), wanted
    target = root
    for part in wanted[2:].split("/"):
        target = target[part.replace("~1", "/").replace("~0", "~")]
    return problems(value, target, root, "")


def _type(value, wanted, schema, root):
    kinds = wanted if isinstance(wanted, list) else [wanted]
    if any(TYPES[kind](value) for kind in kinds) or (value is None and schema.get("nullable")):
        return []
    return [f" must be {' or '.join(kinds)}, got {json.dumps(value)[:80]}"]


def _properties(value, wanted, schema, root):
    if not isinstance(value, dict):
        return []
    return [trouble for name, part in wanted.items() if name in value
            for trouble in problems(value[name], part, root, f".{name}")]


def _required(value, wanted, schema, root):
    return [f".{name} is missing" for name in wanted if name not in value] if isinstance(value, dict) else []


def _additional(value, wanted, schema, root):
    extra = set(value) - set(schema.get("properties", {})) if isinstance(value, dict) else set()
    if wanted is False:
        return [f".{name} is not described" for name in sorted(extra)]
    return [trouble for name in sorted(extra) for trouble in problems(value[name], wanted, root, f".{name}")]


def _items(value, wanted, schema, root):
    if not isinstance(value, list):
        return []
    return [trouble for number, part in enumerate(value) for trouble in problems(part, wanted, root, f"[{number}]")]


def _one_of(value, wanted, schema, root):
    fitting = sum(not problems(value, part, root) for part in wanted)
    return [] if fitting == 1 else [f" fits {fitting} of the alternatives, must fit one"]


def _any_of(value, wanted, schema, root):
    return [] if any(not problems(value, part, root) for part in wanted) else [" fits none of the alternatives"]


def _all_of(value, wanted, schema, root):
    return [trouble for part in wanted for trouble in problems(value, part, root, "")]


def _when(kind, holds, says):
    def rule(value, wanted, schema, root):
        return [f" {says} {wanted}, got {json.dumps(value)[:80]}"] if TYPES[kind](value) and not holds(value, wanted) else []
    return rule


RULES = {
    "$ref": _reference, "type": _type, "nullable": lambda *_: [], "properties": _properties, "required": _required,
    "additionalProperties": _additional, "items": _items, "oneOf": _one_of, "anyOf": _any_of, "allOf": _all_of,
    "enum": lambda v, wanted, *_: [] if v in wanted else [f" must be one of {wanted}, got {v!r}"],
    "const": lambda v, wanted, *_: [] if v == wanted else [f" must be {wanted!r}, got {v!r}"],
    "minimum": _when("number", lambda v, w: v >= w, "must be at least"),
    "maximum": _when("number", lambda v, w: v <= w, "must be at most"),
    "exclusiveMinimum": _when("number", lambda v, w: v > w, "must be more than"),
    "exclusiveMaximum": _when("number", lambda v, w: v < w, "must be less than"),
    "minItems": _when("array", lambda v, w: len(v) >= w, "must have at least"),
    "maxItems": _when("array", lambda v, w: len(v) <= w, "must have at most"),
    "minLength": _when("string", lambda v, w: len(v) >= w, "must be at least so long:"),
    "maxLength": _when("string", lambda v, w: len(v) <= w, "must be at most so long:"),
    "pattern": _when("string", lambda v, w: re.search(w, v), "must match"),
}


def of(server):
    """The description that a server gives of itself."""
    known = _descriptions.get(server.arguments[0])
    if known is None:
        known = _descriptions[server.arguments[0]] = {}  # asking for it is an answer to be checked as well
        answer = server.get("/openapi.json")
        known.update(answer.json)
    return known


def operation(document, method, path):
    """The path of the description that fits, and what it says of the method."""
    for template, operations in document.get("paths", {}).items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path):
            return template, operations.get(method.lower())
    return None, None


def check(server, method, path, answer):
    document = of(server)
    template, described = operation(document, method, path.split("?")[0])
    if described is None:
        return  # what is not described must be refused, and tests say how
    exercised.add((method, template, answer.status))
    response = described["responses"].get(str(answer.status))
    assert response is not None, f"{method} {template} answers {answer.status}, which is not described: {answer.body[:200]}"
    while "$ref" in response:
        response = document["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
    kind = answer.headers.get("content-type", "").split(";")[0]
    content = response.get("content", {})
    assert not content or kind in content, f"{method} {template}: {kind} is not described for {answer.status}"
    if kind == "application/json":
        found = problems(answer.json, content[kind]["schema"], document)
        assert not found, f"{method} {template} {answer.status}: {found[:5]}"
    elif kind == "application/x-ndjson" and "schema" in content[kind]:
        for line in answer.body.splitlines():
            found = problems(json.loads(line), content[kind]["schema"], document)
            assert not found, f"{method} {template}: {found[:5]} in {line[:200]}"
