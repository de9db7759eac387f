#!/usr/bin/python3
"""Makes the files of this folder, which later programs must read: make.py PROGRAM. They were made by version 0.1.0.

stream/NAME.jsonl   a session of `ridgerunner stream`: the spec, then requests with their answers; it saves and goes on
stream/NAME.rr      what it saved
results.json        of a comparison
data/               a data folder of the service: log, index and snapshots after a clean stop; data.jsonl is its log exported
"""

import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

PRESETS = ["ek-ucb", "k-ucb", "supk-ucb", "gp-ucb", "igp-ucb", "amm-ucb", "dmm-ucb", "cmm-ucb", "streaming-amm-ucb", "streaming-cmm-ucb",
           "adaptive-ucb", "kernel-ts", "bkb", "bbkb", "c-bkb", "c-bbkb", "uniform"]
ROUNDS = 25


def specs():
    """Every preset with contexts; those that treat a fixed arm set apart with one as well."""
    for preset in PRESETS:
        yield preset, {"policy": preset, "kernel": {"type": "gaussian", "lengthscale": 0.4}}
    arms = {"points": [[i / 12, (i * 5 % 12) / 12] for i in range(12)]}
    for preset in ["gp-ucb", "cmm-ucb", "supk-ucb", "bkb", "bbkb", "ek-ucb", "adaptive-ts"]:
        yield preset + "-arms", {"policy": preset, "kernel": {"type": "matern32", "lengthscale": 0.4}, "arms": arms}


def session(program, folder, name, spec):
    """Some rounds, a save with a decision open, some rounds more."""
    rng = random.Random(name)
    archive = folder / f"{name}.rr"
    with tempfile.TemporaryDirectory() as scratch:
        spec_file = pathlib.Path(scratch) / "spec.json"
        spec_file.write_text(json.dumps(spec))
        process = subprocess.Popen([program, "stream", "--spec", spec_file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        lines = [json.dumps({"spec": spec})]

        def ask(request):
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert "error" not in answer, answer
            if request["op"] not in ("save", "load"):
                lines.append(json.dumps({"request": request, "answer": answer}))
            return answer

        def decide():
            request = {"op": "decide"}
            states = spec.get("arms", {}).get("points")
            if states is None:
                states = request["actions"] = [[round(rng.random(), 3) for _ in range(2)] for _ in range(6)]
            return states[ask(request)["index"]]

        def observe(state):
            ask({"op": "observe", "state": state, "reward": round(state[0] * (1 - state[1]) + rng.gauss(0, 0.1), 4)})

        for _ in range(ROUNDS):
            observe(decide())
        waiting = decide()
        ask({"op": "save", "file": str(archive)})
        lines.append(json.dumps({"saved": archive.name}))
        observe(waiting)
        for _ in range(5):
            observe(decide())
        ask({"op": "predict", "states": [[0.5, 0.5], [0.1, 0.9]]})
        ask({"op": "stats"})
        process.stdin.close()
        assert process.wait() == 0
    (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")


def data_folder(program, folder):
    """Two experiments with decisions in every state: rewarded, open, deferred, expired, imported."""
    data = folder / "data"
    server = subprocess.Popen([program, "serve", "--data", data, "--listen", "127.0.0.1:0", "--snapshot-events", "20"],
                              stdout=subprocess.PIPE, text=True)
    url = server.stdout.readline().split()[2].rstrip("/") + "/v1/experiments"

    def call(path, body):
        body = body if isinstance(body, str) else json.dumps(body)
        with urllib.request.urlopen(urllib.request.Request(url + path, body.encode())) as answer:
            return json.load(answer)

    rng = random.Random(1)
    call("", {"name": "free", "spec": {"policy": "ek-ucb"}, "description": "contexts"})
    call("", {"name": "levels", "spec": {"policy": "supk-ucb", "arms": {"points": [[0], [0.5], [1]]}}, "reward_deadline_seconds": 1})
    for i in range(30):
        actions = [[round(rng.random(), 3), round(rng.random(), 3)] for _ in range(4)]
        call("/free/decide", {"event_id": f"f{i}", "actions": actions, "defer_activation": i % 7 == 0})
        call("/levels/decide", {"event_id": f"l{i}"})
        if i % 5:
            call("/free/reward", {"event_id": f"f{i}", "reward": round(rng.random(), 3)})
        if i % 3:
            call("/levels/reward", {"event_id": f"l{i}", "reward": round(rng.random(), 3)})
        if i % 14 == 0:
            call("/free/activate", {"event_id": f"f{i}"})
        time.sleep(0.02)
    call("/free/import", '{"state": [0.5, 0.5], "reward": 1}\n{"state": [0.1, 0.5], "reward": 0}\n')
    time.sleep(2)  # until the deadlines have passed
    with urllib.request.urlopen(url + "/free/log") as free, urllib.request.urlopen(url + "/levels/log") as levels:
        (folder / "data.jsonl").write_bytes(free.read() + levels.read())
    server.terminate()
    assert server.wait() == 0


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(__file__).resolve().parent
    for name in ["stream", "data"]:
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "stream").mkdir()
    for name, spec in specs():
        session(program, folder / "stream", name, spec)
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([program, "compare", "--environment", "bump", "--policies", "ek-ucb,k-ucb,gp-ucb,dmm-ucb,uniform", "--horizon", "20",
                        "--runs", "2", "--quiet", "--out", out], check=True)
        shutil.copy(next(pathlib.Path(out).glob("*.json")), folder / "results.json")
    data_folder(program, folder)


if __name__ == "__main__":
    main()
