"""A decision service in miniature, which can be told to misbehave: for the client's tests and its docstrings' examples."""

import contextlib
import http.server
import json
import socket
import threading
import time
import urllib.parse

import numpy as np

import ridgerunner as rr

NOW = "2026-11-16T09:00:00.250Z"


class Refused(Exception):
    def __init__(self, status, code, message, field=None):
        self.status = status
        self.body = {"error": {"code": code, "message": message, "field": field}}


class FakeExperiment:
    def __init__(self, body):
        self.name, self.spec, self.policy = body["name"], body["spec"], rr.Policy(body["spec"])
        self.description = body.get("description", "")
        self.settings = {key: body.get(key) for key in ("reward_deadline_seconds", "default_reward")}
        self.open, self.imports, self.decided, self.rewards = "open", {}, {}, {}

    def state(self, spec=True):
        pending = len(self.decided) - len(self.rewards)
        shown = {"name": self.name, "description": self.description, "state": self.open, "created": NOW, **self.settings,
                 "version": 1, "last_event": 1,
                 "counts": {"decisions": len(self.decided), "rewards": len(self.rewards), "defaulted": 0, "expired": 0,
                            "imported": sum(map(len, self.imports.values())), "pending": pending, "deferred": 0, "skipped": 0},
                 "totals": {"reward": sum(self.rewards.values()), "estimated_regret": 0.0}, "degraded": None,
                 "model": {"anchors": self.policy.stats()["anchors"]}, "of_a_newer_version": 1}
        return {**shown, "spec": self.spec} if spec else shown

    def decide(self, body):
        known = self.decided.get(body["event_id"])
        if known:
            if known[0] != body:
                raise Refused(409, "conflict", "event_id was decided with another body", "event_id")
            return known[1]
        if self.open != "open":
            raise Refused(409, "closed", f"experiment {self.name} is closed")
        ids = [one.get("id") if isinstance(one, dict) else None for one in body["actions"]]
        states = [body.get("context", []) + (one["features"] if isinstance(one, dict) else one)
                  for one in body["actions"]]
        if len(states[0]) != 1:
            raise Refused(400, "bad_request", f"actions[0] must have 1 numbers, got {len(states[0])}", "actions[0]")
        gone = {one if isinstance(one, int) else ids.index(one) for one in body.get("excluded", [])}
        left = [index for index in range(len(ids)) if index not in gone]
        choice = self.policy.decide([states[index] for index in left])
        answer = {"event_id": body["event_id"], "index": left[choice.index], "mean": choice.mean, "sd": choice.sd,
                  "lower": choice.lower, "upper": choice.upper, "propensity": choice.propensity, "version": 1}
        if ids[answer["index"]] is not None:
            answer["id"] = ids[answer["index"]]
        self.decided[body["event_id"]] = (body, answer, states)
        return answer

    def reward(self, body):
        if body["event_id"] not in self.decided:
            raise Refused(404, "unknown_event", f"no decision {body['event_id']}", "event_id")
        if self.rewards.setdefault(body["event_id"], body["reward"]) != body["reward"]:
            raise Refused(409, "conflict", "another reward was given", "reward")
        return {"event_id": body["event_id"], "status": "accepted"}

    def activate(self, body):
        return {"event_id": body["event_id"], "status": "activated"}

    def predict(self, body):
        states = body["states"] if "states" in body else [body["context"] + action for action in body["actions"]]
        made = {name: part.tolist() for name, part in self.policy.predict(np.array(states))._asdict().items()}
        return {**made, "version": 1}

    def configure(self, body):
        self.settings.update(body)
        return self.state()

    def close(self, body):
        self.open = "closed"
        return self.state()

    def made(self, event_id):
        _, answer, states = self.decided[event_id]
        return {**answer, "seq": 1, "time": NOW, "candidates": len(states), "reward": self.rewards.get(event_id),
                "status": "rewarded" if event_id in self.rewards else "pending"}

    def explain(self, event_id):
        if event_id not in self.decided:
            raise Refused(404, "unknown_event", f"no decision {event_id}")
        _, answer, states = self.decided[event_id]
        forecast = self.policy.predict(states)
        seen = [{"index": index, "mean": m, "sd": s, "lower": low, "upper": high}
                for index, (m, s, low, high) in enumerate(zip(*(part.tolist() for part in forecast)))]
        others = [one for one in seen if one["index"] != answer["index"]]
        why = {"version": 1, "chosen": seen[answer["index"]], "candidates": seen,
               "runner_up": max(others, key=lambda one: one["upper"]) if others else None}
        return {**self.made(event_id), "state": states[answer["index"]], "explanation": why}

    def newest(self, limit):
        return {"decisions": [self.made(event_id) for event_id in list(self.decided)[::-1][:limit]]}

    def history(self):
        return {**{name: [1, 2] for name in ("time", "seq", "decisions", "rewards", "anchors", "pending")},
                "reward": [0.5, 1.5], "estimated_regret": [0.1, 0.2], "radius": [None, 0.1]}

    def live(self):
        return {**self.state(spec=False), "time": NOW, "rates": {"decisions": 2.0, "rewards": 1.0},
                "shares": [{"action": "0", "count": 2}], "recent": self.newest(20)["decisions"]}


class FakeService:
    """`faults` are taken one by one, each by a request; None is an ordinary answer. `seen` are requests as they came."""

    def __init__(self):
        self.experiments, self.faults, self.seen, self.connections = {}, [], [], 0
        self.lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"service": self})
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, method, path, query, body):
        if path in ("/healthz", "/readyz"):
            return 200, {"status": "ok" if path == "/healthz" else "ready"}
        parts = path.split("/")[3:]
        if not parts:
            return self.create(json.loads(body)) if method == "POST" else (
                200, {"experiments": [one.state(spec=False) for one in self.experiments.values()]})
        experiment = self.experiments.get(parts[0])
        if experiment is None:
            raise Refused(404, "not_found", f"no experiment {parts[0]}")
        if method == "POST" and parts[1] == "import":
            lines = [json.loads(line) for line in body.splitlines()]
            (called,) = query["import_id"]
            if experiment.imports.setdefault(called, lines) != lines:
                raise Refused(409, "conflict", f"import {called} had other data", "import_id")
            return 200, {"imported": len(lines)}
        if method == "POST":
            return 200, getattr(experiment, parts[1])(json.loads(body or b"{}"))
        return 200, {0: experiment.state, 1: lambda: experiment.history() if parts[1] == "history" else
                     experiment.newest(int(query["limit"][0])),
                     2: lambda: experiment.explain(urllib.parse.unquote(parts[2]))}[len(parts) - 1]()

    def create(self, body):
        known = self.experiments.get(body["name"])
        if known:
            if known.spec != body["spec"]:
                raise Refused(409, "exists", f"experiment {body['name']} has another spec", "spec")
            return 200, known.state()
        self.experiments[body["name"]] = FakeExperiment(body)
        return 201, self.experiments[body["name"]].state()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    service: FakeService

    def setup(self):
        super().setup()
        with self.service.lock:
            self.service.connections += 1

    def handle(self):
        with contextlib.suppress(ConnectionError):  # clients that give up are part of the tests
            super().handle()

    def log_message(self, format, *arguments):
        pass

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        address = urllib.parse.urlsplit(self.path)
        with self.service.lock:
            self.service.seen.append((self.command, self.path, body, dict(self.headers)))
            fault = self.service.faults.pop(0) if self.service.faults else None
        if fault is not None and fault(self, lambda: self.compute(address, body)):
            return
        if address.path.endswith(("/log", "/live")):
            self.send_stream(address.path)
        else:
            self.send(*self.compute(address, body))

    do_POST = do_GET

    def compute(self, address, body):
        with self.service.lock:
            try:
                return self.service.answer(self.command, address.path, urllib.parse.parse_qs(address.query), body)
            except Refused as refusal:
                return refusal.status, refusal.body

    def send(self, status, value, **headers):
        text = json.dumps(value).encode()
        self.send_response(status)
        for name, content in {"Content-Length": str(len(text)), **headers}.items():
            self.send_header(name.replace("_", "-"), content)
        self.end_headers()
        self.wfile.write(text)

    def send_stream(self, path, lines=None):
        experiment = self.service.experiments[path.split("/")[3]]
        if lines is None and path.endswith("/live"):
            lines = [":\n\n", f"event: state\ndata: {json.dumps(experiment.live())}\n\n"]
        elif lines is None:
            lines = [json.dumps({"seq": 1, "type": "created"}) + "\n", json.dumps({"seq": 1, "type": "end"}) + "\n"]
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in lines:
            self.wfile.write(f"{len(line):x}\r\n{line}\r\n".encode())
        self.wfile.write(b"0\r\n\r\n")


def drop(handler, compute):
    """Closes the connection without an answer, before anything was done."""
    _hang_up(handler)
    return True


def drop_after_doing(handler, compute):
    """Does what was asked and closes the connection without an answer."""
    compute()
    _hang_up(handler)
    return True


def drop_midway(handler, compute):
    """Does what was asked and breaks off within the answer."""
    compute()
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"event")
    _hang_up(handler)
    return True


def close_afterwards(handler, compute):
    """Answers, then closes a connection that was to be kept."""
    handler.send(*compute())
    _hang_up(handler)
    return True


def slowly(seconds):
    def fault(handler, compute):
        time.sleep(seconds)
        return False
    return fault


def refuse(status, code, **headers):
    def fault(handler, compute):
        handler.send(status, {"error": {"code": code, "message": f"it is {code}", "field": None}}, **headers)
        return True
    return fault


def say(status, text):
    """Any text, for instance that of a proxy."""
    def fault(handler, compute):
        handler.wfile.write(f"HTTP/1.1 {status} X\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode())
        return True
    return fault


def _hang_up(handler):
    handler.close_connection = True
    handler.wfile.flush()
    with contextlib.suppress(OSError):
        handler.connection.shutdown(socket.SHUT_RDWR)
