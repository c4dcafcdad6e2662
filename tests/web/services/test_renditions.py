"""What others are shown of an upload."""

from __future__ import annotations

import io
import random
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tablewright.web.services import renditions
from tablewright.web.services.renditions import PLACEHOLDER, drawn
from tests.web.services.test_blobs import changed
from tests.web.serving import Caller, Server

GPS = 0x8825
ORIENTATION = 0x0112


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def photo(width: int = 60, height: int = 30) -> bytes:
    """A JPEG that lies on its side, with a place, a comment and a profile."""
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    exif.get_ifd(GPS)[1] = "N"
    exif[0x010E] = "SECRET"
    return encoded(Image.new("RGB", (width, height), "red"), "JPEG", exif=exif, comment=b"SECRET")


def opened(content: bytes | None) -> Image.Image:
    assert content is not None
    return Image.open(io.BytesIO(content))


def huge_png(width: int, height: int) -> bytes:
    """A small file that says it is a large picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)

    head = width.to_bytes(4) + height.to_bytes(4) + b"\x01\x00\x00\x00\x00"
    rows = zlib.compress(bytes((width + 7) // 8 + 1) * min(height, 1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_a_photo_is_turned_and_has_nothing_but_its_pixels() -> None:
    content = photo()
    assert b"SECRET" in content
    made = drawn(content, 1000)
    shown = opened(made)
    assert shown.format == "WEBP"
    assert shown.size == (30, 60)
    assert made is not None
    assert b"SECRET" not in made
    assert not shown.getexif()
    assert not {"exif", "xmp", "icc_profile", "comment"} & shown.info.keys()


def test_a_picture_is_made_as_small_as_asked_and_never_larger() -> None:
    assert opened(drawn(encoded(Image.new("RGB", (300, 100)), "PNG"), 100)).size == (100, 33)
    assert opened(drawn(encoded(Image.new("RGB", (30, 10)), "PNG"), 100)).size == (30, 10)


@pytest.mark.parametrize("kind", ["PNG", "GIF", "WEBP", "JPEG"])
@pytest.mark.parametrize("mode", ["RGB", "L", "P", "1", "CMYK", "RGBA", "LA", "I;16"])
def test_every_kind_and_mode_is_drawn(kind: str, mode: str) -> None:
    try:
        content = encoded(Image.new(mode, (8, 4)), kind)
    except (OSError, ValueError):
        return  # There is no such picture.
    assert opened(drawn(content, 100)).size == (8, 4)


def test_of_an_animation_the_first_frame_is_shown() -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    content = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    shown = opened(drawn(content, 100))
    assert getattr(shown, "n_frames", 1) == 1
    pixel = shown.convert("RGB").getpixel((4, 4))
    assert isinstance(pixel, tuple)
    assert pixel[0] > 200
    assert pixel[2] < 60


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"<html><script>alert(1)</script>",
        b"%PDF-1.4",
        b"\x89PNG\r\n\x1a\n",
        photo()[:100],
        encoded(Image.new("RGB", (4, 4)), "TIFF"),
        encoded(Image.new("RGB", (4, 4)), "BMP"),
    ],
)
def test_what_is_no_picture_is_not_drawn(content: bytes) -> None:
    assert drawn(content, 100) is None


@pytest.mark.parametrize(("width", "height"), [(60_000, 60_000), (8000, 5001), (2**31 - 1, 1)])
def test_a_picture_of_too_many_pixels_is_not_decoded(
    width: int, height: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bytes:
        raise AssertionError("it was decoded")

    monkeypatch.setattr(renditions, "_encoded", fail)
    assert drawn(huge_png(width, height), 100) is None


@given(st.integers(0, 2**32), st.sampled_from(["PNG", "JPEG", "GIF", "WEBP"]))
def test_damaged_pictures_end_in_a_picture_or_none(seed: int, kind: str) -> None:
    chance = random.Random(seed)
    content = bytearray(encoded(Image.new("RGB", (16, 16), "green"), kind))
    for _ in range(chance.randrange(1, 9)):
        content[chance.randrange(len(content))] = chance.randrange(256)
    made = drawn(bytes(content), 64)
    assert made is None or max(opened(made).size) <= 64


# By URL.


def put(server: Server, key: str, content: bytes, kind: str = "image/png") -> None:
    server.loop.run(server.services.blobs.write(key, kind, content))


def test_a_rendition_is_had_by_its_url_and_the_upload_stays_as_it_was(server: Server) -> None:
    blobs = server.services.blobs
    put(server, "a/b.jpg", photo(), "image/jpeg")
    reply = server.root.get(blobs.rendition_url("a/b.jpg", 16))
    assert reply.headers["content-type"] == "image/webp"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in reply.headers["content-security-policy"]
    assert opened(reply.content).size == (8, 16)
    assert server.root.get(blobs.read_url("a/b.jpg")).content == photo()
    assert server.root.get(blobs.rendition_url("a/none.jpg", 16)).status_code == 404


def test_a_rendition_url_is_good_for_that_only(server: Server) -> None:
    put(server, "a/b.png", photo())
    url = server.services.blobs.rendition_url("a/b.png", 16)
    for other in (changed(url, rendition="9000"), changed(url, rendition=None)):
        assert server.root.get(other).status_code == 403
    assert (
        server.root.get(
            changed(server.services.blobs.read_url("a/b.png"), rendition="16")
        ).status_code
        == 403
    )
    server.advance(3600)
    assert server.root.get(url).status_code == 403


def test_a_placeholder_is_shown_for_what_is_no_picture(server: Server) -> None:
    put(server, "a/b.png", b"<script>alert(1)</script>")
    reply = server.root.get(server.services.blobs.rendition_url("a/b.png", 16))
    assert reply.content == PLACEHOLDER.content
    assert reply.headers["content-type"] == "image/svg+xml"


def test_a_rendition_is_drawn_once_and_anew_when_the_upload_is_another(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    count: list[int] = []

    def counted(content: bytes, edge: int) -> bytes | None:
        count.append(edge)
        return drawn(content, edge)

    monkeypatch.setattr(renditions, "drawn", counted)
    blobs = server.services.blobs
    put(server, "a/b.png", photo(60, 30))
    for _ in range(3):
        assert opened(server.root.get(blobs.rendition_url("a/b.png", 20)).content).size == (10, 20)
    assert count == [20]
    put(server, "a/b.png", encoded(Image.new("RGB", (20, 5)), "PNG"))
    assert opened(server.root.get(blobs.rendition_url("a/b.png", 20)).content).size == (20, 5)
    assert count == [20, 20]
    assert [blob.key for blob in server.loop.run(blobs.under("a/"))] == ["a/b.png"]
    server.loop.run(blobs.delete("a/b.png"))
    assert server.root.get(blobs.rendition_url("a/b.png", 20)).status_code == 404
    folder: Path = blobs._root  # type: ignore[attr-defined]
    assert [path for path in folder.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("kind", "disposition"),
    [
        ("image/png", "inline"),
        ("image/webp", "inline"),
        ("image/svg+xml", "attachment"),
        ("text/html", "attachment"),
        ("application/pdf", "attachment"),
        ("text/plain", "attachment"),
    ],
)
def test_only_pictures_are_opened_by_a_browser(
    server: Server, ann: Caller, kind: str, disposition: str
) -> None:
    put(server, "a/b", b"12345", kind)
    reply = ann.request("GET", server.services.blobs.read_url("a/b"))
    assert reply.headers["content-disposition"] == disposition
    assert reply.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert reply.headers["x-content-type-options"] == "nosniff"
