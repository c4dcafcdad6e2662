"""The system page: the permission matrix, its filters and reasons, and the server."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import ModuleType
from urllib.parse import quote

import httpx2
import pytest

from tablewright.studio.shell.gate import Sessions
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.mount import studio_system, system_designs
from tablewright.studio.system.permission_view import MatrixFilter, MatrixView, matrix_view
from tablewright.studio.system.system_documents import (
    SystemDocument,
    SystemDocuments,
    is_system,
    matrix_of,
)
from tablewright.studio.system.system_view import server_view, system_view
from tablewright.systems.registry import PACKAGES, find_systems
from tests.studio.studios import Visitor, opened, roll_model
from tests.web.serving import live, served

SYSTEMS = list(PACKAGES)
PLANTED = '"><script>alert(1)</script>'


@cache
def document(name: str) -> SystemDocument:
    return SystemDocuments(None).of(name)  # type: ignore[arg-type]


@cache
def design(name: str) -> LoadedDesign:
    return system_designs([name])[0]


def view_of(name: str, **query: str) -> MatrixView:
    return matrix_view(matrix_of(design(name)), document(name), MatrixFilter(**query))


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    with opened(*system_designs(PACKAGES)) as visitor:
        yield visitor


# What the matrices say, and what the documents say.


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_documented_endpoint_has_a_row_and_every_row_an_endpoint(name: str) -> None:
    rows = {(row.method, row.path) for row in matrix_of(design(name)).always}
    pages = {("GET", "/sign-in"), ("GET", "/static/{name}")} if name == "3fc" else set()
    assert rows - pages == set(document(name).operations)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_answer_of_a_matrix_is_documented(name: str) -> None:
    for row in matrix_of(design(name)).rows:
        operation = document(name).operations.get((row.method, row.path))
        if operation is None:
            continue
        allowed = {answer.status for answer in operation.answers}
        refused = {
            (int(refusal.status), code) for refusal in operation.refusals for code in refusal.codes
        }
        for cell in row.cells:
            if isinstance(cell, int):
                assert str(cell) in allowed, (row.name, cell)
            else:
                assert cell in refused, (row.name, cell)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_code_that_is_explained_is_used(name: str) -> None:
    matrix = matrix_of(design(name))
    used = {cell[1] for row in matrix.rows for cell in row.cells if isinstance(cell, tuple)}
    assert used == set(matrix.codes)


# The view.


def test_the_columns_count_what_is_open_to_them() -> None:
    view = view_of("roll-model")
    counts = {column.name: column.allowed for column in view.columns}
    assert counts["guest"] == counts["no role"] == 0
    # One's own profile (two), the athletes one coaches, one's conversations.
    assert counts["other coach"] == 4
    assert view.total == view.count == 28


def test_rows_are_grouped_by_tag_with_their_summaries() -> None:
    view = view_of("roll-model")
    names = [group.name for group in view.groups]
    assert names == ["People", "Entries", "Comments", "Assistant", "Export"]
    [export] = view.groups[-1].rows
    assert (export.method, export.path, export.summary) == ("GET", "/export", "Everything you own")
    assert [cell.status for cell in export.cells] == [401, 403, 200, 200, 403, 403, 403]
    assert export.cells[0].code == "unauthorized"


def test_a_case_stands_under_its_endpoint() -> None:
    rows = [row for group in view_of("3fc").groups for row in group.rows]
    at = next(
        n for n, row in enumerate(rows) if row.path == "/v1/games/{gameId}/goals" and row.case
    )
    assert rows[at].case == "on a finished game"
    assert (rows[at - 1].name, rows[at - 1].case) == (rows[at].name, "")


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ({"text": "export"}, {"/export"}),
        ({"text": "GET /links"}, {"/links", "/links/{coachId}"}),
        ({"text": "link_required search"}, {"/search"}),
        ({"text": "nothing like it"}, set()),
        ({"who": "other coach", "only": "allowed"}, {"/me", "/athletes", "/ai/threads"}),
        ({"who": "guest", "only": "allowed"}, set()),
    ],
)
def test_rows_are_found_by_words_by_who_and_by_decision(
    query: dict[str, str], paths: set[str]
) -> None:
    view = view_of("roll-model", **query)
    rows = [row for group in view.groups for row in group.rows]
    assert {row.path for row in rows} == paths
    assert view.count == len(rows)
    if "who" in query:
        assert {cell.column for row in rows for cell in row.cells} <= {query["who"]}


def test_a_cell_tells_why() -> None:
    refused = view_of("roll-model", why="GET /search:other coach").why
    assert refused is not None
    assert (refused.answer, refused.code) == ("403 Forbidden", "link_required")
    assert refused.description == "A coach who is not linked with the owner, or no longer."
    assert refused.reason == "A coach reads an athlete's journal only while they are linked."
    allowed = view_of("roll-model", why="GET /export:owner").why
    assert allowed is not None
    assert allowed.is_allowed
    assert allowed.reason == "Everything you own."
    case = view_of("3fc", why="POST /v1/games/{gameId}/goals:on a finished game:scorekeeper").why
    assert case is not None
    assert case.code == "game_finished"


@pytest.mark.parametrize("query", [{"who": "nobody"}, {"why": "GET /nowhere:owner"}, {"why": "x"}])
def test_who_and_what_are_not_there_are_told(query: dict[str, str]) -> None:
    with pytest.raises(LookupError, match="no"):
        view_of("roll-model", **query)


def test_a_design_of_the_same_name_is_not_the_system() -> None:
    assert is_system(roll_model())
    stranger = LoadedDesign("roll-model", None, roll_model().tables, design("stayon").module)
    assert not is_system(stranger)
    where = server_view("roll-model", None, is_embedded=True)
    assert not system_view(stranger, None, where, MatrixFilter()).is_system


# Over HTTP.


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_has_its_pages_and_their_twins(visitor: Visitor, name: str) -> None:
    for page in ("system", "openapi", "system/act", "find", "saved"):
        answer = visitor.get(f"/{name}/{page}")
        assert answer.status_code == 200, page
        assert answer.headers["content-type"].startswith("text/html")
        twin = visitor.get(f"/{name}/{page}.json").json()
        assert twin["design"] == name
        assert twin["requests"] == []
    assert visitor.json(f"/{name}/system.json")["matrix"]["total"] == len(
        matrix_of(design(name)).rows
    )


def test_every_cell_of_the_page_leads_to_its_reason(visitor: Visitor) -> None:
    view = visitor.json("/stayon/system.json")
    for group in view["matrix"]["groups"]:
        for row in group["rows"]:
            for cell in row["cells"]:
                why = visitor.json(f"/stayon/system.json?why={quote(cell['id'])}")["matrix"]["why"]
                assert why["is_allowed"] == cell["is_allowed"]
                assert why["code"] == cell["code"]


def test_a_studio_alone_says_what_starts_the_system(visitor: Visitor) -> None:
    text = visitor.get("/roll-model/system").text
    assert "not running here" in text
    assert "tablewright serve roll-model" in text
    assert "openapi.json" not in text


def test_a_mounted_system_is_linked_and_the_links_lead_there() -> None:
    sessions = Sessions()
    studio = studio_system(lambda: [design("roll-model")], sessions, systems=["roll-model"])
    with live(*find_systems(["roll-model"]).values(), studio) as server:
        cookies = httpx2.Client(base_url=server.url, follow_redirects=True)
        cookies.get(f"/studio/?token={sessions.new_token()}")
        view = cookies.get("/studio/roll-model/system.json").json()["view"]
        assert view["server"]["can_act"]
        for page in ("docs", "openapi.json"):
            link = f"{view['server']['url']}/{page}"
            assert f'href="{link}"' in cookies.get("/studio/roll-model/system").text
            assert httpx2.get(link).status_code == 200
        cookies.close()


def test_a_design_without_a_system_is_told_what_one_is() -> None:
    module = ModuleType("shop")
    module.__file__ = ""
    lone = LoadedDesign("shop", None, roll_model().tables, module)
    with opened(lone) as visitor:
        answer = visitor.get("/shop/system")
        assert answer.status_code == 200
        assert "This design has no system" in answer.text
        assert "tablewright serve" in answer.text
        assert visitor.get("/shop/openapi").status_code == 404
        assert visitor.get("/shop/system/act").status_code == 404
        assert visitor.get("/shop/find?q=entry").status_code == 200


@pytest.mark.parametrize(
    "path", ["system?who=nobody", "system?why=x", "system/act?op=no", "system/act.json?op=no"]
)
def test_what_is_not_there_is_a_404(visitor: Visitor, path: str) -> None:
    assert visitor.get(f"/roll-model/{path}").status_code == 404


@pytest.mark.parametrize(
    "path",
    ["system?q={}", "system?who={}", "system?why={}", "system/act?op={}", "system/act?who={}",
     "system/act?op=get-entries&query.limit={}", "find?q={}", "saved?pattern=get_link&x={}"],
)  # fmt: skip
def test_what_is_typed_is_never_markup(visitor: Visitor, path: str) -> None:
    assert "<script>alert" not in visitor.get(f"/roll-model/{path.format(quote(PLANTED))}").text


def test_a_server_that_makes_no_tokens_cannot_be_acted_on() -> None:
    with served(studio_system(lambda: [roll_model()], Sessions())) as server:
        services = server.services
        assert server_view("roll-model", services, is_embedded=True).can_act
        remote = server_view("roll-model", services, is_embedded=False)
        assert not remote.can_act
        assert "only to systems on an embedded store" in remote.reason
