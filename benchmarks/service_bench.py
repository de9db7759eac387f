"""What the decision service manages on this machine, as ratios measured in one run; script/bench_service builds and starts it.

16 connections, 30 actions in 8 dimensions, a model of about 200 anchors. The yardstick is the same server's rate of answers to
`decide?check=true`: the same bodies, parsed and validated, without deciding.
"""

import argparse
import http.client
import json
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

# Ends near 200 anchors on uniform states in 8 dimensions, and stays there: what may be missed is fixed for 10^7 rounds.
SPEC = {"policy": "ek-ucb", "kernel": {"type": "gaussian", "lengthscale": 3.0},
        "regression": {"type": "residual_budget", "tolerance": 20.0, "arrival_features": True},
        "bound": {"norm_bound": 1.0, "horizon": 10_000_000}}
# Keeps every state: what is published while it learns is 5,000 rows large.
EXACT = {"policy": "k-ucb", "kernel": {"type": "gaussian", "lengthscale": 1.0}, "bound": {"radius": 0.3}}
EXACT_STATES = 5000
DIMENSION = 8
PIECE = 40_000


class Server:
    def __init__(self, program, data):
        self._arguments = [program, "serve", "--data", str(data), "--listen", "127.0.0.1:0"]
        self.start()

    def start(self):
        """Starts it; the seconds until it is ready."""
        start = time.monotonic()
        self._log = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(self._arguments, stdout=subprocess.PIPE, stderr=self._log, text=True)
        line = self._process.stdout.readline()
        if not line.startswith("listening on "):
            self._process.wait()
            self._log.seek(0)
            raise SystemExit(f"error: the service did not start: {line}{self._log.read()[-2000:]}")
        self.port = int(line.rsplit(":", 1)[1])
        return time.monotonic() - start

    def stop(self):
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(timeout=120)

    def kill(self):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, path, body)
        answer = connection.getresponse()
        value = json.loads(answer.read())
        connection.close()
        if answer.status >= 300:
            raise SystemExit(f"error: {method} {path}: {value}")
        return value

    def state(self, name="load"):
        return self.ask("GET", f"/v1/experiments/{name}")

    def create(self, name, spec, thousands):
        """An experiment with so many thousand states, learnt."""
        rng = random.Random(3)
        self.ask("POST", "/v1/experiments", json.dumps({"name": name, "spec": spec}))
        for _ in range(thousands):
            states = [[round(rng.random(), 6) for _ in range(DIMENSION)] for _ in range(1000)]
            lines = "".join(json.dumps({"state": state, "reward": sum(state) / 8}) + "\n" for state in states)
            self.ask("POST", f"/v1/experiments/{name}/import", lines)
        self.wait_until_learnt(name)

    def wait_until_learnt(self, name="load"):
        for _ in range(1200):
            state = self.state(name)
            if state["version"] >= state["last_event"]:
                return
            time.sleep(0.1)
        raise SystemExit("error: the model has not caught up with the log within two minutes")


class Bench:
    def __init__(self, options, server):
        self.options, self.server, self.rows, self._ids = options, server, [], 0

    def load(self, *kinds, seconds=None, actions=30, warmup=0.5, experiment="load"):
        seconds = self.options.seconds if seconds is None else seconds
        made = subprocess.run([self.options.load, "--port", str(self.server.port), "--seconds", str(seconds), "--warmup",
                               str(warmup), "--experiment", experiment, "--actions", str(actions), "--dimension", str(DIMENSION), *kinds],
                              capture_output=True, text=True, timeout=seconds + 60)
        if made.returncode:
            raise SystemExit(f"error: load {kinds}: {made.stdout}{made.stderr}")
        return [json.loads(line) for line in made.stdout.splitlines()]

    def fresh_ids(self):
        self._ids += 1
        return f"bench{self._ids}-"

    def row(self, what, value, goal=""):
        self.rows.append((what, value, goal))
        print(f"{what:<78} {value:>12} {goal}", flush=True)

    def grow(self):
        self.server.create("load", SPEC, 20)
        self.row("anchors of the model", str(self.server.state()["model"]["anchors"]), "about 200")

    def rates(self):
        """Durable decisions and rewards against parsing alone; how long the slowest wait."""
        shares, rewards, tails, self.decide_rate, self.reward_rate = [], [], [], 0.0, 0.0
        for _ in range(self.options.rounds):
            ids = self.fresh_ids()
            (check,) = self.load(f"check,ids={ids}")
            (decide,) = self.load(f"decide,ids={ids}")
            (reward,) = self.load(f"reward,ids={ids},count={decide['sent']}", warmup=0)
            self.server.wait_until_learnt()
            shares.append(decide["rate"] / check["rate"])
            rewards.append(reward["rate"] / check["rate"])
            tails.append(decide["p99"] / decide["p50"])
            self.decide_rate, self.reward_rate = decide["rate"], reward["rate"]
            print(f"  check {check['rate']:.0f}/s, decide {decide['rate']:.0f}/s (p50 {decide['p50']} us, p99 {decide['p99']}"
                  f" us), reward {reward['rate']:.0f}/s (p99 {reward['p99']} us)")
        self.row("durable decisions / parsing and validating alone, rates", ratio(shares), "at least 0.25")
        self.row("durable rewards / the same", ratio(rewards), "at least 0.2")
        self.row("a durable decision: p99 / p50", ratio(tails), "at most 10")

    def under_rewards(self):
        """Decisions, a tenth of the maximal rate, alone and beside rewards at half of theirs."""
        rate, seconds, ratios = int(self.decide_rate / 10), self.options.seconds, []
        for _ in range(self.options.rounds):
            pool, half = self.fresh_ids(), int(self.reward_rate / 2)
            count = int(half * (seconds + 0.5))
            (made,) = self.load(f"decide,ids={pool},count={count},connections=64", seconds=60, actions=2, warmup=0)
            (alone,) = self.load(f"decide,ids={self.fresh_ids()},rate={rate},connections=4")
            beside, rewards = self.load(f"decide,ids={self.fresh_ids()},rate={rate},connections=4",
                                        f"reward,ids={pool},rate={half},count={made['sent']},connections=12")
            self.server.wait_until_learnt()
            ratios.append(beside["p99"] / alone["p99"])
            print(f"  decide at {rate}/s: p99 {alone['p99']} us alone, {beside['p99']} us beside {rewards['rate']:.0f} rewards/s")
        self.row("p99 of decisions beside rewards at half their maximal rate / alone", ratio(ratios), "at most 3")

    def exact(self):
        """Decisions on an exact model of 5,000 states, alone and beside 20 rewards a second."""
        self.server.create("exact", EXACT, EXACT_STATES // 1000)
        (most,) = self.load(f"decide,ids={self.fresh_ids()}", experiment="exact")
        rate, seconds, ratios = max(1, int(most["rate"] / 10)), self.options.seconds, []
        for _ in range(self.options.rounds):
            pool, count = self.fresh_ids(), int(20 * (seconds + 1))
            (made,) = self.load(f"decide,ids={pool},count={count}", seconds=60, actions=2, warmup=0, experiment="exact")
            (alone,) = self.load(f"decide,ids={self.fresh_ids()},rate={rate},connections=4", experiment="exact")
            beside, rewards = self.load(f"decide,ids={self.fresh_ids()},rate={rate},connections=4",
                                        f"reward,ids={pool},rate=20,count={made['sent']},connections=2", experiment="exact")
            self.server.wait_until_learnt("exact")
            ratios.append(beside["p99"] / alone["p99"])
            print(f"  exact, decide at {rate}/s: p99 {alone['p99']} us alone, {beside['p99']} us beside {rewards['rate']:.0f} rewards/s")
        self.row("p99 of decisions on 5,000 exact states beside rewards / alone", ratio(ratios), "at most 2")

    def looks(self):
        """GET of the exact model against that of an empty experiment."""
        self.server.ask("POST", "/v1/experiments", json.dumps({"name": "empty", "spec": EXACT}))
        times = {"exact": [], "empty": []}
        for _ in range(200):
            for name, taken in times.items():
                start = time.monotonic()
                self.server.state(name)
                taken.append(time.monotonic() - start)
        medians = {name: statistics.median(taken) for name, taken in times.items()}
        self.row("a look at 5,000 exact states / at an empty experiment", f"{medians['exact'] / medians['empty']:.2g}", "at most 5")

    def fill(self):
        """Up to so many events, within ten minutes; in pieces, since only so many may wait to be learnt from."""
        end = time.monotonic() + 600
        while (missing := self.options.events - self.server.state()["last_event"]) > 0 and time.monotonic() < end:
            ids, count = self.fresh_ids(), min(PIECE, (missing + 1) // 2)
            (decide,) = self.load(f"decide,ids={ids},count={count},connections=64", seconds=60, actions=2, warmup=0)
            self.load(f"reward,ids={ids},count={decide['sent']},connections=64", seconds=60, warmup=0)
            self.server.wait_until_learnt()

    def startup(self, data):
        self.fill()
        events = self.server.state()["last_event"]
        self.server.stop()
        with_snapshot = self.server.start()
        self.server.stop()
        shutil.rmtree(data / "snapshots")
        without = self.server.start()
        self.row("events in the log", str(events))
        self.row("seconds to start with a recent snapshot", f"{with_snapshot:.2f}", "under 3")
        self.row("events a second when starting without one", f"{events / without:.0f}", "at least 20000")
        self.row("start without a snapshot / with", f"{without / with_snapshot:.1f}")


def ratio(values):
    spread = f" ({min(values):.2g} to {max(values):.2g})" if len(values) > 1 else ""
    return f"{statistics.median(values):.2g}{spread}"


def main():
    parser = argparse.ArgumentParser(description="What the decision service manages on this machine, as ratios.")
    parser.add_argument("--program", default="build/release/ridgerunner")
    parser.add_argument("--load", default="build/release/benchmarks/ridgerunner_service_load")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3, help="medians are of so many")
    parser.add_argument("--events", type=int, default=1_000_000, help="in the log when start-up is measured; 0: do not")
    parser.add_argument("--no-exact", dest="exact", action="store_false", help="without the exact model of 5,000 states")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "data"
        server = Server(options.program, data)
        try:
            bench = Bench(options, server)
            bench.grow()
            bench.rates()
            bench.under_rewards()
            if options.exact:
                bench.exact()
                bench.looks()
            if options.events:
                bench.startup(data)
        finally:
            server.kill()


if __name__ == "__main__":
    main()
