"""Neither the log nor an error tells a secret, or how things are stored.

A server is used with tokens, passcodes, codes, e-mail addresses and private texts, rightly and
wrongly. Then its log and the bodies of all errors are looked through for each of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.servers import ServerProcess, serve

Json = dict[str, Any]
PRIVATE = "my-knee-hurts-4711"
EMAIL = "ann.secret@example.org"
PASSCODES = {"viewPasscode": "view-secret-1", "adminPasscode": "admin-secret-1"}
# What would tell how a request is served: stacks, modules, keys and expressions.
INSIDE = re.compile(
    r"Traceback|File \"|\.py\b|apsw|sqlite|site-packages|ConditionExpression|#pk|USER#|LEAGUE#"
)


class Calls:
    """Calls of a server, the secrets that they had in them, and the errors that they met."""

    def __init__(self, server: ServerProcess) -> None:
        self.server = server
        self.secrets: set[str] = {PRIVATE, EMAIL, *PASSCODES.values()}
        self.errors: list[str] = []
        self.headers: Json = {}

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        sent = self.headers | {name.replace("_", "-"): text for name, text in headers.items()}
        content = body if isinstance(body, str) else json.dumps(body)
        if body is not None:
            sent["Content-Type"] = "application/json"
        reply = self.server.request(
            method, path, headers=sent, content=None if body is None else content.encode()
        )
        if reply.status_code >= 400:
            self.errors.append(f"{method} {path}: {reply.text}")
        is_json = "json" in reply.headers.get("content-type", "")
        return reply.json() if is_json else {}

    def sign_in(self, sub: str, **claims: Any) -> None:
        token = self.call("POST", "/dev/token", {"sub": sub, **claims})["accessToken"]
        self.secrets.add(token)
        self.headers = {"Authorization": f"Bearer {token}"}


def keep_pages(calls: Calls) -> None:
    """Pages with passcodes, an answer with its code, and wrong tries at all of them."""
    event = {"entity": "event", "name": "Picnic", "startTime": "2096-06-01T12:00:00Z"}
    page = calls.call("POST", "/stayon/pages", {**event, "isRsvpRequired": True, **PASSCODES})
    path = f"/stayon/pages/{page['shortId']}"
    for passcode in (PASSCODES["viewPasscode"], "guess-secret-9"):
        calls.secrets.add(passcode)
        told = calls.call("POST", f"{path}/login", {"passcode": passcode})
        calls.secrets |= {text for name, text in told.items() if "oken" in name and text}
    free = calls.call("POST", "/stayon/pages", {**event, "isRsvpRequired": True})
    path = f"/stayon/pages/{free['shortId']}"
    answer = calls.call("POST", f"{path}/rsvps", {"name": PRIVATE, "response": "going"})
    calls.secrets.add(f"/{answer['code']}")  # Six digits alone may be part of a time.
    calls.call("GET", f"{path}/rsvps/{answer['code']}")
    calls.call("PUT", f"{path}/rsvps/{answer['code']}", {"name": PRIVATE, "response": "no"})


def keep_a_journal(calls: Calls) -> None:
    """Private texts, a search for one, and bodies that are wrong."""
    calls.sign_in("ann", email=EMAIL, groups=["athlete"])
    metrics = {"durationMinutes": 90, "intensity": 7, "rounds": 6, "giOrNoGi": "gi", "tags": []}
    body = {"sections": {"private": PRIVATE, "shared": ""}, "sessionMetrics": metrics}
    entry = calls.call("POST", "/roll-model/entries", body, Idempotency_Key="once")
    path = f"/roll-model/entries/{entry['entryId']}"
    calls.call("GET", f"/roll-model/search?keywords={PRIVATE}")
    calls.call("PUT", path, body, If_Match='"999"')
    calls.call("PUT", path, {**body, "owner": PRIVATE})
    calls.call("POST", "/roll-model/entries", {"sections": PRIVATE}, Idempotency_Key="once")
    calls.call("POST", "/roll-model/entries", f'{{"sections": {{"private": "{PRIVATE}"')
    calls.call("GET", f"/roll-model/entries?cursor={PRIVATE}")
    calls.call("DELETE", "/roll-model/entries/00000000-0000-4000-8000-000000000000")


def keep_a_league(calls: Calls) -> None:
    """Addresses in paths and bodies, and links to sign in with."""
    calls.sign_in("ann", email=EMAIL)
    league = calls.call("POST", "/3fc/v1/leagues", {"name": "Sunday"})["leagueId"]
    other = "ben.secret@example.org"
    calls.secrets.add(other)
    calls.call("PUT", f"/3fc/v1/leagues/{league}/access/{other}", {"role": "viewer"})
    calls.call("GET", f"/3fc/v1/leagues/{league}/access/{other}")
    calls.call("POST", "/3fc/v1/auth/magic/start", {"email": EMAIL})
    calls.call("POST", "/3fc/v1/auth/magic/complete", {"token": "link-secret-1"})
    calls.call("GET", "/3fc/v1/leagues", Authorization="Bearer forged-secret-1")
    calls.secrets |= {"link-secret-1", "forged-secret-1"}


def told(secrets: Iterable[str], text: str) -> list[str]:
    """The secrets that a text tells, as they are or as they are written in URLs."""
    return [
        secret for secret in sorted(secrets) if secret in text or secret.replace("@", "%40") in text
    ]


def test_neither_the_log_nor_an_error_tells_a_secret(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        calls = Calls(server)
        for use in (keep_pages, keep_a_journal, keep_a_league):
            use(calls)
        server.stop()
    log = "".join(server.log)
    assert len(calls.errors) > 8
    assert len(calls.secrets) > 8
    assert told(calls.secrets, log) == []
    # What a client wrote itself, in the URL that it called, is no news to it.
    answers = [error.partition(": ")[2] for error in calls.errors]
    assert [answer for answer in answers if told(calls.secrets, answer)] == []
    assert [answer for answer in answers if INSIDE.search(answer)] == []


# The check itself is checked.
@pytest.mark.parametrize("text", ['File "/app/x.py", line 1', "sqlite3: no such table", "USER#ann"])
def test_what_tells_the_inside_is_found(text: str) -> None:
    assert INSIDE.search(text)
    assert told({EMAIL}, f"GET /3fc/v1/access/{EMAIL.replace('@', '%40')}") == [EMAIL]
