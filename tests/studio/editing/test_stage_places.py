"""The stage where it is not as usual: read-only stores, and items that lie in an envelope."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI

from tablewright.studio.items.sample_items import fill_with_samples
from tablewright.studio.shell.app import create_studio
from tablewright.studio.shell.gate import Sessions
from tablewright.studio.shell.mount import PATH, system_designs
from tablewright.studio.shell.studio_settings import StudioSettings
from tablewright.web.server.app import System
from tablewright.web.services.services import Services
from tests.studio.studios import Visitor, opened, roll_model
from tests.web.serving import served


def first_path(visitor: Visitor, design: str, entity: str, pk: str = "") -> str:
    view = visitor.json(f"/{design}/collections.json?pk={pk}")
    row = next(
        row
        for collection in view["collections"]
        for row in collection["rows"]
        if row["chip"]["name"] == entity
    )
    return f"/{design}/items/{row['table']}/{row['address']}"


def test_a_read_only_store_is_looked_at_and_not_staged_for() -> None:
    design, sessions = roll_model(), Sessions()

    def create_app(services: Services) -> FastAPI:
        # What decides is what the studio was told of its store.
        settings = StudioSettings(
            services.settings.host, services.settings.port, "dynamodb://eu-west-1", path=PATH
        )
        return create_studio(services.store, [design], settings, sessions)

    async def fill(services: Services) -> None:
        await services.store.ensure_tables(design.tables)
        await fill_with_samples(services.store, design)

    with served(System(PATH[1:], (), create_app), fill=fill) as server:
        visitor = Visitor(server, sessions)
        path = first_path(visitor, "roll-model", "Entry", "USER%23abc")
        page = visitor.get(f"{path}/edit").text
        assert "start with --write" in page
        assert "Add to the stage" not in page
        old = visitor.json(f"{path}/edit.json")["old"]
        for form in ({"stage": "yes"}, {"delete": "yes"}, {"commit": "yes"}):
            assert visitor.post(f"{path}/edit", {"old": old, **form}).status_code == 403
        assert visitor.post("/roll-model/create/Entry", {"stage": "yes"}).status_code == 403
        assert visitor.post("/roll-model/stage", {"do": "commit"}).status_code == 403
        assert visitor.get("/roll-model/stage").status_code == 200


def test_a_field_in_an_envelope_is_edited_and_what_lies_beside_it_stays() -> None:
    [design] = system_designs(["3fc"])
    with opened(design) as visitor:
        path = first_path(visitor, "3fc", "League")
        view = visitor.json(f"{path}/edit.json")
        fields = {field["name"]: field for field in view["fields"]}
        assert fields["name"]["field"] == "plain.name"
        assert json.loads(fields["name"]["text"]) == "abc"
        texts = {field["field"]: field["text"] for field in view["fields"]}
        unchanged = visitor.post(f"{path}/edit.json", {"old": view["old"], **texts, "stage": "yes"})
        assert unchanged.json()["view"]["error"] == "No changes."
        form = {"old": view["old"], **texts, "plain.name": '"Sunday’s <b>"', "stage": "yes"}
        assert visitor.post(f"{path}/edit.json", form).status_code == 303
        [item] = visitor.json("/3fc/stage.json")["items"]
        assert [difference["name"] for difference in item["differences"]] == ["data"]
        before = stored(visitor, path)
        assert visitor.post("/3fc/stage.json", {"do": "commit"}).json()["view"]["written"] == 1
        after = stored(visitor, path)
        assert {n for n in after if after[n] != before[n]} == {"data", "version"}
        assert json.loads(after["data"]["S"]) == {
            **json.loads(before["data"]["S"]),
            "name": "Sunday’s <b>",
        }


def stored(visitor: Visitor, path: str) -> dict[str, Any]:
    item: dict[str, Any] = json.loads(visitor.json(f"{path}.json")["typed"])
    return item
