"""SIGTERM: idle connections are not waited for, requests in flight are finished, and the next start is quick."""

import http.client
import signal
import threading

import pytest

from faults import Faults
from running import ACTIONS, Experiment, Server, command, figure, until


PATIENT = ("--drain-seconds", 600)  # whoever is waited for is waited for longer than these tests wait


def test_idle_connections_are_not_waited_for(tmp_path):
    with Server(tmp_path / "data", *PATIENT) as server:
        check_that_nobody_is_waited_for(server)


def check_that_nobody_is_waited_for(server):
    idle = [server.socket() for _ in range(50)]
    used = []
    for _ in range(20):
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        used.append(connection)
    half = server.socket()
    half.sendall(b"POST /v1/experiments HTTP/1.1\r\nHost: x\r\n")  # a request that never comes to its end
    live = http.client.HTTPConnection("127.0.0.1", server.port)
    experiment = server.create("streamed")
    live.request("GET", experiment.path + "/live")
    live.getresponse()
    server.stop(seconds=60)
    for connection in [*idle, half]:
        connection.close()
    for connection in [*used, live]:
        connection.close()


def is_listening(server):
    try:
        server.socket().close()
        return True
    except OSError:
        return False


def test_requests_in_flight_are_finished(tmp_path):
    faults = Faults(tmp_path / "faults")
    with Server(tmp_path / "data", *PATIENT, environment=faults.environment) as server:
        experiment = server.create("in-flight")
        faults.set("hold")
        answers = []
        threads = [threading.Thread(target=lambda k=k: answers.append(experiment.decide(f"e{k}"))) for k in range(8)]
        for thread in threads:
            thread.start()
        until(lambda: figure(server, 'ridgerunner_queue{for="commit"}') == 8)
        server.process.send_signal(signal.SIGTERM)
        until(lambda: not is_listening(server))
        assert not answers
        faults.clear("hold")
        for thread in threads:
            thread.join()
        assert [answer.status for answer in answers] == [200] * 8
        assert server.process.wait(timeout=60) == 0
        server.start()
        assert {event["event_id"] for event in experiment.events("decided")} == {f"e{k}" for k in range(8)}


def test_a_draining_server_takes_no_more_requests(tmp_path):
    faults = Faults(tmp_path / "faults")
    with Server(tmp_path / "data", *PATIENT, environment=faults.environment) as server:
        experiment = server.create("draining")
        kept = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        kept.request("GET", "/healthz")
        kept.getresponse().read()
        faults.set("hold")
        in_flight = threading.Thread(target=experiment.decide, args=("x",))
        in_flight.start()
        until(lambda: figure(server, 'ridgerunner_queue{for="commit"}') == 1)
        server.process.send_signal(signal.SIGTERM)
        until(lambda: not is_listening(server))
        assert kept.sock.recv(1) == b""  # closed
        assert server.process.poll() is None  # what is in flight is waited for
        faults.clear("hold")
        in_flight.join()
        assert server.process.wait(timeout=60) == 0


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_clean_end_leaves_a_snapshot_and_an_empty_wal(server, sent):
    experiment = server.create("clean")
    for k in range(20):
        experiment.decide(f"e{k}", ACTIONS)
    server.process.send_signal(sent)
    assert server.process.wait(timeout=60) == 0
    assert list((server.folder / "snapshots").iterdir())
    wal = server.folder / "log.db-wal"
    assert not wal.exists() or wal.stat().st_size == 0
    server.start()
    assert len(Experiment(server, "clean").events("decided")) == 20


def test_what_is_wrong_on_the_command_line(tmp_path, shared):
    for arguments, said, code in [
        (["--listen", "nowhere"], "listen", 2), (["--listen", "127.0.0.1:99999"], "listen", 2),
        (["--listen", f"127.0.0.1:{shared.port}"], str(shared.port), 1), (["--token-file", tmp_path / "none"], "none", None),
        (["--unknown"], "unknown", 2),
    ]:
        ended = command("serve", "--data", tmp_path / "data", *arguments)
        assert ended.returncode in ((1, 2) if code is None else (code,)), (arguments, ended.returncode, ended.stderr)
        assert ended.stderr.splitlines()[-1].startswith("error: ") and said in ended.stderr, ended.stderr
    assert command("serve", "--help").returncode == 0
