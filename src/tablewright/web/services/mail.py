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
from tablewright.web.server.server_settings import is_loopback
from tablewright.web.services.clock import Clock

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
        except Exception as error:  # noqa: BLE001 (logged without its text, which may name people)
            log.error("a mail could not be sent", error=_reason(error))

    def posted(self, to: str) -> list[Mail]:
        """What was sent to an address, newest first."""
        wanted = to.strip().lower()
        mails = [mail for mail in reversed(self._kept) if mail.to.lower() == wanted]
        return mails[:SHOWN_MAX]

    async def close(self) -> None:
        """Wait for what is on its way."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=SMTP_SECONDS_MAX)


def open_outbox(url: str, sender: str, clock: Clock) -> Outbox:
    """The outbox that an option names; raises MailUnusable."""
    parts = urlsplit(url)
    if parts.scheme == "outbox":
        return Outbox(clock)
    if parts.scheme in ("smtp", "smtps") and parts.hostname:
        return Outbox(clock, _smtp(url, sender))
    if parts.scheme == "ses" and parts.netloc:
        return Outbox(clock, _ses(parts.netloc, sender))
    raise MailUnusable(
        "--mail: use outbox:, smtp://USER:PASS@HOST:PORT, smtps://USER:PASS@HOST:PORT or ses://REGION"
    )


def _message(mail: Mail, sender: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, mail.to, mail.subject
    message.set_content(mail.text)
    return message


def _reason(error: Exception) -> str:
    """What may be logged of a failure: answers of mail servers can name the address."""
    is_answer = isinstance(error, smtplib.SMTPException)
    if isinstance(error, smtplib.SMTPNotSupportedError) or (
        isinstance(error, OSError) and not is_answer
    ):
        return str(error)
    code = getattr(error, "smtp_code", "")
    return f"{type(error).__name__} {code}".strip()


def _smtp(url: str, sender: str) -> Sender:
    """Sends by SMTP: encrypted, unless ``?tls=none`` is given or the server is this machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.query not in ("", "tls=none"):
        raise MailUnusable(f"--mail: ?{parts.query} is unknown; ?tls=none sends without encryption")
    may_be_plain = bool(parts.query) or is_loopback(host)

    def connect() -> smtplib.SMTP:
        secure = ssl.create_default_context()
        if parts.scheme == "smtps":
            return smtplib.SMTP_SSL(
                host, parts.port or 465, timeout=SMTP_SECONDS_MAX, context=secure
            )
        server = smtplib.SMTP(host, parts.port or 25, timeout=SMTP_SECONDS_MAX)
        server.ehlo()
        if server.has_extn("starttls") and not parts.query:
            server.starttls(context=secure)
        elif not may_be_plain:
            server.close()
            raise smtplib.SMTPNotSupportedError(
                f"{host} offers no encryption; add ?tls=none to --mail to send without it"
            )
        return server

    def send(mail: Mail) -> None:
        with connect() as server:
            if parts.username:
                server.login(unquote(parts.username), unquote(parts.password or ""))
            server.send_message(_message(mail, sender))

    return send


def _ses(region: str, sender: str) -> Sender:
    from tablewright.web.services.aws import aws_client

    client = aws_client("sesv2", region)

    def send(mail: Mail) -> None:
        raw = {"Data": _message(mail, sender).as_bytes()}
        client.send_email(
            FromEmailAddress=sender,
            Destination={"ToAddresses": [mail.to]},
            Content={"Raw": raw},
        )

    return send
