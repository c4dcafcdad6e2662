"""Mail: one outbox for each server. Sending happens after the answer, and never changes it."""

from __future__ import annotations

import asyncio
import smtplib
import ssl
from collections import deque
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from typing import Final, Protocol
from urllib.parse import unquote, urlsplit

import structlog

from tablewright.errors import TablewrightError
from tablewright.web.clock import Clock

__all__ = ["Mail", "MailUnusable", "Outbox", "open_outbox"]

log = structlog.get_logger("tablewright.mail")

KEPT_MAX: Final = 10_000
SHOWN_MAX: Final = 200
SMTP_SECONDS_MAX: Final = 30


class MailUnusable(TablewrightError):
    """The mail option cannot be understood."""


@dataclass(frozen=True)
class Mail:
    """One message."""

    to: str
    subject: str
    text: str
    created_at: datetime


class Sender(Protocol):
    """Sends one message; raises what went wrong."""

    def __call__(self, mail: Mail) -> None: ...


class Outbox:
    """Keeps what was sent, for dev mode, and hands it on."""

    def __init__(self, clock: Clock, send: Sender | None = None) -> None:
        self._clock = clock
        self._send = send
        self._kept: deque[Mail] = deque(maxlen=KEPT_MAX)
        self._tasks: set[asyncio.Task[None]] = set()

    def post(self, to: str, subject: str, text: str) -> None:
        """Send a message soon. Nothing is raised: a failure is logged."""
        mail = Mail(to, " ".join(subject.splitlines()), text, self._clock.now())
        self._kept.append(mail)
        if self._send is not None:
            task = asyncio.get_running_loop().create_task(self._deliver(mail))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _deliver(self, mail: Mail) -> None:
        assert self._send is not None
        try:
            await asyncio.to_thread(self._send, mail)
        except Exception:
            log.exception("a mail could not be sent", subject=mail.subject)

    def posted(self, to: str) -> list[Mail]:
        """What was sent to an address, newest first."""
        wanted = to.strip().lower()
        found = [mail for mail in reversed(self._kept) if mail.to.lower() == wanted]
        return found[:SHOWN_MAX]

    async def close(self) -> None:
        """Wait for what is on its way."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=SMTP_SECONDS_MAX)


def open_outbox(url: str, sender: str, clock: Clock) -> Outbox:
    """The outbox that an option names; raises MailUnusable."""
    parts = urlsplit(url)
    if parts.scheme == "outbox":
        return Outbox(clock)
    if parts.scheme == "smtp" and parts.hostname:
        return Outbox(clock, _smtp(url, sender))
    if parts.scheme == "ses" and parts.netloc:
        return Outbox(clock, _ses(parts.netloc, sender))
    raise MailUnusable(f"{url}: use outbox:, smtp://USER:PASS@HOST:PORT or ses://REGION")


def _message(mail: Mail, sender: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, mail.to, mail.subject
    message.set_content(mail.text)
    return message


def _smtp(url: str, sender: str) -> Sender:
    parts = urlsplit(url)

    def send(mail: Mail) -> None:
        with smtplib.SMTP(
            parts.hostname or "", parts.port or 25, timeout=SMTP_SECONDS_MAX
        ) as server:
            server.ehlo()
            if server.has_extn("starttls"):
                server.starttls(context=ssl.create_default_context())
            if parts.username:
                server.login(unquote(parts.username), unquote(parts.password or ""))
            server.send_message(_message(mail, sender))

    return send


def _ses(region: str, sender: str) -> Sender:
    from tablewright.web.aws import aws_client

    client = aws_client("sesv2", region)

    def send(mail: Mail) -> None:
        raw = {"Data": _message(mail, sender).as_bytes()}
        client.send_email(
            FromEmailAddress=sender,
            Destination={"ToAddresses": [mail.to]},
            Content={"Raw": raw},
        )

    return send
