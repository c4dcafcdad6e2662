"""Every address of the studio, also those that come later: closed to strangers, with a twin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from tablewright.studio.patterns.saved_queries import NotSaved, save_query, saved_queries
from tablewright.studio.shell.app import create_studio
from tablewright.studio.shell.studio_settings import StudioSettings
from tests.studio.studios import Visitor, opened, roll_model

if TYPE_CHECKING:
    from tablewright.stores.async_store import AsyncStore

HOST = "127.0.0.1:8080"
WITHOUT_TWIN = {"/static/{name}", "/"}  # The list of designs has its own, /index.json.


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    with opened(roll_model()) as visitor:
        yield visitor


def addresses() -> list[tuple[str, str]]:
    """Every route with a method that it takes."""
    settings, nothing = StudioSettings(path="/studio"), cast("AsyncStore", None)
    routes: list[Any] = list(create_studio(nothing, [roll_model()], settings).routes)
    return [(route.path, method) for route in routes for method in sorted(route.methods)]


def filled(path: str) -> str:
    values = {"design": "roll-model", "table": "RollModel", "address": "e30", "name": "x"}
    return re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], "x"), path)


def status_of(visitor: Visitor, method: str, path: str, **headers: str) -> int:
    options: dict[str, Any] = {"headers": headers}
    if method == "POST":
        options["data"] = {"commit": "yes", "do": "commit"}
    answer = visitor.server.request(method, f"/studio{filled(path)}", options)
    return int(answer.status_code)


def test_no_address_is_open_without_the_cookie(visitor: Visitor) -> None:
    for path, method in addresses():
        if path != "/static/{name}":
            assert status_of(visitor, method, path) == 401, (method, path)


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "studio.example"},
        {"host": f"{HOST}.example"},
        {"origin": "http://studio.example"},
        {"origin": "http://127.0.0.1:3000"},
        {"origin": f"https://{HOST}"},
        {"origin": "null"},
    ],
)
def test_no_address_answers_other_origins_or_names(
    visitor: Visitor, headers: dict[str, str]
) -> None:
    for path, method in addresses():
        status = status_of(visitor, method, path, **visitor.headers, **headers)
        assert status == 403, (method, path)


def test_every_page_has_a_twin() -> None:
    known = addresses()
    # What only forms are sent to is no page.
    pages = {path for path, method in known if method == "GET"} - WITHOUT_TWIN
    for path, method in known:
        if path in pages and not path.endswith(".json"):
            assert (f"{path.rstrip('/')}.json", method) in known, path


def test_looking_at_pages_writes_nothing(visitor: Visitor) -> None:
    store = visitor.server.services.store

    def items() -> Any:
        return visitor.server.loop.run(store.call("Scan", {"TableName": "RollModel"}))["Items"]

    before = items()
    row = visitor.json("/roll-model/collections.json")["collections"][0]["rows"][0]
    paths = [filled(path) for path, method in addresses() if method == "GET"]
    paths += [
        f"/roll-model/items/RollModel/{row['address']}/edit",
        "/roll-model/writes/create.CoachLink",
        "/roll-model/create/CoachLink",
        "/roll-model/stage",
    ]
    for path in paths:
        if "/events" not in path:  # It does not end.
            answer = visitor.get(f"{path}?commit=yes&do=commit&stage=yes&delete=yes&replace=yes")
            assert answer.status_code < 500, path
    assert items() == before


def test_the_command_for_a_token_quotes_what_was_typed() -> None:
    with opened(roll_model()) as visitor:
        groups = "groups=%24(touch%09x)%3Bid"
        path = f"/roll-model/system/act.json?who=other&sub=ann&{groups}&email=a%27b@example.com"
        command = visitor.json(path)["token_command"]
    assert command == (
        "TOKEN=$(tablewright token ann --email 'a'\"'\"'b@example.com'"
        " --group '$(touch' --group 'x);id')"
    )


# Kept queries.


def test_a_kept_file_that_is_nested_too_deeply_is_told_apart(tmp_path: Path) -> None:
    folder = tmp_path / ".tablewright" / "queries"
    folder.mkdir(parents=True)
    folder.joinpath("deep.toml").write_text(f"a = {'[' * 30_000}")
    [query] = saved_queries(tmp_path, roll_model())
    assert (query.name, query.error) == ("deep", "The file is nested too deeply.")


def test_a_file_in_the_place_of_the_folder_is_not_a_taken_name(tmp_path: Path) -> None:
    tmp_path.joinpath(".tablewright").mkdir()
    tmp_path.joinpath(".tablewright", "queries").write_text("")
    with pytest.raises(NotSaved, match="is not a folder"):
        save_query(tmp_path, roll_model(), "mine", ("list_own_entries", {}))
