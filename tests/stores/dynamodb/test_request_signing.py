"""Signatures: botocore's signer is the oracle."""

from __future__ import annotations

import datetime as dt
from typing import Any

import botocore.auth
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from tablewright.stores.dynamodb.http_connections import host_header
from tablewright.stores.dynamodb.request_signing import Keys, Signer

URL = "https://dynamodb.eu-central-1.amazonaws.com"


def oracle(url: str, operation: str, body: bytes, keys: Keys, now: float) -> dict[str, str]:
    """The headers that botocore makes at a given time."""
    request = AWSRequest(
        "POST",
        url + "/",
        headers={
            "X-Amz-Target": f"DynamoDB_20120810.{operation}",
            "Content-Type": "application/x-amz-json-1.0",
        },
        data=body,
    )
    moment = dt.datetime.fromtimestamp(now, dt.UTC)
    patch = pytest.MonkeyPatch()
    with patch.context() as patched:
        patched.setattr(botocore.auth, "get_current_datetime", lambda *_, **__: moment)
        SigV4Auth(Credentials(*keys), "dynamodb", "eu-central-1").add_auth(request)
    return dict(request.headers.items())


@given(
    body=st.binary(max_size=200),
    operation=st.sampled_from(["GetItem", "PutItem", "TransactWriteItems"]),
    secret=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40),
    token=st.none() | st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1),
    now=st.integers(0, 4_000_000_000),
    url=st.sampled_from([URL, "http://127.0.0.1:8000", "http://[::1]:8000", "https://h:443"]),
)
def test_signatures_are_those_of_botocore(
    body: bytes, operation: str, secret: str, token: str | None, now: int, url: str
) -> None:
    keys = Keys("AKIDEXAMPLE", secret, token)
    signer = Signer(host_header(url), "eu-central-1")
    headers = signer.headers(operation, body, keys, now)
    assert headers == oracle(url, operation, body, keys, now)


def test_a_signer_notices_new_days_and_new_keys() -> None:
    signer = Signer(host_header(URL), "eu-central-1")
    one, two = Keys("A", "s", None), Keys("B", "t", "token")
    for keys, now in ((one, 0), (one, 86_399), (one, 86_400), (two, 86_400), (one, 86_400)):
        assert signer.headers("Query", b"{}", keys, now) == oracle(URL, "Query", b"{}", keys, now)


@pytest.mark.parametrize("change", ["body", "operation", "region", "host"])
def test_whatever_is_signed_changes_the_signature(change: str) -> None:
    given: dict[str, Any] = {"body": b"{}", "operation": "Query", "region": "r", "host": "h"}

    def signature(**parts: Any) -> str:
        signer = Signer(parts["host"], parts["region"])
        keys = Keys("A", "s", None)
        return signer.headers(parts["operation"], parts["body"], keys, 0)["Authorization"]

    other = b"{ }" if change == "body" else "other"
    assert signature(**given) != signature(**{**given, change: other})
