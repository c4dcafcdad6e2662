"""The protocol's pure functions."""

from __future__ import annotations

from email.utils import formatdate
from zlib import crc32

import orjson
import pytest

from tablewright.errors import (
    ConditionalCheckFailed,
    InternalError,
    SerializationError,
    TransactionCanceled,
    UnknownOperation,
    ValidationError,
)
from tablewright.wire.protocol import (
    JSON_1_0,
    ResponseHeads,
    error_response,
    http_date,
    parse_body,
    parse_content_type,
    parse_target,
)


def test_target_names_the_operation() -> None:
    assert parse_target(b"DynamoDB_20120810.GetItem") == "GetItem"


@pytest.mark.parametrize(
    "header", [b"", b"GetItem", b"DynamoDB_20111205.GetItem", b"DynamoDB_20120810.\xff"]
)
def test_target_of_another_service_or_version_is_an_unknown_operation(header: bytes) -> None:
    with pytest.raises(UnknownOperation):
        parse_target(header)


@pytest.mark.parametrize(
    "header",
    [
        b"application/x-amz-json-1.0",
        b"application/x-amz-json-1.1",
        b"application/json",
        b"application/x-amz-json-1.0; charset=utf-8",
        b"Application/JSON",
    ],
)
def test_content_types_of_the_protocol_are_understood(header: bytes) -> None:
    assert parse_content_type(header) == header.partition(b";")[0].lower()


@pytest.mark.parametrize("header", [b"", b"text/plain", b"application/x-amz-json-2.0"])
def test_other_content_types_are_not(header: bytes) -> None:
    assert parse_content_type(header) is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"TableName"',
        b"{'a': 1}",
        b'{"a": NaN}',
        b'{"a": "\xff"}',
        b'{"a": "\\ud800"}',
        pytest.param(b'{"a":' + b"[" * 100_000, id="deep"),
    ],
)
def test_a_body_that_is_not_a_json_object_is_a_serialization_error(body: bytes) -> None:
    with pytest.raises(SerializationError):
        parse_body(body)


def test_validation_errors_carry_the_validator_s_prefix_and_a_lower_case_message() -> None:
    status, body = error_response(ValidationError("no"))
    assert status == 400
    assert orjson.loads(body) == {
        "__type": "com.amazon.coral.validate#ValidationException",
        "message": "no",
    }


def test_an_error_without_a_message_has_no_message_key() -> None:
    _, body = error_response(UnknownOperation())
    assert body == b'{"__type":"com.amazon.coral.service#UnknownOperationException"}'


def test_errors_of_dynamodb_itself_carry_what_they_know() -> None:
    _, failed = error_response(ConditionalCheckFailed(item={"pk": {"S": "a"}}))
    assert orjson.loads(failed) == {
        "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
        "Message": "The conditional request failed",
        "Item": {"pk": {"S": "a"}},
    }
    _, canceled = error_response(TransactionCanceled([{"Code": "None"}]))
    assert orjson.loads(canceled)["CancellationReasons"] == [{"Code": "None"}]


def test_only_an_internal_error_is_a_500() -> None:
    assert error_response(InternalError("oh"))[0] == 500


def test_a_response_says_its_length_checksum_and_a_request_id_of_its_own() -> None:
    heads = ResponseHeads()
    first, second = (heads.response(200, b"{}", JSON_1_0, keep_alive=True) for _ in range(2))
    head, body = first.split(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    fields = dict(line.split(": ") for line in lines)
    assert status == "HTTP/1.1 200 OK"
    assert body == b"{}"
    assert fields["Content-Length"] == "2"
    assert fields["x-amz-crc32"] == str(crc32(b"{}"))
    assert fields["Content-Type"] == "application/x-amz-json-1.0"
    assert fields["Connection"] == "keep-alive"
    assert len(fields["x-amzn-RequestId"]) == 52
    assert fields["x-amzn-RequestId"].encode() not in second


@pytest.mark.parametrize("seconds", [0, 951_782_400, 1_794_700_799])
def test_dates_are_written_as_http_writes_them(seconds: int) -> None:
    assert http_date(seconds) == formatdate(seconds, usegmt=True)


def test_the_date_is_the_one_that_was_set() -> None:
    heads = ResponseHeads()
    heads.set_time(0)
    assert b"Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n" in heads.response(200, b"", JSON_1_0, True)


@pytest.mark.parametrize(
    "value", [b'{"N":"1"}', b'{ "N" : "1" }', b'"x"', rb'"\\\\"', rb'{"S":"\\\\"}']
)
def test_a_body_of_too_many_values_is_refused_before_it_is_read(value: bytes) -> None:
    body = b'{"a":[' + (value + b",") * (15_000_000 // len(value)) + value + b"]}"
    with pytest.raises(ValidationError, match="too many values"):
        parse_body(body)


def test_texts_full_of_quotes_and_braces_are_no_values() -> None:
    text = '{\\"a\\": \\"b\\"}, ' * 500_000
    assert len(parse_body(f'{{"a": "{text}"}}'.encode())["a"]) == len(text) - 4 * 500_000
