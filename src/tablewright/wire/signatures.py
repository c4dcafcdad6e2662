"""Signature Version 4, verified: who holds a secret key has sent this request, unchanged and now.

Pure: the clock and the keys are arguments. "Create a signed AWS API request" in the IAM User Guide
is the specification. A client signs these lines, hashed, with a key made of its secret:

    POST                                            method
    /                                               path, encoded once more
                                                    query, sorted
    host:127.0.0.1:8000                             the headers it names, sorted
    x-amz-date:20260101T120000Z
    x-amz-target:DynamoDB_20120810.GetItem

    host;x-amz-date;x-amz-target                    their names
    44136fa355b3678a1146ad16f7e8649e94fb4f21…       SHA-256 of the body, as it was sent

and says so in one header: ``Authorization: AWS4-HMAC-SHA256 Credential=KEY/20260101/REGION/dynamodb
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

from tablewright.errors import ServiceError

ALGORITHM: Final = "AWS4-HMAC-SHA256"
SERVICE_NAME: Final = "dynamodb"  # Streams are signed with it too.
TERMINATOR: Final = "aws4_request"
SKEW_SECONDS_MAX: Final = 15 * 60
MISMATCH: Final = (
    "The request signature we calculated does not match the signature you provided. Check your AWS "
    "Secret Access Key and signing method. Consult the service documentation for details."
)

_BASIC_DATE: Final = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z", re.ASCII)


class MissingAuthenticationToken(ServiceError):
    """The request is not signed."""

    code = "MissingAuthenticationTokenException"


class IncompleteSignature(ServiceError):
    """Something that belongs to a signature is missing or malformed."""

    code = "IncompleteSignatureException"


class InvalidSignature(ServiceError):
    """The signature is not of this request, not of this service, or not of this time."""

    code = "InvalidSignatureException"


class UnrecognizedClient(ServiceError):
    """Nobody here has such an access key."""

    code = "UnrecognizedClientException"


class SignedRequest(NamedTuple):
    """What a signature is about, as it came over the wire; the headers are made by `joined`."""

    method: bytes
    url: bytes
    fields: Mapping[bytes, bytes]
    body: bytes | bytearray


def joined(fields: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers as they are signed: names in lower case, values trimmed, repetitions in one."""
    values: dict[bytes, list[bytes]] = {}
    for name, value in fields:
        values.setdefault(name.lower(), []).append(b" ".join(value.split()))
    return {name: b",".join(found) for name, found in values.items()}


@dataclass(frozen=True, slots=True)
class Authorization:
    """What the header of that name says, and the time that the request claims."""

    algorithm: str
    credential: str
    signed_headers: tuple[str, ...]
    signature: str
    date: str  # As 20260101T120000Z.


class Verifier:
    """Knows the keys, and refuses what is not signed with one of them.

    The order of the checks and their sentences are AWS's.
    """

    def __init__(
        self, secrets: Mapping[str, str], *, region: str, clock: Callable[[], float]
    ) -> None:
        self._secrets = dict(secrets)
        self._region = region
        self._clock = clock
        self._keys: dict[str, tuple[str, bytes]] = {}  # The key of the last day, by access key.

    def verify(self, request: SignedRequest) -> None:
        """Raises one of the errors above if the request is not signed as it must be."""
        given = parse_authorization(request)
        self._require_current(given.date)
        _require_signed(request, given.signed_headers)
        if given.algorithm != ALGORITHM:
            raise IncompleteSignature(
                f"Unsupported AWS 'algorithm': '{given.algorithm}' (only {ALGORITHM} for now). "
            )
        access_key, scope = self._scope(given)
        secret = self._secrets.get(access_key)
        if secret is None:
            raise UnrecognizedClient("The security token included in the request is invalid.")
        hashed = sha256(canonical_request(request, given.signed_headers)).hexdigest()
        text = f"{ALGORITHM}\n{given.date}\n{scope}\n{hashed}"
        expected = _mac(self._key(access_key, secret, given.date[:8]), text).hex()
        # A comparison that stops at the first difference would tell how much of a guess is right.
        if not hmac.compare_digest(expected.encode(), given.signature.encode()):
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

    def _scope(self, given: Authorization) -> tuple[str, str]:
        """The access key, and the rest of the credential."""
        parts = given.credential.rstrip("/").split("/")
        if len(parts) != 5:
            raise IncompleteSignature(
                "Credential must have exactly 5 slash-delimited elements, e.g. "
                f"keyid/date/region/service/term, got '{given.credential}'"
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
        if day != given.date[:8]:
            wrong += (
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date "
                f"from HTTP: '{day}' != '{given.date[:8]}', from '{given.date}'."
            )
        if wrong:
            raise InvalidSignature(wrong)
        return access_key, f"{day}/{region}/{service}/{terminator}"

    def _key(self, access_key: str, secret: str, day: str) -> bytes:
        known = self._keys.get(access_key)
        if known is not None and known[0] == day:
            return known[1]
        key = f"AWS4{secret}".encode()
        for part in (day, self._region, SERVICE_NAME, TERMINATOR):
            key = _mac(key, part)
        self._keys[access_key] = day, key
        return key


def parse_authorization(request: SignedRequest) -> Authorization:
    """Raises MissingAuthenticationToken, IncompleteSignature or InvalidSignature."""
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
    """When the request says that it was signed; None if it does not."""
    own, usual = request.fields.get(b"x-amz-date"), request.fields.get(b"date")
    if own is None and usual is not None:
        from email.utils import parsedate_to_datetime  # Rare, and slow to import.

        try:
            return _basic(parsedate_to_datetime(usual.decode("latin-1")).timestamp())
        except (ValueError, OverflowError):
            own = usual  # AWS takes both spellings in either header.
    if own is None:
        return None
    date = own.decode("latin-1")
    _seconds(date)
    return date


def _seconds(date: str) -> float:
    """The time that a date in the basic format is; raises IncompleteSignature."""
    found = _BASIC_DATE.fullmatch(date)
    try:
        if found is None:
            raise ValueError
        year, month, day, hour, minute, second = map(int, found.groups())
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
    except ValueError:
        raise IncompleteSignature(
            f"Date must be in ISO-8601 'basic format'. Got '{date}'. "
            "See http://en.wikipedia.org/wiki/ISO_8601"
        ) from None


def _basic(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y%m%dT%H%M%SZ")


def _require_signed(request: SignedRequest, names: tuple[str, ...]) -> None:
    """Whoever could change the host, the operation or another x-amz- header could do harm."""
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

    The body's own hash is always one of them: UNSIGNED-PAYLOAD is S3's, and nobody's without TLS.
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
    kept: list[bytes] = []
    for segment in path.split(b"/"):
        if segment == b"..":
            del kept[-1:]
        elif segment not in (b"", b"."):
            kept.append(segment)
    end = b"/" if kept and path.endswith(b"/") else b""
    return b"/" + b"/".join(kept) + end


def _mac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
