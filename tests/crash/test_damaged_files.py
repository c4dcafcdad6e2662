"""A damaged file is refused, found out by its self-check, or still right; it never breaks us.

Mutants of a small database, and files that were made to harm: opening, reading everything and
checking each ends soon, with a StorageError or InternalError or the right answer. What is read
wrongly must be found by `check`, with one exception that has a number below: items carry no
checksum, so a bit that flips inside an attribute's text makes another valid text.

Mutants are judged by a process of their own, for a crash would be one of SQLite's.
"""

from __future__ import annotations

import json
import logging
import random
import sqlite3
import subprocess
import sys
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.engine.sqlite.storage import APPLICATION_ID, FORMAT_VERSION
from tablewright.errors import InternalError, StorageError
from tests.endurance.effort import Effort
from tests.engine.sample_tables import make_plain_table, make_table, number, text

ROOT = Path(__file__).parent.parent.parent
MUTANTS = 200  # Of one file.
SECONDS_MAX = 2.0
PAGE = 8192

Json = dict[str, Any]
Mutation = Callable[[bytearray, random.Random], str]


def make_original(path: Path, items: int = 60) -> None:
    """A small file with every kind of row in it."""
    with Database.open(str(path), durability="relaxed") as database:
        make_table(database)
        make_plain_table(database)
        ttl = {"AttributeName": "until", "Enabled": True}
        database.call("UpdateTimeToLive", {"TableName": "things", "TimeToLiveSpecification": ttl})
        words = random.Random(0)
        for n in range(items):
            item = {
                "pk": text(f"p{n % 5}"),
                "sk": text(f"s{n:04}"),
                "g": text(f"g{n % 3}"),
                "h": number(n),
                "l": number(-n),
                "until": number(2_000_000_000 + n),
                "fill": text("".join(words.choices("abcdefgh ", k=words.randrange(900)))),
                "list": {"L": [number(n), {"M": {"deep": {"BOOL": True}}}, {"NS": ["1", "2.5"]}]},
            }
            if n % 20 == 0:
                item["large"] = {"B": "QUJD" * 6000}
            database.call("PutItem", {"TableName": "things", "Item": item})
        put = {"Put": {"TableName": "plain", "Item": {"p": text("only")}}}
        request = {"TransactItems": [put], "ClientRequestToken": "once"}
        database.call("TransactWriteItems", request)


def contents(database: Database) -> Json:
    """Everything that a client can see."""
    found: Json = {}
    for name in database.call("ListTables", {})["TableNames"]:
        table = database.call("DescribeTable", {"TableName": name})["Table"]
        found[name] = table
        indexes = [
            index["IndexName"]
            for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
            for index in table.get(kind, ())
        ]
        scans: list[Json] = [{}, *({"IndexName": index} for index in indexes)]
        for scan in scans:
            items: list[Json] = []
            start: Json = {}
            while True:
                page = database.call("Scan", {"TableName": name, **scan, **start})
                items += page["Items"]
                if "LastEvaluatedKey" not in page:
                    break
                start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
            found[f"{name} {scan}"] = items
    return found


# Mutations: each damages the bytes and says how.


def flip_a_byte(data: bytearray, chance: random.Random) -> str:
    at = chance.randrange(len(data))
    data[at] ^= 1 << chance.randrange(8)
    return f"flip at {at}"


def flip_a_byte_of_a_header(data: bytearray, chance: random.Random) -> str:
    """The first bytes of a page say what it is; the very first, what the file is."""
    at = chance.randrange(len(data) // PAGE) * PAGE + chance.randrange(110)
    data[at] = chance.randrange(256)
    return f"header at {at}"


def flip_many_bytes(data: bytearray, chance: random.Random) -> str:
    start = chance.randrange(len(data))
    end = min(len(data), start + chance.choice([4, 32, 512]))
    data[start:end] = chance.randbytes(end - start)
    return f"noise at {start}-{end}"


def truncate(data: bytearray, chance: random.Random) -> str:
    pages_left = chance.randrange(1, len(data) // PAGE)
    size = chance.choice([chance.randrange(1, len(data)), pages_left * PAGE])
    del data[size:]
    return f"truncate to {size}"


def zero_a_page(data: bytearray, chance: random.Random) -> str:
    page = chance.randrange(len(data) // PAGE)
    data[page * PAGE : (page + 1) * PAGE] = bytes(PAGE)
    return f"zero page {page}"


def swap_pages(data: bytearray, chance: random.Random) -> str:
    one, other = (slice(n * PAGE, (n + 1) * PAGE) for n in pages(data, chance))
    data[one], data[other] = data[other], data[one]
    return f"swap {one.start} and {other.start}"


def repeat_a_page(data: bytearray, chance: random.Random) -> str:
    one, other = (slice(n * PAGE, (n + 1) * PAGE) for n in pages(data, chance))
    data[one] = data[other]
    return f"copy {other.start} over {one.start}"


def pages(data: bytearray, chance: random.Random) -> list[int]:
    return chance.sample(range(len(data) // PAGE), 2)


MUTATIONS: list[Mutation] = [
    *(flip_a_byte, flip_a_byte, flip_a_byte_of_a_header, flip_many_bytes),
    *(truncate, zero_a_page, swap_pages, repeat_a_page),
]


# Judging.


def judge(path: str, expected: Json) -> Json:
    """What becomes of one file: `outcome`, and `faults` for what must never be."""
    started = time.perf_counter()
    faults: list[str] = []
    outcome, difference = "refused", ""
    try:
        with Database.open(path, durability="relaxed") as database:
            try:
                found = contents(database)
                outcome = "right" if found == expected else "wrong"
                difference = "" if found == expected else differences(expected, found)
            except InternalError:
                outcome = "unreadable"
            problems = database.check()
            if problems:
                outcome += ", reported"
    except StorageError:
        pass
    except Exception:  # noqa: BLE001  # Whatever else it is, it is a fault.
        faults.append(traceback.format_exc(limit=-4))
    seconds = time.perf_counter() - started
    if seconds > SECONDS_MAX:
        faults.append(f"took {seconds:.1f} s")
    if outcome == "unreadable":
        faults.append("cannot be read, but check() finds nothing")
    return {"outcome": outcome, "faults": faults, "difference": difference}


def differences(expected: Json, found: Json) -> str:
    """What is wrong: "text" if only the text of values changed, else where and how."""
    for name in expected:
        before, after = expected[name], found.get(name)
        if before == after:
            continue
        if after is None or len(before) != len(after):
            return f"{name}: {len(before)} became {after and len(after)}"
        if isinstance(before, dict):
            continue  # A table's description, of the same fields: its text is no better watched.
        for one, other in zip(before, after, strict=True):
            if one != other and shape(one) != shape(other):
                return f"{name}: {one} became {other}"[:500]
    return "text"


def shape(item: Json) -> str:
    """What an item still is when letters of its text are others."""
    texts = (json.dumps(value, ensure_ascii=False).encode() for value in item.values())
    return str(sorted(map(len, texts)))


def judge_mutants(folder: str, seed: str, count: str) -> None:
    """Print a line of JSON for each mutant."""
    logging.disable(logging.CRITICAL)
    original = Path(folder) / "original.db"
    make_original(original)
    with Database.open(str(original), read_only=True) as database:
        expected = contents(database)
    data = original.read_bytes()
    mutant = Path(folder) / "mutant.db"
    for n in range(int(count)):
        chance = random.Random(f"{seed} {n}")
        damaged = bytearray(data)
        mutation = MUTATIONS[n % len(MUTATIONS)]
        how = mutation(damaged, chance)
        mutant.write_bytes(damaged)
        print(json.dumps({"n": n, "how": how}), flush=True)  # noqa: T201
        verdict = {"kind": mutation.__name__, **judge(str(mutant), expected)}
        print(json.dumps(verdict), flush=True)  # noqa: T201
        for left in Path(folder).glob("mutant.db*"):
            left.unlink()


def judged_alone(function: Callable[..., None], *arguments: str) -> list[Json]:
    program = f"import sys; from {__name__} import {function.__name__} as f; f(*sys.argv[1:])"
    command = [sys.executable, "-c", program, *arguments]
    ended = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    lines = ended.stdout.splitlines()
    assert ended.returncode == 0, (ended.returncode, lines[-1:], ended.stderr)
    told = [json.loads(line) for line in lines]
    return [one | other for one, other in zip(told[::2], told[1::2], strict=True)]


@pytest.mark.crash
@pytest.mark.trial("T9", weight=3)
def test_mutants_are_refused_reported_or_right(tmp_path: Path, effort: Effort) -> None:
    for turn in effort.rounds("files", change=1, nightly=400, release=4_000):
        mutants_are_refused_reported_or_right(tmp_path, effort.random(turn).getrandbits(32))
        effort.record(mutants=MUTANTS)


def mutants_are_refused_reported_or_right(folder: Path, seed: int) -> None:
    (folder / "original.db").unlink(missing_ok=True)
    verdicts = judged_alone(judge_mutants, str(folder), str(seed), str(MUTANTS))
    assert len(verdicts) == MUTANTS
    assert [verdict for verdict in verdicts if verdict["faults"]] == []
    # Wrong and not reported: only ever the text inside an item, where no checksum watches.
    unnoticed = [verdict for verdict in verdicts if verdict["outcome"] == "wrong"]
    assert [one for one in unnoticed if one["difference"] != "text"] == []
    assert len(unnoticed) <= MUTANTS // 5, unnoticed
    # The mutants are worth judging: most do harm, and every way out occurs.
    outcomes = Counter(verdict["outcome"] for verdict in verdicts)
    assert outcomes["right"] < MUTANTS // 2, outcomes
    assert {"refused", "unreadable, reported"} <= outcomes.keys(), outcomes


# The judge itself is judged: what a blind self-check would miss must be called wrong.
@pytest.mark.crash
@pytest.mark.parametrize("script", ["DELETE FROM index_1_1", "DELETE FROM items_1"])
def test_damage_that_the_self_check_misses_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    path = tmp_path / "test.db"
    make_original(path, items=5)
    with Database.open(str(path), read_only=True) as database:
        expected = contents(database)
    with sqlite3.connect(path) as connection:
        connection.execute(script)
    connection.close()
    assert judge(str(path), expected)["outcome"] == "wrong, reported"
    monkeypatch.setattr(Database, "check", lambda _: [])
    verdict = judge(str(path), expected)
    assert verdict["outcome"] == "wrong"
    assert verdict["difference"] != "text"


# The log.


def judge_logs(folder: str, seed: str, count: str) -> None:
    """Print a line of JSON for each database whose log was damaged."""
    logging.disable(logging.CRITICAL)
    path = Path(folder) / "original.db"
    make_original(path)
    states = []
    with Database.open(str(path), durability="relaxed") as database:
        database.storage.writer.connection.wal_checkpoint(mode=3)
        for n in range(10):
            states.append(contents(database))
            database.call("PutItem", {"TableName": "plain", "Item": {"p": text(f"{n}" * 900)}})
        states.append(contents(database))
        file, log = path.read_bytes(), Path(f"{path}-wal").read_bytes()
    mutant = Path(folder) / "mutant.db"
    for n in range(int(count)):
        chance = random.Random(f"{seed} {n}")
        damaged = bytearray(log)
        mutation = MUTATIONS[n % len(MUTATIONS)]
        print(json.dumps({"n": n, "how": mutation(damaged, chance)}), flush=True)  # noqa: T201
        mutant.write_bytes(file)
        Path(f"{mutant}-wal").write_bytes(damaged)
        verdicts = []
        with Database.open(str(mutant), durability="relaxed") as database:
            found = contents(database)
            verdicts += database.check()
        if found not in states:
            verdicts.append("this was never committed")
        print(json.dumps({"faults": verdicts, "state": states.index(found)}), flush=True)  # noqa: T201
        for left in Path(folder).glob("mutant.db*"):
            left.unlink()


@pytest.mark.crash
@pytest.mark.trial("T9")
def test_a_damaged_log_goes_back_to_an_earlier_commit(tmp_path: Path, effort: Effort) -> None:
    count = MUTANTS // 4
    for turn in effort.rounds("files", change=1, nightly=400, release=4_000):
        (tmp_path / "original.db").unlink(missing_ok=True)
        seed = effort.random(turn).getrandbits(32)
        verdicts = judged_alone(judge_logs, str(tmp_path), str(seed), str(count))
        assert [verdict for verdict in verdicts if verdict["faults"]] == []
        assert len({verdict["state"] for verdict in verdicts}) > 3
        effort.record(mutants=count)


# Files that were made to harm.


def sqlite_file(path: Path, script: str, application: int = APPLICATION_ID) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA application_id = {application}")
        connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
        connection.executescript(script)
    connection.close()


OWN = """
CREATE TABLE counts(table_number, index_number, items, bytes);
CREATE TABLE tokens(token TEXT PRIMARY KEY, payload BLOB, expires REAL);
"""
TABLES = "CREATE TABLE tables(number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, schema TEXT);"
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"


def with_schema(schema: str) -> str:
    quoted = schema.replace("'", "''")
    return f"{OWN}{TABLES} INSERT INTO tables VALUES(1, 'things', '{quoted}');"


SCRIPTS = {
    "no tables": "CREATE TABLE other(x)",
    "an endless view": f"{OWN} CREATE VIEW tables AS {ENDLESS} x AS number, x AS name FROM n",
    "a trigger": f"{OWN}{TABLES} CREATE TRIGGER t AFTER DELETE ON counts BEGIN SELECT 1; END",
    "a virtual table": f"{OWN}{TABLES} CREATE VIRTUAL TABLE v USING fts5(x)",
    "no JSON": with_schema("x"),
    "no object": with_schema("[]"),
    "no fields": with_schema("{}"),
    "deep JSON": with_schema("[" * 100_000),
    "a null": f"{OWN}{TABLES} INSERT INTO tables VALUES(1, 'things', NULL);",
    "a blob": f"{OWN}{TABLES} INSERT INTO tables VALUES(1, 'things', x'ff00ff');",
}


@pytest.mark.crash
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_database_that_only_claims_to_be_ours_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "test.db"
    sqlite_file(path, SCRIPTS[name])
    refused_soon(path)


@pytest.mark.crash
@pytest.mark.parametrize("number", ['"1 WHERE 0"', '"1; DROP TABLE tables"', "2", "null", "[]"])
def test_a_table_number_that_is_no_number_is_refused(tmp_path: Path, number: str) -> None:
    path = tmp_path / "test.db"
    make_original(path, items=1)
    with sqlite3.connect(path) as connection:
        connection.execute(
            "UPDATE tables SET schema = replace(schema, '\"number\":1,', ?) WHERE name = 'things'",
            [f'"number":{number},'],
        )
    connection.close()
    refused_soon(path)


FILES: dict[str, Callable[[bytes], bytes]] = {
    "text": lambda data: b"hello, world. " * 1000,
    "two bytes": lambda data: b"SQ",
    "only the header": lambda data: data[:100],
    "only the magic": lambda data: data[:16],
    "gzip": lambda data: zlib.compress(data, wbits=31),
    "zeros": lambda data: bytes(len(data)),
    "noise": lambda data: random.Random(1).randbytes(len(data)),
    "pages of no size": lambda data: data[:16] + bytes(2) + data[18:],
    "pages of another size": lambda data: data[:16] + b"\x02\x00" + data[18:],
    "pages of an odd size": lambda data: data[:16] + b"\xff\xff" + data[18:],
    "an unknown schema format": lambda data: data[:44] + b"\xff\xff\xff\xff" + data[48:],
    "another text encoding": lambda data: data[:56] + b"\x00\x00\x00\x03" + data[60:],
    "a newer format": lambda data: data[:60] + b"\x7f\xff\xff\xff" + data[64:],
}


@pytest.mark.crash
@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "test.db"
    make_original(path, items=5)
    path.write_bytes(FILES[name](path.read_bytes()))
    refused_soon(path)


@pytest.mark.crash
def test_a_header_with_impossible_numbers_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "test.db"
    make_original(path, items=5)
    with Database.open(str(path), read_only=True) as database:
        expected = contents(database)
    data = path.read_bytes()
    # Bytes reserved in each page; the size in pages, the first free page, the number of them.
    for at, value in ((20, b"\xff"), *((at, b"\x7f\xff\xff\xff") for at in (28, 32, 36))):
        path.write_bytes(data[:at] + value + data[at + len(value) :])
        verdict = judge(str(path), expected)
        assert verdict["faults"] == []
        assert verdict["outcome"] != "wrong"


@pytest.mark.crash
def test_an_empty_file_is_a_new_database_and_a_directory_is_none(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    with Database.open(str(tmp_path / "empty.db")) as database:
        assert database.tables == []
    (tmp_path / "folder.db").mkdir()
    refused_soon(tmp_path / "folder.db")


def refused_soon(path: Path) -> None:
    started = time.perf_counter()
    with pytest.raises(StorageError, match=path.name):
        Database.open(str(path))
    assert time.perf_counter() - started < SECONDS_MAX
