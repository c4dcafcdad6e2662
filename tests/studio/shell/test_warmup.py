"""What is done ahead: all of it, once, and only where it is asked for."""

from __future__ import annotations

import threading

import structlog

from tablewright.studio.shell import warmup as warming
from tablewright.studio.shell.gate import Sessions
from tablewright.studio.shell.mount import studio_system
from tablewright.studio.system.system_documents import SystemDocuments
from tests.studio.studios import Visitor, opened, roll_model
from tests.web.serving import served


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "warming"]


def test_the_first_page_of_a_design_starts_it_and_it_explains_everything() -> None:
    design, sessions = roll_model(), Sessions()
    with served(studio_system(lambda: [design], sessions, warms=True)) as server:
        visitor = Visitor(server, sessions)
        assert threads() == []
        assert visitor.get("/roll-model/").status_code == 200
        for thread in threads():
            thread.join(30)
        assert set(design._explained) == {*design.pattern_names, *design.write_names}
        assert visitor.get("/roll-model/patterns").status_code == 200
        assert threads() == []


def test_a_studio_that_was_not_told_to_does_nothing_ahead() -> None:
    design = roll_model()
    with opened(design) as visitor:
        assert visitor.get("/roll-model/").status_code == 200
        assert threads() == []
        assert design._explained == {}


def test_what_fails_ahead_is_left_to_its_page() -> None:
    class LoadFailure:
        def compile(self) -> None:
            raise OSError("no templates")

    class Empty:
        def of(self, name: str) -> None:
            raise LookupError(name)

    renderer, documents = LoadFailure(), Empty()
    with structlog.testing.capture_logs() as logs:
        warming.warm(renderer, documents, [roll_model()])  # type: ignore[arg-type]
    assert [log["error"] for log in logs] == ["no templates", "roll-model"]


def test_documents_are_made_once() -> None:
    documents = SystemDocuments(None)  # type: ignore[arg-type]
    assert documents.of("stayon") is documents.of("stayon")
