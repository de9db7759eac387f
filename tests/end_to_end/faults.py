"""Disks that fail on command."""

import pathlib
import resource
import signal
import subprocess

SOURCE = pathlib.Path(__file__).with_name("faults.c")


class Faults:
    """Makes syncing fail or slow for servers that are started with its environment."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        library = self.folder / "faults.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-o", library, SOURCE, "-ldl"], check=True)
        self.environment = {"LD_PRELOAD": str(library), "FAULTS": str(self.folder)}

    def set(self, what):
        (self.folder / what).touch()

    def clear(self, what):
        (self.folder / what).unlink()


def small_files(size):
    """For a child process: no file may grow beyond so many bytes, as on a disk that is full."""
    def before():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return before
