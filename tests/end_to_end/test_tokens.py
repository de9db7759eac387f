"""Tokens and roles."""

import http.client
import signal

import pytest

from running import ACTIONS, SPEC, Server, command, until

CALLS = {
    "create": ("POST", "/v1/experiments", {"name": "guarded", "spec": SPEC}, "admin"),
    "list": ("GET", "/v1/experiments", None, "read"),
    "show": ("GET", "/v1/experiments/guarded", None, "read"),
    "decide": ("POST", "/v1/experiments/guarded/decide", {"event_id": "x", "actions": ACTIONS}, "decide"),
    "activate": ("POST", "/v1/experiments/guarded/activate", {"event_id": "x"}, "decide"),
    "reward": ("POST", "/v1/experiments/guarded/reward", {"event_id": "x", "reward": 1}, "reward"),
    "predict": ("POST", "/v1/experiments/guarded/predict", {"states": [[0.1, 0.2]]}, "read"),
    "import": ("POST", "/v1/experiments/guarded/import", '{"state":[0.1,0.2],"reward":1}', "admin"),
    "configure": ("POST", "/v1/experiments/guarded/configure", {"reward_deadline_seconds": 60}, "admin"),
    "log": ("GET", "/v1/experiments/guarded/log", None, "read"),
    "decisions": ("GET", "/v1/experiments/guarded/decisions", None, "read"),
    "explain": ("GET", "/v1/experiments/guarded/decisions/x", None, "read"),
    "history": ("GET", "/v1/experiments/guarded/history", None, "read"),
    "metrics": ("GET", "/metrics", None, "read"),
    "close": ("POST", "/v1/experiments/guarded/close", "", "admin"),
}
ROLES = ["decide", "reward", "read", "admin"]


def make_token(roles):
    """A token and the line of the file that admits it."""
    made = command("token", "--role", roles)
    assert made.returncode == 0, made.stderr
    token, line = made.stdout.splitlines()
    return token, line


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokens")
    tokens = {role: make_token(role) for role in [*ROLES, "decide,reward"]}
    file = folder / "tokens"
    file.write_text("# who may do what\n\n" + "".join(line + "\n" for _, line in tokens.values()))
    file.chmod(0o600)
    with Server(folder / "data", "--token-file", file) as server:
        yield server, {role: token for role, (token, _) in tokens.items()}, file


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def test_every_call_needs_its_role(guarded):
    server, tokens, _ = guarded
    for name, (method, path, body, needed) in CALLS.items():
        assert server.ask(method, path, body).refusal[:2] == (401, "unauthorized"), name
        assert server.ask(method, path, body, headers=bearer("x" * 43)).refusal[:2] == (401, "unauthorized")
        for role in ROLES:
            if role not in (needed, "admin"):
                assert server.ask(method, path, body, headers=bearer(tokens[role])).refusal[:2] == (403, "forbidden"), name
        for role in dict.fromkeys([needed, "admin"]):
            assert server.ask(method, path, body, headers=bearer(tokens[role])).status in (200, 201), (name, role)


def test_a_token_may_have_several_roles(guarded):
    server, tokens, _ = guarded
    both = bearer(tokens["decide,reward"])
    server.post("/v1/experiments", {"name": "both", "spec": SPEC}, headers=bearer(tokens["admin"]))
    assert server.post("/v1/experiments/both/decide", {"event_id": "y", "actions": ACTIONS}, headers=both).status == 200
    assert server.post("/v1/experiments/both/reward", {"event_id": "y", "reward": 1}, headers=both).status == 200
    assert server.get("/v1/experiments/both", headers=both).refusal[:2] == (403, "forbidden")


def test_probes_and_the_page_need_none(guarded):
    server, _, _ = guarded
    for path in ("/healthz", "/readyz", "/openapi.json", "/"):
        assert server.get(path).status == 200


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic abc", "bearer", "Bearer a b"])
def test_other_credentials_are_refused(guarded, header):
    server, _, _ = guarded
    answer = server.get("/v1/experiments", headers={"Authorization": header})
    assert answer.refusal[:2] == (401, "unauthorized") and "bearer" in answer.headers["www-authenticate"].lower()


def test_what_is_unknown_is_hidden_from_strangers(guarded):
    server, tokens, _ = guarded
    assert server.get("/v1/experiments/nobody").status == 401
    assert server.get("/v1/experiments/nobody", headers=bearer(tokens["read"])).status == 404


def test_tokens_are_kept_as_digests_and_never_logged(guarded):
    server, tokens, file = guarded
    for token in tokens.values():
        assert token not in file.read_text() and token not in server.log
    assert len(set(tokens.values())) == len(tokens) and all(len(token) >= 43 for token in tokens.values())


def test_a_page_of_somebody_else_may_not_post(shared, guarded):
    body = {"name": "stranger", "spec": SPEC}
    answer = shared.post("/v1/experiments", body, headers={"Origin": "http://evil.example"})
    assert answer.refusal[:2] == (403, "forbidden")
    assert shared.get("/v1/experiments/stranger").status == 404
    same = shared.post("/v1/experiments", {"name": "same-origin", "spec": SPEC}, headers={"Origin": shared.url})
    assert same.status == 201
    assert shared.get("/v1/experiments", headers={"Host": "rebound.example"}).refusal[:2] == (403, "forbidden")


def test_a_wrong_token_file_is_refused_with_its_line(tmp_path):
    for text, said in [("somebody decide\n", "line 1"), ("# fine\na king sha256:" + "0" * 64 + "\n", "line 2"),
                       ("a decide sha256:123\n", "line 1")]:
        (tmp_path / "tokens").write_text(text)
        (tmp_path / "tokens").chmod(0o600)
        ended = command("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", "--token-file", tmp_path / "tokens")
        assert ended.returncode in (1, 2) and ended.stderr.startswith("error: ") and said in ended.stderr
    assert command("token", "--role", "king").returncode == 2
    assert command("token").returncode == 2


def test_a_revoked_token_is_refused_and_its_stream_ends(tmp_path):
    (leaving, first), (staying, second), (admin, third) = [make_token(role) for role in ("read", "read", "admin")]
    file = tmp_path / "tokens"
    file.write_text(f"{first}\n{second}\n{third}\n")
    file.chmod(0o600)
    with Server(tmp_path / "data", "--token-file", file) as server:
        assert server.post("/v1/experiments", {"name": "e", "spec": SPEC}, headers=bearer(admin)).status == 201
        streams = {}
        for token in (leaving, staying):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            connection.request("GET", "/v1/experiments/e/live", headers=bearer(token))
            streams[token] = connection.getresponse()
            assert streams[token].status == 200 and streams[token].readline() == b"event: state\n"
        file.write_text(f"{second}\n{third}\n")
        server.process.send_signal(signal.SIGHUP)
        until(lambda: server.get("/v1/experiments", headers=bearer(leaving)).status == 401)
        assert streams[leaving].read().count(b"event:") <= 2  # to its end
        assert server.post("/v1/experiments/e/decide", {"actions": ACTIONS}, headers=bearer(admin)).status == 200
        while b'"decisions":1,' not in streams[staying].readline():
            pass
