"""``tablewright explain``: its output and exit codes."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tablewright.cli import app

TABLES_ONLY = """
from tablewright import Model, Table

T = Table("things")


@T.entity("THING#{id}", "META")
class Thing(Model):
    id: str
"""


def explain(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["explain", *arguments])


def test_a_design_is_listed_pattern_by_pattern() -> None:
    shown = explain("roll-model")
    assert shown.exit_code == 0
    head, *rows = shown.stdout.splitlines()
    assert head.split() == ["pattern", "index", "condition", "RCU", "$/million"]
    (row,) = [row for row in rows if row.startswith("coach_links ")]
    assert row.split() == [
        *("coach_links", "table", "PK", "=", "USER#{athleteId}", "AND"),
        *("begins_with(SK,", "COACH#)", "4", "0.5000"),
    ]
    assert "us-east-1" in shown.stderr


def test_writes_are_listed_with_the_option() -> None:
    shown = explain("3fc", "--writes")
    assert shown.exit_code == 0
    (row,) = [row for row in shown.stdout.splitlines() if row.startswith("create Season ")]
    assert row.split()[2:] == ["TransactWriteItems", "4", "4", "0", "8", "8", "5.00"]
    assert "omitted: save Roster" in shown.stderr
    assert "create Season" not in explain("3fc").stdout


def test_one_pattern_is_printed_with_its_request() -> None:
    shown = explain("funkedupshift", "get_group", "name=Squash").stdout
    text, request = shown.split("\n\n")
    assert "get_group: One group." in text
    assert "PK = GROUP#{name} AND SK = METADATA" in text
    assert "name=Squash" in text
    assert "1 RCU" in text
    assert "$0.1250 per million calls (us-east-1" in text
    assert "3,000 calls per second" in text
    assert json.loads(request)["request"]["Key"]["PK"] == {"S": "GROUP#Squash"}


def test_one_write_is_printed_action_by_action() -> None:
    shown = explain("funkedupshift", "create.Rating").stdout
    assert "create Rating: put Rating USER#abc" in shown
    assert "enters byStars (1)" in shown
    assert "changes byEntity (4)" in shown
    assert "at most 3 of 100 actions" in shown
    assert "15 WCU" in shown


def test_a_composition_is_printed_part_by_part() -> None:
    shown = explain("roll-model", "get_entry_by_id").stdout
    assert "get_entry_meta: 1 RCU" in shown
    assert "each part is called once" in shown


def test_the_units_of_all_pages_are_printed() -> None:
    assert "all 2 pages 489 RCU" in explain("roll-model", "list_own_entries").stdout
    assert "10 RCU" in explain("roll-model", "list_own_entries", "--limit", "20").stdout


def test_a_month_has_its_price() -> None:
    shown = explain("roll-model", "get_profile", "--calls-per-day", "1000000").stdout
    assert "$3.75 per month with 1,000,000 calls per day" in shown
    assert "$/month" in explain("roll-model", "--calls-per-day", "10").stdout


def test_another_region_has_other_prices() -> None:
    shown = explain("roll-model", "create.Profile", "--region", "eu-central-1").stdout
    assert "$0.7625 per million calls (eu-central-1" in shown
    refused = explain("roll-model", "--region", "mars-1")
    assert refused.exit_code == 2
    assert "us-east-1" in refused.stderr


def test_the_request_comes_in_three_forms() -> None:
    arguments = ("stayon", "get_page", "shortId=abc-def")
    call = json.loads(explain(*arguments, "--as", "json").stdout)
    assert call["operation"] == "GetItem"
    script = explain(*arguments, "--as", "boto3", "--region", "eu-west-1").stdout
    compile(script, "snippet.py", "exec")
    assert 'region_name="eu-west-1"' in script
    words = shlex.split(explain(*arguments, "--as", "cli").stdout)
    assert words[:3] == ["aws", "dynamodb", "get-item"]
    assert json.loads(words[-1]) == call["request"]


def test_everything_comes_as_one_document() -> None:
    document = json.loads(explain("hold-that-thought", "--json", "--writes").stdout)
    assert document["design"] == "HoldThatThought"
    by_name = {each["name"]: each for each in document["patterns"]}
    assert by_name["list_letters"]["index"] == "GSI1"
    assert {each["kind"] for each in document["writes"]} == {"write"}
    pattern = json.loads(explain("hold-that-thought", "list_letters", "--json").stdout)
    assert (
        pattern["price"]["perMillionCalls"] == by_name["list_letters"]["price"]["perMillionCalls"]
    )


def test_failures_are_documents_too() -> None:
    refused = explain("roll-model", "nothing_like_this", "--json")
    assert refused.exit_code == 2
    assert json.loads(refused.stdout)["code"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["roll-model", "list_own_entris"], "list_own_entries"),
        (["roll-model", "create.Entri"], "create.Entry"),
        (["roll-model", "get_profile", "user=1"], "Parameters: user_id"),
        (["roll-model", "get_profile", "user_id"], "NAME=VALUE"),
        (["roll-model", "get_profile", "user_id=a", "user_id=b"], "twice"),
        (["roll-model", "get_profile", "user_id=a#b"], "delimiter"),
        (["roll-model", "get_entry", "created_at=yesterday"], "created_at: 'yesterday' is invalid"),
        (["roll-model", "list_entries_in_range", "created_at=2026-02-01..2026-01-01"], "above"),
        (["roll-model", "get_profile", "--limit", "3"], "queries"),
        (["stayon", "create_page", "page=x"], "explained with examples"),
        (["stayon", "create.Rsvp", "x=y"], "leave out"),
        (["roll-model", "--as", "cli"], "PATTERN"),
        (["no-such-design"], "no-such-design"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_arguments_are_usage_errors(arguments: list[str], message: str) -> None:
    refused = explain(*arguments)
    assert refused.exit_code == 2
    assert message in refused.stderr
    assert refused.stdout == ""


def test_a_design_without_patterns_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tables.py"
    file.write_text(TABLES_ONLY)
    refused = explain(str(file))
    assert refused.exit_code == 2
    assert "no class derived from Design" in refused.stderr


def test_an_unknown_pattern_lists_the_known_ones_one_a_line() -> None:
    lines = explain("roll-model", "zzz").stderr.splitlines()
    assert lines[0] == "tablewright: RollModel has no pattern 'zzz'. Known names:"
    assert "  get_profile" in lines
    assert "  create.Entry" in lines
    assert all(len(line.split()) == 1 for line in lines[1:])


def test_a_misspelt_pattern_gets_suggestions_only() -> None:
    lines = explain("roll-model", "get_profil").stderr.splitlines()
    assert lines[0].endswith("Did you mean:")
    assert lines[1] == "  get_profile"
    assert len(lines) < 12
