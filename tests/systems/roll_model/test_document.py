"""The document is true: answers fit their shapes, with nothing more in them."""

from __future__ import annotations

from typing import Any

from tablewright.systems.roll_model import schemas
from tablewright.systems.roll_model.demo import fill
from tablewright.web.http.field_types import ListOf

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
    fits(schemas.ProfileAnswer, ann.get("/me"))
    fits(schemas.ProfileAnswer, ann.put("/me", json={"displayName": "Ann"}))
    fits(schemas.LinkAnswer, ann.post("/links", json={"coachId": "cleo"}))
    fits(ListOf[schemas.LinkAnswer], ann.get("/links", params={"status": "all"}))
    fits(schemas.LinkAnswer, ann.get("/links/carl"))
    fits(ListOf[schemas.LinkAnswer], cleo.get("/athletes"))
    entry = fits(ListOf[schemas.EntryAnswer], ann.get("/entries"))["items"][0]
    fits(ListOf[schemas.EntryAnswer], cleo.get("/athletes/ann/entries"))
    fits(schemas.EntryAnswer, cleo.get(f"/entries/{entry['entryId']}"))
    for caller, athlete in ((ann, "ann"), (cleo, "ann")):
        params = {"keywords": "guard", "athleteId": athlete}
        assert fits(ListOf[schemas.HitAnswer], caller.get("/search", params=params))["items"]
    comment = journal.comment(cleo, entry)
    fits(ListOf[schemas.CommentAnswer], ann.get(f"/entries/{entry['entryId']}/comments"))
    fits(schemas.CommentAnswer, ann.get(place(comment)))
    thread = fits(ListOf[schemas.ThreadAnswer], ann.get("/ai/threads"))["items"][0]
    fits(schemas.ThreadAnswer, ann.get(f"/ai/threads/{thread['threadId']}"))
    fits(ListOf[schemas.MessageAnswer], ann.get(f"/ai/threads/{thread['threadId']}/messages"))
    fits(schemas.ChatAnswer, ann.post("/ai/chat", json={"message": "?"}))
    fits(schemas.FullExport, ann.get("/export"))
    fits(schemas.TidyExport, ann.get("/export", params={"mode": "tidy"}))


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
