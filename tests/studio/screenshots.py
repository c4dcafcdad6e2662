"""``./dev screenshots [FOLDER]``: a picture of every screen for every system, and a sheet of all.

Each screen is opened once and taken three times: light and dark at 1280 by 800, and light on a
phone of 390 by 844. ``--whole`` takes pages from top to bottom instead of what fits.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from tablewright.studio.shell.gate import Sessions
from tests.studio.browsing import CHROMIUM, Tab, chromium, studio_server
from tests.studio.screens import SYSTEMS, Screen, screens_of, use_the_system

CONSOLE = Console(highlight=False, soft_wrap=True)
FOLDER = ".dev/screenshots"
HEIGHT_MAX = 4000


class Look(NamedTuple):
    """How a screen is looked at."""

    name: str
    scheme: str
    width: int
    height: int


LOOKS = (
    Look("light", "light", 1280, 800),
    Look("dark", "dark", 1280, 800),
    Look("phone", "light", 390, 844),
)
SHEET = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>The studio's screens</title>
<style>
  body {{ font: 15px/1.4 system-ui, sans-serif; margin: 2rem; color: #222; background: #f6f5f1; }}
  h2 {{ margin: 2.5rem 0 .6rem; }} .row {{ display: flex; gap: 1rem; overflow-x: auto; }}
  figure {{ margin: 0; flex: none; }} figcaption {{ font-size: .8rem; color: #565e6d; }}
  img {{ display: block; height: 260px; border: 1px solid #dedbd3; border-radius: 6px; }}
</style>
<h1>The studio's screens</h1>
{body}
</html>
"""


def take(tab: Tab, screen: Screen, folder: Path, *, whole: bool) -> list[str]:
    """A screen in every look; the names of the files."""
    first, *_ = LOOKS
    _turn(tab, first)
    screen.open(tab)
    names = []
    for look in LOOKS:
        _turn(tab, look)
        if whole:  # A taller window, so that what sticks to its edges stays there.
            height = tab.evaluate("document.documentElement.scrollHeight")
            tab.set_viewport_size({"width": look.width, "height": min(height, HEIGHT_MAX)})
        name = f"{screen.name}-{look.name}.png"
        tab.screenshot(path=folder / name, animations="disabled")
        names.append(name)
    return names


def _turn(tab: Tab, look: Look) -> None:
    tab.emulate_media(color_scheme=look.scheme, reduced_motion="reduce")
    tab.set_viewport_size({"width": look.width, "height": look.height})


def sheet(pictures: dict[str, dict[str, list[str]]]) -> str:
    """One page with all pictures: a row for each screen and look."""
    rows = []
    screens = list(dict.fromkeys(screen for by_screen in pictures.values() for screen in by_screen))
    for screen in screens:
        rows.append(f"<h2>{escape(screen)}</h2>")
        for at, look in enumerate(LOOKS):
            figures = "".join(
                figure(f"{system}/{by_screen[screen][at]}", f"{system}, {look.name}")
                for system, by_screen in pictures.items()
                if screen in by_screen
            )
            rows.append(f'<div class="row">{figures}</div>')
    return SHEET.format(body="\n".join(rows))


def figure(path: str, text: str) -> str:
    picture = f'<img loading="lazy" src="{escape(path)}" alt="{escape(text)}">'
    caption = f"<figcaption>{escape(text)}</figcaption>"
    return f'<figure><a href="{escape(path)}">{picture}</a>{caption}</figure>'


def take_all(
    folder: Path, systems: Sequence[str], screen_names: Sequence[str], *, whole: bool
) -> dict[str, dict[str, list[str]]]:
    """The pictures of all systems: their files by system and screen."""
    sessions = Sessions()
    pictures: dict[str, dict[str, list[str]]] = {}
    with (
        tempfile.TemporaryDirectory() as home,
        studio_server(systems, sessions, folder=Path(home), recorded=systems) as server,
        chromium() as browser,
    ):
        context = browser.new_context(base_url=f"{server.url}/studio/")
        tab = context.new_page()
        tab.goto(f"./?token={sessions.new_token()}")
        for system in systems:
            own = folder / system
            own.mkdir(parents=True, exist_ok=True)
            use_the_system(tab, system)
            pictures[system] = {
                screen.name: take(tab, screen, own, whole=whole)
                for screen in [Screen("designs", "./"), *screens_of(tab, system)]
                if not screen_names or screen.name in screen_names
            }
            CONSOLE.print(f"  {system}: {len(pictures[system])} screens")
        context.close()
    return pictures


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev screenshots", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(FOLDER))
    parser.add_argument("--system", action="append", choices=SYSTEMS, help="only this; repeatable")
    parser.add_argument("--screen", action="append", help="only this; repeatable")
    parser.add_argument("--whole", action="store_true", help="pages from top to bottom")
    options = parser.parse_args()
    if CHROMIUM is None:
        parser.exit(1, "./dev screenshots needs Chromium: sudo apt install chromium\n")
    started = time.monotonic()
    systems = options.system or SYSTEMS
    pictures = take_all(options.folder, systems, options.screen or (), whole=options.whole)
    options.folder.joinpath("index.html").write_text(sheet(pictures), "utf-8")
    count = sum(len(files) for by_screen in pictures.values() for files in by_screen.values())
    seconds = time.monotonic() - started
    CONSOLE.print(f"{count} pictures in {seconds:.0f} s: {options.folder}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
