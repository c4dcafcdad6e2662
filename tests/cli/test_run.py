"""``tablewright run``: three output formats, and an exit code for each failure."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from tablewright import Store, create, open_store
from tablewright.cli import app
from tablewright.systems.hold_that_thought import design as letters
from tablewright.systems.roll_model import design as journal

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)
Run = Callable[..., Result]


def comment(number: int) -> journal.Comment:
    return journal.Comment(
        comment_id=f"6f1e2d3c-4b5a-4978-8796-a5b4c3d2000{number}",
        entry_id="6f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0",
        athlete_id="ann",
        coach_id="bob",
        created_at=NOW + timedelta(days=number),
        updated_at=NOW,
        body=f"said [bold]{number}[/bold]",
    )


ENTRY = f"entry_id={comment(1).entry_id}"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A journal of three people and three comments."""
    path = tmp_path / "journal.db"
    with open_store(f"sqlite:///{path}") as store:
        fill(store)
    return path


def fill(store: Store) -> None:
    store.ensure_tables([journal.T])
    for name in ("ann", "bob", "cid"):
        store.run(
            create(
                journal.Profile(
                    user_id=name,
                    display_name=name.title(),
                    roles=["athlete"],
                    created_at=NOW,
                    updated_at=NOW,
                )
            )
        )
    for number in (1, 2, 3):
        store.run(create(comment(number)))


@pytest.fixture
def run(file: Path) -> Run:
    def invoke(*arguments: str, design: str = "roll-model", store: str = "") -> Result:
        options = ["--store", store or f"sqlite:///{file}"]
        return CliRunner().invoke(app, ["run", design, *arguments, *options])

    return invoke


# Output.


def test_one_row_is_printed_field_by_field(run: Run) -> None:
    shown = run("get_profile", "user_id=ann")
    assert shown.exit_code == 0
    assert ["displayName", "Ann"] in [line.split() for line in shown.stdout.splitlines()]


def test_rows_are_printed_as_a_table(run: Run) -> None:
    shown = run("list_comments_of_entry", ENTRY)
    assert shown.exit_code == 0
    title, head, *rows = [line for line in shown.stdout.splitlines() if line.strip()]
    assert title.strip() == "Comment"
    assert "createdAt" in head
    assert len(rows) == 3
    assert "2026-03-04T10:00:00.000Z" in rows[0]
    assert "said [bold]3[/bold]" in rows[0]
    assert "3 rows" in shown.stderr


@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_narrow_terminal_cuts_off_no_key_and_no_value(
    run: Run, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    def narrow() -> Console:
        return Console(highlight=False, markup=False, emoji=False, width=width)

    monkeypatch.setattr("tablewright.cli.output.console", narrow)
    shown = run("list_comments_of_entry", ENTRY).stdout
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= width
    # Values wrap in a column of their own, so their parts join without the names beside them.
    values = "".join("".join(line.split()[-1:]) for line in shown.splitlines())
    for number in (1, 2, 3):
        assert comment(number).comment_id in values


def test_a_wide_terminal_shows_a_table(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def wide() -> Console:
        return Console(highlight=False, markup=False, emoji=False, width=400)

    monkeypatch.setattr("tablewright.cli.output.console", wide)
    lines = run("list_comments_of_entry", ENTRY).stdout.splitlines()
    assert "createdAt" in lines[1]
    assert "commentId" in lines[1]


def test_rows_come_as_json_by_their_names_on_disk(run: Run) -> None:
    rows = json.loads(run("list_comments_of_entry", ENTRY, "--json").stdout)
    assert [row["createdAt"] for row in rows] == [
        f"2026-03-0{day}T10:00:00.000Z" for day in (4, 3, 2)
    ]
    profile = json.loads(run("get_profile", "userId=ann", "--json").stdout)
    assert (profile["userId"], profile["roles"], profile["version"]) == ("ann", ["athlete"], 1)


def test_rows_come_as_one_json_text_each(run: Run) -> None:
    lines = run("list_comments_of_entry", ENTRY, "--ndjson").stdout.splitlines()
    assert [json.loads(line)["body"][-8] for line in lines] == ["3", "2", "1"]


def test_many_values_are_a_list_with_commas(run: Run) -> None:
    rows = json.loads(run("profiles", "user_id=cid,ann,nobody", "--json").stdout)
    assert [row["userId"] for row in rows] == ["cid", "ann"]
    again = json.loads(run("profiles", "user_id=cid", "user_id=ann", "--json").stdout)
    assert again == rows


def test_a_range_has_two_ends_or_one(tmp_path: Path) -> None:
    path = f"sqlite:///{tmp_path}/letters.db"
    with open_store(path) as store:
        store.ensure_tables([letters.T])
        for day in (1, 2, 3):
            store.run(
                create(
                    letters.Message(
                        message_id=f"01HZX3KQ9M5V7T2R8WCY4E000{day}",
                        conversation_id="6f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0",
                        sender_id="a",
                        sender_name="A",
                        message_text="t",
                        created_at=NOW + timedelta(days=day),
                    )
                )
            )

    def count(wanted: str) -> Any:
        arguments = ["conversation_id=6f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0", f"created_at={wanted}"]
        shown = CliRunner().invoke(
            app, ["run", "hold-that-thought", "count_unread_since", *arguments, "--store", path]
        )
        return shown.stdout.strip()

    assert count("2026-03-02T10:00:00Z..") == "3"
    assert count("2026-03-03..2026-03-03T23:00") == "1"
    assert count("..2026-03-03T10:00:00.000Z") == "2"
    assert count("2026-03-03T10:00:00Z") == "1"


def test_a_page_says_that_there_are_more(run: Run) -> None:
    shown = run("list_comments_of_entry", ENTRY, "--limit", "2", "--json")
    assert len(json.loads(shown.stdout)) == 2
    assert "--all" in shown.stderr
    everything = run("list_comments_of_entry", ENTRY, "--all", "--json")
    assert len(json.loads(everything.stdout)) == 3
    assert everything.stderr == ""


def test_consumed_capacity_is_printed_to_standard_error(run: Run) -> None:
    shown = run("get_profile", "user_id=ann", "--capacity", "--json")
    assert json.loads(shown.stdout)["userId"] == "ann"
    assert "GetItem: 1 units (RollModel 1)" in shown.stderr
    weaker = run("get_profile", "user_id=ann", "--capacity", "--no-consistent", "--json")
    assert "GetItem: 0.5 units" in weaker.stderr


def test_a_composed_pattern_is_run(run: Run) -> None:
    result = json.loads(
        run("get_comment_by_id", f"comment_id={comment(2).comment_id}", "--json").stdout
    )
    assert result["commentId"] == comment(2).comment_id
    text = run("list_coaches_of_athlete", "athlete_id=ann")
    assert text.exit_code == 0


# Failures.


def test_a_missing_row_has_its_own_exit_code(run: Run) -> None:
    assert run("get_profile", "user_id=nobody").exit_code == 3
    composed = run("get_comment_by_id", "comment_id=6f1e2d3c-4b5a-4978-8796-a5b4c3d2ffff", "--json")
    assert composed.exit_code == 3
    assert json.loads(composed.stdout)["code"] == 3
    # An empty list is an answer.
    assert run("coach_links", "athlete_id=nobody").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["get_profil", "user_id=a"], "Did you mean:\n  get_profile"),
        (["get_profile"], "needs user_id"),
        (["get_profile", "user_id="], "must not be empty"),
        (["get_profile", "user_id=a", "--limit", "1"], "--limit"),
        (["get_profile", "user_id=a", "--all"], "--all"),
        (["profiles", "user_id=a", "--consistent"], "--consistent"),
        (["coach_links", "athlete_id=a", "--all", "--limit", "1"], "use one of them"),
        (["coach_links", "athlete_id=a", "--json", "--ndjson"], "--ndjson"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_arguments_are_usage_errors(run: Run, arguments: list[str], message: str) -> None:
    refused = run(*arguments)
    assert refused.exit_code == 2
    assert message in refused.stderr


def test_an_index_cannot_be_read_consistently(run: Run) -> None:
    refused = run("list_letters", "--consistent", design="hold-that-thought")
    assert refused.exit_code == 2
    assert "GSI1" in refused.stderr


def test_writes_are_not_run(run: Run) -> None:
    refused = run("create_page", design="stayon")
    assert refused.exit_code == 2
    assert "only reads" in refused.stderr


def test_missing_tables_are_created_with_ensure(run: Run, file: Path) -> None:
    refused = run("get_page", "short_id=abc", design="stayon")
    assert refused.exit_code == 3
    assert "--ensure" in refused.stderr
    created = run("get_page", "short_id=abc", "--ensure", design="stayon")
    assert "created table StayOnPage" in created.stderr
    assert created.exit_code == 3
    assert run("list_rsvps", "short_id=abc", design="stayon").exit_code == 0


def test_a_missing_file_is_not_created(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    refused = run("get_profile", "user_id=a", store=f"sqlite:///{path}")
    assert refused.exit_code == 3
    assert "no such file" in refused.stderr
    assert not path.exists()


def test_a_malformed_store_url_is_a_usage_error(run: Run) -> None:
    refused = run("get_profile", "user_id=a", store="ftp://x")
    assert refused.exit_code == 2
    assert "ftp://x: not a store URL" in refused.stderr


def test_an_endpoint_that_does_not_answer_is_unreachable(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    assert run("get_profile", "user_id=a", store="dynamodb+http://127.0.0.1:1").exit_code == 6


def test_a_file_in_use_is_unreachable(run: Run, file: Path) -> None:
    with open_store(f"sqlite:///{file}"):
        refused = run("get_profile", "user_id=a")
    assert refused.exit_code == 6


def test_a_file_of_another_kind_is_damaged(run: Run, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    foreign.write_bytes(b"not a database, but long enough to be looked at" * 100)
    assert run("get_profile", "user_id=a", store=f"sqlite:///{foreign}").exit_code == 7


def test_an_item_that_does_not_fit_is_damaged_data(run: Run, file: Path) -> None:
    with open_store(f"sqlite:///{file}") as store:
        broken = {"PK": {"S": "USER#eve"}, "SK": {"S": "PROFILE"}}
        broken["entityType"] = {"S": "USER_PROFILE"}
        store.call("PutItem", {"TableName": "RollModel", "Item": broken})
    refused = run("get_profile", "user_id=eve", "--json")
    assert refused.exit_code == 7
    assert "Profile" in json.loads(refused.stdout)["message"]


def test_a_pattern_runs_on_the_endpoint_of_another_process(run: Run, wire_endpoint: str) -> None:
    url = f"dynamodb+{wire_endpoint}?prefix=run-"
    with open_store(url) as store:
        fill(store)
        try:
            shown = run("get_profile", "user_id=bob", "--json", store=url)
            assert json.loads(shown.stdout)["displayName"] == "Bob"
        finally:
            store.call("DeleteTable", {"TableName": "RollModel"})
