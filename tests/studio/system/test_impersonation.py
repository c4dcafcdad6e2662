"""Acting as somebody: requests through the systems of the same server, with demo data in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI

from tablewright.studio.shell.app import create_studio
from tablewright.studio.shell.context import StudioContext
from tablewright.studio.shell.gate import Sessions
from tablewright.studio.shell.mount import studio_system, system_designs
from tablewright.studio.shell.studio_settings import StudioSettings
from tablewright.systems.registry import PACKAGES, find_fill, find_systems
from tablewright.web.server.app import System
from tablewright.web.services.services import Services
from tests.studio.studios import Visitor, roll_model
from tests.web.serving import served

SYSTEMS = list(PACKAGES)


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    async def fill(services: Services) -> None:
        for name in SYSTEMS:
            make = find_fill(name)
            assert make is not None
            await make(services)

    sessions = Sessions()
    studio = studio_system(lambda: system_designs(SYSTEMS), sessions, systems=SYSTEMS)
    with served(studio, *find_systems(SYSTEMS).values(), fill=fill) as server:
        yield Visitor(server, sessions)


def act(visitor: Visitor, system: str, op: str, **fields: str) -> Any:
    """The page after a request was sent; dots in names of fields are written as two underscores."""
    form = {"op": op, **{name.replace("__", "."): value for name, value in fields.items()}}
    answer = visitor.post(f"/{system}/system/act.json", form)
    assert answer.status_code == 200, answer.text
    return answer.json()["view"]


def outcome(visitor: Visitor, system: str, op: str, **fields: str) -> Any:
    view = act(visitor, system, op, **fields)
    assert not view["error"]
    return view["outcome"]


def test_an_athlete_reads_her_own_entries(visitor: Visitor) -> None:
    answer = outcome(visitor, "roll-model", "get-entries", who="ben", query__limit="2")
    assert (answer["decision"], answer["status"]) == ("allowed", "200 OK")
    assert answer["text"].count('"entryId"') == 2
    assert "x-request-id" in dict(answer["headers"])


@pytest.mark.parametrize(
    ("who", "status", "code", "why"),
    [
        ("guest", "401 Unauthorized", "unauthorized", "A valid token is needed."),
        ("cleo", "403 Forbidden", "role_required", "It is for another role"),
    ],
)
def test_a_refusal_is_told_with_its_code_and_its_reason(
    visitor: Visitor, who: str, status: str, code: str, why: str
) -> None:
    answer = outcome(visitor, "roll-model", "get-entries", who=who)
    assert answer["decision"] == "refused"
    assert (answer["status"], answer["code"]) == (status, code)
    assert why in answer["why"]


def test_what_fails_for_another_reason_is_not_called_a_refusal(visitor: Visitor) -> None:
    answer = outcome(visitor, "roll-model", "get-links-coachid", who="ann", path__coachId="nobody")
    assert (answer["decision"], answer["code"]) == ("failed", "not_found")
    wrong = outcome(visitor, "roll-model", "post-entries", who="ann", body="{")
    assert (wrong["decision"], wrong["code"]) == ("failed", "invalid_request")


def test_somebody_else_is_whoever_one_says(visitor: Visitor) -> None:
    caller = {"who": "other", "sub": "zoe", "groups": "athlete, coach", "email": "zoe@example.org"}
    answer = outcome(visitor, "roll-model", "get-me", **caller)
    assert '"userId": "zoe"' in answer["text"]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"op": "get-me", "who": "other", "sub": "-no"}, "user id"),
        ({"op": "get-me", "who": "other", "sub": "a", "email": "x"}, "email"),
        ({"op": "get-me", "who": "stranger"}, "no person stranger"),
        ({"op": "get-entries-entryid", "who": "ann"}, "entryId is required."),
        (
            {"op": "get-entries", "who": "ann", "query.limit": "1\r\nX: y"},
            "limit contains",
        ),
        ({"op": "post-entries", "who": "ann", "header.Idempotency-Key": "é"}, "Idempotency-Key"),
    ],
)
def test_what_makes_no_request_is_told_and_not_sent(
    visitor: Visitor, fields: dict[str, str], error: str
) -> None:
    view = visitor.post("/roll-model/system/act.json", fields).json()["view"]
    assert error in view["error"]
    assert view["outcome"] is None


def test_a_path_that_leads_elsewhere_stays_in_the_system(visitor: Visitor) -> None:
    for odd in ("../../studio/", "%2e%2e", "a/b?c#d"):
        answer = outcome(visitor, "roll-model", "get-links-coachid", who="ann", path__coachId=odd)
        assert answer["status"] == "404 Not Found"


def test_an_example_can_be_sent_as_it_is(visitor: Visitor) -> None:
    page = visitor.json("/roll-model/system/act.json?op=post-entries&who=ann")
    answer = outcome(visitor, "roll-model", "post-entries", who="ann", body=page["body"])
    assert (answer["decision"], answer["status"]) == ("allowed", "201 Created")


def test_no_token_is_ever_shown(visitor: Visitor) -> None:
    form = {"op": "get-me", "who": "ann"}
    text = visitor.post("/roll-model/system/act", form).text
    assert "$TOKEN" in text
    assert "eyJ" not in text
    assert "tablewright token ann --group athlete" in text


def test_the_same_call_is_a_command(visitor: Visitor) -> None:
    form = {"who": "ann", "path__coachId": "a b'c"}
    view = act(visitor, "roll-model", "get-links-coachid", **form)
    line = "curl -X GET http://127.0.0.1:8080/roll-model/links/a%20b%27c"
    assert view["curl"].splitlines()[0] == f"{line} \\"
    assert view["token_command"] == "TOKEN=$(tablewright token ann --group athlete)"


@pytest.mark.parametrize("system", ["roll-model", "funkedupshift", "hold-that-thought"])
def test_everybody_who_is_offered_is_in_the_demo_data(visitor: Visitor, system: str) -> None:
    people = visitor.json(f"/{system}/system/act.json")["people"][1:-1]
    assert len(people) >= 5
    for person in people:
        answer = outcome(visitor, system, "get-me", who=person["value"])
        refused = answer["code"] == "account_inactive"
        assert answer["decision"] == "allowed" or (refused and person["value"] == "carl")
        assert refused or f'"userId": "{person["value"]}"' in answer["text"]


def test_a_league_is_asked_with_a_token_of_an_address(visitor: Visitor) -> None:
    answer = outcome(visitor, "3fc", "get-v1-leagues", who="vic")
    assert "Sunday Three" in answer["text"]
    league = answer["text"].split('"leagueId": "')[1][:26]
    changed = {"path__leagueId": league, "body": '{"name": "Mine"}'}
    refused = outcome(visitor, "3fc", "patch-v1-leagues-leagueid", who="vic", **changed)
    assert (refused["decision"], refused["code"]) == ("refused", "admin_required")
    allowed = outcome(visitor, "3fc", "patch-v1-leagues-leagueid", who="ann", **changed)
    assert allowed["decision"] == "allowed"


def test_limits_see_the_requests_like_any_other(visitor: Visitor) -> None:
    body = '{"email": "often@example.org"}'
    statuses = [
        outcome(visitor, "3fc", "post-v1-auth-magic-start", who="guest", body=body)["status"]
        for _ in range(6)
    ]
    assert statuses == ["202 Accepted"] * 5 + ["429 Too Many Requests"]


def test_a_page_with_passcodes_is_opened_by_them(visitor: Visitor) -> None:
    body = (
        '{"entity": "checklist", "name": "Secret", "items": [{"name": "Tea"}],'
        ' "viewPasscode": "look1234", "adminPasscode": "rule1234"}'
    )
    created = outcome(visitor, "stayon", "post-pages", body=body)
    assert created["decision"] == "allowed", created["text"]
    page = {"path__shortId": created["text"].split('"shortId": "')[1].split('"')[0]}
    nobody = outcome(visitor, "stayon", "get-pages-shortid", who="guest", **page)
    assert (nobody["decision"], nobody["code"]) == ("refused", "unauthorized")
    viewer = {"who": "view", "passcode": "look1234", **page}
    assert outcome(visitor, "stayon", "get-pages-shortid", **viewer)["decision"] == "allowed"
    deleted = outcome(visitor, "stayon", "delete-pages-shortid", **viewer)
    assert (deleted["decision"], deleted["code"]) == ("refused", "forbidden")
    wrong = act(visitor, "stayon", "get-pages-shortid", **{**viewer, "passcode": "guess"})
    assert "The passcode was refused: 401" in wrong["error"]
    assert wrong["outcome"] is None
    manager = {"who": "admin", "passcode": "rule1234", **page}
    assert outcome(visitor, "stayon", "delete-pages-shortid", **manager)["decision"] == "allowed"
    sent = {"op": "get-pages-shortid", "who": "view", "passcode": "look1234"}
    assert "look1234" not in visitor.post("/stayon/system/act", sent).text


def test_looking_at_the_form_sends_nothing(visitor: Visitor) -> None:
    view = visitor.json("/roll-model/system/act.json?op=delete-links-coachid&who=ann")
    assert view["outcome"] is None
    assert view["method"] == "DELETE"


def test_a_studio_that_may_not_write_sends_no_write_and_nothing_to_a_store_elsewhere() -> None:
    sessions = Sessions()

    def create_app(services: Services) -> FastAPI:
        settings = StudioSettings(port=8080, store="dynamodb://eu-central-1", path="/studio")
        around = StudioContext(services, ("roll-model",))
        return create_studio(services.store, [roll_model()], settings, sessions, around)

    systems = find_systems(["roll-model"]).values()
    with served(System("studio", (), create_app), *systems) as server:
        visitor = Visitor(server, sessions)
        written = {"op": "put-me", "who": "ann", "body": '{"displayName": "A"}'}
        assert visitor.post("/roll-model/system/act", written).status_code == 403
        read = visitor.post("/roll-model/system/act.json", {"op": "get-me", "who": "ann"}).json()
        assert read["view"]["outcome"] is None
        assert "only to systems on an embedded store" in read["view"]["error"]
