"""The embedded assistant, to the character."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.systems.roll_model.design import Entry
from tablewright.systems.roll_model.services.assistant import Briefing, embedded_reply
from tests.systems.roll_model.rows import entry, message


def session(number: int = 1, *, minutes: int = 60, intensity: int = 5, **told: Any) -> Entry:
    made = entry(number, **told)
    metrics = made.session_metrics.model_copy(
        update={"duration_minutes": minutes, "intensity": intensity}
    )
    return made.model_copy(update={"session_metrics": metrics})


def text(*entries: Entry, **told: Any) -> str:
    return embedded_reply(Briefing("?", told.get("scope", "shared"), entries, ())).text


def test_no_sessions() -> None:
    assert text() == "No sessions to look at yet. Earlier messages: 0."
    assert text(scope="private").endswith(" Earlier messages: 0. Private notes: 0.")


def test_minutes_are_summed_and_tags_counted_once_for_an_entry() -> None:
    entries = [
        session(1, minutes=30, tags=("Guard", "guard", "half")),
        session(2, minutes=45, tags=("half", "armbar", "zen")),
        session(3, minutes=0, tags=("GUARD", "x")),
    ]
    reply = embedded_reply(Briefing("?", "shared", entries, [message(1), message(2)]))
    assert reply.text == (
        "Looked at 3 sessions: 75 minutes, mean intensity 5.0, top tags: guard, half, armbar. "
        "Earlier messages: 2."
    )
    assert reply.updates.detected_topics == ["guard", "half", "armbar", "x", "zen"]
    assert reply.updates.follow_up_actions == []


@pytest.mark.parametrize(
    ("intensities", "mean", "recommended"),
    [
        ([7], "7.0", 7),
        ([6, 7], "6.5", 7),
        ([4, 5, 5, 5], "4.8", 5),
        ([1, 1, 2], "1.3", 1),
        ([6] * 11 + [7] * 9, "6.5", 7),  # 6.45: the mean has one decimal, and is rounded on.
        ([5] * 3 + [6], "5.3", 5),
    ],
)
def test_means_are_rounded_half_up(intensities: list[int], mean: str, recommended: int) -> None:
    entries = [session(n, intensity=value) for n, value in enumerate(intensities)]
    reply = embedded_reply(Briefing("?", "shared", entries, ()))
    assert f"mean intensity {mean}, top tags: none." in reply.text
    assert reply.updates.recommended_intensity == recommended


def test_private_notes_are_counted_where_there_are_any() -> None:
    entries = [session(1, private="knee"), session(2, private=""), session(3, private=" ")]
    assert text(*entries, scope="private").endswith(" Private notes: 2.")
    assert "Private" not in text(*entries)
