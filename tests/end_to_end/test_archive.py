"""A log that was archived goes on; with the archive in its place everything can be proven again."""

import json
import shutil

from running import Experiment, Server, command


def live(experiment, rounds):
    for k in rounds:
        assert experiment.decide(f"e{k}", [[k / 100, j / 10] for j in range(4)]).status == 200
        if k % 5:
            assert experiment.reward(f"e{k}", k / 10).status == 200


def test_an_archived_log_goes_on_and_replays_with_its_archive(tmp_path):
    folder, away = tmp_path / "data", tmp_path / "away"
    with Server(folder) as server:
        experiment = server.create("kept")
        live(experiment, range(30))
        assert command("archive", "--data", folder).returncode == 1  # somebody uses the folder
        server.stop()
        made = command("archive", "--data", folder)
        assert made.returncode == 0, made.stderr
        assert [file.name for file in (folder / "archive").iterdir()] == ["000000000001-000000000055.db"]
        server.start()
        live(experiment, range(30, 50))
        assert experiment.reward("e10", 5).status == 200  # decided before
        assert experiment.get("decisions/e3").status == 200
        server.stop()
        assert command("archive", "--data", folder).returncode == 0  # a second part
        server.start()
        live(experiment, range(50, 60))
        whole = experiment.log()
        server.stop()
        shutil.move(folder / "archive", away)
        server.start()
        assert experiment.decide("e3", [[0.03, j / 10] for j in range(4)]).refusal[:2] == (410, "archived")
        assert experiment.reward("e4", 0.4).status == 200 and experiment.reward("e4", 0.5).status == 409
        assert experiment.reward("e15", 1).status == 200
        live(experiment, range(60, 70))
        after = len(whole[0]) + 1
        assert len(experiment.log(after)[0]) == 1 + 18
        model = experiment.log(after)[1]["model"]
        server.stop()
        shutil.rmtree(folder / "snapshots")
        refused = command("serve", "--data", folder, "--listen", "127.0.0.1:0")
        assert refused.returncode == 1 and "put their archive back" in refused.stderr
        shutil.move(away, folder / "archive")
        server.start()
        lines = experiment.get("log").body
        assert json.loads(lines.splitlines()[-1])["model"] == model
        server.stop()
    (tmp_path / "log.jsonl").write_bytes(lines)
    told = json.loads(command("replay", "--json", tmp_path / "log.jsonl").stdout)
    assert told["same"] and told["decisions"] == 70 and told["model"] == model
    offline = command("export", "--data", folder)
    assert offline.returncode == 0 and offline.stdout.encode().splitlines() == lines.splitlines()[:-1]
