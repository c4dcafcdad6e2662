"""Signatures: what botocore signs is accepted, unless it was changed afterwards.

The messages are AWS's, as quoted in the trackers of its SDKs (aws-sdk-js 254, 2565 and 4002,
aws-sdk-php 2469, fhir-works-on-aws-deployment 379, dynalite 28).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import botocore.auth
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import assume, given
from hypothesis import strategies as st

from tablewright.errors import ServiceError
from tablewright.wire import signatures
from tablewright.wire.signatures import (
    IncompleteSignature,
    InvalidSignature,
    MissingAuthenticationToken,
    SignedRequest,
    UnrecognizedClient,
    Verifier,
    joined,
    normalized,
)

KEY, SECRET, REGION = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1"
NOW = 1_795_000_000
Fields = list[tuple[bytes, bytes]]


class Sent(NamedTuple):
    """A request whose headers are a list, for tampering."""

    method: bytes
    url: bytes
    fields: Fields
    body: bytes

    def with_field(self, name: bytes, value: bytes | None) -> Sent:
        """A copy with another value for a header; None removes it."""
        fields = [field for field in self.fields if field[0].lower() != name]
        return self._replace(fields=fields if value is None else [*fields, (name, value)])

    def field(self, name: bytes) -> bytes:
        return next(value for found, value in self.fields if found.lower() == name)


def sign(
    body: bytes = b"{}",
    *,
    url: str = "http://127.0.0.1:8000/",
    method: str = "POST",
    secret: str = SECRET,
    now: float = NOW,
    region: str = REGION,
    service: str = "dynamodb",
    token: str | None = None,
    headers: dict[str, str] | None = None,
) -> Sent:
    """What botocore sends."""
    usual = {
        "X-Amz-Target": "DynamoDB_20120810.GetItem",
        "Content-Type": "application/x-amz-json-1.0",
        "User-Agent": "Boto3",
    }
    request = AWSRequest(method, url, headers=usual | (headers or {}), data=body)
    moment = dt.datetime.fromtimestamp(now, dt.UTC)
    with pytest.MonkeyPatch().context() as patched:
        patched.setattr(botocore.auth, "get_current_datetime", lambda *_, **__: moment)
        SigV4Auth(Credentials(KEY, secret, token), service, region).add_auth(request)
    place = urlsplit(url)
    fields = [(name.encode(), value.encode()) for name, value in request.headers.items()]
    if not any(name.lower() == b"host" for name, _ in fields):
        fields.insert(0, (b"Host", place.netloc.encode()))
    target = (place.path or "/") + (f"?{place.query}" if place.query else "")
    return Sent(method.encode(), target.encode(), fields, body)


def verifier(now: float = NOW, **secrets: str) -> Verifier:
    return Verifier(secrets or {KEY: SECRET}, region=REGION, clock=lambda: now)


def verify(sent: Sent, now: float = NOW) -> None:
    fields = joined(sent.fields)
    verifier(now).verify(SignedRequest(sent.method, sent.url, fields, sent.body))


printable = st.characters(min_codepoint=33, max_codepoint=126)
header_values = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)
header_names = st.from_regex(r"\Ax-amz-meta-[a-z0-9]{1,8}\Z")
paths = st.lists(
    st.sampled_from(["a", "b c", "é", "%20", "..", ".", "", "~", "x+y", "-_"]), max_size=5
).map(lambda parts: "/" + "/".join(part.replace(" ", "%20") for part in parts))
queries = st.lists(
    st.tuples(st.text("ab_-.~", min_size=1, max_size=3), st.text("ab_-.~", max_size=3)),
    max_size=3,
).map(lambda pairs: "&".join(f"{name}={value}" for name, value in pairs))


@given(
    body=st.binary(max_size=200),
    path=paths,
    query=queries,
    method=st.sampled_from(["POST", "GET", "PUT"]),
    host=st.sampled_from(["127.0.0.1:8000", "localhost:1", "db.example", "[::1]:8000"]),
    headers=st.dictionaries(header_names, header_values, max_size=3),
    token=st.none() | st.text(printable, min_size=1, max_size=20),
    now=st.integers(86_400, 4_000_000_000),
    skew=st.integers(-900, 900),
)
def test_what_botocore_signs_is_accepted(
    body: bytes,
    path: str,
    query: str,
    method: str,
    host: str,
    headers: dict[str, str],
    token: str | None,
    now: int,
    skew: int,
) -> None:
    url = f"http://{host}{path}" + (f"?{query}" if query else "")
    sent = sign(body, url=url, method=method, headers=headers, token=token, now=now)
    verify(sent, now + skew)


@given(secret=st.text(printable, min_size=1, max_size=40))
def test_any_secret_may_be_used(secret: str) -> None:
    sent = sign(secret=secret)
    request = SignedRequest(sent.method, sent.url, joined(sent.fields), sent.body)
    verifier(**{KEY: secret}).verify(request)


def change_byte(value: bytes, at: int, to: int) -> bytes:
    at %= max(len(value), 1)
    return value[:at] + bytes([to]) + value[at + 1 :]


SIGNED = [b"host", b"content-type", b"x-amz-date", b"x-amz-target", b"x-amz-security-token"]


@given(data=st.data())
def test_whatever_is_changed_the_request_is_refused(data: st.DataObject) -> None:
    sent = sign(data.draw(st.binary(min_size=1, max_size=50)), token="token", url=URL)
    at, to = data.draw(st.integers(0, 10_000)), data.draw(st.integers(33, 126))
    change = data.draw(st.sampled_from(["method", "url", "body", "authorization", *SIGNED]))
    if isinstance(change, bytes):
        changed = sent.with_field(change, change_byte(sent.field(change), at, to))
    elif change == "authorization":
        value = change_byte(sent.field(b"authorization"), at, to)
        changed = sent.with_field(b"authorization", value)
    else:
        changed = sent._replace(**{change: change_byte(getattr(sent, change), at, to)})
    assume(changed_meaning(sent, changed))
    verify(sent)
    with pytest.raises(ServiceError):
        verify(changed)


URL = "http://127.0.0.1:8000/path/to?a=b&c=d"


def changed_meaning(one: Sent, two: Sent) -> bool:
    """Whether two requests differ in meaning, not only in spelling."""

    def meaning(sent: Sent) -> Any:
        path, _, query = sent.url.partition(b"?")
        pairs = sorted(pair.partition(b"=")[::2] for pair in query.split(b"&"))
        fields = {name.lower(): value for name, value in sent.fields}
        # Between its parameters a comma is as good as a space, and more of them as good as one; and
        # headers have the same names in any case.
        parts = fields.pop(b"authorization").replace(b",", b" ").split()
        named = b"SignedHeaders="
        parts = [
            named + part[len(named) :].lower() if part.startswith(named) else part for part in parts
        ]
        return sent.method, normalized(path), pairs, fields, sorted(parts), sent.body

    return bool(meaning(one) != meaning(two))


@pytest.mark.parametrize("name", SIGNED)
def test_a_signed_header_that_is_taken_away_or_repeated_is_missed(name: bytes) -> None:
    sent = sign(token="token")
    with pytest.raises(ServiceError):
        verify(sent.with_field(name, None))
    with pytest.raises(ServiceError):
        verify(sent._replace(fields=[*sent.fields, (name, sent.field(name))]))


def test_unsigned_headers_may_change_on_the_way() -> None:
    sent = sign().with_field(b"user-agent", b"proxy").with_field(b"via", b"1.1 proxy")
    verify(sent)


def test_headers_may_be_spelt_in_any_case_and_order_and_with_more_spaces() -> None:
    sent = sign()
    fields = [(name.upper(), b"  " + value + b" ") for name, value in reversed(sent.fields)]
    verify(sent._replace(fields=fields))


def test_an_unsigned_header_of_amazon_s_is_refused() -> None:
    sent = sign()
    with pytest.raises(InvalidSignature, match="'x-amz-other' must be a 'SignedHeader'"):
        verify(sent.with_field(b"x-amz-other", b"1"))
    with pytest.raises(ServiceError):
        verify(sent._replace(fields=[*sent.fields, (b"x-amz-target", b"DynamoDB_20120810.Other")]))


def test_the_host_must_be_signed() -> None:
    sent = sign()
    value = sent.field(b"authorization").replace(b";host;", b";")
    with pytest.raises(InvalidSignature, match="'Host' or ':authority' must be a 'SignedHeader'"):
        verify(sent.with_field(b"authorization", value))


def test_a_body_must_be_signed_even_if_it_says_that_it_is_not() -> None:
    """UNSIGNED-PAYLOAD is for S3 over TLS; botocore refuses to use it without."""
    sent = sign(headers={"X-Amz-Content-SHA256": "UNSIGNED-PAYLOAD"})
    with pytest.raises(InvalidSignature, match="does not match"):
        verify(sent)


def test_the_hash_of_the_body_may_be_a_header_too() -> None:
    body = b"{}"
    digest = signatures.sha256(body).hexdigest()
    verify(sign(body, headers={"X-Amz-Content-SHA256": digest}))
    with pytest.raises(InvalidSignature):
        verify(sign(body, headers={"X-Amz-Content-SHA256": "0" * 64}))


def test_a_request_may_be_dated_by_its_date_header() -> None:
    sent = sign(headers={"Date": "x"})
    assert not any(name.lower() == b"x-amz-date" for name, _ in sent.fields)
    verify(sent)
    with pytest.raises(InvalidSignature, match="Signature expired"):
        verify(sent, NOW + 901)


def test_a_signature_lasts_fifteen_minutes_to_both_sides() -> None:
    verify(sign(), NOW + 900)
    with pytest.raises(InvalidSignature) as expired:
        verify(sign(), NOW + 901)
    assert expired.value.message == (
        "Signature expired: 20261118T110640Z is now earlier than 20261118T110641Z "
        "(20261118T112141Z - 15 min.)"
    )
    verify(sign(), NOW - 900)
    with pytest.raises(InvalidSignature) as early:
        verify(sign(), NOW - 901)
    assert early.value.message == (
        "Signature not yet current: 20261118T110640Z is still later than 20261118T110639Z "
        "(20261118T105139Z + 15 min.)"
    )


@pytest.mark.parametrize("header", [None, b"", b"Basic YTpi", b"Bearer x", b"AWS3-HTTPS x"])
def test_a_request_without_a_signature_is_refused(header: bytes | None) -> None:
    with pytest.raises(MissingAuthenticationToken) as refused:
        verify(sign().with_field(b"authorization", header))
    assert refused.value.message == "Request is missing Authentication Token"


SCOPE = "AKIDEXAMPLE/20261118/us-east-1/dynamodb/aws4_request"


def refusal(sent: Sent) -> ServiceError:
    with pytest.raises(ServiceError) as refused:
        verify(sent)
    return refused.value


def with_authorization(text: str) -> Sent:
    return sign().with_field(b"authorization", text.encode())


@pytest.mark.parametrize(
    ("parameters", "missing"),
    [
        ("", ["Credential", "Signature", "SignedHeaders"]),
        (f"Credential={SCOPE}", ["Signature", "SignedHeaders"]),
        (f"Credential={SCOPE}, SignedHeaders=host", ["Signature"]),
        ("SignedHeaders=host, Signature=0", ["Credential"]),
        ("Credential=, SignedHeaders=, Signature=", ["Credential", "Signature"]),
    ],
)
def test_what_is_missing_is_named(parameters: str, missing: list[str]) -> None:
    header = f"AWS4-HMAC-SHA256 {parameters}".strip()
    error = refusal(with_authorization(header))
    assert isinstance(error, IncompleteSignature)
    sentences = [f"Authorization header requires '{name}' parameter. " for name in missing]
    assert error.message == f"{''.join(sentences)}Authorization={header}"


def test_a_missing_date_is_named() -> None:
    error = refusal(sign().with_field(b"x-amz-date", None))
    assert isinstance(error, IncompleteSignature)
    assert error.message.startswith(
        "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
        "Authorization=AWS4-HMAC-SHA256 Credential="
    )


@pytest.mark.parametrize(
    ("change", "kind", "sentence"),
    [
        (
            lambda s: s.replace("Credential=AKID", "Credential=AKID "),
            IncompleteSignature,
            (
                "'EXAMPLE/20261118/us-east-1/dynamodb/aws4_request' not a valid key=value pair "
                "(missing equal-sign) in Authorization header: 'AWS4-HMAC-SHA256 Credential=AKID "
            ),
        ),
        (
            lambda s: s.replace("-SHA256", "-SHA25"),
            IncompleteSignature,
            "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). ",
        ),
        (
            lambda s: s.replace("/aws4_request", ""),
            IncompleteSignature,
            (
                "Credential must have exactly 5 slash-delimited elements, e.g. "
                "keyid/date/region/service/term, got 'AKIDEXAMPLE/20261118/us-east-1/dynamodb'"
            ),
        ),
        (
            lambda s: s.replace("us-east-1", "eu-east-2"),
            InvalidSignature,
            "Credential should be scoped to a valid region, not 'eu-east-2'. ",
        ),
        (
            lambda s: s.replace("/dynamodb/", "/s3/"),
            InvalidSignature,
            "Credential should be scoped to correct service: 'dynamodb'. ",
        ),
        (
            lambda s: s.replace("aws4_request", "aws3"),
            InvalidSignature,
            "Credential should be scoped with a valid terminator: 'aws4_request', not 'aws3'. ",
        ),
        (
            lambda s: s.replace("/20261118/", "/20261117/"),
            InvalidSignature,
            (
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date "
                "from HTTP: '20261117' != '20261118', from '20261118T110640Z'."
            ),
        ),
        (
            lambda s: s.replace("AKIDEXAMPLE", "AKIDSTRANGER"),
            UnrecognizedClient,
            "The security token included in the request is invalid.",
        ),
        (
            lambda s: s[:-1] + ("0" if s[-1] != "0" else "1"),
            InvalidSignature,
            signatures.MISMATCH,
        ),
    ],
)
def test_a_refusal_says_what_is_wrong(
    change: Callable[[str], str], kind: type[ServiceError], sentence: str
) -> None:
    error = refusal(with_authorization(change(sign().field(b"authorization").decode())))
    assert type(error) is kind
    assert error.message.startswith(sentence)


def test_all_that_is_wrong_with_the_scope_is_said_at_once() -> None:
    header = sign().field(b"authorization").decode().replace("us-east-1/dynamodb", "a/b")
    assert refusal(with_authorization(header)).message == (
        "Credential should be scoped to a valid region, not 'a'. "
        "Credential should be scoped to correct service: 'dynamodb'. "
    )


@pytest.mark.parametrize(
    "kept", [{"region": "eu-west-1"}, {"service": "s3"}, {"secret": "wrong"}, {"now": NOW - 901}]
)
def test_what_botocore_signs_for_others_is_refused(kept: Any) -> None:
    with pytest.raises(InvalidSignature):
        verify(sign(**kept))


@pytest.mark.parametrize("date", [b"201", b"20261118T110640", b"20261399T110640Z", b"2026-11-18"])
def test_a_date_in_another_format_is_refused(date: bytes) -> None:
    with pytest.raises(IncompleteSignature, match="Date must be in ISO-8601 'basic format'. Got"):
        verify(sign().with_field(b"x-amz-date", date))


def test_a_signature_in_the_address_and_in_a_header_is_one_too_many() -> None:
    sent = sign(url="http://127.0.0.1:8000/?X-Amz-Algorithm=AWS4-HMAC-SHA256")
    assert refusal(sent).message == (
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
    )
    with pytest.raises(MissingAuthenticationToken):
        verify(sent.with_field(b"authorization", None))


@given(st.binary(max_size=100))
def test_no_header_whatever_is_worse_than_refused(junk: bytes) -> None:
    for name in (b"authorization", b"x-amz-date", b"date"):
        for value in (junk, b"AWS4-HMAC-SHA256 " + junk):
            with pytest.raises(ServiceError):
                verify(sign().with_field(b"x-amz-date", None).with_field(name, value))


def test_a_verifier_notices_new_days_and_distinguishes_keys() -> None:
    now = [float(NOW)]
    shared = Verifier({KEY: SECRET, "OTHER": "s"}, region=REGION, clock=lambda: now[0])

    def check(sent: Sent) -> None:
        shared.verify(SignedRequest(sent.method, sent.url, joined(sent.fields), sent.body))

    for day in (0, 0, 1, 2):
        now[0] = NOW + day * 86_400
        check(sign(now=now[0]))
        other = sign(now=now[0], secret="s")
        value = other.field(b"authorization").replace(KEY.encode(), b"OTHER")
        check(other.with_field(b"authorization", value))


def test_a_verifier_that_compares_nothing_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The tests above fail on a planted bug: here is one."""
    monkeypatch.setattr(signatures.hmac, "compare_digest", lambda *_: True)
    verify(sign(secret="wrong"))
