"""The assistant's provider: embedded and deterministic, or any OpenAI-compatible endpoint.

What is asked and how an answer looks belongs to the systems; this is the call, its tries, and the
failure: 502.
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar
from urllib.parse import parse_qs, urlsplit

import orjson
import structlog

from tablewright.errors import TablewrightError
from tablewright.web.http.problems import Problem

if TYPE_CHECKING:
    import httpx2

__all__ = [
    "AiUnusable",
    "Assistant",
    "File",
    "ProviderFailed",
    "open_assistant",
    "upstream_problem",
]

log = structlog.get_logger("tablewright.ai")

T = TypeVar("T")
TRIES_MAX: Final = 3
TRY_SECONDS_MAX: Final = 30
ANSWER_BYTES_MAX: Final = 1 << 20


class AiUnusable(TablewrightError):
    """The ai option cannot be understood."""


class ProviderFailed(Exception):
    """The provider gave no usable answer."""


class File(NamedTuple):
    """A picture or document that a remote provider is shown."""

    name: str
    content_type: str
    content: bytes

    @property
    def part(self) -> dict[str, Any]:
        """The file as a part of a message."""
        data = base64.b64encode(self.content).decode()
        url = f"data:{self.content_type};base64,{data}"
        if self.content_type.startswith("image/"):
            return {"type": "image_url", "image_url": {"url": url}}
        return {"type": "file", "file": {"filename": self.name, "file_data": url}}


class Assistant:
    """Asks the provider that was chosen."""

    def __init__(self, remote: Remote | None = None) -> None:
        self._remote = remote
        self.fail_next = 0  # Dev mode: so many embedded calls fail.

    async def ask(
        self,
        embedded: Callable[[], T],
        prompt: str,
        read: Callable[[dict[str, Any]], T],
        files: Callable[[], Awaitable[Sequence[File]]] | None = None,
    ) -> T:
        """The answer: ``embedded`` makes it here, or ``read`` reads it from the remote's JSON.

        ``files`` are loaded only if a remote is to see them. Raises ProviderFailed.
        """
        if self._remote is None:
            if self.fail_next > 0:
                self.fail_next -= 1
                raise ProviderFailed("failure requested by POST /dev/ai")
            return embedded()
        reply = await self._remote.ask(prompt, () if files is None else await files())
        try:
            return read(reply)
        except (ValueError, TypeError, KeyError) as error:
            raise ProviderFailed("the answer has another shape") from error

    async def close(self) -> None:
        if self._remote is not None:
            await self._remote.close()


class Remote:
    """An OpenAI-compatible endpoint that is asked for JSON."""

    def __init__(self, url: str, model: str, key: str, *, transport: Any = None) -> None:
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._model = model
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._transport = transport
        self._client: httpx2.AsyncClient | None = None

    def _asked(self) -> httpx2.AsyncClient:
        import httpx2

        if self._client is None:
            self._client = httpx2.AsyncClient(
                timeout=TRY_SECONDS_MAX, headers=self._headers, transport=self._transport
            )
        return self._client

    async def ask(self, prompt: str, files: Sequence[File] = ()) -> dict[str, Any]:
        """The JSON object that the model answers; raises ProviderFailed."""
        import httpx2

        content: Any = prompt
        if files:
            content = [{"type": "text", "text": prompt}, *(file.part for file in files)]
        body = {
            "model": self._model,
            "messages": [{"role": "user", "content": content}],
            "response_format": {"type": "json_object"},
        }
        for number in range(1, TRIES_MAX + 1):
            try:
                async with asyncio.timeout(TRY_SECONDS_MAX):
                    reply = await self._asked().post(self._url, json=body)
                if reply.status_code < 500 and reply.status_code != 429:
                    return _read(reply)
                log.warning("the provider refused", status=reply.status_code, number=number)
            except (httpx2.HTTPError, TimeoutError) as error:
                log.warning("the provider could not be reached", error=str(error), number=number)
        raise ProviderFailed("the provider gave no answer")

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


def _read(reply: httpx2.Response) -> dict[str, Any]:
    if reply.status_code != 200 or len(reply.content) > ANSWER_BYTES_MAX:
        raise ProviderFailed(f"the provider answered {reply.status_code}")
    try:
        text = reply.json()["choices"][0]["message"]["content"]
        content = orjson.loads(text)
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise ProviderFailed("the answer is no JSON") from error
    if not isinstance(content, dict):
        raise ProviderFailed("the answer is no JSON object")
    return content


def open_assistant(option: str, environment: dict[str, str] | None = None) -> Assistant:
    """The provider that an option names; raises AiUnusable."""
    if option == "embedded":
        return Assistant()
    known = dict(os.environ) if environment is None else environment
    parts = urlsplit(option)
    model = parse_qs(parts.query).get("model", [""])[0]
    if parts.scheme not in ("openai+https", "openai+http") or not parts.netloc or not model:
        raise AiUnusable(f"{option}: use embedded or openai+https://HOST/v1?model=NAME")
    url = f"{parts.scheme.removeprefix('openai+')}://{parts.netloc}{parts.path}"
    return Assistant(Remote(url, model, known.get("TABLEWRIGHT_AI_KEY", "")))


def upstream_problem(**extra: Any) -> Problem:
    """The 502 of a provider that failed."""
    return Problem(502, detail="The assistant gave no usable answer.", extra=extra)
