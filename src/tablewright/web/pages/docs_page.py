"""The docs page of an API: its OpenAPI document as HTML, without scripts or external files.

The view model is `openapi_view`; the looks are in ``templates/docs.html`` and ``static/docs.css``.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fastapi.responses import HTMLResponse, Response

from tablewright.web.pages.openapi_view import openapi_view

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["docs_page", "docs_style"]


def docs_page(document: dict[str, Any]) -> Response:
    """The docs page of an OpenAPI document."""
    return HTMLResponse(_template().render(view=openapi_view(document)))


def docs_style() -> Response:
    """The style sheet of the docs page."""
    text = files("tablewright.web.pages").joinpath("static/docs.css").read_text("utf-8")
    return Response(text, media_type="text/css", headers={"Cache-Control": "max-age=3600"})


@cache
def _template() -> Template:
    import jinja2

    loader = jinja2.PackageLoader("tablewright.web.pages")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["code"] = _code
    return environment.get_template("docs.html")


def _code(text: str) -> Any:
    """Text as HTML, with `code` between backticks."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704
