"""Renders views: as an HTML page, or as JSON if the address ends in ``.json``."""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import Response
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from tablewright.studio.editing.stage_store import staged_count
from tablewright.studio.format.number_format import bytes_text, money, number
from tablewright.studio.shell.design_reload import is_changed
from tablewright.studio.shell.navigation import NAVIGATION
from tablewright.web.http.answers import as_json

if TYPE_CHECKING:
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.studio.shell.request_log import LoggedRequest
    from tablewright.studio.shell.studio_settings import StudioSettings

__all__ = ["Renderer", "is_json"]

_SHELL: Final = "tablewright.studio.shell"
_ROOMS: Final = (
    "shell",
    "design",
    "items",
    "editing",
    "patterns",
    "capacity",
    "lint",
    "history",
    "system",
)
_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_STATIC: Final = {
    file.name: _TYPES[Path(file.name).suffix]
    for file in files(_SHELL).joinpath("static").iterdir()
    if Path(file.name).suffix in _TYPES
}


def is_json(request: Request) -> bool:
    """Whether the JSON twin of a page was asked for."""
    return str(request.scope["path"]).endswith(".json")


class Renderer:
    """Renders views with the studio's templates."""

    def __init__(
        self, settings: StudioSettings, designs: dict[str, LoadedDesign], *, can_save: bool
    ) -> None:
        self._can_save = can_save
        self._settings = settings
        self._subjects = designs
        self._templates = Environment(
            loader=ChoiceLoader([PackageLoader(f"tablewright.studio.{room}") for room in _ROOMS]),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
        )
        self._templates.filters |= {
            "bytes": bytes_text,
            "money": money,
            "number": number,
            "query": lambda values: urlencode({n: v for n, v in values.items() if v}),
        }

    def page(
        self,
        request: Request,
        name: str,
        view: Any,
        *,
        design: LoadedDesign | None = None,
        requests: list[LoggedRequest] | None = None,
        status: int = 200,
    ) -> Response:
        """The response: the page rendered from its view, or the view as JSON."""
        backend = self._settings.backend._asdict()
        if is_json(request):
            document = {
                "page": name,
                "design": design.name if design is not None else None,
                "backend": backend,
                "view": asdict(view) if is_dataclass(view) and not isinstance(view, type) else view,
                "requests": [asdict(request) for request in requests or ()],
            }
            return Response(as_json(document), status, media_type="application/json")
        root = request.scope.get("root_path", "")
        text = self._templates.get_template(f"{name}.html").render(
            root=root,
            here=f"{root}/{design.name}" if design is not None else root,
            page=name,
            navigation=NAVIGATION,
            twin=_twin(request),
            design=design,
            designs=list(self._subjects),
            backend=backend,
            may_write=self._settings.may_write,
            can_save=self._can_save,
            staged=staged_count(request, design),
            is_file_changed=design is not None and is_changed(design),
            view=view,
            requests=requests or [],
        )
        return Response(text, status, media_type="text/html; charset=utf-8")

    def compile(self) -> None:
        """Compile all templates ahead of their first use."""
        for name in self._templates.list_templates(extensions=["html"]):
            self._templates.get_template(name)

    def static(self, name: str) -> Response | None:
        """A static file; None if it does not exist."""
        if name not in _STATIC:
            return None
        content = files(_SHELL).joinpath("static", name).read_bytes()
        headers = {"Cache-Control": "max-age=300"}
        return Response(content, media_type=_STATIC[name], headers=headers)


def _twin(request: Request) -> str:
    """The address of a page's JSON."""
    path = str(request.scope["path"])
    root = str(request.scope.get("root_path", ""))
    bare = path.rstrip("/") if path.rstrip("/") != root else f"{root}/index"
    query = request.url.query
    return f"{bare}.json{f'?{query}' if query else ''}"
