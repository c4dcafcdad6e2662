"""Verification of Signature Version 4: the owner of a secret key sent this request recently.

Pure: the clock and the keys are arguments. "Create a signed AWS API request" in the IAM User Guide
is the specification. A client signs the hash of these lines with a key derived from its secret:

    POST                                            method
    /                                               path, encoded once more
                                                    query, sorted
    host:127.0.0.1:8000                             the headers it names, sorted
    x-amz-date:20260101T120000Z
    x-amz-target:DynamoDB_20120810.GetItem

    host;x-amz-date;x-amz-target                    their names
    44136fa355b3678a1146ad16f7e8649e94fb4f21…       SHA-256 of the body, as it was sent

and sends one header: ``Authorization: AWS4-HMAC-SHA256 Credential=KEY/20260101/REGION/dynamodb
/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature=…``.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final, NamedTuple
from urllib.parse import quote

from tablewright.errors import (
    IncompleteSignature,
    InvalidSignature,
    MissingAuthenticationToken,
    UnrecognizedClient,
)

ALGORITHM: Final = "AWS4-HMAC-SHA256"
SERVICE_NAME: Final = "dynamodb"  # Also for Streams.
TERMINATOR: Final = "aws4_request"
SKEW_SECONDS_MAX: Final = 15 * 60
MISMATCH: Final = (
    "The request signature we calculated does not match the signature you provided. Check your AWS "
    "Secret Access Key and signing method. Consult the service documentation for details."
)

_BASIC_DATE: Final = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z", re.ASCII)


class SignedRequest(NamedTuple):
    """The signed parts of a request as received; `joined` builds the headers."""

    method: bytes
    url: bytes
    fields: Mapping[bytes, bytes]
    body: bytes | bytearray


def joined(fields: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers in their signed form: names in lower case, values trimmed, duplicates joined."""
    values: dict[bytes, list[bytes]] = {}
    for name, value in fields:
        values.setdefault(name.lower(), []).append(b" ".join(value.split()))
    return {name: b",".join(repeated) for name, repeated in values.items()}


@dataclass(frozen=True, slots=True)
class Authorization:
    """The parsed Authorization header, and the request's date."""

    algorithm: str
    credential: str
    signed_headers: tuple[str, ...]
    signature: str
    date: str  # As 20260101T120000Z.


class Verifier:
    """Verifies signatures with known keys.

    The order of the checks and the messages are AWS's.
    """

    def __init__(
        self, secrets: Mapping[str, str], *, region: str, clock: Callable[[], float]
    ) -> None:
        self._secrets = dict(secrets)
        self._region = region
        self._clock = clock
        self._keys: dict[str, tuple[str, bytes]] = {}  # The day and its signing key, by access key.

    def verify(self, request: SignedRequest) -> None:
        """Raise a ServiceError if the request is not signed correctly."""
        header = parse_authorization(request)
        self._require_current(header.date)
        _require_signed(request, header.signed_headers)
        if header.algorithm != ALGORITHM:
            raise IncompleteSignature(
                f"Unsupported AWS 'algorithm': '{header.algorithm}' (only {ALGORITHM} for now). "
            )
        access_key, scope = self._scope(header)
        secret = self._secrets.get(access_key)
        if secret is None:
            raise UnrecognizedClient("The security token included in the request is invalid.")
        hashed = sha256(canonical_request(request, header.signed_headers)).hexdigest()
        text = f"{ALGORITHM}\n{header.date}\n{scope}\n{hashed}"
        expected = _mac(self._key(access_key, secret, header.date[:8]), text).hex()
        # Constant time, so that timing does not reveal a partly correct guess.
        if not hmac.compare_digest(expected.encode(), header.signature.encode()):
            raise InvalidSignature(MISMATCH)

    def _require_current(self, date: str) -> None:
        now = int(self._clock())
        signed = _seconds(date)
        if signed < now - SKEW_SECONDS_MAX:
            raise InvalidSignature(
                f"Signature expired: {date} is now earlier than "
                f"{_basic(now - SKEW_SECONDS_MAX)} ({_basic(now)} - 15 min.)"
            )
        if signed > now + SKEW_SECONDS_MAX:
            raise InvalidSignature(
                f"Signature not yet current: {date} is still later than "
                f"{_basic(now + SKEW_SECONDS_MAX)} ({_basic(now)} + 15 min.)"
            )

    def _scope(self, authorization: Authorization) -> tuple[str, str]:
        """The access key, and the rest of the credential."""
        parts = authorization.credential.rstrip("/").split("/")
        if len(parts) != 5:
            raise IncompleteSignature(
                "Credential must have exactly 5 slash-delimited elements, e.g. "
                f"keyid/date/region/service/term, got '{authorization.credential}'"
            )
        access_key, day, region, service, terminator = parts
        wrong = ""
        if region != self._region:
            wrong += f"Credential should be scoped to a valid region, not '{region}'. "
        if service != SERVICE_NAME:
            wrong += f"Credential should be scoped to correct service: '{SERVICE_NAME}'. "
        if terminator != TERMINATOR:
            wrong += (
                f"Credential should be scoped with a valid terminator: '{TERMINATOR}', "
                f"not '{terminator}'. "
            )
        if day != authorization.date[:8]:
            wrong += (
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date "
                f"from HTTP: '{day}' != '{authorization.date[:8]}', from '{authorization.date}'."
            )
        if wrong:
            raise InvalidSignature(wrong)
        return access_key, f"{day}/{region}/{service}/{terminator}"

    def _key(self, access_key: str, secret: str, day: str) -> bytes:
        cached = self._keys.get(access_key)
        if cached is not None and cached[0] == day:
            return cached[1]
        key = f"AWS4{secret}".encode()
        for part in (day, self._region, SERVICE_NAME, TERMINATOR):
            key = _mac(key, part)
        self._keys[access_key] = day, key
        return key


def parse_authorization(request: SignedRequest) -> Authorization:
    """Parse the Authorization header; raises a ServiceError if it is missing or malformed."""
    header = (request.fields.get(b"authorization", b"")).decode("latin-1")
    if header and b"X-Amz-Algorithm=" in request.url:
        raise InvalidSignature(
            "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP "
            "header."
        )
    if not header.startswith("AWS4-"):
        raise MissingAuthenticationToken("Request is missing Authentication Token")
    algorithm, _, rest = header.partition(" ")
    parameters: dict[str, str] = {}
    for part in re.split(r"[, ]+", rest):
        name, equals, value = part.partition("=")
        if part and not equals:
            raise IncompleteSignature(
                f"'{part}' not a valid key=value pair (missing equal-sign) in Authorization "
                f"header: '{header}'."
            )
        parameters[name] = value
    date = _date(request)
    missing = [
        f"Authorization header requires '{name}' parameter. "
        for name in ("Credential", "Signature", "SignedHeaders")
        if not parameters.get(name) and (name != "SignedHeaders" or name not in parameters)
    ]
    if date is None:
        missing.append(
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
        )
    if missing or date is None:
        raise IncompleteSignature(f"{''.join(missing)}Authorization={header}")
    return Authorization(
        algorithm,
        parameters["Credential"],
        tuple(parameters["SignedHeaders"].lower().split(";")),
        parameters["Signature"],
        date,
    )


def _date(request: SignedRequest) -> str | None:
    """The date of the request in basic format; None if it has none."""
    amz_date, http_date = request.fields.get(b"x-amz-date"), request.fields.get(b"date")
    if amz_date is None and http_date is not None:
        from email.utils import parsedate_to_datetime  # Rare, and slow to import.

        try:
            return _basic(parsedate_to_datetime(http_date.decode("latin-1")).timestamp())
        except (ValueError, OverflowError):
            amz_date = http_date  # AWS accepts both formats in either header.
    if amz_date is None:
        return None
    date = amz_date.decode("latin-1")
    _seconds(date)
    return date


def _seconds(date: str) -> float:
    """The seconds of a date in basic format; raises IncompleteSignature."""
    match = _BASIC_DATE.fullmatch(date)
    try:
        if match is None:
            raise ValueError
        year, month, day, hour, minute, second = map(int, match.groups())
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
    except ValueError:
        raise IncompleteSignature(
            f"Date must be in ISO-8601 'basic format'. Got '{date}'. "
            "See http://en.wikipedia.org/wiki/ISO_8601"
        ) from None


def _basic(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y%m%dT%H%M%SZ")


def _require_signed(request: SignedRequest, names: tuple[str, ...]) -> None:
    """Raise InvalidSignature unless the host and all x-amz- headers are signed."""
    if "host" not in names:
        raise InvalidSignature(
            "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."
        )
    for field in request.fields.keys() - {name.encode("latin-1") for name in names}:
        if field.startswith(b"x-amz-"):
            name = field.decode("latin-1")
            raise InvalidSignature(f"'{name}' must be a 'SignedHeader' in the AWS Authorization.")


def canonical_request(request: SignedRequest, names: tuple[str, ...]) -> bytes:
    """The lines that are signed.

    The hash of the body is always one of them: UNSIGNED-PAYLOAD is only for S3 over TLS.
    """
    path, _, query = request.url.partition(b"?")
    pairs = [pair.partition(b"=") for pair in query.split(b"&")] if query else []
    signed = [name.encode("latin-1") for name in names]
    lines = (
        request.method,
        quote(normalized(path), safe="/~").encode("ascii"),
        b"&".join(b"%b=%b" % (name, value) for name, _, value in sorted(pairs)),
        *(b"%b:%b" % (name, request.fields.get(name, b"")) for name in signed),
        b"",
        b";".join(signed),
        sha256(request.body).hexdigest().encode("ascii"),
    )
    return b"\n".join(lines)


def normalized(path: bytes) -> bytes:
    """The path without empty, "." and ".." segments."""
    segments: list[bytes] = []
    for segment in path.split(b"/"):
        if segment == b"..":
            del segments[-1:]
        elif segment not in (b"", b"."):
            segments.append(segment)
    end = b"/" if segments and path.endswith(b"/") else b""
    return b"/" + b"/".join(segments) + end


def _mac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
