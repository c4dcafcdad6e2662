"""Tokenising expressions, and the messages of syntax errors."""

from __future__ import annotations

import pytest

from tablewright.expressions.tokens import syntax_error, tokenise


def kinds(text: str) -> list[str]:
    return [token.kind for token in tokenise(text)]


def test_words_placeholders_indexes_and_signs_are_distinguished() -> None:
    assert kinds("a.#b[10]<>:c") == ["word", ".", "alias", "[", "index", "]", "<>", "value", "end"]


def test_keywords_are_recognised_in_any_case() -> None:
    assert kinds("And bEtWeEn set") == ["AND", "BETWEEN", "SET", "end"]


def test_a_character_without_meaning_is_a_token_that_no_rule_accepts() -> None:
    assert kinds("a $ _b é") == ["word", "stray", "stray", "word", "stray", "end"]


def test_only_four_characters_are_white_space() -> None:
    assert kinds("a \t\r\n b") == ["word", "word", "end"]
    assert kinds("a\x0cb\xa0c") == ["word", "stray", "word", "stray", "word", "end"]


def test_an_index_has_no_leading_zero() -> None:
    assert kinds("01") == ["index", "index", "end"]


@pytest.mark.parametrize(
    ("text", "at", "near"),
    [
        ("a == :v", 2, "== :v"),
        ("a = ", 2, "= "),
        (" = a", 0, " = a"),
        ("a = :v b ", 3, ":v b "),
        (" ", 0, " "),
    ],
)
def test_a_syntax_error_shows_the_tokens_around(text: str, at: int, near: str) -> None:
    assert syntax_error(text, tokenise(text), at).message.endswith(f'near: "{near}"')
