"""Pictures of the studio: each screen in three looks, and one page with all of them."""

from __future__ import annotations

from pathlib import Path

from tests.studio.browsing import needs_chromium
from tests.studio.screenshots import LOOKS, sheet, take_all

pytestmark = needs_chromium


def size(picture: Path) -> tuple[int, int]:
    """Width and height, from the head of a PNG."""
    head = picture.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])


def test_a_screen_is_taken_light_dark_and_on_a_phone(tmp_path: Path) -> None:
    pictures = take_all(tmp_path, ["stayon"], ["map", "palette"], whole=False)
    assert list(pictures["stayon"]) == ["map", "palette"]
    for names in pictures["stayon"].values():
        sizes = [size(tmp_path / "stayon" / name) for name in names]
        assert sizes == [(look.width, look.height) for look in LOOKS]
    light, dark, _phone = (tmp_path / "stayon" / name for name in pictures["stayon"]["map"])
    assert light.read_bytes() != dark.read_bytes()
    assert all(f'src="stayon/map-{look.name}.png"' in sheet(pictures) for look in LOOKS)
