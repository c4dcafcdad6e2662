"""Mail: kept, sent after the answer, and never in its way."""

from __future__ import annotations

import asyncio
import smtplib
from typing import Any, Self

import pytest
import structlog

from tablewright.web.services import mail as module
from tablewright.web.services.clock import Clock
from tablewright.web.services.mail import Mail, MailUnusable, Outbox, open_outbox


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
    offers_tls = True

    def __init__(self, host: str, port: int, timeout: float, context: Any = None) -> None:
        self.said: list[Any] = [(host, port)]
        if context is not None:
            self.said.append(("tls", context.check_hostname))
        self.made.append(self)

    def close(self) -> None:
        self.said.append("closed")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def ehlo(self) -> None:
        pass

    def has_extn(self, name: str) -> bool:
        return self.offers_tls

    def starttls(self, *, context: Any) -> None:
        self.said.append(("starttls", context.check_hostname))

    def login(self, user: str, password: str) -> None:
        self.said.append((user, password))

    def send_message(self, message: Any) -> None:
        self.said.append((message["From"], message["To"], message["Subject"]))


def sent(monkeypatch: pytest.MonkeyPatch, option: str, *, offers_tls: bool) -> list[Any]:
    """What a mail server hears of one mail."""
    monkeypatch.setattr(module.smtplib, "SMTP", _Smtp)
    monkeypatch.setattr(module.smtplib, "SMTP_SSL", _Smtp)
    monkeypatch.setattr(_Smtp, "offers_tls", offers_tls)

    async def post() -> None:
        outbox = open_outbox(option, "from@b.c", Clock())
        outbox.post("to@b.c", "two\nlines", "text")
        await outbox.close()

    asyncio.run(post())
    heard: list[Any] = _Smtp.made[-1].said
    return heard


MESSAGE = ("from@b.c", "to@b.c", "two lines")


def test_smtp_is_encrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = sent(monkeypatch, "smtp://user:p%40ss@mail.example:2525", offers_tls=True)
    assert heard == [("mail.example", 2525), ("starttls", True), ("user", "p@ss"), MESSAGE]
    heard = sent(monkeypatch, "smtps://mail.example", offers_tls=False)
    assert heard == [("mail.example", 465), ("tls", True), MESSAGE]


def test_smtp_without_encryption_is_a_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    with structlog.testing.capture_logs() as logged:
        heard = sent(monkeypatch, "smtp://user:pass@mail.example", offers_tls=False)
    assert heard == [("mail.example", 25), "closed"]  # Neither the password nor the mail.
    assert "?tls=none" in logged[0]["error"]
    for option in ("smtp://mail.example?tls=none", "smtp://127.0.0.1"):
        assert sent(monkeypatch, option, offers_tls=False)[1:] == [MESSAGE]
    with pytest.raises(MailUnusable, match="tls=none"):
        open_outbox("smtp://mail.example?tls=no", "from@b.c", Clock())


@pytest.mark.parametrize(
    "error",
    [
        smtplib.SMTPRecipientsRefused({"ann@example.org": (550, b"ann@example.org is unknown")}),
        smtplib.SMTPDataError(554, "no mail for ann@example.org"),
        RuntimeError("Email address is not verified: ann@example.org"),
    ],
)
def test_an_address_does_not_come_into_the_log(error: Exception) -> None:
    def fail(mail: Mail) -> None:
        raise error

    async def post() -> None:
        outbox = Outbox(Clock(), fail)
        outbox.post("ann@example.org", "s", "t")
        await outbox.close()

    with structlog.testing.capture_logs() as logged:
        asyncio.run(post())
    assert type(error).__name__ in logged[0]["error"]
    assert "ann" not in str(logged)


def test_a_subject_keeps_its_spaces() -> None:
    outbox = Outbox(Clock())
    outbox.post("a@b.c", "New message from Ann  Lee", "t")
    assert outbox.posted("a@b.c")[0].subject == "New message from Ann  Lee"


def test_an_address_cannot_add_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="Header values"):
        module._message(Mail("a@b.c\nBcc: x@y.z", "s", "t", Clock().now()), "from@b.c")
