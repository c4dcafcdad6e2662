"""Private text stays where it is: not in a coach's answers, not in problems, not in the log."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import structlog

from .journal import Journal, entry_body, refused

SECRET = "meniscusgraft"


def coach_answers(journal: Journal, entry: dict[str, Any]) -> str:
    """All that a linked coach can ask for, as one text."""
    cleo, one = journal.cleo, f"/entries/{entry['entryId']}"
    told = {"athleteId": "ann", "includePrivate": "true"}
    contexts: list[dict[str, Any]] = [
        {"keywords": [SECRET]},
        {"entryIds": [entry["entryId"]]},
        {"dateRange": {"from": "2020-01-01"}},
    ]
    replies = [
        cleo.get("/athletes"),
        cleo.get("/athletes/ann/entries"),
        cleo.get("/athletes/ann/entries", params={"tag": SECRET, "includePrivate": "true"}),
        cleo.get(one),
        cleo.get(f"{one}/comments", params={"includeHidden": "true"}),
        cleo.get("/search", params={"keywords": "sweeps", **told}),
        cleo.get("/search", params={"keywords": "open guard", **told}),
        cleo.get("/search", params={"keywords": SECRET, **told}),
    ]
    for context in contexts:
        mine = {"athleteId": "ann", "includePrivate": True, **context}
        replies.append(cleo.post("/ai/chat", json={"message": "Her knee?", "context": mine}))
    assert {reply.status_code for reply in replies} == {200}
    threads = journal.items(cleo, "/ai/threads")
    replies += [cleo.get(f"/ai/threads/{thread['threadId']}/messages") for thread in threads]
    return "".join(f"{reply.headers}{reply.text}" for reply in replies)


def test_no_answer_to_a_coach_has_private_text(journal: Journal) -> None:
    entry = journal.log(journal.ann, "worked on sweeps", private=SECRET)
    journal.link(journal.ann, "cleo")
    journal.chat(journal.ann, SECRET, context={"includePrivate": True})
    found = coach_answers(journal, entry)
    assert "worked on sweeps" in found
    assert SECRET not in found
    assert '"private"' not in found
    assert "Private notes" not in found


def test_counts_are_the_same_whatever_is_private(journal: Journal) -> None:
    """Of two athletes who differ in their private notes alone, a coach can tell none from other."""
    for athlete, private in ((journal.ann, SECRET), (journal.ben, "")):
        journal.log(athlete, "sweeps", private=private)
        journal.link(athlete, "cleo")
    told = []
    for athlete_id in ("ann", "ben"):
        context = {"athleteId": athlete_id, "includePrivate": True, "keywords": [SECRET]}
        answer = journal.chat(journal.cleo, context=context)
        hits = journal.items(
            journal.cleo, "/search", keywords=f"sweeps {SECRET}", athleteId=athlete_id
        )
        told.append(
            (
                answer["assistantText"],
                answer["visibilityScope"],
                len(answer["contextEntryIds"]),
                [(hit["score"], hit["matchedTokens"]) for hit in hits],
            )
        )
    assert told[0] == told[1]


def test_private_words_are_stored_in_the_private_partition_only(journal: Journal) -> None:
    journal.log(journal.ann, "sweeps", private=SECRET)
    partitions = {
        row["PK"]["S"] for row in journal.rows() if SECRET in row["SK"]["S"] + row["PK"]["S"]
    }
    assert partitions == {"USER_PRIVATE#ann"}


@pytest.fixture
def logged() -> Any:
    """Everything that is logged, with what exceptions tell."""
    with structlog.testing.capture_logs() as entries:
        yield entries


def test_neither_problems_nor_the_log_tell_private_text(
    journal: Journal, logged: list[Any]
) -> None:
    wrong = entry_body("shared", SECRET, intensity=99)
    assert SECRET not in journal.ann.post("/entries", json=wrong).text
    far = entry_body("shared", f"{SECRET}\x00")
    assert SECRET not in journal.ann.post("/entries", json=far).text
    assert (
        SECRET not in journal.ann.post("/entries", json={SECRET: SECRET[:3]} | far).json()["title"]
    )
    entry = journal.log(journal.ann, "sweeps", private=SECRET)
    journal.ann.get("/search", params={"keywords": SECRET, "includePrivate": "true"})
    journal.fail_next(1)
    failed = journal.ann.post(
        "/ai/chat", json={"message": SECRET, "context": {"includePrivate": True}}
    )
    assert SECRET not in refused(failed, 502)["detail"]
    stale = journal.ann.put(
        f"/entries/{entry['entryId']}",
        json=entry_body("s", SECRET),
        headers={"If-Match": '"9"'},
    )
    assert SECRET not in stale.text
    assert SECRET not in repr(logged)


def test_the_log_of_a_failure_has_no_private_text(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A traceback tells where it was, not what the variables held."""
    from tablewright.web.server.logs import configure_logs

    assert journal.ann.get("/me").status_code == 200
    before = structlog.get_config(), logging.getLogger().handlers[:], logging.getLogger().level
    try:
        configure_logs()
        with monkeypatch.context() as patched:
            real = journal.server.services.store.call

            async def failing(operation: str, request: dict[str, Any]) -> dict[str, Any]:
                if operation == "TransactWriteItems":
                    raise RuntimeError("something went wrong")
                return await real(operation, request)

            patched.setattr(journal.server.services.store, "send", failing)
            reply = journal.ann.post("/entries", json=entry_body("sweeps", SECRET))
    finally:
        structlog.configure(**before[0])
        logging.getLogger().handlers[:] = before[1]
        logging.getLogger().setLevel(before[2])
    refused(reply, 500, "internal_error")
    told = capfd.readouterr().err
    assert "went wrong" in told
    assert SECRET not in told
    assert SECRET not in reply.text
