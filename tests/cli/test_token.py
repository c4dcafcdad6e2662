"""``tablewright token``: signed with the server's secret, or issued by the running server."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tablewright.cli import app
from tests.cli.test_serve import Served, run, serving


def me(server: Served, token: str) -> tuple[str, list[str]]:
    headers = {"Authorization": f"Bearer {token.strip()}"}
    answer = server.request("GET", "/roll-model/me", headers=headers).json()
    return answer["userId"], answer["roles"]


def test_a_token_signed_with_the_secret_file_is_accepted(tmp_path: Path) -> None:
    groups = ("--group", "athlete", "--group", "coach")
    with serving(tmp_path, "roll-model") as server:
        printed = run(tmp_path, "token", "ann", *groups, "--name", "Ann")
        assert printed.returncode == 0
        assert me(server, printed.stdout) == ("ann", ["athlete", "coach"])
    secret = str(tmp_path / "tablewright.secret")
    for wrong in (("a#b",), ("ann", "--email", "x"), ("ann", "--group", "")):
        refused = CliRunner().invoke(app, ["token", *wrong, "--secret-file", secret])
        assert (refused.exit_code, refused.stdout) == (2, "")


def test_without_a_secret_file_the_running_server_issues_the_token(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with serving(tmp_path, "roll-model") as server:
        printed = run(elsewhere, "token", "ann", "--group", "athlete", "--server", server.url)
        assert printed.returncode == 0, printed.stderr
        assert me(server, printed.stdout) == ("ann", ["athlete"])


def test_a_server_outside_dev_mode_issues_no_token(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0", "roll-model") as server:
        url = server.url.replace("0.0.0.0", "127.0.0.1")
        refused = run(tmp_path, "token", "ann", "--server", url)
    assert refused.returncode == 6
    assert "not in dev mode" in refused.stderr


def test_the_default_server_is_that_of_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls = []

    def post(url: str, body: str) -> tuple[int, dict[str, str]]:
        urls.append((url, body))
        return 200, {"accessToken": "t"}

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys.modules["tablewright.cli.token"], "_post", post)
    printed = CliRunner().invoke(app, ["token", "ann"])
    assert printed.stdout == "t\n"
    assert urls == [("http://127.0.0.1:8080/dev/token", '{"sub":"ann","groups":[]}')]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--server", "http://127.0.0.1:1"), 6, "no server answers at http://127.0.0.1:1"),
        (("--server", "127.0.0.1:1"), 6, "is not an HTTP URL"),
        (("--secret-file", "none"), 3, "none: no such file"),
        (("--secret-file", "none", "--server", "http://127.0.0.1:1"), 2, "exclude each other"),
    ],
)
def test_without_a_secret_and_without_a_server_it_says_what_to_do(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = CliRunner().invoke(app, ["token", "ann", *options])
    assert refused.exit_code == code
    assert message in refused.stderr
