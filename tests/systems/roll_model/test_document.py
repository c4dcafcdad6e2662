"""The document is true: answers fit their shapes, with nothing more in them."""

from __future__ import annotations

from typing import Any

from tablewright.systems.roll_model import shapes
from tablewright.systems.roll_model.demo import fill

from .journal import Journal, place


def fits(shape: Any, response: Any) -> Any:
    """The answer as its shape; unknown members are refused there."""
    assert response.status_code in (200, 201), response.text
    told = shape.model_validate_json(response.content)
    assert told is not None
    return response.json()


def test_every_answer_fits_its_shape(journal: Journal) -> None:
    journal.server.loop.run(fill(journal.server.services))
    ann, cleo = journal.ann, journal.cleo
    fits(shapes.ProfileAnswer, ann.get("/me"))
    fits(shapes.ProfileAnswer, ann.put("/me", json={"displayName": "Ann"}))
    fits(shapes.LinkAnswer, ann.post("/links", json={"coachId": "cleo"}))
    fits(shapes.LinkList, ann.get("/links", params={"status": "all"}))
    fits(shapes.LinkAnswer, ann.get("/links/carl"))
    fits(shapes.LinkList, cleo.get("/athletes"))
    entry = fits(shapes.EntryList, ann.get("/entries"))["items"][0]
    fits(shapes.EntryList, cleo.get("/athletes/ann/entries"))
    fits(shapes.EntryAnswer, cleo.get(f"/entries/{entry['entryId']}"))
    for caller, athlete in ((ann, "ann"), (cleo, "ann")):
        params = {"keywords": "guard", "athleteId": athlete}
        assert fits(shapes.HitList, caller.get("/search", params=params))["items"]
    comment = journal.comment(cleo, entry)
    fits(shapes.CommentList, ann.get(f"/entries/{entry['entryId']}/comments"))
    fits(shapes.CommentAnswer, ann.get(place(comment)))
    thread = fits(shapes.ThreadList, ann.get("/ai/threads"))["items"][0]
    fits(shapes.ThreadAnswer, ann.get(f"/ai/threads/{thread['threadId']}"))
    fits(shapes.MessageList, ann.get(f"/ai/threads/{thread['threadId']}/messages"))
    fits(shapes.ChatAnswer, ann.post("/ai/chat", json={"message": "?"}))
    fits(shapes.FullExport, ann.get("/export"))
    fits(shapes.TidyExport, ann.get("/export", params={"mode": "tidy"}))


def test_the_document_tells_every_refusal_that_is_particular(journal: Journal) -> None:
    paths = journal.server.guest().get("/openapi.json").json()["paths"]

    def codes(method: str, path: str, status: str) -> set[str]:
        told = paths[path][method]["responses"][status]["content"]["application/problem+json"]
        found: list[str] = told["schema"]["allOf"][1]["properties"]["code"]["enum"]
        return set(found)

    both = {"role_required", "link_required"}
    assert codes("get", "/athletes/{athleteId}/entries", "403") == both
    assert codes("get", "/search", "403") == both
    assert codes("post", "/ai/threads", "403") == both
    assert codes("post", "/ai/chat", "403") == both
    assert "idempotency_conflict" in codes("post", "/ai/chat", "409")
    assert codes("post", "/ai/chat", "502") == {"upstream_error"}
    assert "idempotency_conflict" in codes("post", "/entries", "409")
    assert codes("put", "/entries/{entryId}", "403") == {"role_required", "forbidden"}
    for path, methods in paths.items():
        for method, told in methods.items():
            assert {"401", "403"} <= set(told["responses"]), path
            assert "role_required" in codes(method, path, "403")
            assert "422" not in told["responses"]
