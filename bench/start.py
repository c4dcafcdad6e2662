"""``./dev bench start``: how long servers take to answer for the first time, and an import takes.

Contestants take turns; of each the middle one counts. Ours begins with a file that is not there.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

import peers

TURNS = 7
ANSWER_MS_MAX = 300
IMPORT_MS_MAX = 150
OURS = "tablewright"


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench start", description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS, help=f"of each contestant ({TURNS})")
    turns = parser.parse_args().turns
    console = Console(highlight=False)
    spent: dict[str, list[float]] = {}
    contestants: dict[str, Callable[[], peers.Peer]] = {
        OURS: lambda: peers.tablewright("sqlite:///{folder}/start.db", OURS),
        "dynalite": peers.dynalite,
        "moto": peers.moto,
        "ministack": peers.ministack,
        "dynoxide": peers.dynoxide,
        "DynamoDB Local": peers.dynamodb_local,
    }
    found: dict[str, peers.Peer] = {}
    for name, find in contestants.items():
        try:
            found[name] = find()
        except peers.Missing as reason:
            console.print(f"skipped {name}: {reason}", style="yellow")
    for turn in range(-1, turns):  # The first is for warming up.
        took = {"import tablewright": import_ms()}
        for name, peer in found.items():
            with fresh(peer) as started:
                took[f"{name} answers"] = answer_ms(started)
        if turn >= 0:
            for name, milliseconds in took.items():
                spent.setdefault(name, []).append(milliseconds)
    shown = Table("start", "ms at the median", "target")
    goals = {"import tablewright": IMPORT_MS_MAX, f"{OURS} answers": ANSWER_MS_MAX}
    for name, times in spent.items():
        goal = f"≤ {goals[name]}" if name in goals else ""
        shown.add_row(name, f"{statistics.median(times):,.0f}", goal)
    console.print(shown)


@contextlib.contextmanager
def fresh(peer: peers.Peer) -> Iterator[peers.Peer]:
    """The peer with an empty folder where its command names one."""
    with tempfile.TemporaryDirectory(dir=peers.CACHE) as folder:
        command = [word.replace("{folder}", folder) for word in peer.command]
        yield peers.Peer(peer.name, command, peer.folder, peer.environment)


def answer_ms(peer: peers.Peer) -> float:
    started = time.perf_counter()
    with peers.running(peer):
        return (time.perf_counter() - started) * 1000


def import_ms() -> float:
    """How long the import takes in a Python that has just started."""
    program = "import time; t = time.perf_counter(); import tablewright; "
    program += "print(time.perf_counter() - t)"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=Path.home()
    )
    return float(done.stdout) * 1000


if __name__ == "__main__":
    main()
