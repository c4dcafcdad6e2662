"""Entries over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.stores.embedded.embedded_store import AsyncEmbeddedStore

from .journal import UNKNOWN, Journal, entry_body, refused


def one(entry: dict[str, Any]) -> str:
    return f"/entries/{entry['entryId']}"


def ids(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["entryId"] for entry in entries]


def test_an_entry_is_kept_as_it_was_told(journal: Journal) -> None:
    body = entry_body("  two\n\tlines ", "", (" guard ", "Guard", "guard", "x"))
    reply = journal.ann.post("/entries", json=body)
    entry = reply.json()
    assert reply.status_code == 201
    assert entry == {
        "entryId": entry["entryId"],
        "athleteId": "ann",
        "createdAt": entry["createdAt"],
        "updatedAt": entry["createdAt"],
        "sections": {"private": "", "shared": "  two\n\tlines "},
        "sessionMetrics": body["sessionMetrics"] | {"tags": ["guard", "Guard", "x"]},
        "version": 1,
    }
    assert len(entry["createdAt"]) == 24


def test_is_repeated_under_its_key(journal: Journal) -> None:
    key = {"Idempotency-Key": "k"}
    first = journal.ann.post("/entries", json=entry_body(), headers=key)
    again = journal.ann.post("/entries", json=entry_body(), headers=key)
    assert (again.status_code, again.content) == (201, first.content)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["etag"] == '"1"'
    assert "idempotency-replayed" not in first.headers
    refused(
        journal.ann.post("/entries", json=entry_body("other"), headers=key),
        409,
        "idempotency_conflict",
    )
    refused(journal.ann.post("/entries", json={}, headers=key), 400)
    assert len(journal.items(journal.ann, "/entries")) == 1
    assert journal.ben.post("/entries", json=entry_body(), headers=key).status_code == 201


def test_a_failure_is_not_kept_under_a_key(journal: Journal) -> None:
    key = {"Idempotency-Key": "k"}
    refused(journal.ann.post("/entries", json={}, headers=key), 400)
    assert journal.ann.post("/entries", json=entry_body(), headers=key).status_code == 201


def filtered(journal: Journal, **params: Any) -> list[str]:
    """What both lists of entries find, by their shared text."""
    hers = journal.items(journal.ann, "/entries", **params)
    theirs = journal.items(journal.cleo, "/athletes/ann/entries", **params)
    assert ids(hers) == ids(theirs)
    return [entry["sections"]["shared"] for entry in hers]


def test_and_e10_filter_alike(journal: Journal) -> None:
    start = journal.server.advance(0)
    journal.log(journal.ann, "a", tags=("Open Guard", "x"), intensity=3)
    journal.server.advance(2 * 86400)
    journal.log(journal.ann, "b", tags=("open guard",), intensity=5, giOrNoGi="no-gi")
    later = journal.server.advance(2 * 86400)
    journal.log(journal.ann, "c", tags=("opening",), intensity=9)
    journal.link(journal.ann, "cleo")
    day, last = start[:10], later[:10]
    assert filtered(journal) == ["c", "b", "a"]
    assert filtered(journal, order="asc") == ["a", "b", "c"]
    assert filtered(journal, tag=" OPEN guard ") == ["b", "a"]
    assert filtered(journal, tag="open") == []
    assert filtered(journal, giOrNoGi="no-gi") == ["b"]
    assert filtered(journal, minIntensity=5) == ["c", "b"]
    assert filtered(journal, maxIntensity=5) == ["b", "a"]
    assert filtered(journal, minIntensity=5, maxIntensity=5, order="asc") == ["b"]
    assert filtered(journal, dateFrom=day, dateTo=day) == ["a"]
    assert filtered(journal, dateTo=day) == ["a"]
    assert filtered(journal, dateFrom=last) == ["c"]
    assert filtered(journal, dateFrom=day, dateTo=last, order="asc") == ["a", "b", "c"]
    assert filtered(journal, dateFrom="2000-01-01", dateTo="2000-01-02") == []
    assert filtered(journal, tag="", dateFrom="") == ["c", "b", "a"]


def test_reads_on_until_a_page_is_full(journal: Journal) -> None:
    for number in range(30):
        journal.log(journal.ann, f"{number}", intensity=10 if number % 10 == 0 else 1)
    pages = journal.pages(journal.ann, "/entries", minIntensity=10, limit=2)
    assert [[e["sections"]["shared"] for e in page] for page in pages] == [["20", "10"], ["0"]]


def test_cursors_fit_their_filters_and_order(journal: Journal) -> None:
    for _ in range(3):
        journal.log(journal.ann)
    journal.log(journal.ben)
    page = journal.ann.get("/entries", params={"limit": 2, "minIntensity": 1}).json()
    fits = {"cursor": page["cursor"], "minIntensity": 1}
    assert len(journal.items(journal.ann, "/entries", **fits, limit=200)) == 1
    for other in ({"minIntensity": 2}, {"order": "asc"}, {"tag": "x"}, {"dateFrom": "2020-01-01"}):
        problem = refused(journal.ann.get("/entries", params=fits | other), 400)
        assert problem["errors"][0]["field"] == "cursor"
    refused(journal.ben.get("/entries", params=fits), 400, field="cursor")
    refused(journal.cleo.get("/athletes/ann/entries", params=fits), 400, field="cursor")


def test_a_coach_pages_through_the_shared_view(journal: Journal) -> None:
    for number in range(5):
        journal.log(journal.ann, f"{number}", private="nobody else")
    journal.link(journal.ann, "cleo", "carl")
    pages = journal.pages(journal.cleo, "/athletes/ann/entries", limit=2)
    assert [len(page) for page in pages] == [2, 2, 1]
    assert all(set(e["sections"]) == {"shared"} for page in pages for e in page)
    cursor = journal.cleo.get("/athletes/ann/entries", params={"limit": 2}).json()["cursor"]
    reply = journal.carl.get("/athletes/ann/entries", params={"cursor": cursor})
    refused(reply, 400, field="cursor")
    assert journal.items(journal.ann, "/athletes/ann/entries")[0]["sections"]["private"]


def test_an_entry_and_its_version(journal: Journal) -> None:
    entry = journal.log(journal.ann)
    reply = journal.ann.get(one(entry))
    assert (reply.json(), reply.headers["etag"]) == (entry, '"1"')
    journal.link(journal.ann, "cleo")
    shared = journal.cleo.get(one(entry))
    assert shared.headers["etag"] == '"1"'
    assert shared.json() == entry | {"sections": {"shared": entry["sections"]["shared"]}}
    refused(journal.ann.get(f"/entries/{UNKNOWN}"), 404)


def test_replaces_everything_but_when_it_was_logged(journal: Journal) -> None:
    entry = journal.log(journal.ann)
    journal.server.advance(5)
    body = entry_body("new", "newer", (), durationMinutes=1440, giOrNoGi="no-gi")
    reply = journal.ann.put(one(entry), json=body, headers={"If-Match": '"1"'})
    changed = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (200, '"2"')
    assert changed == entry | body | {"updatedAt": changed["updatedAt"], "version": 2}
    assert changed["updatedAt"] > entry["updatedAt"]
    refused(journal.ann.put(one(entry), json=body, headers={"If-Match": '"1"'}), 412)
    assert journal.ann.get(one(entry)).json() == changed
    refused(journal.ann.put(f"/entries/{UNKNOWN}", json=body, headers={"If-Match": "*"}), 404)


def test_of_the_largest_entries_moves_all_words(journal: Journal) -> None:
    def words(first: int) -> str:
        return " ".join(f"word{number:03}" for number in range(first, first + 40))

    entry = journal.log(journal.ann, words(0), private=words(100), tags=())
    body = entry_body(words(200), words(300), ())
    assert journal.ann.put(one(entry), json=body).status_code == 200
    private = {"includePrivate": "true"}
    assert journal.found(journal.ann, "word000 word100", **private) == []
    assert journal.found(journal.ann, "word223", **private) == [entry["entryId"]]
    assert journal.found(journal.ann, "word224", **private) == []  # Beyond the first 24.
    assert journal.found(journal.ann, "word323", **private) == [entry["entryId"]]


def test_wants_the_version_and_the_owner(journal: Journal) -> None:
    entry = journal.log(journal.ann)
    refused(journal.ann.delete(one(entry), headers={"If-Match": '"2"'}), 412)
    reply = journal.ann.delete(one(entry), headers={"If-Match": '"1"'})
    assert (reply.status_code, reply.content) == (204, b"")
    refused(journal.ann.delete(one(entry), headers={"If-Match": '"1"'}), 404)


class Interrupted(Exception):
    """What ends a server in the middle of something."""


def interrupt(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, operation: str, after: int
) -> None:
    """Let the store fail at an operation, after so many of them."""
    store = journal.server.services.store
    assert isinstance(store, AsyncEmbeddedStore)
    real, count = store.call, 0

    async def call(name: str, request: dict[str, Any]) -> dict[str, Any]:
        nonlocal count
        if name == operation:
            count += 1
            if count > after:
                raise Interrupted
        return await real(name, request)

    monkeypatch.setattr(store, "send", call)


# The mark is the first transaction, the pages of comments are read and swept in further ones.
@pytest.mark.parametrize(
    ("operation", "after"), [("Query", 0), *(("TransactWriteItems", n) for n in (1, 2, 3))]
)
def test_goes_on_after_an_interruption(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, operation: str, after: int
) -> None:
    entry = journal.log(journal.ann)
    journal.link(journal.ann, "cleo")
    for _ in range(120):
        journal.comment(journal.cleo, entry)
    with monkeypatch.context() as patched:
        interrupt(journal, patched, operation, after)
        refused(journal.ann.delete(one(entry)), 500, "internal_error")
    for reader in (journal.ann, journal.cleo):
        refused(reader.get(one(entry)), 404)
        refused(reader.get(f"{one(entry)}/comments"), 404)
    assert journal.items(journal.ann, "/entries") == []
    assert journal.found(journal.ann, "sweeps knee", includePrivate="true") == []
    refused(journal.cleo.post(f"{one(entry)}/comments", json={"body": "Late."}), 404)
    refused(journal.ann.put(one(entry), json=entry_body()), 404)
    refused(journal.cleo.delete(one(entry)), 404)
    refused(journal.ben.delete(one(entry)), 404)
    assert journal.ann.delete(one(entry), headers={"If-Match": '"1"'}).status_code == 204
    refused(journal.ann.delete(one(entry)), 404)
    kinds = {row["entityType"]["S"] for row in journal.rows()}
    assert kinds == {"USER_PROFILE", "COACH_LINK", "ATHLETE_LINK"}


def test_hits_tell_what_matched(journal: Journal) -> None:
    older = journal.log(journal.ann, "sweeps and drills", private="knee", tags=())
    newer = journal.log(journal.ann, "drills", private="", tags=("Open  Guard!",))
    reply = journal.ann.get("/search", params={"keywords": "drills sweeps"})
    assert reply.json() == {
        "items": [
            {
                "entryId": older["entryId"],
                "createdAt": older["createdAt"],
                "score": 2,
                "matchedTokens": ["drills", "sweeps"],
                "entry": older,
            },
            {
                "entryId": newer["entryId"],
                "createdAt": newer["createdAt"],
                "score": 1,
                "matchedTokens": ["drills"],
                "entry": newer,
            },
        ],
        "cursor": None,
    }
    [hit] = journal.items(journal.ann, "/search", keywords="Open Guard")
    assert hit["matchedTokens"] == ["open-guard", "open", "guard"]
    assert hit["score"] == 3


def test_of_equals_the_newest_come_first_and_the_limit_cuts(journal: Journal) -> None:
    made = [journal.log(journal.ann, "armbar", tags=())["entryId"] for _ in range(12)]
    assert journal.found(journal.ann, "armbar") == made[::-1][:10]
    assert journal.found(journal.ann, "armbar", limit=1) == [made[-1]]
    assert journal.found(journal.ann, "armbar", limit=50) == made[::-1]


def test_without_a_word_worth_finding_finds_nothing(journal: Journal) -> None:
    journal.log(journal.ann, "the and 空手 of")
    for keywords in ("the and for", "空手", "a b", "!!"):
        assert journal.found(journal.ann, keywords, includePrivate="true") == []


def test_a_word_in_both_parts_is_found_as_shared(journal: Journal) -> None:
    entry = journal.log(journal.ann, "kimura", private="kimura hurts")
    journal.link(journal.ann, "cleo")
    assert journal.found(journal.cleo, "kimura", athleteId="ann") == [entry["entryId"]]
    [hit] = journal.items(journal.ann, "/search", keywords="kimura hurts", includePrivate="true")
    assert hit["matchedTokens"] == ["kimura", "hurts"]
