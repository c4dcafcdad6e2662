"""What ``./dev`` installs and runs, without installing or running it."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def dev(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The script as a module, with an environment of its own that has nothing in it."""
    loader = SourceFileLoader("dev_script", str(ROOT / "dev"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec = importlib.util.spec_from_loader("dev_script", loader)
    assert spec is not None
    script: Any = importlib.util.module_from_spec(spec)
    loader.exec_module(script)
    for level in script.LOCKS:
        script.LOCKS[level] = tmp_path / level
        (tmp_path / level).write_text(f"packages of {level}", "utf-8")
    monkeypatch.setattr(script, "STAMP", tmp_path / "stamp")
    monkeypatch.setattr(script, "PYTHON", Path(sys.executable))
    monkeypatch.setattr(script, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(script, "is_usable", lambda: True)
    monkeypatch.setattr(script, "renew_compiled", lambda: 0)
    monkeypatch.setattr(script, "need_browser", lambda: None)
    module: ModuleType = script
    return module


@pytest.fixture
def installed(dev: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The levels that are installed, in order."""
    levels: list[str] = []
    monkeypatch.setattr(dev, "install", lambda _uv, level: levels.append(level))
    return levels


@pytest.fixture
def ran(dev: Any, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that replace the script."""
    commands: list[list[str]] = []
    monkeypatch.setattr(dev, "prepare", lambda: None)

    def become(command: list[str]) -> int:
        commands.append(command[3:])
        return 0

    monkeypatch.setattr(dev, "become", become)
    return commands


def test_serving_installs_less_and_installs_it_once(dev: Any, installed: list[str]) -> None:
    assert dev.prepare("serve")
    assert not dev.prepare("serve")
    assert installed == ["serve"]


def test_tests_install_more_than_serving_did(dev: Any, installed: list[str]) -> None:
    dev.prepare("serve")
    assert dev.prepare("dev")
    assert installed == ["serve", "dev"]


def test_what_developers_need_is_enough_for_serving(dev: Any, installed: list[str]) -> None:
    dev.prepare("dev")
    assert not dev.prepare("serve")
    assert installed == ["dev"]


def test_another_lock_is_installed(dev: Any, installed: list[str]) -> None:
    dev.prepare("serve")
    dev.LOCKS["serve"].write_text("other packages", "utf-8")
    assert dev.prepare("serve")
    assert installed == ["serve", "serve"]


def test_a_stamp_that_says_something_else_counts_for_nothing(
    dev: Any, installed: list[str]
) -> None:
    dev.STAMP.write_text("0123abc", "ascii")
    assert dev.prepare("serve")
    assert installed == ["serve"]


def test_the_quick_lane_needs_neither_java_nor_a_browser(dev: Any, ran: list[list[str]]) -> None:
    dev.test(["-x"], "quick")
    [command] = ran
    assert command[:4] == ["-n", "auto", "-m", dev.NOT_QUICK]
    assert command[-1] == "-x"
    assert all((ROOT / path).exists() for path in command[4:-1])
    assert "dynamodb_local" in dev.NOT_QUICK
    assert "browser" in dev.NOT_QUICK


def test_paths_and_options_go_to_pytest(dev: Any, ran: list[list[str]]) -> None:
    dev.test(["tests/keys", "-k", "x"], "change")
    assert ran == [["-n", "auto", "tests/keys", "-k", "x"]]


def test_one_file_needs_no_workers(dev: Any, ran: list[list[str]]) -> None:
    dev.test(["tests/tools/test_dev.py::test_one_file_needs_no_workers"], "change")
    dev.test(["tests/keys", "--pdb"], "change")
    assert [command[:1] for command in ran] == [
        ["tests/tools/test_dev.py::test_one_file_needs_no_workers"],
        ["tests/keys"],
    ]


@pytest.mark.parametrize(
    ("lane", "plain", "compiled"),
    [
        ("change", "(plain or not dynamodb_local) and not slow", ["-m", "not slow"]),
        ("all", "plain or not dynamodb_local", []),
    ],
)
def test_everything_runs_compiled_and_what_is_compiled_runs_plain(
    dev: Any,
    ran: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    lane: str,
    plain: str,
    compiled: list[str],
) -> None:
    first: list[list[str]] = []

    def run(command: list[str], env: dict[str, str], **_options: Any) -> Any:
        assert env["TABLEWRIGHT_PURE"] == "1"
        first.append(command)
        return type("Ended", (), {"returncode": 0})

    monkeypatch.setattr(dev.subprocess, "run", run)
    dev.test([], lane)
    assert first[0][first[0].index(plain) - 1] == "-m"
    assert first[0][-8:] == dev.COMPILED_TESTS.split()
    assert ran == [["-n", "auto", *compiled]]
