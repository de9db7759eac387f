"""Truncated and bit-flipped files: detected and told with the position; what can be read is exported, nothing is skipped silently."""

import json
import random
import shutil

import pytest

from running import Experiment, NotStarted, Server, command

EVENTS = 301


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A folder after a clean stop, its export, and one that was killed (its newest events are in the WAL)."""
    folder = tmp_path_factory.mktemp("damage")
    with Server(folder / "clean", "--snapshot-events", 100) as server:
        experiment = server.create("kept")
        for k in range(100):
            experiment.decide(f"e{k}", [[k / 100, j / 10] for j in range(8)])
            experiment.reward(f"e{k}", k / 10)
            experiment.post("import", json.dumps({"state": [k / 100, 0.5], "reward": 1}))
        export = experiment.get("log").body
        server.kill()
        shutil.copytree(folder / "clean", folder / "killed")
        server.start()
        server.stop()
    assert not (folder / "clean" / "log.db-wal").exists() and (folder / "killed" / "log.db-wal").stat().st_size > 0
    return folder, export


def copy(original, which, tmp_path):
    folder = tmp_path / "data"
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(original[0] / which, folder)
    return folder


def without_caches(folder):
    shutil.rmtree(folder / "snapshots")
    for file in folder.glob("index.db*"):
        file.unlink()


def flip(file, position, bit=0):
    data = bytearray(file.read_bytes())
    data[position] ^= 1 << bit
    file.write_bytes(data)


def cut(file, size):
    with open(file, "r+b") as opened:
        opened.truncate(size)


def assert_refused(folder):
    """It does not start, and says why in one line; an export has all that it does not report as damaged."""
    with pytest.raises(NotStarted) as error, Server(folder):
        pass
    assert error.value.code == 1 and len(error.value.errors) == 1, error.value.text
    return error.value.errors[0]


def assert_honest_export(folder, export):
    """Whatever is exported is as it was; what is not is reported by its number."""
    made = command("export", "--data", folder)
    events = {event["seq"]: event for event in map(json.loads, export.splitlines()[:-1])}
    told = [json.loads(line) for line in made.stdout.splitlines()]
    good = [line for line in told if line["type"] != "damaged"]
    damaged = [line["seq"] for line in told if line["type"] == "damaged"]
    assert all(line == events[line["seq"]] for line in good), "an event was exported that is not as it was"
    if made.returncode == 0:
        assert len(good) == EVENTS and not damaged
        return []
    assert made.returncode == 1 and "error: " in made.stderr
    if told:
        assert sorted(damaged + [line["seq"] for line in good]) == list(range(1, EVENTS + 1))
        assert all(f"event {seq}" in made.stderr for seq in damaged)
    return damaged


def test_what_is_whole_starts_and_exports(original, tmp_path):
    for which in ("clean", "killed"):
        folder = copy(original, which, tmp_path)
        assert assert_honest_export(folder, original[1]) == []
        with Server(folder) as server:
            assert Experiment(server, "kept").get("log").body == original[1]


def test_a_flipped_bit_in_the_log_is_never_taken_for_an_event(original, tmp_path):
    rng, refused = random.Random(3), 0
    size = (original[0] / "clean" / "log.db").stat().st_size
    for _ in range(12):
        folder = copy(original, "clean", tmp_path)
        without_caches(folder)
        flip(folder / "log.db", rng.randrange(size), rng.randrange(8))
        damaged = assert_honest_export(folder, original[1])
        try:
            with Server(folder) as server:
                assert Experiment(server, "kept").get("log").body == original[1]  # it was in nobody's bytes
                assert not damaged
        except NotStarted as error:
            refused += 1
            assert error.code == 1 and len(error.errors) == 1, error.text
    assert refused > 0


def test_a_damaged_event_is_named(original, tmp_path):
    folder = copy(original, "clean", tmp_path)
    text = (folder / "log.db").read_bytes()
    flip(folder / "log.db", text.index(b"e41") + 1)
    (seq,) = assert_honest_export(folder, original[1])
    without_caches(folder)
    assert f"event {seq}" in assert_refused(folder)


def test_damage_behind_a_snapshot_is_told_when_it_is_met(original, tmp_path):
    """A start with a snapshot does not read what it has learnt from; reading it later does not pass over it."""
    folder = copy(original, "clean", tmp_path)
    text = (folder / "log.db").read_bytes()
    flip(folder / "log.db", text.index(b"e5") + 1)
    try:
        server = Server(folder)
    except NotStarted as error:
        assert "event" in error.errors[0]
        return
    with server:
        try:
            lines = Experiment(server, "kept").get("log").body.splitlines()
            assert not lines or json.loads(lines[-1]).get("type") != "end"
        except Exception as error:
            assert "IncompleteRead" in repr(error) or "503" in repr(error) or "500" in repr(error)


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_log_is_refused(original, tmp_path, share):
    folder = copy(original, "clean", tmp_path)
    size = (folder / "log.db").stat().st_size
    cut(folder / "log.db", int(share * size))
    assert "log" in assert_refused(folder)
    assert_honest_export(folder, original[1])
    without_caches(folder)
    assert_refused(folder)


def test_a_deleted_log_is_not_begun_anew(original, tmp_path):
    folder = copy(original, "clean", tmp_path)
    (folder / "log.db").unlink()
    assert f"event {EVENTS}" in assert_refused(folder)


@pytest.mark.parametrize("share", [0, 0.3, 0.99])
def test_a_truncated_wal_is_noticed(original, tmp_path, share):
    folder = copy(original, "killed", tmp_path)
    cut(folder / "log.db-wal", int(share * (folder / "log.db-wal").stat().st_size))
    assert f"event {EVENTS}" in assert_refused(folder)  # which had been made durable


def test_flipped_bits_in_the_wal_are_noticed(original, tmp_path):
    rng = random.Random(4)
    for _ in range(6):
        folder = copy(original, "killed", tmp_path)
        wal = folder / "log.db-wal"
        flip(wal, rng.randrange(wal.stat().st_size), rng.randrange(8))
        try:
            with Server(folder) as server:
                assert Experiment(server, "kept").get("log").body == original[1]
        except NotStarted as error:
            assert error.code == 1 and len(error.errors) == 1 and "event" in error.errors[0], error.text
        assert_honest_export(folder, original[1])  # a refused start leaves the folder as it was


def snapshots(folder):
    return sorted((folder / "snapshots").iterdir())


@pytest.mark.parametrize("how", ["flipped", "truncated", "empty"])
def test_damaged_snapshots_are_reported_and_not_used(original, tmp_path, how):
    folder, rng = copy(original, "clean", tmp_path), random.Random(5)
    for file in snapshots(folder):
        size = file.stat().st_size
        if how == "flipped":
            flip(file, rng.randrange(size), rng.randrange(8))
        else:
            cut(file, size // 2 if how == "truncated" else 0)
    with Server(folder) as server:
        assert "snapshot" in server.log and "cannot be used" in server.log
        assert Experiment(server, "kept").get("log").body == original[1]


def test_a_bit_flipped_anywhere_in_a_snapshot_is_noticed(original, tmp_path):
    rng = random.Random(6)
    for _ in range(8):
        folder = copy(original, "clean", tmp_path)
        files = snapshots(folder)
        for file in files:
            flip(file, rng.randrange(file.stat().st_size), rng.randrange(8))
        with Server(folder) as server:
            assert server.log.count("cannot be used") >= 1
            assert Experiment(server, "kept").get("log").body == original[1]


def test_caches_may_be_deleted_at_any_time(original, tmp_path):
    folder = copy(original, "killed", tmp_path)
    with Server(folder) as server:
        without_caches(folder)
        experiment = Experiment(server, "kept")
        assert experiment.decide("more", [[0.1, 0.2]]).status == 200
        server.kill()
    with Server(folder) as server:
        experiment = Experiment(server, "kept")
        assert len(experiment.log()[0]) == EVENTS + 1
        assert experiment.reward("e5", 0.5).status == 200 and experiment.reward("e5", 0.6).status == 409


def test_a_damaged_index_does_not_make_anything_happen_twice(original, tmp_path):
    """Whatever it says, the same requests get the same answers."""
    rng = random.Random(7)
    size = (original[0] / "clean" / "index.db").stat().st_size
    for number in range(8):
        folder = copy(original, "clean", tmp_path)
        if number == 0:
            cut(folder / "index.db", size // 2)
        elif number == 1:
            (folder / "index.db").write_bytes(rng.randbytes(size))
        else:
            for _ in range(20):
                flip(folder / "index.db", rng.randrange(size), rng.randrange(8))
        with Server(folder) as server:
            experiment = Experiment(server, "kept")
            for k in range(0, 100, 3):
                assert experiment.reward(f"e{k}", k / 10).status == 200, (number, k)
                assert experiment.decide(f"e{k}", [[k / 100, j / 10] for j in range(8)]).status == 200
            assert experiment.get("log").body == original[1]


def test_a_folder_of_something_else_is_refused(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "log.db").write_bytes(b"something else, " * 1000)
    assert "log.db" in assert_refused(folder)
    (folder / "log.db").unlink()
    folder.chmod(0o755)
    missing = command("export", "--data", tmp_path / "nothing")
    assert missing.returncode == 1 and missing.stderr.startswith("error: ")
