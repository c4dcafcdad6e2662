"""Database files: modes, read-only files, and files that are not a database."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright.engine.database import Database
from tablewright.engine.sqlite.database_files import is_writable
from tablewright.errors import StorageError
from tests.engine.sample_tables import make_plain_table, text


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0, 0o022, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "app.db"
    with Database.open(str(path)) as database:
        make_plain_table(database)
        database.call("PutItem", {"TableName": "plain", "Item": {"p": text("x")}})
    return path


def test_what_is_made_is_for_its_owner_alone(tmp_path: Path, umask: None) -> None:
    path = tmp_path / "app.db"
    with Database.open(str(path)) as database:
        make_plain_table(database)
        assert {file.name: mode(file) for file in tmp_path.iterdir()} == {
            "app.db": 0o600,
            "app.db-wal": 0o600,
            "app.db.lock": 0o600,
        }


def test_what_is_there_keeps_its_mode(path: Path) -> None:
    lock = Path(f"{path}.lock")
    path.chmod(0o640)
    lock.chmod(0o644)
    with Database.open(str(path)):
        assert (mode(path), mode(lock)) == (0o640, 0o644)


@pytest.mark.parametrize("content", [b"", b"print('a design')\n", b"SQLite format 3"])
def test_what_is_no_database_gets_no_files_beside_it(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "design.py"
    path.write_bytes(content)
    with pytest.raises(StorageError, match=r"design.py: not an SQLite database"):
        Database.open(str(path), read_only=True)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == content


def test_what_is_no_database_is_not_opened_for_writing_either(tmp_path: Path) -> None:
    path = tmp_path / "design.py"
    path.write_text("print('a design')\n")
    with pytest.raises(StorageError, match="not an SQLite database"):
        Database.open(str(path))
    assert list(tmp_path.iterdir()) == [path]


# Where nothing can be written. Root may write everywhere, so another user looks.


PROGRAM = """
import contextlib, io, os, sys
from tablewright.cli import main

def look(path):
    sys.argv = ["tablewright", "doctor", path]
    try:
        main()
    except SystemExit as end:
        return end.code

path, own = sys.argv[1:]
with contextlib.redirect_stdout(io.StringIO()):
    look(own)  # Whatever is imported late: the other user may not read it.
if os.geteuid() == 0:
    os.seteuid(65534)
sys.exit(look(path))
"""


def look(path: Path, own: Path) -> subprocess.CompletedProcess[str]:
    """Run the doctor on a file as a user without write permission."""
    command = [sys.executable, "-c", PROGRAM, str(path), str(own)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def readable(path: Path) -> Iterator[Path]:
    """A database that all users can read and none can write."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = folder / "app.db"
        shutil.copy(path, copy)
        copy.chmod(0o444)
        folder.chmod(0o555)
        yield copy
        folder.chmod(0o755)


def test_the_doctor_looks_at_a_file_where_nothing_can_be_written(
    readable: Path, path: Path
) -> None:
    before = sorted(readable.parent.iterdir())
    looked = look(readable, path)
    assert (looked.returncode, looked.stderr) == (0, "")
    assert "No problems." in looked.stdout
    assert sorted(readable.parent.iterdir()) == before


def test_the_doctor_says_that_a_log_is_not_in_the_file_yet(readable: Path, path: Path) -> None:
    readable.parent.chmod(0o755)
    Path(f"{readable}-wal").write_bytes(b"a log")
    readable.parent.chmod(0o555)
    looked = look(readable, path)
    assert looked.returncode != 0
    assert "app.db-wal has changes that are not yet in it" in " ".join(looked.stderr.split())


def test_a_file_can_be_written_if_its_directory_can(path: Path) -> None:
    assert is_writable(str(path))
