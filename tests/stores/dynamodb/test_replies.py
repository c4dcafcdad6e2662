"""Replies: every error has its class, and a damaged reply is no reply."""

from __future__ import annotations

from zlib import crc32

import orjson
import pytest

from tablewright.errors import (
    ConditionalCheckFailed,
    InternalError,
    ResourceNotFound,
    SerializationError,
    ServiceError,
    StoreUnavailable,
    Throttled,
    TransactionCanceled,
    UnknownOperation,
    ValidationError,
)
from tablewright.stores.dynamodb.replies import Reply, Unanswered, answer, encode


def refusal(code: str, status: int = 400, **fields: object) -> Reply:
    body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "told", **fields}
    return Reply(status, None, orjson.dumps(body))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("ValidationException", ValidationError),
        ("ResourceNotFoundException", ResourceNotFound),
        ("UnknownOperationException", UnknownOperation),
        ("ProvisionedThroughputExceededException", Throttled),
        ("ThrottlingException", Throttled),
        ("RequestLimitExceeded", Throttled),
        ("InternalServerError", InternalError),
    ],
)
def test_a_code_has_its_class(code: str, expected: type[ServiceError]) -> None:
    with pytest.raises(expected, match="told") as failure:
        answer(refusal(code))
    assert failure.value.code == code


def test_an_unknown_code_is_kept() -> None:
    with pytest.raises(ServiceError) as failure:
        answer(refusal("AccessDeniedException"))
    assert failure.value.code == "AccessDeniedException"
    assert failure.value.message == "told"


def test_a_code_without_a_namespace_is_understood() -> None:
    reply = Reply(400, None, b'{"__type":"ValidationException","Message":"told"}')
    with pytest.raises(ValidationError, match="told"):
        answer(reply)


def test_what_a_refusal_carries_is_kept() -> None:
    with pytest.raises(ConditionalCheckFailed) as failed:
        answer(refusal("ConditionalCheckFailedException", Item={"pk": {"S": "p"}}))
    assert failed.value.item == {"pk": {"S": "p"}}
    reasons = [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Message": "m", "Item": {}}]
    with pytest.raises(TransactionCanceled) as canceled:
        answer(refusal("TransactionCanceledException", CancellationReasons=reasons))
    assert canceled.value.reasons == reasons


def test_a_server_fault_is_an_internal_error_whatever_it_says() -> None:
    for reply in (
        refusal("ServiceUnavailable", 503),
        Reply(502, None, b"<html>"),
        Reply(500, None, b""),
    ):
        with pytest.raises(InternalError):
            answer(reply)


def test_a_damaged_reply_is_no_reply() -> None:
    body = b'{"Item":{}}'
    assert answer(Reply(200, str(crc32(body)), body)) == {"Item": {}}
    with pytest.raises(Unanswered) as failure:
        answer(Reply(200, str(crc32(body)), body.replace(b"m", b"n")))
    assert failure.value.was_sent


@pytest.mark.parametrize("body", [b"hello", b"[]", b"{}", b""])
def test_what_is_not_dynamodb_is_told(body: bytes) -> None:
    with pytest.raises(StoreUnavailable, match="HTTP status 404"):
        answer(Reply(404, None, body))


def test_a_request_that_is_not_json_is_refused() -> None:
    assert encode({"a": "ß"}) == b'{"a":"\xc3\x9f"}'
    for wrong in ({"a": object()}, {"a": "\ud800"}, {"a": 1 << 70}):
        with pytest.raises(SerializationError):
            encode(wrong)
