"""Ten minutes at full rate on a policy of constant memory: the process does not grow, nor does it lose anything."""

import os
import pathlib
import subprocess
import time

from running import Server, command, until

MINUTES = float(os.environ.get("RIDGERUNNER_SOAK_MINUTES", "10"))
LOAD = os.environ["RIDGERUNNER_LOAD"]
SPEC = {"policy": "ek-ucb", "kernel": {"type": "gaussian", "lengthscale": 3.0},
        "regression": {"type": "residual_budget", "tolerance": 20.0, "arrival_features": True},
        "bound": {"norm_bound": 1.0, "horizon": 10_000_000}}
PIECE_SECONDS = 4  # of decisions, then their rewards; not more than may wait to be learnt from


def resident_megabytes(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("no resident size")


def load(server, *kinds, seconds):
    made = subprocess.run([LOAD, "--port", str(server.port), "--experiment", "soak", "--seconds", str(seconds), "--warmup", "0",
                           "--actions", "10", *kinds], capture_output=True, text=True, timeout=seconds + 60)
    assert made.returncode == 0, made.stdout + made.stderr
    return int(made.stdout.split('"sent":')[1].split(",")[0])


def test_memory_is_flat(tmp_path):
    with Server(tmp_path / "data") as server:
        experiment = server.create("soak", SPEC)
        sizes, end, piece, decided = [], time.monotonic() + 60 * MINUTES, 0, 0
        while time.monotonic() < end:
            sent = load(server, f"decide,ids=s{piece}-", seconds=PIECE_SECONDS)
            load(server, f"reward,ids=s{piece}-,count={sent}", seconds=3 * PIECE_SECONDS)
            until(lambda: (state := experiment.get().json)["version"] == state["last_event"], seconds=60)
            decided += sent
            sizes.append(resident_megabytes(server.process))
            piece += 1
        print("megabytes:", " ".join(f"{size:.0f}" for size in sizes), "decisions:", decided)
        settled = sizes[len(sizes) // 3:]
        assert settled[-1] < 1.1 * settled[0] + 20, sizes
        counts = experiment.counts()
        assert counts["decisions"] == counts["rewards"] == decided and counts["pending"] == 0
        start = time.monotonic()
        server.stop()
        server.start()
        assert time.monotonic() - start < 30
        assert experiment.counts() == counts
        assert command("export", "--data", server.folder, "--out", os.devnull).returncode == 0
