"""The keyword tokens of entries and of searches. Text in, tokens out, nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = [
    "TOKENS_MAX",
    "private_tokens",
    "query_tokens",
    "shared_tokens",
    "text_tokens",
    "whole_form",
]

TOKENS_MAX = 24  # Twice old, twice new, and the entry itself stay within one transaction.
QUERY_TOKENS_MAX = 8
_LENGTHS = range(3, 41)
# fmt: off
_STOP_WORDS = frozenset([
    "and", "the", "for", "with", "from", "that", "this", "are", "was", "were", "into",
    "onto", "your", "you", "but", "not", "have", "has", "had", "too", "very", "all", "any",
])
# fmt: on
_OTHER = re.compile(r"[^a-z0-9]+")
_SPACES = re.compile(r"\s+")
_NOT_IN_PHRASE = re.compile(r"[^a-z0-9-]+")
_HYPHENS = re.compile(r"-{2,}")


def text_tokens(text: str) -> list[str]:
    """The words of a text that are worth finding, once each, in order."""
    words = _OTHER.sub(" ", text.lower()).split()
    return _distinct(w for w in words if len(w) in _LENGTHS and w not in _STOP_WORDS)


def whole_form(phrase: str) -> str | None:
    """A phrase as one token: ``Open Guard`` is ``open-guard``; None if too little is left."""
    joined = _NOT_IN_PHRASE.sub("", _SPACES.sub("-", phrase.lower().strip()))
    token = _HYPHENS.sub("-", joined).strip("-")
    return token if len(token) in _LENGTHS else None


def shared_tokens(tags: Iterable[str], shared: str) -> list[str]:
    """The tokens under which a coach, too, may find an entry."""
    tokens = [token for tag in tags for token in _phrase_tokens(tag)]
    return _distinct([*tokens, *text_tokens(shared)])[:TOKENS_MAX]


def private_tokens(private: str, shared: Iterable[str]) -> list[str]:
    """The tokens of the private note that the shared ones do not already give away."""
    known = frozenset(shared)
    return [token for token in text_tokens(private) if token not in known][:TOKENS_MAX]


def query_tokens(phrases: Iterable[str]) -> list[str]:
    """The tokens that a search looks for."""
    tokens = [token for phrase in phrases for token in _phrase_tokens(phrase)]
    return _distinct(tokens)[:QUERY_TOKENS_MAX]


def _phrase_tokens(phrase: str) -> list[str]:
    whole = whole_form(phrase)
    return [*([whole] if whole else []), *text_tokens(phrase)]


def _distinct(tokens: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(tokens))
