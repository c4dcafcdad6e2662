"""The page that shows a system's document."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from tablewright.web.pages.docs_page import docs_page
from tests.web.serving import Server


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.ids |= {value or "" for name, value in attrs if name == "id"}
        self.links |= {value or "" for name, value in attrs if name == "href"}


def test_the_page_works_offline_and_under_the_policy(server: Server) -> None:
    reply = server.guest().get("/docs")
    page = _Page(reply.text)
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert "'self'" in reply.headers["content-security-policy"]
    assert not page.tags & {"script", "style", "img", "iframe"}
    assert "style" not in page.attributes
    assert not any(name.startswith("on") for name in page.attributes)
    assert not any("//" in link for link in page.links)


def test_every_link_of_the_page_leads_somewhere(server: Server) -> None:
    page = _Page(server.guest().get("/docs").text)
    inner = {link[1:] for link in page.links if link.startswith("#")}
    assert inner - page.ids == set()
    for link in page.links:
        if not link.startswith("#"):
            assert server.root.get(link).status_code == 200


def test_the_style_sheet_is_ours(server: Server) -> None:
    reply = server.guest().get("/docs.css")
    assert reply.headers["content-type"].startswith("text/css")
    assert "@import" not in reply.text
    assert "url(" not in reply.text


def test_endpoints_fields_limits_and_codes_are_shown(server: Server) -> None:
    text = re.sub(r"<[^>]+>", " ", server.guest().get("/docs").text)
    for shown in (
        "/notes/{noteId}",
        "Write a note",
        "not_yours",
        "1–20 characters",
        "Idempotency-Key",
    ):
        assert shown in text


def test_text_of_the_document_is_escaped() -> None:
    document = {"info": {"title": "<b>T</b>", "description": "`a<i>`"}, "paths": {}}
    text = bytes(docs_page(document).body).decode()
    assert "<b>T" not in text
    assert "<code>a&lt;i&gt;</code>" in text
