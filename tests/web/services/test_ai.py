"""The assistant's provider: tries, failures, and replies of another shape."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2
import pytest

from tablewright.web.services.ai import (
    AiUnusable,
    Assistant,
    File,
    ProviderFailed,
    Remote,
    open_assistant,
)


def ask(*replies: Any) -> tuple[Any, list[httpx2.Request]]:
    """What is answered when a provider replies like this, try by try; and what it was asked."""
    asked: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        reply = replies[len(asked)]
        asked.append(request)
        if isinstance(reply, Exception):
            raise reply
        status, content = reply
        return httpx2.Response(status, json=content)

    async def run() -> Any:
        remote = Remote("http://x/v1", "m", "key", transport=httpx2.MockTransport(answer))
        assistant = Assistant(remote)
        try:
            return await assistant.ask(lambda: "embedded", "prompt", lambda told: told["text"])
        except ProviderFailed as failure:
            return failure
        finally:
            await assistant.close()

    return asyncio.run(run()), asked


def good(text: str) -> tuple[int, Any]:
    return 200, {"choices": [{"message": {"content": text}}]}


def test_an_answer_is_read_from_the_models_json() -> None:
    answer, asked = ask(good('{"text":"hello"}'))
    assert answer == "hello"
    assert asked[0].headers["authorization"] == "Bearer key"
    assert str(asked[0].url) == "http://x/v1/chat/completions"


def test_a_remote_is_shown_files_beside_the_prompt() -> None:
    asked: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        return httpx2.Response(200, json=good('{"text":"read"}')[1])

    async def files() -> list[File]:
        return [File("a.png", "image/png", b"1"), File("b.pdf", "application/pdf", b"2")]

    async def run() -> str:
        remote = Remote("http://x/v1", "m", "key", transport=httpx2.MockTransport(answer))
        assistant = Assistant(remote)
        try:
            return await assistant.ask(lambda: "", "Look.", lambda told: str(told["text"]), files)
        finally:
            await assistant.close()

    assert asyncio.run(run()) == "read"
    [message] = json.loads(asked[0].content)["messages"]
    assert message["content"] == [
        {"type": "text", "text": "Look."},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,MQ=="}},
        {
            "type": "file",
            "file": {"filename": "b.pdf", "file_data": "data:application/pdf;base64,Mg=="},
        },
    ]


def test_a_failure_is_tried_three_times() -> None:
    answer, asked = ask((500, {}), httpx2.ConnectError("x"), good('{"text":"third"}'))
    assert (answer, len(asked)) == ("third", 3)
    answer, asked = ask((503, {}), (429, {}), httpx2.ReadTimeout("x"))
    assert isinstance(answer, ProviderFailed)
    assert len(asked) == 3


@pytest.mark.parametrize(
    "reply",
    [
        (401, {}),
        (200, {}),
        (200, []),
        (200, {"choices": []}),
        good(""),
        good("no json"),
        good("[]"),
        good('{"other":1}'),
        (200, {"choices": [{"message": {"content": None}}]}),
    ],
)
def test_an_empty_or_mis_shaped_reply_is_a_failure(reply: Any) -> None:
    answer, asked = ask(reply)
    assert isinstance(answer, ProviderFailed)
    assert len(asked) == 1


def test_the_embedded_one_fails_as_often_as_it_is_told() -> None:
    assistant = open_assistant("embedded")
    assistant.fail_next = 2

    async def run() -> list[str]:
        told = []
        for _ in range(3):
            try:
                told.append(await assistant.ask(lambda: "x", "", str))
            except ProviderFailed:
                told.append("failed")
        await assistant.close()
        return told

    assert asyncio.run(run()) == ["failed", "failed", "x"]


def test_options_name_the_provider() -> None:
    assert open_assistant("openai+https://x/v1?model=m", {"TABLEWRIGHT_AI_KEY": "k"})
    for wrong in ("", "openai+https://x/v1", "https://x?model=m", "openai+https://?model=m", "gpt"):
        with pytest.raises(AiUnusable):
            open_assistant(wrong, {})
