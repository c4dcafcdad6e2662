"""The document is true: answers fit their shapes, with nothing more in them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tablewright.systems.hold_that_thought import schemas
from tablewright.systems.hold_that_thought.demo import fill
from tablewright.web.http.field_types import ListOf
from tablewright.web.services.blobs import UploadAnswer

from .family import DATE, Family, files, letter_body, place


def fits(shape: Any, response: Any) -> Any:
    """The answer as its shape; unknown members are refused there, and missing ones."""
    assert response.is_success, response.text
    assert shape.model_validate_json(response.content) is not None
    return response.json()


def test_every_answer_fits_its_shape(family: Family) -> None:
    family.server.loop.run(fill(family.server.services))
    rosa, ann, bob = family.who("rosa", "Admins"), family.ann, family.bob
    fits(schemas.FullProfile, ann.get("/me"))
    fits(schemas.FullProfile, ann.patch("/me", json={"bio": "Me."}))
    photo = {"fileName": "a.png", "contentType": "image/png", "size": 5}
    fits(UploadAnswer, ann.post("/me/photo-upload-url", json=photo))
    fits(ListOf[schemas.PublicProfile], ann.get("/users"))
    fits(schemas.PublicProfile, ann.get("/users/bob"))
    fits(schemas.FullProfile, rosa.get("/users/bob"))
    fits(ListOf[schemas.CommentAnswer], ann.get("/users/bob/comments"))
    fits(ListOf[schemas.FullProfile], rosa.get("/admin/users"))
    fits(schemas.FullProfile, rosa.patch("/admin/users/carl", json={"status": "active"}))
    assert fits(ListOf[schemas.LetterInList], bob.get("/letters"))["items"]
    fits(schemas.LetterAnswer, rosa.post("/letters", json=letter_body("1950-01-01")))
    fits(schemas.LetterAnswer, bob.get(f"/letters/{DATE}"))
    edit = {"title": "T", "content": "c"}
    fits(schemas.LetterAnswer, ann.put(f"/letters/{DATE}", json=edit))
    version = fits(ListOf[schemas.VersionInList], bob.get(f"/letters/{DATE}/versions"))["items"][0]
    one = f"/letters/{DATE}/versions/{version['timestamp']}"
    fits(schemas.VersionAnswer, bob.get(one))
    told = {"timestamp": version["timestamp"]}
    fits(schemas.LetterAnswer, ann.post(f"/letters/{DATE}/revert", json=told))
    assert fits(ListOf[schemas.ScanAnswer], bob.get(f"/letters/{DATE}/scans"))["items"]
    fits(schemas.DraftWithUploads, ann.post("/drafts", json=files("a.jpg")))
    fits(ListOf[schemas.DraftAnswer], ann.get("/drafts"))
    draft = f"/drafts/{family.draft(ann, '1961-01-01.jpg')['draftId']}"
    fits(schemas.DraftAnswer, ann.post(f"{draft}/process"))
    family.server.settle()
    fits(schemas.DraftAnswer, ann.get(draft))
    fits(schemas.LetterAnswer, ann.post(f"{draft}/publish"))
    comment = fits(schemas.CommentAnswer, bob.post(f"/comments/{DATE}", json={"commentText": "x"}))
    fits(schemas.ToggleAnswer, bob.post(f"{place(comment)}/reactions"))
    assert fits(ListOf[schemas.CommentAnswer], bob.get(f"/comments/{DATE}"))["items"]
    fits(schemas.CommentAnswer, bob.get(place(comment)))
    fits(schemas.CommentAnswer, bob.put(place(comment), json={"commentText": "y"}))
    assert fits(ListOf[schemas.ReactionAnswer], bob.get(f"{place(comment)}/reactions"))["items"]
    assert fits(ListOf[schemas.ReactionAnswer], bob.get("/me/reactions"))["items"]


def test_every_answer_about_conversations_and_media_fits_its_shape(family: Family) -> None:
    ann, bob = family.ann, family.bob
    family.meet(bob)
    body = {"participantIds": ["bob"]}
    chat = fits(schemas.ConversationAnswer, ann.post("/conversations", json=body))
    fits(schemas.ConversationAnswer, ann.post("/conversations", json=body))
    assert fits(ListOf[schemas.ConversationAnswer], ann.get("/conversations"))["items"]
    at = family.at(chat)
    fits(schemas.ConversationAnswer, ann.get(at))
    file = {"fileName": "a.pdf", "contentType": "application/pdf", "size": 5}
    fits(UploadAnswer, ann.post(f"{at}/upload-url", json=file))
    sent = {"attachments": [family.attach(ann, chat)]}
    fits(schemas.MessageAnswer, ann.post(f"{at}/messages", json=sent))
    fits(schemas.MessageAnswer, ann.post(f"{at}/messages", json={"messageText": "x"}))
    assert fits(ListOf[schemas.MessageAnswer], bob.get(f"{at}/messages"))["items"]
    fits(schemas.ConversationAnswer, bob.put(f"{at}/read"))
    picture = {"category": "pictures", "fileName": "a", "contentType": "image/png", "size": 5}
    fits(schemas.MediaUploadAnswer, ann.post("/media/upload-url", json=picture))
    family.media(ann)
    assert fits(ListOf[schemas.MediaAnswer], bob.get("/media", params={"category": "pictures"}))[
        "items"
    ]


PARTICULAR: dict[tuple[str, str], dict[str, set[str]]] = {
    ("get", "/users/{userId}"): {"403": {"profile_private"}, "404": {"not_found"}},
    ("get", "/users/{userId}/comments"): {"403": {"profile_private"}, "404": {"not_found"}},
    ("get", "/admin/users"): {"403": {"admin_required"}},
    ("patch", "/admin/users/{userId}"): {"403": {"admin_required"}, "409": {"conflict"}},
    ("post", "/letters"): {"403": {"admin_required"}, "409": {"date_taken"}},
    ("put", "/letters/{date}"): {"403": {"approval_required"}, "404": {"not_found"}},
    ("delete", "/letters/{date}"): {"403": {"admin_required"}, "404": {"not_found"}},
    ("post", "/letters/{date}/revert"): {"403": {"approval_required"}, "404": {"not_found"}},
    ("post", "/drafts"): {"403": {"approval_required"}, "400": {"invalid_request"}},
    ("post", "/drafts/{draftId}/process"): {
        "403": {"approval_required"},
        "409": {"upload_incomplete", "invalid_transition"},
    },
    ("delete", "/drafts/{draftId}"): {"403": {"approval_required"}, "409": {"invalid_transition"}},
    ("post", "/drafts/{draftId}/publish"): {
        "400": {"invalid_request"},
        "403": {"approval_required"},
        "409": {"date_taken", "invalid_transition", "idempotency_conflict"},
    },
    ("put", "/comments/{itemId}/{commentId}"): {"403": {"forbidden"}},
    ("delete", "/comments/{itemId}/{commentId}"): {"403": {"forbidden"}},
    ("get", "/conversations/{convId}"): {"403": {"not_a_participant"}},
    ("delete", "/conversations/{convId}"): {"403": {"not_a_participant", "forbidden"}},
    ("delete", "/conversations/{convId}/messages/{messageId}"): {
        "403": {"not_a_participant", "forbidden"},
        "404": {"not_found"},
    },
    ("delete", "/media"): {
        "400": {"invalid_request"},
        "403": {"approval_required", "forbidden"},
        "404": {"not_found"},
    },
}


LISTS = {
    "/me/reactions",
    "/users",
    "/users/{userId}/comments",
    "/admin/users",
    "/letters",
    "/letters/{date}/versions",
    "/letters/{date}/scans",
    "/drafts",
    "/comments/{itemId}",
    "/comments/{itemId}/{commentId}/reactions",
    "/conversations",
    "/conversations/{convId}/messages",
    "/media",
}


def test_an_answer_with_more_or_less_than_its_shape_is_found(family: Family) -> None:
    family.letter()
    letter = family.bob.get(f"/letters/{DATE}")
    for wrong in (schemas.LetterInList, schemas.VersionAnswer):
        with pytest.raises(ValidationError):
            fits(wrong, letter)


def test_the_document_tells_every_refusal_that_is_particular(family: Family) -> None:
    paths = family.server.guest().get("/openapi.json").json()["paths"]

    def codes(method: str, path: str, status: str) -> set[str]:
        told = paths[path][method]["responses"][status]["content"]["application/problem+json"]
        found: list[str] = told["schema"]["allOf"][1]["properties"]["code"]["enum"]
        return set(found)

    for (method, path), wanted in PARTICULAR.items():
        for status, particular in wanted.items():
            assert particular <= codes(method, path, status), (method, path)
    for path, methods in paths.items():
        for method, told in methods.items():
            assert {"401", "403"} <= set(told["responses"]), path
            assert "account_inactive" in codes(method, path, "403")
            assert ("429" in told["responses"]) == (method != "get")
            assert "422" not in told["responses"]
            takes = {one["name"] for one in told.get("parameters", ())}
            assert ({"limit", "cursor"} <= takes) == (path in LISTS and method == "get"), path
            assert ("Idempotency-Key" in takes) == ("201" in told["responses"])
            assert ("If-Match" in takes) == ("412" in told["responses"])
    assert sum(len(methods) for methods in paths.values()) == 44


def test_the_document_names_every_field_of_the_contract(family: Family) -> None:
    schemas = family.server.guest().get("/openapi.json").json()["components"]["schemas"]
    wanted = {
        "CommentAnswer": "itemId itemType itemTitle commentId userId userName userPhotoUrl "
        "commentText reactionCount userHasReacted myReactionType isEdited createdAt updatedAt "
        "version",
        "ConversationAnswer": "conversationId conversationType conversationTitle creatorId "
        "participantIds participantNames createdAt lastMessageAt lastReadAt unreadCount",
        "MessageAnswer": "messageId conversationId senderId senderName messageText attachments "
        "createdAt",
        "AttachmentAnswer": "s3Key fileName contentType url",
        "LetterAnswer": "date title author content description versionCount scanCount createdAt "
        "updatedAt updatedBy",
        "VersionAnswer": "date timestamp versionNumber title author description updatedBy content",
        "DraftAnswer": "draftId status uploaderId fileNames extractedData errorMessage letterDate "
        "createdAt updatedAt version",
        "ReactionAnswer": "itemId commentId userId userName reactionType createdAt",
        "MediaAnswer": "mediaId key category uploaderId fileName contentType size url uploadedAt",
        "PublicProfile": "userId displayName bio photoUrl familyRelationship generation "
        "familyBranch familyRelationships isProfilePrivate createdAt updatedAt version",
        "FullProfile": "userId email displayName bio photoUrl familyRelationship generation "
        "familyBranch isProfilePrivate contactEmail notifyOnMessage notifyOnComment theme "
        "familyRelationships mediaUploadCount status groups createdAt updatedAt version",
    }
    for name, fields in wanted.items():
        assert set(schemas[name]["properties"]) == set(fields.split()), name
        assert set(schemas[name]["required"]) == set(fields.split()), name
