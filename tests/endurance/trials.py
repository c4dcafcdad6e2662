"""The trials of the programme: what each one asks, its sizes, and the tests that it consists of."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TRIALS", "Trial"]


@dataclass(frozen=True)
class Trial:
    """Tests that together try one promise.

    A trial without weight takes as long as its tests take; the others share what is left of the
    time. Latencies mean something only in a trial that runs alone.
    """

    name: str
    title: str
    tests: tuple[str, ...]
    sizes: tuple[str, str, str] = ("all", "all", "all")
    weight: float = 0
    is_alone: bool = False


TRIALS = (
    Trial(
        "T1",
        "kill -9 during writes, checkpoints, backups, restores and index builds",
        (
            "tests/crash/test_kill.py",
            "tests/crash/test_kill_jobs.py",
            "tests/endurance/test_kill_servers.py",
        ),
        ("40 kills in process, 3 of each server", "10,000", "50,000"),
        weight=5,
    ),
    Trial(
        "T2",
        "power loss: images of what a disk may hold",
        ("tests/crash/test_power_loss.py",),
        ("2,000 images", "200,000", "1,000,000"),
        weight=3,
    ),
    Trial(
        "T3",
        "histories of concurrent clients, with kills and chaos",
        (
            "tests/properties/test_histories.py",
            "tests/properties/test_isolation.py",
            "tests/endurance/test_history_kills.py",
        ),
        ("128 histories", "500 of each kind", "2,000"),
        weight=4,
    ),
    Trial(
        "T4",
        "designs, engine, derived rows and systems against models",
        (
            "tests/properties/test_designs.py",
            "tests/properties/test_engine.py",
            "tests/properties/test_derived.py",
            "tests/properties/test_systems.py",
        ),
        ("250 × 50 steps, 2,000 designs", "20,000, 100,000 designs", "100,000, 1,000,000"),
        weight=4,
    ),
    Trial(
        "T5",
        "chaos on all five systems",
        ("tests/endurance/test_chaos_systems.py",),
        ("2 × 4 s", "30 min each", "4 h each"),
        weight=4,
    ),
    Trial("T7", "conformance with DynamoDB", ("tests/conformance", "tests/differential")),
    Trial(
        "T8",
        "the n-th call to the disk fails",
        ("tests/crash/test_disk_faults.py",),
        ("every n, 3 clocks", "every n, 300 clocks", "every n, 3,000 clocks"),
        weight=0.5,
    ),
    Trial(
        "T9",
        "damaged files and logs",
        ("tests/crash/test_damaged_files.py",),
        ("250 mutants", "100,000", "1,000,000"),
        weight=2,
    ),
    Trial(
        "T10",
        "fuzzed expressions, statements, requests and bytes",
        ("tests/fuzz",),
        ("1.5 s each", "30 min each", "8 h each"),
        weight=3,
    ),
    Trial(
        "T11",
        "the systems answer as documented, whatever is sent",
        ("tests/systems/test_openapi.py",),
        ("3 examples an operation", "600", "7,200"),
        weight=3,
    ),
    Trial("T12", "the matrix of permissions", ("tests/permissions",)),
    Trial("T13", "attacks on running servers, abuse and limits (and T14)", ("tests/attacks",)),
    Trial("T15", "errors and logs tell no secrets", ("tests/endurance/test_secrecy.py",)),
    Trial(
        "T16",
        "load and soak: memory, descriptors, log, latency, drift",
        ("tests/endurance/test_soak.py",),
        ("5 s, latency not judged", "1 h", "24 h"),
        weight=8,
        is_alone=True,
    ),
    Trial(
        "T17",
        "files of older formats, with kills in their upgrade",
        ("tests/crash/test_upgrades.py",),
        ("8 kills", "1,000", "5,000"),
        weight=0.5,
    ),
    Trial(
        "T18",
        "backups, restores and as-of under load",
        ("tests/endurance/test_restores.py",),
        ("27 restores", "1,500", "6,000"),
        weight=2,
    ),
    Trial(
        "T19",
        "the studio in a browser, and its accessibility",
        ("tests/studio/browser",),
    ),
)
