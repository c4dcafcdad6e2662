"""Query parameters of Roll Model's lists, as they are read and as they are documented."""

from __future__ import annotations

from typing import Any, Final

from fastapi import Request

from tablewright.systems.roll_model.services.entries import Filters
from tablewright.web.http.problems import field_problem
from tablewright.web.http.queries import Queries

__all__ = [
    "ENTRY_QUERY",
    "EXPORT_QUERY",
    "HIDDEN_QUERY",
    "LINK_QUERY",
    "SEARCH_QUERY",
    "entry_filters",
]

Query = dict[str, dict[str, Any]]

_BOUND: Final = 10**15  # Intensities have bounds of their own; what one looks for has not.
_FLAG: Final = {"schema": {"type": "boolean", "default": False}}

LINK_QUERY: Final[Query] = {
    "status": {"schema": {"enum": ["active", "revoked", "all"], "default": "active"}}
}
ENTRY_QUERY: Final[Query] = {
    "dateFrom": {"schema": {"type": "string", "format": "date"}},
    "dateTo": {"schema": {"type": "string", "format": "date"}},
    "tag": {"schema": {"type": "string", "minLength": 1, "maxLength": 40}},
    "giOrNoGi": {"schema": {"enum": ["gi", "no-gi"]}},
    "minIntensity": {"schema": {"type": "integer"}},
    "maxIntensity": {"schema": {"type": "integer"}},
    "order": {"schema": {"enum": ["asc", "desc"], "default": "desc"}},
}
SEARCH_QUERY: Final[Query] = {
    "keywords": {
        "required": True,
        "schema": {"type": "string", "minLength": 1, "maxLength": 200},
    },
    "athleteId": {"schema": {"type": "string"}},
    "includePrivate": _FLAG,
    "limit": {"schema": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10}},
}
HIDDEN_QUERY: Final[Query] = {"includeHidden": _FLAG}
EXPORT_QUERY: Final[Query] = {
    "mode": {"schema": {"enum": ["full", "tidy"], "default": "full"}},
    "format": {"schema": {"enum": ["json", "csv"], "default": "json"}},
}


def entry_filters(request: Request) -> Filters:
    """Which entries a list is to have."""
    query = Queries(request)
    filters = Filters(
        date_from=query.day("dateFrom"),
        date_to=query.day("dateTo"),
        tag=query.line("tag", 1, 40),
        gi_or_no_gi=query.option("giOrNoGi", ("gi", "no-gi")),
        min_intensity=query.number("minIntensity", -_BOUND, _BOUND),
        max_intensity=query.number("maxIntensity", -_BOUND, _BOUND),
        is_ascending=query.choice("order", ("desc", "asc"), "desc") == "asc",
    )
    if filters.date_from and filters.date_to and filters.date_from > filters.date_to:
        raise field_problem("dateFrom", "must not be after dateTo")
    low, high = filters.min_intensity, filters.max_intensity
    if low is not None and high is not None and low > high:
        raise field_problem("minIntensity", "must not be above maxIntensity")
    return filters
