"""kill -9 at random moments under load: nothing acknowledged is lost, nothing is there twice, and the model is the log's."""

import json
import os
import random
import shutil
import time

from running import Experiment, Server, command, until
from workload import POLICIES, Memory, Worker, check_log

KILLS = int(os.environ.get("RIDGERUNNER_KILLS", "20"))
SNAPSHOT_EVENTS = 100  # so that kills meet snapshots being written
WORKERS = 4


def kill_under_load(server, memory, rng, round_number):
    workers = [Worker(server.port, memory, number, 1000 * round_number + rng.randrange(1000)) for number in range(WORKERS)]
    for worker in workers:
        worker.start()
    time.sleep(rng.uniform(0.02, 0.3))
    if round_number % 5 == 4:  # in the middle of a shutdown
        server.process.terminate()
        time.sleep(rng.uniform(0, 0.05))
    server.kill()
    for worker in workers:
        worker.stop.set()
        worker.join()
        assert worker.trouble is None, worker.trouble


def start_with_kills(server, rng, round_number):
    if round_number % 5 == 2:  # in the middle of a start
        server.spawn()
        time.sleep(rng.uniform(0, 0.05))
        server.kill()
    server.start()


def repeat_what_was_not_answered(memory, experiments):
    """Decisions and rewards may be sent again, whatever became of them; a history may not."""
    for name, call, body in memory.unanswered:
        if call == "import":
            continue
        answer = experiments[name].post(call, body)
        if answer.status == 404 and call != "decide":
            continue  # its decision was not answered either, and has not been repeated yet
        if answer.status == 410:
            assert name == "hurried"
            continue
        assert answer.status == 200, (call, body, answer.body)
        key = (name, body["event_id"])
        if call == "decide":
            memory.decided[key] = (body, answer.json)
        elif call == "reward":
            memory.rewarded[key] = body["reward"]
        else:
            memory.activated.add(key)
    memory.unanswered.clear()


def repeat_what_was_answered(memory, experiments, rng):
    for key in rng.sample(sorted(memory.decided), min(10, len(memory.decided))):
        body, answer = memory.decided[key]
        assert experiments[key[0]].post("decide", body).json == answer
        other = {**body, "actions": body["actions"][::-1]}
        assert experiments[key[0]].post("decide", other).status == 409
    for key in rng.sample(sorted(memory.rewarded), min(10, len(memory.rewarded))):
        # A reward that came before its activation is kept no longer than the deadline.
        gone = {410} if key[0] == "hurried" else set()
        assert experiments[key[0]].reward(key[1], memory.rewarded[key]).status in {200} | gone
        assert experiments[key[0]].reward(key[1], -1).status in {409} | gone


def test_nothing_is_lost_or_done_twice_when_the_server_is_killed(tmp_path):
    rng, memory = random.Random(os.environ.get("RIDGERUNNER_SEED", "11")), Memory()
    with Server(tmp_path / "data", "--snapshot-events", SNAPSHOT_EVENTS) as server:
        server.create("plain", POLICIES["plain"])
        server.create("hurried", POLICIES["hurried"], reward_deadline_seconds=0.3, default_reward=0.0)
        experiments = {name: Experiment(server, name) for name in POLICIES}
        logs = {name: [] for name in POLICIES}
        for round_number in range(KILLS):
            kill_under_load(server, memory, rng, round_number)
            start_with_kills(server, rng, round_number)
            repeat_what_was_not_answered(memory, experiments)
            for name, experiment in experiments.items():
                known = logs[name]
                known += experiment.log(start=known[-1]["seq"] + 1 if known else None)[0]
            check_log_without_gaps_at_the_end(memory, logs, experiments)
            repeat_what_was_answered(memory, experiments, rng)
        assert len(memory.decided) > 10 * KILLS and len(memory.rewarded) > KILLS and len(memory.imported) > KILLS
        check_the_model(server, experiments, memory, tmp_path)


def check_log_without_gaps_at_the_end(memory, logs, experiments):
    """Deadlines pass between two exports; so the earlier one may lack what the later one knows in between."""
    last = max(events[-1]["seq"] for events in logs.values())
    for name, events in logs.items():
        events += experiments[name].log(start=events[-1]["seq"] + 1)[0]
    check_log(memory, {name: [event for event in events if event["seq"] <= last] for name, events in logs.items()})


def check_the_model(server, experiments, memory, folder):
    """Replaying the log, and starting with nothing but the log, give the same decisions and models, bit for bit."""
    until(lambda: experiments["hurried"].counts()["pending"] + experiments["hurried"].counts()["deferred"] == 0)
    exports = {name: experiment.get("log").body for name, experiment in experiments.items()}
    check_log(memory, {name: [json.loads(line) for line in text.splitlines()][:-1] for name, text in exports.items()})
    for name, text in exports.items():
        (folder / f"{name}.jsonl").write_bytes(text)
        replayed = command("replay", folder / f"{name}.jsonl")
        assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    server.stop()
    shutil.rmtree(server.folder / "snapshots")
    for file in server.folder.glob("index.db*"):
        file.unlink()
    server.start()
    for name, experiment in experiments.items():
        assert experiment.get("log").body == exports[name]
    repeat_what_was_answered(memory, experiments, random.Random(5))


def test_a_restart_keeps_everything(tmp_path):
    with Server(tmp_path / "data") as server:
        experiment = server.create("kept", description="as it was", reward_deadline_seconds=1000)
        for k in range(30):
            experiment.decide(f"e{k}", defer_activation=k % 7 == 3)
            if k % 3 == 0:
                experiment.reward(f"e{k}", k)
        experiment.post("import", '{"state":[0.1,0.2],"reward":1}')
        answers = {k: experiment.decide(f"e{k}", defer_activation=k % 7 == 3).body for k in range(30)}
        shut = server.create("shut")
        shut.post("close")

        def look(one):
            told = one.get().json
            for behind in ("effective_dimension", "projection_error"):  # computed when somebody has looked
                told["model"].pop(behind)
            return told

        def picture():
            export = experiment.get("log").body, shut.get("log").body  # waits for the models
            return (export, look(experiment), experiment.get("decisions?limit=100").json, look(shut),
                    experiment.post("predict", {"states": [[0.3, 0.4]]}).json)

        before, histories = picture(), []
        for end in (server.stop, server.kill, server.stop):
            end()
            server.start()
            assert picture() == before
            histories.append(experiment.get("history").json)
        assert histories[0] == histories[1] == histories[2]  # a running server's may lag a little
        assert {k: experiment.decide(f"e{k}", defer_activation=k % 7 == 3).body for k in range(30)} == answers
        assert experiment.decide("next").json["version"] == before[1]["last_event"]


def test_two_servers_cannot_share_a_folder(server):
    other = command("serve", "--data", server.folder, "--listen", "127.0.0.1:0")
    assert other.returncode == 1 and other.stderr.splitlines()[-1].startswith("error: ") and "lock" in other.stderr
    assert server.get("/healthz").status == 200
