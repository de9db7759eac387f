"""An exported log, folded again by the program, gives the same decisions and the same model, for every kind of policy."""

import json

import numpy as np
import pytest

import ridgerunner as rr
from running import command

ARMS = {"points": np.linspace(0, 1, 12).reshape(-1, 1).tolist()}
SPECS = {
    "auto": {"policy": "auto"},
    "auto with arms": {"policy": "auto", "arms": ARMS},
    "kors": {"policy": "ek-ucb"},
    "kors on arrival": {"policy": "ek-ucb", "regression": {"arrival_features": True}},
    "bkb": {"policy": "bkb"},
    "bbkb": {"policy": "bbkb", "arms": ARMS},
    "supk-ucb": {"policy": "supk-ucb", "bound": {"horizon": 100}},
    "kernel-ts": {"policy": "kernel-ts"},
    "adaptive-ucb": {"policy": "adaptive-ucb", "arms": ARMS},
    "amm-ucb": {"policy": "amm-ucb"},
    "dmm-ucb": {"policy": "dmm-ucb"},
    "exact with arms": {"policy": "gp-ucb", "arms": ARMS},
    "uniform": {"policy": "uniform"},
}


@pytest.mark.parametrize("case", SPECS)
def test_a_log_replays(case, shared, tmp_path):
    spec, rng = SPECS[case], np.random.default_rng(5)
    name = "replayed-" + case.replace(" ", "-")
    with rr.Client(shared.url, retries=0) as client:
        experiment = client.create(name, spec, seed=9)
        if "arms" not in spec:
            experiment.import_history(rng.random((5, 1)), rng.random(5))
        waiting = []
        for round_number in range(60):
            actions = None if "arms" in spec else rng.random((8, 1))
            excluded = [int(rng.integers(8))] if round_number % 4 == 0 else None
            waiting.append(experiment.decide(actions, excluded=excluded, defer_activation=round_number % 10 == 9))
            if round_number % 3 == 2:  # rewards come late and out of order
                for decision in waiting[::-1]:
                    experiment.reward(decision, float(np.sin(3 * decision.mean) + decision.index / 10))
                waiting.clear()
        for decision in experiment.decisions(limit=100):
            if decision.status == "deferred":
                experiment.activate(decision)
        assert experiment.state().degraded is None
        lines = list(experiment.log())
    file = tmp_path / "log.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    replayed = command("replay", "--json", file)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    told = json.loads(replayed.stdout)
    assert told["same"] and told["decisions"] == 60 and told["different"] == 0 and told["model"] == lines[-1]["model"]


def test_a_log_that_was_changed_does_not_replay(experiment, tmp_path):
    for k in range(20):
        experiment.decide(f"e{k}")
        experiment.reward(f"e{k}", k / 10)
    lines = experiment.get("log").body.decode().splitlines()
    changes = {
        "another choice": lambda: swap(lines, "decided", 5, "index", lambda index: (index + 1) % 3),
        "another reward": lambda: swap(lines, "rewarded", 5, "reward", lambda reward: reward + 1),
        "an event less": lambda: lines[:10] + lines[11:],
        "another checksum": lambda: swap(lines, "end", 0, "model", lambda model: "00000000"),
        "no JSON": lambda: lines[:10] + ["{"] + lines[11:],
    }
    for case, change in changes.items():
        (tmp_path / "log.jsonl").write_text("\n".join(change()) + "\n")
        replayed = command("replay", tmp_path / "log.jsonl")
        assert replayed.returncode == 1 and replayed.stderr.startswith("error: "), (case, replayed.stdout, replayed.stderr)


def swap(lines, kind, number, field, change):
    found = [position for position, line in enumerate(lines) if json.loads(line)["type"] == kind][number]
    event = json.loads(lines[found])
    event[field] = change(event[field])
    return lines[:found] + [json.dumps(event)] + lines[found + 1:]


def test_an_export_of_the_folder_is_the_log(server, tmp_path):
    experiment, other = server.create("one"), server.create("two")
    for k in range(10):
        experiment.decide(f"e{k}")
        other.decide(f"e{k}")
    online = experiment.get("log").body.splitlines()[:-1]
    server.stop()
    offline = command("export", "--data", server.folder, "--experiment", "one")
    assert offline.returncode == 0 and offline.stdout.encode().splitlines() == online
    whole = command("export", "--data", server.folder, "--out", tmp_path / "all.jsonl")
    assert whole.returncode == 0 and len((tmp_path / "all.jsonl").read_text().splitlines()) == 22
    assert command("replay", tmp_path / "all.jsonl").returncode == 0
