"""Every screen can be used by everybody: axe, contrast, focus, and the width of a phone.

All five systems are gone through at a phone's width; axe, which takes its time, looks at two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.studio.shell.gate import Sessions
from tests.studio.browsing import Tab, chromium, needs_chromium, studio_server
from tests.studio.screens import SYSTEMS, Screen, screens_of, use_the_system
from tests.web.serving import LiveServer

LOOKED_AT = ("roll-model", "stayon")  # With accounts and without.
# Screens that have the parts of another and nothing more: axe need not see them all.
ALIKE = {"act", "capacity-internet", "capacity-wrong", "collection-none", "find-nothing", "openapi"}
ALIKE |= {"map-markdown", "pattern", "stream", "system", "travel-item", "write"}
SESSIONS = Sessions()
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 800}
CONTRAST_MIN = 4.5

pytestmark = needs_chromium

# Rows after the first few are like them, and cost axe seconds.
SHORTEN = """() => {
  const lists = "tbody, ol, ul, select, optgroup, svg, #collections, .operations, .cells, .strip";
  for (const list of document.querySelectorAll(lists)) {
    for (const one of [...list.children].slice(7)) one.remove();
  }
}"""

# What cannot be seen to have the focus, one of each kind of element.
UNFOCUSED = """() => {
  const shown = (one) => {
    const drawn = (of) => {
      const s = getComputedStyle(of);
      const outline = s.outlineStyle === "none" || !parseFloat(s.outlineWidth) ? "" : s.outline;
      return [outline, s.boxShadow, s.borderColor, s.stroke, s.strokeWidth].join();
    };
    return drawn(one) + [...one.children].filter((c) => c.matches("rect")).map(drawn).join();
  };
  const named = (one) => `${one.localName}.${one.getAttribute("class") ?? ""}`;
  const kinds = new Map();
  const all = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  for (const one of document.querySelectorAll(all)) {
    const isThere = one.checkVisibility() && one.type !== "hidden" && !one.disabled;
    const kind = `${named(one)} in ${named(one.parentElement)}`;
    if (isThere && !kinds.has(kind)) kinds.set(kind, one);
  }
  const found = [];
  for (const [kind, one] of kinds) {
    document.activeElement?.blur();
    const before = shown(one);
    one.focus({ focusVisible: true });
    if (document.activeElement === one && shown(one) === before) found.push(kind);
  }
  return found;
}"""

# Texts of drawings with too little contrast: axe looks at HTML only.
FAINT = """(least) => {
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgb = (colour) => {
    if (!known.has(colour)) known.set(colour, mixed(colour));
    return known.get(colour);
  };
  const mixed = (colour) => {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = colour;
    pixel.fillRect(0, 0, 1, 1);
    return [...pixel.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => {
    const even = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = colour.slice(0, 3).map((n) => even(n / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (text) => {
    const rect = text.parentElement.querySelector(":scope > rect:first-of-type");
    if (rect && text.parentElement.localName === "a") return rgb(getComputedStyle(rect).fill);
    for (let one = text.closest("svg"); one; one = one.parentElement) {
      const found = rgb(getComputedStyle(one).backgroundColor);
      if (found[3] === 255) return found;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  for (const text of document.querySelectorAll("svg text, svg tspan")) {
    if (!text.checkVisibility()) continue;
    const over = light(rgb(getComputedStyle(text).fill));
    const under = light(ground(text.closest("text")));
    const ratio = (Math.max(over, under) + 0.05) / (Math.min(over, under) + 0.05);
    if (ratio < least) found.add(`faint: ${ratio.toFixed(2)} ${text.textContent}`);
  }
  return [...found];
}"""


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with studio_server(SYSTEMS, SESSIONS, recorded=SYSTEMS) as opened:
        yield opened


@pytest.fixture(scope="module")
def tab(server: LiveServer) -> Iterator[Tab]:
    with chromium() as browser:
        context = browser.new_context(base_url=f"{server.url}/studio/", reduced_motion="reduce")
        opened = context.new_page()
        opened.goto(f"./?token={SESSIONS.new_token()}")
        yield opened
        context.close()


def violations(tab: Tab, rules: tuple[str, ...] = ()) -> list[str]:
    """What axe finds that is serious or critical, of all rules or of some."""
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    rule_violations = Axe().run(tab, options=options).response["violations"]
    return [
        f"{violation['id']}: {node['target']} {node['html'][:160]}"
        for violation in rule_violations
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"][:3]
    ]


def is_wide(tab: Tab) -> bool:
    """Whether a page has to be moved sideways on a phone."""
    width: int = tab.evaluate("document.documentElement.scrollWidth")
    return width > PHONE["width"]


def findings(tab: Tab, screen: Screen, *, with_axe: bool) -> Iterator[str]:
    """All that is wrong with one screen."""
    tab.set_viewport_size(DESK)
    tab.emulate_media(color_scheme="light")
    screen.open(tab)
    if with_axe:
        yield from tab.evaluate(FAINT, CONTRAST_MIN)
        yield from (f"focus is not seen: {kind}" for kind in tab.evaluate(UNFOCUSED))
        tab.emulate_media(color_scheme="dark")
        yield from (f"dark {problem}" for problem in tab.evaluate(FAINT, CONTRAST_MIN))
    tab.set_viewport_size(PHONE)
    if is_wide(tab):
        yield "wider than a phone"
    if with_axe:
        tab.set_viewport_size(DESK)
        tab.evaluate(SHORTEN)
        yield from (f"dark {problem}" for problem in violations(tab, ("color-contrast",)))
        tab.emulate_media(color_scheme="light")
        yield from violations(tab)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_screen_can_be_read_reached_and_held_in_a_hand(tab: Tab, system: str) -> None:
    use_the_system(tab, system)
    is_seen = system in LOOKED_AT
    screens = [Screen("designs", "./"), *screens_of(tab, system)]
    problems = {
        screen.name: wrong
        for screen in screens
        if (wrong := list(findings(tab, screen, with_axe=is_seen and screen.name not in ALIKE)))
    }
    assert problems == {}


DEFECTS = """<!doctype html><html lang="en"><title>Planted</title>
<style>.mute:focus { outline: none } .mute { border: 0; outline: none }</style>
<main><h1>Planted</h1><p style="color: #aaa; background: #fff">Faint.</p><input>
<button class="mute">Mute</button><div style="width: 600px">Wide.</div>
<svg><text y="20" fill="#bbb">Pale</text></svg></main></html>"""


def test_the_checks_find_planted_defects(tab: Tab) -> None:
    tab.set_viewport_size(PHONE)
    tab.emulate_media(color_scheme="light")
    tab.goto("about:blank")
    tab.set_content(DEFECTS)
    assert {violation.partition(":")[0] for violation in violations(tab)} == {
        "color-contrast",
        "label",
    }
    assert tab.evaluate(FAINT, CONTRAST_MIN) == ["faint: 1.92 Pale"]
    assert tab.evaluate(UNFOCUSED) == ["button.mute in main."]
    assert is_wide(tab)
