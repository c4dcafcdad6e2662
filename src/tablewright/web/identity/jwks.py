"""The keys of an OpenID provider, fetched when they are needed and kept for a while.

A token names its key. Unknown keys are fetched, but not more often than every
`PAUSE_SECONDS`: a flood of tokens with invented names does not become a flood of requests. While
the provider cannot be reached the keys that are known are good, however old.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import jwt
import structlog

from tablewright.web.http.problems import Problem
from tablewright.web.services.clock import Clock

if TYPE_CHECKING:
    import httpx2

__all__ = ["ALGORITHMS", "Issuer"]

log = structlog.get_logger("tablewright.issuer")

ALGORITHMS: Final = {"RS256": "RSA", "ES256": "EC"}
FRESH_SECONDS: Final = 540  # With the minute for which a token is believed: ten minutes.
PAUSE_SECONDS: Final = 30
ANSWER_SECONDS_MAX: Final = 10
ANSWER_BYTES_MAX: Final = 1 << 20


class Issuer:
    """Finds the key that a token says it was signed with."""

    def __init__(self, url: str, clock: Clock, *, transport: Any = None) -> None:
        self._url = url.rstrip("/")
        self._clock = clock
        self._transport = transport
        self._lock = asyncio.Lock()
        self._client: httpx2.AsyncClient | None = None
        self._keys: list[jwt.PyJWK] | None = None
        self._fresh_until = float("-inf")
        self._next_at = float("-inf")  # When the provider may be asked again.

    async def key_of(self, token: str) -> tuple[str, Any]:
        """A token's algorithm and key.

        Raises PyJWTError or ValueError if it names none of ours, and a 502 if no keys can be had.
        """
        header = jwt.get_unverified_header(token)
        algorithm, name = header.get("alg"), header.get("kid")
        if algorithm not in ALGORITHMS:
            raise ValueError("unsupported signature algorithm")
        if self._clock.seconds() >= self._fresh_until:
            await self._fetch()
        key = self._find(algorithm, name)
        if key is None:
            await self._fetch()
            key = self._find(algorithm, name)
        if self._keys is None:
            raise Problem(502, detail="The issuer of tokens cannot be reached.")
        if key is None:
            raise ValueError("the token's key is not known")
        return algorithm, key.key

    def _find(self, algorithm: str, name: Any) -> jwt.PyJWK | None:
        kind = ALGORITHMS[algorithm]
        fitting = [key for key in self._keys or [] if key.key_type == kind and _signs(key)]
        if name is not None:
            return next((key for key in fitting if key.key_id == name), None)
        return fitting[0] if len(fitting) == 1 else None

    async def _fetch(self) -> None:
        """Fetch the keys, unless they were fetched a short time ago."""
        async with self._lock:
            now = self._clock.seconds()
            if now < self._next_at:
                return
            self._next_at = now + PAUSE_SECONDS
            try:
                self._keys = _usable(await self._get(await self._keys_url()))
                self._fresh_until = now + FRESH_SECONDS
            except (OSError, ValueError, TypeError, KeyError) as error:
                log.warning("the issuer's keys could not be read", error=str(error))

    async def _keys_url(self) -> str:
        """Where the provider says its keys are, or where they usually are."""
        usual = f"{self._url}/.well-known/jwks.json"
        try:
            configuration = await self._get(f"{self._url}/.well-known/openid-configuration")
        except (OSError, ValueError):
            return usual
        url = configuration.get("jwks_uri") if isinstance(configuration, dict) else None
        if isinstance(url, str) and url.startswith(("https://", "http://")):
            return url
        return usual

    async def _get(self, url: str) -> Any:
        import httpx2

        if self._client is None:
            self._client = httpx2.AsyncClient(timeout=ANSWER_SECONDS_MAX, transport=self._transport)
        try:
            async with asyncio.timeout(ANSWER_SECONDS_MAX):
                reply = await self._client.get(url)
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError) as error:
            raise OSError(f"{url}: {error!r}") from error
        if reply.status_code != 200 or len(reply.content) > ANSWER_BYTES_MAX:
            raise ValueError(f"{url} answered {reply.status_code}")
        return reply.json()

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


def _usable(key_set: Any) -> list[jwt.PyJWK]:
    """The keys of a set that we can use; others are none of our business."""
    keys = []
    for fields in key_set["keys"]:
        if isinstance(fields, dict) and fields.get("kty") in ALGORITHMS.values():
            try:
                keys.append(jwt.PyJWK(fields))
            except (jwt.PyJWTError, ValueError, TypeError):
                continue
    return keys


def _signs(key: jwt.PyJWK) -> bool:
    return key.public_key_use in (None, "sig")
