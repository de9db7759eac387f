"""HTTP as others speak it, slowly, wrongly, or too much of it."""

import contextlib
import http.client
import json
import statistics
import subprocess
import sys
import threading
import time

import pytest

from running import ACTIONS, Server, figure, read_answer, until

BODY = json.dumps({"actions": ACTIONS}).encode()
REQUEST_SECONDS, IDLE_SECONDS = 2, 3  # of a server that is soon rid of slow clients


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    """A server with little patience and small limits."""
    with Server(tmp_path_factory.mktemp("strict") / "data", "--request-seconds", REQUEST_SECONDS, "--idle-seconds", IDLE_SECONDS,
                "--write-seconds", 2, "--max-body", 100_000) as server:
        server.create("e")
        yield server


def request(path, body=BODY, extra=""):
    return (f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n{extra}\r\n").encode() + body


def median_of_fresh_requests(server, count=60):
    """Each on a connection of its own."""
    took = []
    for _ in range(count):
        start = time.perf_counter()
        assert server.get("/healthz").status == 200
        took.append(time.perf_counter() - start)
    return statistics.median(took)


def open_connections(server):
    return figure(server, "ridgerunner_connections")


def test_connections_are_kept(experiment):
    with experiment.server.socket() as sock:
        for _ in range(5):
            sock.sendall(request(experiment.path + "/decide"))
            assert read_answer(sock).status == 200


def test_connections_are_closed_when_asked(experiment):
    with experiment.server.socket() as sock:
        sock.sendall(request(experiment.path + "/decide", extra="Connection: close\r\n"))
        answer = read_answer(sock)
        assert answer.status == 200 and answer.headers["connection"] == "close" and sock.recv(1) == b""
    with experiment.server.socket() as sock:
        sock.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
        assert read_answer(sock).status == 200 and sock.recv(1) == b""


def test_pipelined_requests_are_answered_in_order(experiment):
    with experiment.server.socket() as sock:
        bodies = [json.dumps({"event_id": f"p{k}", "actions": ACTIONS}).encode() for k in range(50)]
        sock.sendall(b"".join(request(experiment.path + "/decide", body) for body in bodies))
        assert [read_answer(sock).json["event_id"] for _ in bodies] == [f"p{k}" for k in range(50)]


def test_chunked_bodies(experiment):
    with experiment.server.socket() as sock:
        sock.sendall(f"POST {experiment.path}/decide HTTP/1.1\r\nHost: localhost\r\n"
                     "Transfer-Encoding: chunked\r\n\r\n".encode())
        for start in range(0, len(BODY), 7):
            piece = BODY[start:start + 7]
            sock.sendall(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        sock.sendall(b"0\r\n\r\n")
        assert read_answer(sock).status == 200


def test_expect_100_continue(experiment):
    with experiment.server.socket() as sock:
        head, body = request(experiment.path + "/decide", extra="Expect: 100-continue\r\n").split(b"\r\n\r\n", 1)
        sock.sendall(head + b"\r\n\r\n")
        assert read_answer(sock).status == 100
        sock.sendall(body)
        assert read_answer(sock).status == 200


def test_head_has_no_body(shared, experiment):
    for path in ("/healthz", "/v1/experiments", experiment.path, "/"):
        with shared.socket() as sock:
            sock.sendall(f"HEAD {path} HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            text = b""
            while text.count(b"HTTP/1.1 200") < 2 or not text.endswith(b"}"):
                text += sock.recv(4096)
            head, rest = text.split(b"\r\n\r\n", 1)
            assert rest.startswith(b"HTTP/1.1 200")  # the next answer follows at once


def test_bodies_that_are_too_large_are_refused_before_they_are_read(strict):
    with strict.socket() as sock:
        sock.sendall(b"POST /v1/experiments/e/decide HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000000\r\n\r\n")
        assert read_answer(sock).refusal[:2] == (413, "too_large")
    with strict.socket() as sock:
        sock.sendall(b"POST /v1/experiments/e/decide HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        piece = b"4000\r\n" + b" " * 0x4000 + b"\r\n"
        try:
            for _ in range(20):
                sock.sendall(piece)
        except OSError:
            pass
        answer = read_answer(sock)
        assert answer is None or answer.refusal[:2] == (413, "too_large")


def test_headers_that_are_too_large_are_refused(strict):
    with strict.socket() as sock:
        try:
            sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000 + b"\r\n\r\n")
        except OSError:
            pass
        answer = read_answer(sock)
        assert answer is None or answer.status == 431


POST = b"POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\n"
NO_HTTP = {
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "a greeting": b"hello\r\n\r\n",
    "a later version": b"GET / HTTP/9.9\r\n\r\n",
    "zeros": b"\r\n\r\n\r\n\r\n" + b"\0" * 50,
    "a negative length": POST + b"Content-Length: -5\r\n\r\n",
    "two lengths": POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}   ",
    "a length and chunks": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
    "an unknown encoding": POST + b"Transfer-Encoding: gzip\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "an encoding after chunked": POST + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
    "an encoding and a length": POST + b"Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}",
    "chunks of no length": POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
}


@pytest.mark.parametrize("case", NO_HTTP)
def test_what_is_no_http_is_refused(case, strict):
    with strict.socket(timeout=10) as sock:
        sock.sendall(NO_HTTP[case])
        answer = read_answer(sock)
        assert answer is None or 400 <= answer.status < 500
        assert answer is None or answer.headers["connection"] == "close"
    assert strict.get("/healthz").status == 200


HOSTILE = {
    "open brackets": b"[" * 50_000,
    "deep lists": b'{"actions":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "deep objects": b'{"a":' * 15_000,
    "no UTF-8": b"\xff" * 1000,
    "zeros in a text": b'{"event_id":"' + b"\\u0000" * 100 + b'","actions":[[1,2]]}',
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_bodies_are_refused(case, strict):
    body = HOSTILE[case]
    for call in ("decide", "reward", "predict", "import", "configure", "close"):
        assert strict.post(f"/v1/experiments/e/{call}", body).refusal[:2] == (400, "bad_request")
    assert strict.post("/v1/experiments", body).refusal[:2] == (400, "bad_request")
    assert strict.get("/healthz").status == 200


def test_bytes_one_by_one_do_not_keep_others_waiting(server):
    """Slowloris: nobody notices many who send a header a byte at a time."""
    server.create("e")
    slow = [server.socket() for _ in range(100)]
    text = b"POST /v1/experiments/e/decide HTTP/1.1\r\nHost: localhost\r\nX-Padding: "
    for position in range(10):
        for sock in slow:
            sock.sendall(text[position:position + 1])
        assert server.post("/v1/experiments/e/decide", BODY).status == 200
    until(lambda: open_connections(server) == len(slow) + 1)  # they were there all the time, and nobody else is
    for sock in slow:
        sock.close()


def test_requests_that_do_not_come_are_given_up(strict):
    """Heads and bodies that come too slowly are cut off, with 408 or without a word."""
    slow = [strict.socket() for _ in range(100)]
    for k, sock in enumerate(slow):
        sock.sendall(b"POST /v1/experiments/e/decide HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
                     + (b"" if k % 2 else b"\r\n{"))
    for sock in slow:
        answer = read_answer(sock)  # the socket's own patience is 30 s
        assert answer is None or answer.refusal[:2] == (408, "timeout")
        sock.close()


def test_idle_connections_are_closed_some_time(strict):
    with strict.socket() as sock:
        start = time.monotonic()
        sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert read_answer(sock).status == 200
        assert sock.recv(1) == b"" and time.monotonic() - start >= IDLE_SECONDS


def test_a_client_that_never_reads_does_not_keep_others_waiting(strict):
    """Its answers are not computed ahead of what it takes, and it is cut off."""
    for k in range(30):
        strict.post("/v1/experiments/e/import", "".join('{"state":[%d,2.123456789],"reward":1}\n' % k for _ in range(2000)))
    until(lambda: open_connections(strict) == 1)
    sock = strict.socket()
    sock.sendall(b"GET /v1/experiments/e/log HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
    for _ in range(20):
        assert strict.get("/healthz").status == 200
        assert strict.post("/v1/experiments/e/predict", {"states": [[0.1, 0.2]]}).status == 200
    until(lambda: open_connections(strict) == 1)  # it has been cut off: what was under way comes to an end
    sock.settimeout(5)
    total = 0
    try:
        while True:
            piece = sock.recv(1 << 20)
            if not piece:
                break
            total += len(piece)
    except ConnectionResetError:
        pass
    whole = len(strict.get("/v1/experiments/e/log").body)
    assert total < 25 * whole
    sock.close()


def test_uploads_that_are_broken_off_use_up_nothing(server):
    """All of what may be on its way at a time, and more, is announced by clients that go away."""
    server.create("e")
    for _ in range(90):
        with server.socket() as sock:
            sock.sendall(b"POST /v1/experiments/e/decide HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000000\r\n\r\n{")
    until(lambda: open_connections(server) == 1)
    long_body = b'{"actions":[[0.1,0.2]]' + b" " * 160_000 + b"}"
    assert server.post("/v1/experiments/e/decide", long_body).status == 200


def resident_bytes(server):
    for line in open(f"/proc/{server.process.pid}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no size")


def test_idle_connections_hold_no_memory_of_their_requests(server):
    server.create("e")
    body = b'{"actions":[[0.1,0.2]]' + b" " * 1_048_000 + b"}"
    before, held = resident_bytes(server), []
    for _ in range(400):
        held.append(server.socket())
        held[-1].sendall(request("/v1/experiments/e/decide?check=true", body))
        assert read_answer(held[-1]).status == 200
    until(lambda: open_connections(server) == len(held) + 1)
    assert resident_bytes(server) - before < 80e6  # it was 505 MB when each kept its buffers
    for sock in held:
        sock.close()


IDLE = """
import resource, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
kept = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(int(sys.argv[2]))]
print("ready", flush=True)
sys.stdin.read()
"""


def test_5000_idle_connections_do_not_slow_a_fresh_request(server):
    """The best of several medians beside them against the worst without, so that a busy machine does not matter."""
    count = 5000
    server.create("e")
    alone = [median_of_fresh_requests(server) for _ in range(4)]
    other = subprocess.Popen([sys.executable, "-c", IDLE, str(server.port), str(count)], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "ready\n"
        until(lambda: open_connections(server) >= count)
        beside = [median_of_fresh_requests(server) for _ in range(4)]
    finally:
        other.communicate()
    assert min(beside) < 2 * max(alone), (alone, beside)


def test_too_many_connections_are_turned_away(tmp_path):
    def health(sock):
        sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return read_answer(sock)

    def is_taken():
        with server.socket() as sock, contextlib.suppress(BrokenPipeError, ConnectionResetError):
            answer = health(sock)
            return answer is not None and answer.status == 200

    with Server(tmp_path / "data", "--max-connections", 20) as server:
        held = [server.socket() for _ in range(20)]
        for sock in held:
            until(lambda: health(sock).status == 200)  # it has been taken
        with server.socket() as sock:
            answer = read_answer(sock)
            assert answer is None or answer.refusal[:2] == (503, "too_many")
        assert not is_taken()
        for sock in held[:5]:
            sock.close()
        until(is_taken)
        for sock in held:
            sock.close()


def test_clients_that_vanish_leave_nothing_behind(shared, experiment):
    before = open_connections(shared)
    for k in range(50):
        sock = shared.socket()
        sock.sendall(request(experiment.path + "/decide"))
        sock.close()
    threads = [threading.Thread(target=lambda: http.client.HTTPConnection("127.0.0.1", shared.port).connect())
               for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    until(lambda: open_connections(shared) <= before)
