"""What no endpoint takes: bodies, parameters and headers of the wrong form, each a 400 by name.

The entries, comments and threads that are named are not there: what was sent is looked at first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from .journal import UNKNOWN, Journal, entry_body, refused

ENTRY = f"/entries/{UNKNOWN}"
COMMENT = f"{ENTRY}/comments/{UNKNOWN}"
MESSAGE: dict[str, Any] = {"message": "How am I doing?"}


class Taken(NamedTuple):
    """An endpoint that reads a body: a valid one, and values that its fields do not take."""

    method: str
    path: str
    valid: dict[str, Any]
    wrong: dict[str, list[Any]]
    required: list[str] = []

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


TEXT: list[Any] = [7, True, [], {}, "bell \x07"]
LINE: list[Any] = [*TEXT, "two\nlines", "   "]
NUMBER: list[Any] = ["5", True, 5.5, [], {}, "", 10**30]
ENTRY_WRONG: dict[str, list[Any]] = {
    "sections": [[], "text", 1, {}],
    "sections.private": [*TEXT, "x" * 50_001, "\x00"],
    "sections.shared": [*TEXT, "x" * 50_001, "a\rb"],
    "sections.other": ["unknown"],
    "sessionMetrics": [[], "text", {}],
    "sessionMetrics.durationMinutes": [*NUMBER, -1, 1441],
    "sessionMetrics.intensity": [*NUMBER, 0, 11],
    "sessionMetrics.rounds": [*NUMBER, -1, 101],
    "sessionMetrics.giOrNoGi": ["GI", "", 1, "nogi"],
    "sessionMetrics.tags": ["guard", {}, [""], ["x" * 41], [1], ["a\nb"], [None], ["t"] * 21],
    "sessionMetrics.other": [1],
}
ENTRY_REQUIRED = [
    "sections",
    "sections.private",
    "sections.shared",
    "sessionMetrics",
    "sessionMetrics.durationMinutes",
    "sessionMetrics.intensity",
    "sessionMetrics.rounds",
    "sessionMetrics.giOrNoGi",
    "sessionMetrics.tags",
]
USER: list[Any] = [1, [], "#", "a#b", "-a", "a b", "x" * 129, "é"]
UUID: list[Any] = [1, [], "no", UNKNOWN.upper(), UNKNOWN.replace("-", "")]
DAY: list[Any] = [1, [], "2026-02-30", "2026-2-3", "20260203", "2026-03-01T00:00:00Z"]

BODIES = (
    Taken(
        "PUT",
        "/me",
        {"displayName": "Ann"},
        {"displayName": [*LINE, "x" * 81]},
        ["displayName"],
    ),
    Taken(
        "POST",
        "/links",
        {"coachId": "cleo"},
        {"coachId": [*USER, "ann", ""]},
        ["coachId"],
    ),
    Taken("POST", "/entries", entry_body(), ENTRY_WRONG, ENTRY_REQUIRED),
    Taken("PUT", ENTRY, entry_body(), ENTRY_WRONG, ENTRY_REQUIRED),
    Taken(
        "POST",
        f"{ENTRY}/comments",
        {"body": "Nice."},
        {"body": [*TEXT, "", "  \n ", "x" * 5001]},
        ["body"],
    ),
    Taken(
        "PUT",
        COMMENT,
        {"body": "Nice."},
        {"body": [*TEXT, "", "  \n ", "x" * 5001]},
        ["body"],
    ),
    Taken(
        "PUT",
        f"{COMMENT}/visibility",
        {"visibility": "visible"},
        {"visibility": ["hidden", 1, "", True, ["visible"]]},
        ["visibility"],
    ),
    Taken(
        "POST",
        "/ai/threads",
        {"title": "Sweeps", "athleteId": "ann"},
        {"title": [*LINE, "x" * 121], "athleteId": USER},
    ),
    Taken(
        "PATCH",
        f"/ai/threads/{UNKNOWN}",
        {"title": "Sweeps"},
        {"title": [*LINE, "x" * 121, "", None]},
    ),
    Taken(
        "POST",
        "/ai/chat",
        {**MESSAGE, "threadId": UNKNOWN, "context": {"dateRange": {}}},
        {
            "message": [*TEXT, "", "  ", "x" * 4001],
            "threadId": UUID,
            "messageId": UUID,
            "context": [[], "all", 1],
            "context.athleteId": USER,
            "context.entryIds": ["no", {}, ["no"], [1], [None], [UNKNOWN] * 21],
            "context.dateRange": [[], "2026", {"from": "2026-03-02", "to": "2026-03-01"}],
            "context.dateRange.from": DAY,
            "context.dateRange.to": DAY,
            "context.dateRange.until": ["2026-03-01"],
            "context.includePrivate": ["true", 1, 0, []],
            "context.keywords": ["guard", {}, [""], ["x" * 81], [1], ["a"] * 9],
            "context.other": [1],
        },
        ["message"],
    ),
)


def changed(body: dict[str, Any], field: str, *value: Any) -> dict[str, Any]:
    """A body with another value in a field, or without it."""
    name, _, rest = field.partition(".")
    if rest:
        return {**body, name: changed(body.get(name, {}), rest, *value)}
    without = {key: held for key, held in body.items() if key != name}
    return {**without, name: value[0]} if value else without


def wrong_bodies(taken: Taken) -> Iterator[tuple[str, dict[str, Any]]]:
    for field, values in taken.wrong.items():
        for value in values:
            yield field, changed(taken.valid, field, value)
    for field in taken.required:
        yield field, changed(taken.valid, field)
        yield field, changed(taken.valid, field, None)
    yield "unknownField", {**taken.valid, "unknownField": 1}


@pytest.fixture(params=BODIES, ids=[taken.name for taken in BODIES])
def taken(request: pytest.FixtureRequest) -> Taken:
    found: Taken = request.param
    return found


def caller_of(journal: Journal, taken: Taken) -> Any:
    """Somebody who has the role for it."""
    return journal.cleo if taken.path.endswith("/comments") else journal.ann


def test_wrong_fields_are_named(journal: Journal, taken: Taken) -> None:
    caller = caller_of(journal, taken)
    assert caller.get("/me").status_code == 200
    before = journal.rows()
    for field, body in wrong_bodies(taken):
        reply = caller.request(taken.method, taken.path, json=body)
        problem = refused(reply, 400, "invalid_request")
        named = [error["field"] for error in problem["errors"]]
        assert any(name == field or name.startswith(f"{field}.") for name in named), (body, named)
        assert all(error["message"] for error in problem["errors"])
    assert journal.rows() == before


def test_what_is_not_a_json_object_is_no_body(journal: Journal, taken: Taken) -> None:
    caller = caller_of(journal, taken)
    assert caller.get("/me").status_code == 200
    before = journal.rows()
    bodies = [b"{", b"[]", b'"text"', b"1", b"null", b"\xff\xfe", b"{'a': 1}", b"NaN"]
    if taken.name != "POST /ai/threads":  # All its fields are optional.
        bodies.append(b"")
    for content in bodies:
        reply = caller.request(taken.method, taken.path, content=content)
        refused(reply, 400, "invalid_request", "body")
    assert journal.rows() == before


def test_a_valid_body_gets_past_the_checks(journal: Journal, taken: Taken) -> None:
    """Otherwise the others would show nothing."""
    assert journal.cleo.get("/me").status_code == 200
    reply = caller_of(journal, taken).request(taken.method, taken.path, json=taken.valid)
    assert reply.status_code in (200, 201, 404), reply.text


def test_an_empty_patch_is_refused(journal: Journal) -> None:
    refused(journal.ann.patch(f"/ai/threads/{UNKNOWN}", json={}), 400, "invalid_request", "body")


def test_a_body_over_a_mebibyte_is_413_before_all_else(journal: Journal) -> None:
    for method, path in (("POST", "/entries"), ("PUT", "/me"), ("POST", "/ai/chat")):
        reply = journal.server.guest().request(method, path, content=b" " * (1024 * 1024 + 1))
        refused(reply, 413, "payload_too_large")


def test_an_entry_that_no_row_holds_is_413(journal: Journal) -> None:
    """50 000 characters of four bytes each, twice: the row would have more than 400 000 bytes."""
    huge = entry_body("🥋" * 50_000, "🥋" * 50_000)
    refused(journal.ann.post("/entries", json=huge), 413, "payload_too_large")
    assert journal.items(journal.ann, "/entries") == []
    entry = journal.log(journal.ann, "🥋" * 50_000, private="🥋" * 49_000)
    refused(journal.ann.put(f"/entries/{entry['entryId']}", json=huge), 413, "payload_too_large")
    assert journal.items(journal.ann, "/entries") == [entry]


LISTS = ("/links", "/entries", "/athletes/ann/entries", f"{ENTRY}/comments", "/ai/threads")
ENTRY_LISTS = ("/entries", "/athletes/ann/entries", "/athletes/dana/entries")


@pytest.mark.parametrize("path", [*LISTS, "/athletes", f"/ai/threads/{UNKNOWN}/messages"])
def test_limits_and_cursors_of_the_wrong_form(journal: Journal, path: str) -> None:
    # Of Ann's list she asks herself: to anybody else it depends on the role first.
    who = journal.dana if path != "/athletes/ann/entries" else journal.ann
    for limit in ("0", "201", "-1", "ten", "1.5", "1e2", "１"):
        refused(who.get(path, params={"limit": limit}), 400, "invalid_request", "limit")
    for cursor in ("x", "é", "a.b.c", "eyJ9", "0" * 5000):
        problem = refused(who.get(path, params={"cursor": cursor}), 400, "invalid_request")
        assert problem["errors"][0]["field"] == "cursor"


FILTERS: tuple[tuple[str, dict[str, str]], ...] = (
    ("dateFrom", {"dateFrom": "2026-02-30"}),
    ("dateFrom", {"dateFrom": "yesterday"}),
    ("dateTo", {"dateTo": "2026-13-01"}),
    ("dateFrom", {"dateFrom": "2026-03-02", "dateTo": "2026-03-01"}),
    ("tag", {"tag": "x" * 41}),
    ("tag", {"tag": " "}),
    ("giOrNoGi", {"giOrNoGi": "both"}),
    ("minIntensity", {"minIntensity": "hard"}),
    ("minIntensity", {"minIntensity": "1.5"}),
    ("maxIntensity", {"maxIntensity": "0x5"}),
    ("minIntensity", {"minIntensity": "6", "maxIntensity": "5"}),
    ("order", {"order": "up"}),
)


@pytest.mark.parametrize("path", ENTRY_LISTS)
def test_filters_of_the_wrong_form(journal: Journal, path: str) -> None:
    """Also of an athlete with whom there is no link."""
    caller = journal.ann if path == "/entries" else journal.dana
    for field, params in FILTERS:
        refused(caller.get(path, params=params), 400, "invalid_request", field)


PARAMETERS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("/search", "keywords", {}),
    ("/search", "keywords", {"keywords": ""}),
    ("/search", "keywords", {"keywords": "  "}),
    ("/search", "keywords", {"keywords": "x" * 201}),
    ("/search", "keywords", {"keywords": "a\nb"}),
    ("/search", "athleteId", {"keywords": "guard", "athleteId": "a#b"}),
    ("/search", "includePrivate", {"keywords": "guard", "includePrivate": "yes"}),
    ("/search", "limit", {"keywords": "guard", "limit": "51"}),
    ("/search", "limit", {"keywords": "guard", "limit": "0"}),
    ("/export", "mode", {"mode": "all"}),
    ("/export", "format", {"format": "xml"}),
    ("/export", "format", {"mode": "tidy", "format": "csv"}),
    ("/links", "status", {"status": "dead"}),
    (f"{ENTRY}/comments", "includeHidden", {"includeHidden": "1"}),
)


def test_parameters_of_the_wrong_form(journal: Journal) -> None:
    for path, field, params in PARAMETERS:
        refused(journal.ann.get(path, params=params), 400, "invalid_request", field)


def test_a_coach_says_whom_a_request_is_about(journal: Journal) -> None:
    cleo = journal.cleo
    refused(cleo.get("/search", params={"keywords": "guard"}), 400, field="athleteId")
    refused(cleo.post("/ai/threads", json={}), 400, field="athleteId")
    refused(cleo.post("/ai/threads"), 400, field="athleteId")
    refused(cleo.post("/ai/chat", json=MESSAGE), 400, field="context.athleteId")
    assert {row["entityType"]["S"] for row in journal.rows()} == {"USER_PROFILE"}


def test_idempotency_keys_of_the_wrong_form(journal: Journal) -> None:
    comment = f"{ENTRY}/comments"
    for key in ("", "   ", "a#b", "x" * 129, "tab\tbed"):
        for caller, path, body in (
            (journal.ann, "/entries", entry_body()),
            (journal.ann, "/links", {"coachId": "cleo"}),
            (journal.ann, "/ai/threads", {}),
            (journal.cleo, comment, {"body": "Hi."}),
        ):
            reply = caller.post(path, json=body, headers={"Idempotency-Key": key})
            refused(reply, 400, "invalid_request", "Idempotency-Key")


def test_unknown_parameters_and_needless_bodies_are_ignored(journal: Journal) -> None:
    entry = journal.log(journal.ann)
    assert journal.items(journal.ann, "/entries", colour="blue") == [entry]
    reply = journal.ann.request("GET", "/entries", content=b"not json")
    assert reply.status_code == 200
    assert journal.ann.request("DELETE", f"/entries/{entry['entryId']}", content=b"{").is_success
