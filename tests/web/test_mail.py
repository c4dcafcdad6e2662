"""Mail: kept, sent after the answer, and never in its way."""

from __future__ import annotations

import asyncio
import smtplib
from typing import Any, Self

import pytest

from tablewright.web import mail as module
from tablewright.web.clock import Clock
from tablewright.web.mail import Mail, MailUnusable, Outbox, open_outbox


def test_options_name_how_mail_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    for option in ("outbox:", "smtp://user:p%40ss@127.0.0.1:2525", "smtp://127.0.0.1"):
        assert isinstance(open_outbox(option, "a@b.c", Clock()), Outbox)
    for wrong in ("", "x", "smtp://", "http://x", "ses://"):
        with pytest.raises(MailUnusable):
            open_outbox(wrong, "a@b.c", Clock())


def test_a_failure_is_nobodys_but_the_logs() -> None:
    def fail(mail: Mail) -> None:
        raise OSError("no network")

    async def post() -> list[Mail]:
        outbox = Outbox(Clock(), fail)
        outbox.post("a@b.c", "s", "t")
        await outbox.close()
        return outbox.posted("a@b.c")

    assert len(asyncio.run(post())) == 1


class _Smtp:
    """Stands in for a server."""

    made: list[Any] = []

    def __init__(self, host: str, port: int, timeout: float) -> None:
        self.said: list[Any] = [(host, port)]
        self.made.append(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def ehlo(self) -> None:
        pass

    def has_extn(self, name: str) -> bool:
        return True

    def starttls(self, *, context: Any) -> None:
        self.said.append(("starttls", context.check_hostname))

    def login(self, user: str, password: str) -> None:
        self.said.append((user, password))

    def send_message(self, message: Any) -> None:
        self.said.append((message["From"], message["To"], message["Subject"]))


def test_smtp_is_encrypted_where_it_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.smtplib, "SMTP", _Smtp)
    assert smtplib.SMTP is _Smtp

    async def post() -> None:
        outbox = open_outbox("smtp://user:p%40ss@mail.example:2525", "from@b.c", Clock())
        outbox.post("to@b.c", "two\nlines", "text")
        await outbox.close()

    asyncio.run(post())
    assert _Smtp.made[-1].said == [
        ("mail.example", 2525),
        ("starttls", True),
        ("user", "p@ss"),
        ("from@b.c", "to@b.c", "two lines"),
    ]


def test_a_subject_keeps_its_spaces() -> None:
    outbox = Outbox(Clock())
    outbox.post("a@b.c", "New message from Ann  Lee", "t")
    assert outbox.posted("a@b.c")[0].subject == "New message from Ann  Lee"


def test_an_address_cannot_add_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="Header values"):
        module._message(Mail("a@b.c\nBcc: x@y.z", "s", "t", Clock().now()), "from@b.c")
