"""A data folder that version 0.1.0 left (tests/golden/make.py) is opened, with its caches and without, and says what it said then."""

import json
import pathlib
import shutil

import pytest

from running import Server

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"


def golden_events():
    """What was exported then: all lines but those at the end of an export."""
    lines = [json.loads(line) for line in (GOLDEN / "data.jsonl").read_text().splitlines()]
    return [line for line in lines if line["type"] != "end"]


@pytest.mark.parametrize("caches", ["kept", "deleted"])
def test_an_old_folder_is_opened(tmp_path, caches):
    data = tmp_path / "data"
    shutil.copytree(GOLDEN / "data", data)
    if caches == "deleted":
        shutil.rmtree(data / "snapshots")
        (data / "index.db").unlink()
    events = golden_events()
    with Server(data) as server:
        for name in ["free", "levels"]:
            of_it = [event for event in events if event["experiment"] == name]
            answer = server.get(f"/v1/experiments/{name}/log")
            lines = [json.loads(line) for line in answer.body.splitlines()]
            for event, line in zip(of_it, lines):
                assert {key: line[key] for key in event} == event
            told = server.get(f"/v1/experiments/{name}").json
            assert told["degraded"] is None and told["counts"]["decisions"] == 30
        # What was answered is answered again, what waits can be rewarded, what expired cannot.
        free, levels = "/v1/experiments/free", "/v1/experiments/levels"
        assert server.post(f"{free}/reward", {"event_id": "f5", "reward": 1}).status == 200
        assert server.post(f"{levels}/reward", {"event_id": "l3", "reward": 1}).status == 410
        decided = next(event for event in events if event["type"] == "decided" and event["event_id"] == "f1")
        again = server.post(f"{free}/decide", {"event_id": "f1", "actions": decided["actions"]})
        assert again.status == 200 and again.json["index"] == decided["index"] and again.json["upper"] == decided["upper"]
