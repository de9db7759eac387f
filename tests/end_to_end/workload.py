"""Clients that write down what was acknowledged, for servers that die under them."""

import http.client
import json
import random
import threading

# Thompson sampling, so that a decision made again with other randomness would differ. Without a history: starts are quick.
# The other one tunes itself, so that kills meet a retune.
QUICK = {"type": "kors", "ridge": 1.0, "arrival_features": True}
POLICIES = {"plain": {"policy": "kernel-ts", "seed": 3, "regression": QUICK},
            "hurried": {"policy": "auto", "seed": 4, "regression": QUICK}}


class Memory:
    """What clients were told, and what they asked without an answer. One for all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.decided = {}    # (experiment, event id) -> (body, answer)
        self.rewarded = {}   # (experiment, event id) -> reward
        self.imported = {}   # first number of the state -> how many
        self.activated = set()
        self.unanswered = []  # (experiment, call, body)


class Worker(threading.Thread):
    """Decides, rewards, activates and imports until the connection breaks or `stop` is set."""

    def __init__(self, port, memory, number, seed):
        super().__init__()
        self.port, self.memory, self.number = port, memory, number
        self.random = random.Random(seed)
        self.stop = threading.Event()
        self.trouble = None
        self.done = 0
        self.prefix = f"{seed}-{number}"

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            while not self.stop.is_set():
                self.step(connection)
        except (OSError, http.client.HTTPException):
            pass  # killed
        except Exception as error:  # reported by the test
            self.trouble = error
        finally:
            connection.close()

    def step(self, connection):
        kind = self.random.random()
        experiment = "hurried" if self.random.random() < 0.25 else "plain"
        if kind < 0.6:
            self.decide(connection, experiment)
        elif kind < 0.9:
            self.resolve(connection, experiment)
        else:
            self.bring_history(connection)

    def decide(self, connection, experiment):
        self.done += 1
        body = {"event_id": f"{self.prefix}-{self.done}",
                "actions": [[self.random.random(), self.random.random()] for _ in range(4)]}
        if self.random.random() < 0.2:
            body["defer_activation"] = True
        answer = self.ask(connection, experiment, "decide", body)
        with self.memory.lock:
            self.memory.decided[experiment, body["event_id"]] = (body, answer)

    def resolve(self, connection, experiment):
        """Rewards or activates a decision of somebody's."""
        with self.memory.lock:
            mine = [key for key in list(self.memory.decided)[-200:] if key[0] == experiment]
        if not mine:
            return
        _, event_id = self.random.choice(mine)
        if self.random.random() < 0.2:
            if self.ask(connection, experiment, "activate", {"event_id": event_id}, gone=True):
                with self.memory.lock:
                    self.memory.activated.add((experiment, event_id))
            return
        reward = len(event_id) + int(event_id.rsplit("-", 1)[1])  # one for each, so repeats agree
        if self.ask(connection, experiment, "reward", {"event_id": event_id, "reward": reward}, gone=True):
            with self.memory.lock:
                self.memory.rewarded[experiment, event_id] = reward

    def bring_history(self, connection):
        self.done += 1
        first = self.random.random() + self.number  # nobody else's
        count = self.random.randint(1, 20)
        lines = [json.dumps({"state": [first, k / 20], "reward": k}) for k in range(count)]
        self.ask(connection, "plain", "import", "\n".join(lines))
        with self.memory.lock:
            self.memory.imported[first] = count

    def ask(self, connection, experiment, call, body, gone=False):
        text = body if isinstance(body, str) else json.dumps(body)
        try:
            connection.request("POST", f"/v1/experiments/{experiment}/{call}", text)
            response = connection.getresponse()
            answer = json.loads(response.read())
        except (OSError, http.client.HTTPException):
            with self.memory.lock:
                self.memory.unanswered.append((experiment, call, body))
            raise
        if response.status == 410 and gone and experiment == "hurried":
            return None
        if response.status == 503 and answer["error"]["code"] == "draining":
            raise ConnectionError("it is about to end")
        assert response.status == 200, (call, response.status, answer)
        return answer


def once(key, event, seen):
    assert key not in seen, f"{key}: {event['type']} twice, as event {seen[key]['seq']} and {event['seq']}"
    seen[key] = event


def check_log(memory, logs):
    """Everything acknowledged is there as it was told, and nothing is there twice. `logs`: events by experiment."""
    seqs = sorted(event["seq"] for events in logs.values() for event in events)
    assert seqs == list(range(1, len(seqs) + 1)), "events are missing or there twice"
    decided, rewarded, activated, expired, ended, imported = {}, {}, {}, {}, {}, {}
    for experiment, events in logs.items():
        for event in events:
            key = (experiment, event.get("event_id"))
            if event["type"] == "decided":
                once(key, event, decided)
            elif event["type"] in ("rewarded", "activated", "expired"):
                assert decided[key]["seq"] == event["decided"]
                once(key, event, {"rewarded": rewarded, "activated": activated, "expired": expired}[event["type"]])
                # A reward before the activation is kept, and ends nothing yet.
                if event["type"] == "expired" or event.get("reward") is not None and not event.get("held"):
                    once(key, event, ended)
            elif event["type"] == "imported":
                first = event["states"][0][0]
                assert first not in imported, "the same history was imported twice"
                imported[first] = len(event["rewards"])
    for key, (body, answer) in memory.decided.items():
        assert key in decided, f"{key} was acknowledged and is lost"
        assert decided[key]["actions"] == body["actions"]
        for name in ("index", "mean", "sd", "lower", "upper", "propensity", "version"):
            assert decided[key][name] == answer[name], (key, name)
    for key, reward in memory.rewarded.items():
        assert key in rewarded and rewarded[key]["reward"] == reward, f"the reward of {key} was acknowledged and is lost"
    for key in memory.activated:
        assert key in activated or "deferred" not in decided[key], f"the activation of {key} is lost"
    for first, count in memory.imported.items():
        assert imported.get(first) == count, "an acknowledged import is lost"
