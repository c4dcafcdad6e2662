"""Renditions: uploaded pictures, decoded and encoded again by this server.

The upload itself is kept as it was sent. A rendition has the pixels of its first frame and nothing
else: the way round that its metadata says, without the metadata (places, names, cameras), and no
larger than asked for. The format is detected from the content, not its name or type. What is no
picture, or one too large to be drawn, is shown as a placeholder.
"""

from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

__all__ = ["PIXELS_MAX", "PLACEHOLDER", "Rendition", "Renditions", "drawn"]

PIXELS_MAX: Final = 40_000_000
BYTES_MAX: Final = 50 * 1024 * 1024  # Of an upload; more is not read.
AT_ONCE_MAX: Final = 2  # A picture of 40 megapixels takes 160 MB while it is drawn.
QUALITY: Final = 85
_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP")
_MEDIA_TYPE: Final = "image/webp"


class Rendition(NamedTuple):
    """A picture to be sent."""

    content: bytes
    media_type: str = _MEDIA_TYPE


PLACEHOLDER: Final = Rendition(
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" width="48" height="48">'
    b'<rect width="48" height="48" fill="#e5e7eb"/>'
    b'<path d="M8 38l11-14 8 9 5-6 8 11z" fill="#9ca3af"/><circle cx="33" cy="15" r="4" '
    b'fill="#9ca3af"/></svg>',
    "image/svg+xml",
)


class Renditions:
    """Draws pictures in other threads, few at a time."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(AT_ONCE_MAX)

    async def draw(self, content: bytes, edge: int) -> Rendition:
        """An upload as a picture whose longer edge is at most so long."""
        async with self._slots:
            picture = await asyncio.to_thread(drawn, content, edge)
        return PLACEHOLDER if picture is None else Rendition(picture)


def drawn(content: bytes, edge: int) -> bytes | None:
    """An uploaded picture, encoded again; None if it is no picture, or too large."""
    # Only now: most servers start, and many run, without drawing anything.
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None  # The limit is ours, and asked before anything is decoded.
    try:
        with Image.open(io.BytesIO(content), formats=_FORMATS) as opened:
            if not 0 < opened.width * opened.height <= PIXELS_MAX:
                return None
            opened.draft("RGB", (edge, edge))  # A JPEG is decoded as small as will do.
            return _encoded(opened, edge)
    # The upload is a stranger's, and the decoders raise whatever they come across in it.
    except Exception:  # noqa: BLE001
        return None


def _encoded(opened: Picture, edge: int) -> bytes:
    from PIL import Image, ImageOps

    upright = ImageOps.exif_transpose(opened)
    mode = "RGBA" if upright.has_transparency_data else "RGB"
    picture = upright.convert(mode)
    picture.thumbnail((edge, edge))
    # A new picture has none of what came with the old one but its pixels.
    clean = Image.new(mode, picture.size)
    clean.paste(picture)
    out = io.BytesIO()
    clean.save(out, "WEBP", quality=QUALITY)
    return out.getvalue()
