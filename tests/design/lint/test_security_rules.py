"""Rules about what others could read or reach."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import Index, Model, Table
from tests.design.lint.findings_of import findings_of


def worded(sort_key: str, *, unchecked: bool) -> Table:
    table = Table("words", unchecked=unchecked)

    @table.entity("USER#{userId}", sort_key)
    class Word(Model):
        user_id: str
        token: str
        entry_id: str

    return table


def test_text_that_stands_unchecked_in_a_key_is_found_by_its_field() -> None:
    (finding,) = findings_of("TW601", worded("KW#{token}", unchecked=True))
    assert finding.cause.startswith("token is in KW#{token} unchecked")
    assert finding.example == "token = 'x#y' gives the key 'KW#x#y'"
    assert len(findings_of("TW601", worded("KW#{token:raw}", unchecked=False))) == 1


@pytest.mark.parametrize(
    ("sort_key", "unchecked"),
    [
        ("KW#{token}", False),
        ("KW#{token:escaped}", True),
        ("ENTRY#{entryId}", True),
        ("{token}", True),
    ],
)
def test_checked_and_escaped_text_ids_and_keys_that_are_the_text_are_fine(
    sort_key: str, unchecked: bool
) -> None:
    assert findings_of("TW601", worded(sort_key, unchecked=unchecked)) == []


def guarded(projection: Any, field: str = "password_hash", kind: type = str) -> Table:
    table = Table("people", indexes=[Index("byMail", pk="mail", projection=projection)])
    annotations = {"id": str, "mail": str, field: kind}
    model = type("Person", (Model,), {"__annotations__": annotations, "__module__": __name__})
    table.entity("PERSON#{id}", "META", byMail="{mail}")(model)
    return table


@pytest.mark.parametrize(
    "field", ["password_hash", "view_passcode", "token_hash", "client_secret", "refresh_token"]
)
def test_a_secret_that_is_copied_into_an_index_is_found(field: str) -> None:
    (finding,) = findings_of("TW602", guarded("ALL", field))
    assert "is copied into byMail" in finding.cause


@pytest.mark.parametrize(
    ("projection", "field", "kind"),
    [
        ("KEYS_ONLY", "password_hash", str),
        (("name",), "password_hash", str),
        ("ALL", "passcode_version", int),
        ("ALL", "token", str),
        ("ALL", "secretary", str),
    ],
)
def test_secrets_that_stay_in_the_table_and_what_only_sounds_like_one_are_fine(
    projection: Any, field: str, kind: type
) -> None:
    assert findings_of("TW602", guarded(projection, field, kind)) == []


def test_a_secret_that_is_projected_by_name_is_found() -> None:
    assert len(findings_of("TW602", guarded(("passwordHash",)))) == 1


def keyed(key: str) -> Table:
    table = Table("logins")

    @table.entity(key, "META")
    class Login(Model):
        session_token: str
        token_hash: str

    return table


def test_a_secret_in_a_key_is_found_and_its_hash_is_fine() -> None:
    (finding,) = findings_of("TW603", keyed("LOGIN#{sessionToken}"))
    assert "session_token" in finding.cause
    assert findings_of("TW603", keyed("LOGIN#{tokenHash}")) == []
