"""``tablewright studio``: designs, items and patterns in a browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablewright.cli import exits
from tablewright.cli.designs import SYSTEMS, Design, DesignNotLoaded, load_design
from tablewright.cli.serving import exiting, fill_to_look_at, found_systems, require_store_url

if TYPE_CHECKING:
    import socket

    from tablewright.design.patterns import Patterns
    from tablewright.stores.async_store import AsyncStore
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.studio.shell.studio_settings import StudioSettings

__all__ = ["studio"]

_MEMORY = "sqlite://:memory:"


def studio(
    design: Annotated[
        str | None,
        typer.Argument(
            metavar="[DESIGN]",
            help="A system's name, or a file such as design.py:T; all systems if left out.",
        ),
    ] = None,
    store: Annotated[
        str | None, typer.Option(help="The store; data to look at, in memory, if left out.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 0,
    write: Annotated[
        bool, typer.Option("--write", help="Allow writes to a store that is not embedded.")
    ] = False,
    open_browser: Annotated[bool, typer.Option("--open", help="Open a browser.")] = False,
) -> None:
    """Look at designs in a browser: map, items, access patterns, prices, lint.

    Listens on 127.0.0.1 only and prints a link that opens it once. Without --store, a system has
    its demo data and any other design has items made from its types.

    Example: tablewright studio path/to/design.py:T --open
    """
    if store is not None:
        require_store_url(store)
    try:
        designs = _subjects(design)
    except DesignNotLoaded as error:
        exits.fail(exits.USAGE, str(error))
    from tablewright.studio.shell.studio_settings import StudioSettings
    from tablewright.web.server.process import listen

    try:
        listener = listen("127.0.0.1", port)
    except OSError as error:
        exits.fail(exits.USAGE, f"cannot listen on 127.0.0.1:{port}: {error}")
    with listener, exiting():
        settings = StudioSettings(
            port=listener.getsockname()[1], store=store or _MEMORY, allows_writes=write
        )
        _run(designs, settings, listener, has_store=store is not None, opens=open_browser)


def _subjects(design: str | None) -> list[LoadedDesign]:
    """The designs to show; raises DesignNotLoaded. A wrong design is shown with what is wrong."""
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.studio.shell.mount import system_designs

    if design is None or design in SYSTEMS:
        return system_designs(SYSTEMS if design is None else [design])
    loaded = load_design(design, deferred=True)
    name = Path(loaded.module.__file__ or loaded.name).stem
    # The studio's own addresses come first in its paths.
    name = loaded.name if name in ("static", "index") else name
    patterns = loaded.patterns or _patterns_of(loaded)
    return [LoadedDesign(name, patterns, loaded.tables, loaded.module)]


def _patterns_of(loaded: Design) -> type[Patterns] | None:
    """The access patterns that the file of a lone table has for it."""
    from tablewright.design.lint.subject import patterns_in

    found = [made for made in patterns_in(loaded.module) if made.tables == loaded.tables]
    return found[0] if found else None


def _run(
    designs: list[LoadedDesign],
    settings: StudioSettings,
    listener: socket.socket,
    *,
    has_store: bool,
    opens: bool,
) -> None:
    import uvloop

    from tablewright.studio.shell.app import create_studio
    from tablewright.studio.shell.context import StudioContext
    from tablewright.studio.shell.gate import Sessions
    from tablewright.web.http.middleware import BodyLimit, Guarded
    from tablewright.web.server.logs import configure_logs
    from tablewright.web.server.process import HttpServer

    configure_logs()
    sessions = Sessions()

    def announce() -> None:
        url = f"{settings.url}?token={sessions.new_token()}"
        typer.echo(f"The studio is ready: {url}\n  The link opens one browser, once.", err=True)
        if opens:
            typer.launch(url)

    async def serving() -> None:
        async with _opened(designs, settings, has_store=has_store) as opened:
            around = StudioContext(folder=Path.cwd(), warms=True)
            app = create_studio(opened, designs, settings, sessions, around)
            # Nothing is exempt: no path is empty.
            limited = BodyLimit(app, exempt="//")
            await HttpServer(Guarded(limited, is_https=False), announce).serve([listener])

    uvloop.run(serving())


@asynccontextmanager
async def _opened(
    designs: list[LoadedDesign], settings: StudioSettings, *, has_store: bool
) -> AsyncIterator[AsyncStore]:
    """The store that was named; else one in memory, with something in it."""
    from tablewright.stores.urls import open_async_store

    if not has_store and all(design.name in SYSTEMS for design in designs):
        async with _demo([design.name for design in designs]) as filled:
            yield filled
        return
    async with await open_async_store(settings.store) as opened:
        if settings.may_write:
            await opened.ensure([table for design in designs for table in design.tables])
        if not has_store:
            from tablewright.studio.history.retention import keep_changes
            from tablewright.studio.items.sample_items import fill_with_samples

            for design in designs:
                await keep_changes(opened, [table.name for table in design.tables])
                await fill_with_samples(opened, design)
        yield opened


@asynccontextmanager
async def _demo(names: list[str]) -> AsyncIterator[AsyncStore]:
    """The systems' demo data, in memory."""
    import tempfile

    from tablewright.web.server.app import open_kit, running
    from tablewright.web.server.server_settings import Settings

    mounts = found_systems(names)
    with tempfile.TemporaryDirectory(prefix="tablewright-studio-") as folder:
        secret, blobs = Path(folder, "secret"), f"file:{Path(folder, 'blobs')}"
        services = await open_kit(Settings(store=_MEMORY, blobs=blobs, secret_file=secret))
        async with running(services, mounts):
            await fill_to_look_at(services, mounts)
            yield services.store
