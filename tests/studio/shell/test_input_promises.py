"""What is asked wrongly is answered with a reason; what is asked rightly is never refused."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest

from tablewright.studio.items.item_links import address_of
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.studio_settings import StudioSettings
from tests.studio.strangers import Marks, Readings
from tests.studio.studios import Visitor, opened, roll_model

ENTITY, PATTERN = "Gr%C3%B6%C3%9Fe", "gr%C3%B6%C3%9Fen"
HUGE = "9" * 5_000  # More digits than Python reads as a number.


def subject_of(patterns: Any, name: str) -> LoadedDesign:
    return LoadedDesign(
        name, patterns, patterns.__design__.tables, sys.modules[patterns.__module__]
    )


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    readings, marks = subject_of(Readings, "readings"), subject_of(Marks, "marks ü'\"&")
    with opened(roll_model(), readings, marks) as visitor:
        yield visitor


def text_of(visitor: Visitor, path: str, status: int) -> str:
    answer = visitor.get(path)
    assert answer.status_code == status, answer.text
    text: str = answer.json()["view"]["text"]
    return text


@pytest.mark.parametrize("name", ["from", "before"])
def test_a_place_in_the_stream_that_is_no_number_of_ours_is_refused(
    visitor: Visitor, name: str
) -> None:
    problem = text_of(visitor, f"/roll-model/stream.json?{name}={HUGE}", 400)
    assert "sequence number" in problem


@pytest.mark.parametrize(("text", "limit"), [(HUGE, 200), ("0", 1), ("7", 7), ("٣", 20), ("x", 20)])
def test_a_limit_is_kept_within_its_bounds(visitor: Visitor, text: str, limit: int) -> None:
    query = urlencode({"athlete_id": "abc", "run": "1", "limit": text})
    assert visitor.json(f"/roll-model/patterns/list_own_entries.json?{query}")["limit"] == limit


@pytest.mark.parametrize(
    "query",
    [
        {"pk": "no number"},
        {"start": address_of({"other": {"S": "x"}})},
        {"start": address_of({"pk": {"N": "x"}})},
        {"partition": address_of({"other": {"S": "x"}})},
    ],
)
def test_a_key_that_the_store_cannot_have_is_the_asker_s_mistake(
    visitor: Visitor, query: dict[str, str]
) -> None:
    assert "rejected" in text_of(visitor, f"/readings/collections.json?{urlencode(query)}", 400)


def test_a_pattern_may_have_an_argument_called_token(visitor: Visitor) -> None:
    query = urlencode({"athlete_id": "abc", "token": "abc", "run": "1"})
    view = visitor.json(f"/roll-model/patterns/find_entries_by_keyword.json?{query}")
    assert view["error"] == ""
    assert view["inputs"][1]["values"] == ["abc"]
    assert view["result"]["rows"]


def test_the_link_s_token_does_not_stay_in_the_address_of_the_start(visitor: Visitor) -> None:
    answer = visitor.get("/?token=used&view=x")
    assert (answer.status_code, answer.headers["location"]) == (303, "/studio/?view=x")


def test_a_store_without_the_table_says_where_tables_come_from() -> None:
    with opened(subject_of(Readings, "readings")) as visitor:
        server = visitor.server
        server.loop.run(server.services.store.call("DeleteTable", {"TableName": "Readings"}))
        for path in ("collections.json", "patterns/readings_of.json?shard=7&run=1"):
            assert "write access" in text_of(visitor, f"/readings/{path}", 404)


# Numbers and bytes.


def test_items_of_a_table_without_a_type_attribute_are_known_by_their_keys(
    visitor: Visitor,
) -> None:
    boxes = visitor.json("/readings/collections.json")["collections"]
    assert {row["chip"]["name"] for box in boxes for row in box["rows"]} == {"Reading"}
    rows = visitor.json("/readings/patterns/readings_of.json?shard=7&run=1")["result"]["rows"]
    assert len(rows) == 4


def test_bytes_are_typed_and_shown_as_base64(visitor: Visitor) -> None:
    form = visitor.json("/readings/patterns/reading.json")
    assert [field["example"] for field in form["inputs"]] == ["7", "AQI="]
    query = urlencode({"shard": "7", "token": "AQI=", "run": "1"})
    [row] = visitor.json(f"/readings/patterns/reading.json?{query}")["result"]["rows"]
    item = visitor.json(f"/readings/items/Readings/{row['address']}.json")
    assert orjson.loads(item["model"])["data"] == "AP8="
    wrong = visitor.json("/readings/patterns/reading.json?shard=7&token=!&run=1")
    assert "base64" in wrong["error"]


def test_a_write_takes_bytes_and_38_digits_as_they_are(visitor: Visitor) -> None:
    path = "/readings/writes/create.Reading.json"
    [document] = visitor.json(path)["documents"]
    score = "12345678901234567890.123456789012345678"
    content = orjson.loads(document["text"]) | {"shard": 77, "token": "/wD+", "score": score}
    fields = {"Reading": orjson.dumps(content).decode(), "commit": "yes"}
    view = visitor.post(path, fields).json()["view"]
    assert (view["error"], view["is_done"]) == ("", True)
    key = {"pk": {"N": "77"}, "sk": {"B": "/wD+"}}
    typed = visitor.json(f"/readings/items/Readings/{address_of(key)}.json")["typed"]
    assert orjson.loads(typed)["score"] == {"N": score}
    assert orjson.loads(typed)["data"] == {"B": "AP8="}


def test_a_fraction_that_json_would_round_is_not_written(visitor: Visitor) -> None:
    path = "/readings/writes/create.Reading.json"
    [document] = visitor.json(path)["documents"]
    text = document["text"].replace('"1.5"', "1.2345678901234567890")
    assert "1.2345678901234567890" in text
    view = visitor.post(path, {"Reading": text, "commit": "yes"}).json()["view"]
    assert "rounded" in view["error"]
    assert not view["is_done"]
    fine = document["text"].replace('"1.5"', "2.5").replace("AQI=", "AQIZ")
    assert visitor.post(path, {"Reading": fine, "commit": "yes"}).json()["view"]["is_done"]


# Names that are hard to write.


def test_names_and_values_are_escaped_on_every_page(visitor: Visitor) -> None:
    here = "/marks%20%C3%BC%27%22%26"
    boxes = visitor.json(f"{here}/collections.json")["collections"]
    item = f"items/Marks.and-marks/{boxes[0]['rows'][0]['address']}"
    partition = urlencode({"partition": boxes[0]["key"]})
    paths = f"""
        collections collections?{partition} collections?index=by.Day-1 map map?view=chart
        map?view=patterns map?view=markdown lint {item} {item}?tab=history {item}/edit
        {item}/edit?tab=json create/{ENTITY} patterns patterns/{PATTERN} capacity stream saved stage
        patterns/{PATTERN}?name=abc&run=1 patterns/{PATTERN}?name=%3Cscript%3Ealert(1)%3C/script%3E
        writes/create.{ENTITY} capacity?view=partitions capacity?view=limits find?q=alert
    """
    for path in ["", *paths.split()]:
        answer = visitor.get(f"{here}/{path}")
        assert answer.status_code == 200, path
        assert "<script>alert" not in answer.text, path
        assert "<img src=x" not in answer.text, path


# Prices.


@pytest.mark.parametrize(
    ("store", "region"),
    [
        ("sqlite://:memory:", "us-east-1"),
        ("dynamodb://eu-central-1", "eu-central-1"),
        ("dynamodb+http://127.0.0.1:8000?region=eu-west-1", "eu-west-1"),
        ("dynamodb://xx-nowhere-9", "us-east-1"),
    ],
)
def test_prices_are_those_of_the_store_s_region_as_far_as_they_are_known(
    store: str, region: str
) -> None:
    assert StudioSettings(store=store).price.region == region
    assert StudioSettings(store=store, region="ap-south-1").price.region == "ap-south-1"
