"""The words that find an entry, and those that a search looks for."""

from __future__ import annotations

import pytest

from tablewright.systems.roll_model.services.keywords import (
    TOKENS_MAX,
    private_tokens,
    query_tokens,
    shared_tokens,
    text_tokens,
    whole_form,
)
from tests.systems.roll_model.rows import words

STOP_WORDS = """
    and the for with from that this are was were into onto your you but not have has had too very
    all any
"""


def test_text_tokens_are_lower_case_words_and_numbers() -> None:
    assert text_tokens("Hip-Escape, 100 TIMES!\tknee_cut") == [
        "hip",
        "escape",
        "100",
        "times",
        "knee",
        "cut",
    ]


def test_text_tokens_have_three_to_forty_characters() -> None:
    longest = "x" * 40
    assert text_tokens(f"ab abc {longest} {longest}y") == ["abc", longest]


def test_text_tokens_come_once_each_in_order() -> None:
    assert text_tokens("guard sweep Guard GUARD sweep pass") == ["guard", "sweep", "pass"]


@pytest.mark.parametrize("word", STOP_WORDS.split())
def test_text_tokens_leave_out_each_stop_word(word: str) -> None:
    assert text_tokens(f"{word} guard {word.upper()}") == ["guard"]
    assert text_tokens(f"{word}x") == [f"{word}x"]


def test_text_tokens_know_no_other_stop_words() -> None:
    assert text_tokens("her his they what when") == ["her", "his", "they", "what", "when"]


@pytest.mark.parametrize("text", ["", "   ", "道場 寝技", "ñ é ü", "a b c", "# - _"])
def test_text_without_latin_words_has_no_tokens(text: str) -> None:
    assert text_tokens(text) == []


def test_letters_outside_a_to_z_divide_words() -> None:
    assert text_tokens("jiújitsu") == ["jitsu"]


@pytest.mark.parametrize(
    ("phrase", "token"),
    [
        ("Open Guard", "open-guard"),
        ("  Open \t\n Guard  ", "open-guard"),
        ("open-guard", "open-guard"),
        ("open - guard", "open-guard"),
        ("-Open!! Guard?-", "open-guard"),
        ("x'n'y", "xny"),
        ("the guard", "the-guard"),
        ("50/50", "5050"),
        ("abc", "abc"),
        ("ab", None),
        ("a-", None),
        ("", None),
        ("道場", None),
        ("x" * 40, "x" * 40),
        ("x" * 41, None),
    ],
)
def test_whole_form_of_a_phrase(phrase: str, token: str | None) -> None:
    assert whole_form(phrase) == token


def test_shared_tokens_have_each_tag_whole_then_by_word_and_then_the_text() -> None:
    assert shared_tokens(["Open Guard", "no-gi"], "guard sweeps") == [
        "open-guard",
        "open",
        "guard",
        "no-gi",
        "sweeps",
    ]


def test_shared_tokens_are_24_at_most_the_first_ones() -> None:
    assert TOKENS_MAX == 24
    made = shared_tokens(["tag one"], words(0, 40))
    assert len(made) == 24
    assert made[:3] == ["tag-one", "tag", "one"]
    assert made[-1] == "word020"
    assert len(shared_tokens([], words(0, 24))) == 24


def test_private_tokens_leave_out_what_is_shared() -> None:
    assert private_tokens("knee guard ankle", ["guard"]) == ["knee", "ankle"]


def test_private_tokens_are_24_at_most_of_those_that_are_not_shared() -> None:
    shared = shared_tokens([], words(0, 24))
    made = private_tokens(words(0, 60), shared)
    assert made == words(24, 24).split()


def test_private_tokens_may_be_words_that_the_shared_cap_has_cut() -> None:
    shared = shared_tokens([], words(0, 25))
    assert private_tokens("word024", shared) == ["word024"]


def test_query_tokens_are_the_whole_form_and_then_the_words() -> None:
    assert query_tokens(["Open Guard"]) == ["open-guard", "open", "guard"]
    assert query_tokens(["guard"]) == ["guard"]
    assert query_tokens(["with the"]) == ["with-the"]


def test_query_tokens_of_several_phrases_come_in_order_once_each() -> None:
    assert query_tokens(["open guard", "guard pass", "pass"]) == [
        "open-guard",
        "open",
        "guard",
        "guard-pass",
        "pass",
    ]


def test_query_tokens_are_eight_at_most() -> None:
    assert len(query_tokens([words(0, 4), words(10, 20)])) == 8
    assert query_tokens(words(0, 12).split()) == words(0, 8).split()


def test_no_phrase_gives_no_token() -> None:
    assert query_tokens([]) == []
    assert query_tokens(["", "道場", "a"]) == []
