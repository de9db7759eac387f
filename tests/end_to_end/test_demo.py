"""The demo: simulated visitors, and the script that starts the service with them."""

import os
import pathlib
import signal
import subprocess

from running import Server, command, until


def test_simulated_visitors_decide_and_reward(server):
    made = command("simulate", "--url", server.url, "--experiment", "visited", "--rate", "500", "--decisions", "60", "--quiet")
    assert made.returncode == 0, made.stderr
    counts = server.get("/v1/experiments/visited").json["counts"]
    assert counts["decisions"] == 60 and counts["rewards"] > 0
    again = command("simulate", "--url", server.url, "--experiment", "visited", "--rate", "500", "--decisions", "5", "--quiet")
    assert again.returncode == 0, again.stderr
    assert server.get("/v1/experiments/visited").json["counts"]["decisions"] == 65


def test_visitors_without_a_service_say_so():
    made = command("simulate", "--url", "http://127.0.0.1:9", "--decisions", "1")
    assert made.returncode == 1 and made.stderr.startswith("error: ") and made.stderr.count("\n") == 1
    assert command("simulate", "--url", "nonsense", "--decisions", "1").returncode in (1, 2)


def test_the_script_starts_both_and_stops_both(tmp_path):
    root = pathlib.Path(__file__).parents[2]
    process = subprocess.Popen([root / "script/serve", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env={**os.environ, "RIDGERUNNER_DATA": str(tmp_path / "data")})
    try:
        line = process.stdout.readline()
        assert line.startswith("listening on http://127.0.0.1:"), process.stderr.read()
        server = Server(tmp_path / "data", start=False)
        server.port = int(line.rsplit(":", 1)[1])
        until(lambda: server.get("/v1/experiments/demo").status == 200 and
              server.get("/v1/experiments/demo").json["counts"]["decisions"] > 5, seconds=30)
    finally:
        process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 0
