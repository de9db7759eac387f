"""One bad request, event or experiment stops nothing else; what is acknowledged can always be read again."""

import json
import pathlib
import resource
import shutil
import threading

from running import ACTIONS, Experiment, Server, command, until

GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
LINEAR = {"policy": "gp-ucb", "kernel": {"type": "linear"}}


def test_a_folder_that_an_acknowledged_decision_had_made_unreadable(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    shutil.copy(GOLDEN / "nan_decision" / "log.db", folder)
    with Server(folder) as server:
        sound, odd = Experiment(server, "sound"), Experiment(server, "g")
        assert sound.decide("again", [[0.1], [0.2]]).status == 200
        assert odd.get().status == 200 and odd.counts()["decisions"] == 2
        assert odd.reward("d1", 1).status == 200
        lines = odd.get("log").body
        assert b'"nan":["lower","upper"]' in lines
        server.stop()
        server.start()
        assert sound.decide("later", [[0.1], [0.2]]).status == 200
        (tmp_path / "g.jsonl").write_bytes(lines)
        told = command("replay", tmp_path / "g.jsonl")
        assert told.returncode == 1 and "none differs, but" in told.stderr and "numbers that this one refuses" in told.stderr
    assert command("export", "--data", folder).returncode == 0


def test_the_script_that_made_it(tmp_path):
    with Server(tmp_path / "data") as server:
        experiment = server.create("g", LINEAR)
        statuses = [experiment.decide("d0", [[9e153]]).status, experiment.reward("d0", 1).status]
        statuses += [experiment.decide(f"d{k}", [[9e153]]).status for k in (1, 1, 2)]
        assert all(status in (200, 400, 404, 500) for status in statuses), statuses
        log = experiment.get("log").body
        server.kill()
        server.start()
        assert experiment.get("log").body == log
        assert "degraded" not in server.get("/readyz").json


def test_numbers_that_are_too_large_are_the_clients_mistake(tmp_path):
    with Server(tmp_path / "data") as server:
        experiment = server.create("linear", LINEAR)
        assert experiment.decide("a", [[1e200]]).refusal[:2] == (400, "bad_request")
        lines = "\n".join(json.dumps({"state": [x], "reward": 1}) for x in (1, 2, 1e200, 3))
        refused = experiment.post("import", lines)
        assert refused.refusal == (400, "bad_request", "line 3") and "line 3" in refused.message
        assert experiment.counts()["imported"] == 0 and experiment.get().json["degraded"] is None


def test_two_writers_of_settings_lose_nothing(server):
    experiment = server.create("settings", reward_deadline_seconds=1)

    def write(field):
        for k in range(1, 41):
            told = experiment.post("configure", {field: k})
            assert told.status == 200 and told.json[field] == k

    threads = [threading.Thread(target=write, args=(field,)) for field in ("reward_deadline_seconds", "default_reward")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = experiment.get().json
    assert (told["reward_deadline_seconds"], told["default_reward"]) == (40, 40)


def test_an_import_with_an_id_is_taken_once(server):
    experiment = server.create("imported")
    body = '{"state":[0.1,0.2],"reward":1}\n{"state":[0.3,0.2],"reward":2}'
    first = experiment.post("import?import_id=january", body)
    assert first.json == {"imported": 2}
    assert experiment.post("import?import_id=january", body).json == {"imported": 2}
    assert experiment.post("import?import_id=january", body + "\n" + body).refusal == (409, "conflict", "import_id")
    server.kill()
    server.start()
    assert experiment.post("import?import_id=january", body).json == {"imported": 2}
    assert experiment.counts()["imported"] == 2
    assert [event["import_id"] for event in experiment.events("imported")] == ["january"]


def test_an_exact_model_is_full_and_says_what_is_allowed(tmp_path):
    with Server(tmp_path / "data", "--max-rows", 5) as server:
        experiment = server.create("exact", {"policy": "gp-ucb"})
        lines = [json.dumps({"state": [k, 0.5], "reward": 1}) for k in range(6)]
        assert experiment.post("import", "\n".join(lines)).refusal[:2] == (413, "too_large")
        assert experiment.post("import", "\n".join(lines[:5])).status == 200
        full = experiment.decide()
        assert full.refusal[:2] == (507, "full") and "may have 5 states" in full.message and "retry-after" not in full.headers


def test_a_model_that_does_not_fit_into_memory_stops_nothing_else(tmp_path):
    """With little memory for data: the import is acknowledged, cannot be learnt, and the server goes on; with more memory it starts whole."""
    def little_memory():
        resource.setrlimit(resource.RLIMIT_DATA, (110 << 20, 110 << 20))

    # Addresses count, used or not: what is freed is to be given back.
    frugal = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "131072"}
    with Server(tmp_path / "data", "--threads", 1, before=little_memory, environment=frugal) as server:
        big, small = server.create("big", {"policy": "gp-ucb"}), server.create("small")
        lines = "\n".join(json.dumps({"state": [k / 3500, k % 7], "reward": 1}) for k in range(3500))
        assert big.post("import", lines).status == 200
        assert small.decide("a").status == 200
        until(lambda: big.get().json["degraded"], 60)
        assert "memory" in big.get().json["degraded"]["message"]
        assert server.get("/readyz").json == {"status": "ready", "degraded": ["big"]}
        assert small.reward("a", 1).status == 200 and small.decide("b").status == 200
        assert big.decide("c", [[0.1, 0.2]]).status == 200  # by the last model it had
        server.stop()
    with Server(tmp_path / "data") as server:  # with more of it
        assert Experiment(server, "big").get().json["degraded"] is None
        assert Experiment(server, "big").decide("d", [[0.1, 0.2]]).status == 200
        assert Experiment(server, "small").counts()["rewards"] == 1


def test_replay_when_learning_was_far_behind(tmp_path):
    with Server(tmp_path / "data") as server:
        experiment = server.create("behind", {"policy": "gp-ucb"})
        lines = [json.dumps({"state": [k / 1500, k % 7], "reward": 1}) for k in range(1500)]
        assert experiment.post("import", "\n".join(lines)).status == 200
        for k in range(200):
            assert experiment.decide(f"e{k}", ACTIONS).status == 200
        (tmp_path / "log.jsonl").write_bytes(experiment.get("log").body)
    told = json.loads(command("replay", "--json", tmp_path / "log.jsonl").stdout)
    assert told["same"] and told["decisions"] == 200 and told["unchecked"] == 0
    piped = command("replay", "--json", "-", input=(tmp_path / "log.jsonl").read_text())
    assert json.loads(piped.stdout) == told


def test_what_was_decided_then_and_what_is_thought_now(server):
    experiment = server.create("explained")
    decided = experiment.decide("a").json
    experiment.reward("a", 1)
    until(lambda: experiment.get().json["version"] == 3)
    told = experiment.get("decisions/a").json
    assert told["explanation"]["decided_version"] == decided["version"] == told["version"] == 1
    assert told["explanation"]["version"] == 3
