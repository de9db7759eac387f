"""A running `ridgerunner serve`, and plain HTTP to talk to it. Every answer is held against the service's own description."""

import contextlib
import http.client
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import time
from typing import Any, Dict, NamedTuple

import description

PROGRAM = os.environ["RIDGERUNNER_PROGRAM"]
START_SECONDS = 60

SPEC = {"policy": "ek-ucb", "kernel": {"type": "gaussian", "lengthscale": 0.5}, "seed": 7}
ACTIONS = [[0.1, 0.2], [0.5, 0.6], [0.9, 0.1]]


class Answer(NamedTuple):
    status: int
    headers: Dict[str, str]  # names in lower case
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def refusal(self):
        """Status, code and field of an error."""
        error = self.json["error"]
        assert set(error) == {"code", "message", "field"} and error["message"]
        return self.status, error["code"], error["field"]

    @property
    def message(self):
        return self.json["error"]["message"]


class Server:
    """Starts at once and is killed at the end of a `with`. Options are those of `ridgerunner serve`."""

    def __init__(self, folder, *options, environment=None, before=None, start=True):
        self.folder = pathlib.Path(folder)
        self.arguments = [PROGRAM, "serve", "--data", str(self.folder), "--listen", "127.0.0.1:0", *map(str, options)]
        self.environment = {**os.environ, **(environment or {})}
        self.before = before
        self.process = self.port = None
        self.log_file = self.folder.with_name(self.folder.name + ".stderr")
        if start:
            self.start()

    def start(self):
        self.spawn()
        self.wait_until_listening()
        return self

    def spawn(self):
        with open(self.log_file, "wb") as log:
            self.process = subprocess.Popen(self.arguments, stdout=subprocess.PIPE, stderr=log, env=self.environment,
                                            preexec_fn=self.before)

    def wait_until_listening(self):
        line = b""
        end = time.monotonic() + START_SECONDS
        while not line.endswith(b"\n"):
            left = end - time.monotonic()
            assert left > 0, f"not listening after {START_SECONDS} s: {line!r} {self.log}"
            if select.select([self.process.stdout], [], [], left)[0]:
                piece = os.read(self.process.stdout.fileno(), 1000)
                if not piece:
                    raise NotStarted(self.process.wait(), self.log)
                line += piece
        assert line.startswith(b"listening on http://127.0.0.1:"), line
        self.port = int(line.rsplit(b":", 1)[1])

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self):
        return self.log_file.read_text(errors="replace")

    def stop(self, seconds=30):
        """SIGTERM; how long it took."""
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=seconds)
        self.process.stdout.close()
        assert code == 0, self.log
        return time.monotonic() - start

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
        if self.process is not None:
            self.process.wait()
            self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def ask(self, method, path, body=None, headers=None, timeout=30):
        """One request on a connection of its own. Bodies that are not texts are sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, encoded(body), headers or {})
            response = connection.getresponse()
            answer = Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
        finally:
            connection.close()
        description.check(self, method, path, answer)
        return answer

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, body="", **more):
        return self.ask("POST", path, body, **more)

    def create(self, name, spec=None, **settings):
        answer = self.post("/v1/experiments", {"name": name, "spec": SPEC if spec is None else spec, **settings})
        assert answer.status == 201, answer.body
        return Experiment(self, name)

    def socket(self, timeout=30):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)


class NotStarted(Exception):
    def __init__(self, code, text):
        super().__init__(f"exit code {code}: {text}")
        self.code, self.text = code, text

    @property
    def errors(self):
        return [line for line in self.text.splitlines() if line.startswith("error: ")]


class Experiment:
    """Calls under one name."""

    def __init__(self, server, name):
        self.server, self.name, self.path = server, name, f"/v1/experiments/{name}"

    def post(self, call, body="", **more):
        return self.server.post(f"{self.path}/{call}", body, **more)

    def get(self, call="", **more):
        return self.server.get(f"{self.path}/{call}" if call else self.path, **more)

    def decide(self, event_id=None, actions=None, **more):
        body = {"actions": ACTIONS if actions is None else actions, **more}
        return self.post("decide", body if event_id is None else {"event_id": event_id, **body})

    def reward(self, event_id, reward):
        return self.post("reward", {"event_id": event_id, "reward": reward})

    def activate(self, event_id):
        return self.post("activate", {"event_id": event_id})

    def log(self, start=None):
        """Events, and the line at the end."""
        answer = self.get("log" if start is None else f"log?from={start}")
        assert answer.status == 200, answer.body
        lines = [json.loads(line) for line in answer.body.splitlines()]
        assert lines[-1]["type"] == "end" and lines[-1]["events"] == len(lines) - 1
        return lines[:-1], lines[-1]

    def events(self, kind):
        return [event for event in self.log()[0] if event["type"] == kind]

    def counts(self):
        return self.get().json["counts"]

    def standing(self):
        """What changes with every event, and at no other time."""
        told = self.get().json
        return {name: told[name] for name in ("state", "counts", "last_event", "reward_deadline_seconds", "default_reward")}


def encoded(body):
    return body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)


def command(*arguments, **more):
    """The program to its end."""
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, **more)


def figure(server, name):
    """A number of /metrics."""
    for line in server.get("/metrics").body.decode().splitlines():
        if line.startswith(name + " "):
            return float(line.split()[-1])
    raise AssertionError(f"no figure {name}")


def until(condition, seconds=60):
    """Asks again until it holds. The time is for a busy machine: whoever waits for it in vain has failed."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, "it did not become true in time"
        time.sleep(0.02)


def read_answer(sock):
    """One answer with a Content-Length, or until the end, from a socket; None if the connection ends before one."""
    text = b""
    with contextlib.suppress(ConnectionResetError):
        while b"\r\n\r\n" not in text:
            piece = sock.recv(1)  # no byte of the next answer
            if not piece:
                return None
            text += piece
        head, *_ = text.split(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines[1:]}
        status, body = int(lines[0].split()[1]), b""
        length = 0 if status in (100, 204) else int(headers.get("content-length", 0))
        while len(body) < length:
            piece = sock.recv(length - len(body))
            if not piece:
                return None
            body += piece
        return Answer(status, headers, body)
    return None
