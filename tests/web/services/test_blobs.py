"""Blobs: signed URLs, what may be put where, and what can be read."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import io
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import botocore.session
import pytest
from botocore.exceptions import ClientError
from botocore.response import StreamingBody
from botocore.stub import Stubber

from tablewright.web.http.problems import Problem
from tablewright.web.services.blobs import (
    Blob,
    BlobsUnusable,
    FolderBlobs,
    is_key,
    open_blobs,
    safe_name,
)
from tablewright.web.services.clock import Clock
from tablewright.web.services.renditions import PLACEHOLDER
from tablewright.web.services.s3_blobs import S3Blobs
from tablewright.web.services.signed_urls import SignedUrls
from tests.web.example import SYSTEM
from tests.web.http.test_problems import fields, told
from tests.web.serving import Caller, Server, served

PNG = {"contentType": "image/png", "size": 5}
TYPE = {"Content-Type": "image/png"}


def upload(caller: Caller, content: bytes = b"12345") -> dict[str, Any]:
    told: dict[str, Any] = caller.post("/pictures", json={**PNG, "size": len(content)}).json()
    assert caller.request("PUT", told["url"], content=content, headers=TYPE).status_code == 200
    return told


def note_with(caller: Caller, key: str) -> dict[str, Any]:
    made = caller.post("/notes", json={"title": "a"}).json()
    reply = caller.patch(f"/notes/{made['noteId']}", json={"pictureKey": key})
    assert reply.status_code == 200
    found: dict[str, Any] = reply.json()
    return found


def changed(url: str, **values: str | None) -> str:
    parts = urlsplit(url)
    query = {name: value[0] for name, value in parse_qs(parts.query).items()} | values
    kept = {name: value for name, value in query.items() if value is not None}
    return parts._replace(query=urlencode(kept)).geturl()


def test_an_upload_is_told_how_and_where(ann: Caller) -> None:
    told = ann.post("/pictures", json=PNG).json()
    assert set(told) == {"url", "method", "headers", "key", "expiresIn"}
    assert (told["method"], told["headers"], told["expiresIn"]) == ("PUT", TYPE, 900)
    assert told["url"].startswith(f"http://127.0.0.1:8080/blobs/{told['key']}?")
    assert told["key"].startswith("notes/ann/")


def test_what_was_put_can_be_read_by_the_answers_url(ann: Caller, server: Server) -> None:
    told = upload(ann)
    read = server.root.get(note_with(ann, told["key"])["pictureUrl"])
    assert (read.status_code, read.content) == (200, b"12345")
    assert read.headers["content-type"] == "image/png"
    assert read.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in read.headers["content-security-policy"]


def test_a_put_answers_200_with_nothing_and_may_be_repeated(ann: Caller, server: Server) -> None:
    told = upload(ann)
    reply = server.root.request("PUT", told["url"], content=b"abcde", headers=TYPE)
    assert (reply.status_code, reply.content) == (200, b"")
    assert server.root.get(note_with(ann, told["key"])["pictureUrl"]).content == b"abcde"


def test_a_url_that_was_changed_or_is_for_something_else_is_403(
    ann: Caller, server: Server
) -> None:
    put = upload(ann)["url"]
    get = note_with(ann, upload(ann)["key"])["pictureUrl"]
    other = ann.post("/pictures", json=PNG).json()["key"]
    wrong = [
        ("PUT", changed(put, size="6")),
        ("PUT", changed(put, type="text/html")),
        ("PUT", changed(put, expires="99999999999")),
        ("PUT", changed(put, signature=None)),
        ("PUT", changed(put, signature="0" * 64)),
        ("PUT", changed(put, signature="ä")),
        ("PUT", changed(put, more="1")),
        ("PUT", put.partition("?")[0]),
        ("PUT", get),
        ("GET", put),
        ("GET", get.partition("?")[0]),
        ("GET", changed(get, expires="99999999999")),
        ("PUT", f"/blobs/{other}?{put.partition('?')[2]}"),
    ]
    for method, url in wrong:
        reply = server.root.request(method, url, content=b"12345", headers=TYPE)
        assert told(reply) == (403, "forbidden"), url


@pytest.mark.parametrize("second", [1_800_000_000.0, 1_800_000_000.999])
def test_urls_expire_by_the_servers_clock(second: float) -> None:
    """Whenever in a second they were made; the clock stands but for what it is moved by."""
    with served(SYSTEM, clock=Clock(lambda: second)) as server:
        ann = server.as_("ann")
        made = upload(ann)
        get = note_with(ann, made["key"])["pictureUrl"]

        def put() -> Any:
            return server.root.request("PUT", made["url"], content=b"12345", headers=TYPE)

        server.advance(899)
        assert put().is_success
        server.advance(1)
        assert told(put()) == (403, "forbidden")
        server.advance(2699)
        assert server.root.get(get).status_code == 200
        server.advance(1)
        assert told(server.root.get(get)) == (403, "forbidden")


def test_only_what_was_announced_is_taken(ann: Caller, server: Server) -> None:
    made = ann.post("/pictures", json=PNG).json()

    def put(content: Any, kind: str = "image/png") -> Any:
        headers = {"Content-Type": kind}
        return server.root.request("PUT", made["url"], content=content, headers=headers)

    async def endless() -> Any:
        while True:
            yield b"x" * 1000

    assert fields(put(b"12345", "image/jpeg")) == ["Content-Type"]
    assert fields(put(b"12345", "")) == ["Content-Type"]
    assert fields(put(b"1234")) == ["body"]
    assert told(put(b"123456")) == (413, "payload_too_large")
    assert told(put(endless())) == (413, "payload_too_large")
    assert server.loop.run(server.services.blobs.find(made["key"])) is None
    root = Path(server.services.settings.blobs.removeprefix("file:"))
    assert [path for path in root.rglob("*") if path.is_file()] == []
    assert put(b"12345").status_code == 200


def test_an_upload_over_a_megabyte_is_no_matter(server: Server) -> None:
    content = b"x" * (3 << 20)
    url = server.services.blobs.upload_url("a/b.png", "image/png", len(content))
    reply = server.root.request("PUT", url, content=content, headers=TYPE)
    assert reply.status_code == 200
    found = server.loop.run(server.services.blobs.find("a/b.png"))
    assert found is not None
    assert found.size == len(content)


def test_an_object_that_is_missing_is_404(server: Server) -> None:
    assert told(server.root.get(server.services.blobs.read_url("a/b.png"))) == (404, "not_found")


def test_a_key_that_is_sent_back_must_be_ones_own_and_there(ann: Caller, bob: Caller) -> None:
    mine = upload(ann)["key"]
    made = bob.post("/notes", json={"title": "a"}).json()
    for key in (mine, "notes/bob/none.png", "notes/bob/../ann/x.png", "notes/bob/", "x", "/etc"):
        reply = bob.patch(f"/notes/{made['noteId']}", json={"pictureKey": key})
        assert fields(reply) == ["pictureKey"]


KEYS = [
    "..",
    "a/../b",
    "a/./b",
    "/a",
    "a//b",
    "a/",
    "",
    "a\x00b",
    "a\\b",
    "a b",
    "a%2fb",
    "ä",
    "a#b",
]


@pytest.mark.parametrize("key", [*KEYS, "...", "x" * 201, "/".join(["a"] * 600)])
def test_what_leads_elsewhere_is_no_key(key: str, server: Server) -> None:
    assert not is_key(key)
    assert server.loop.run(server.services.blobs.find(key)) is None
    url = server.services.blobs.read_url(key)
    assert server.root.get(url).status_code in (403, 404)


@pytest.mark.parametrize("path", ["%2e%2e/secret", "..%2fsecret", "a/%2e%2e/%2e%2e/secret", "%00"])
def test_a_path_cannot_lead_out_of_the_folder(path: str, server: Server) -> None:
    assert server.root.get(f"/blobs/{path}?expires=99999999999&signature=x").status_code in (
        403,
        404,
    )


def test_a_link_in_the_folder_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "outside"
    secret.mkdir()
    (secret / "x").write_bytes(b"secret")
    (secret / "x~about").write_bytes(b'{"contentType":"a","storedAt":1}')
    root = tmp_path / "blobs"
    root.mkdir()
    (root / "a").symlink_to(secret)
    blobs = FolderBlobs(root, "http://x", b"k", Clock())
    assert blobs._find("a/x") is None


def test_objects_can_be_listed_copied_and_deleted(server: Server, ann: Caller) -> None:
    blobs, run = server.services.blobs, server.loop.run
    first, second = sorted(upload(ann)["key"] for _ in range(2))
    assert [blob.key for blob in run(blobs.under("notes/ann/"))] == [first, second]
    assert run(blobs.under("notes/an")) == run(blobs.under("notes/ann/"))
    assert run(blobs.under("none/")) == []
    run(blobs.copy(first, "copies/c.png"))
    copied = run(blobs.find("copies/c.png"))
    assert copied is not None
    assert (copied.content_type, copied.size) == ("image/png", 5)
    run(blobs.delete(first))
    run(blobs.delete(first))
    assert run(blobs.find(first)) is None
    assert server.root.get(blobs.read_url("copies/c.png")).content == b"12345"
    assert run(blobs.read("copies/c.png")) == b"12345"
    for gone in (blobs.copy(first, "copies/d.png"), blobs.read(first)):
        with pytest.raises(Problem) as error:
            run(gone)
        assert error.value.status == 404


def test_objects_whose_names_begin_with_a_dot_are_listed_like_all_others(
    server: Server, tmp_path: Path
) -> None:
    blobs = FolderBlobs(tmp_path, "http://x", b"k", Clock())

    for name in (".a", ".a.about", "a"):
        server.loop.run(blobs.write(f"notes/{name}", "image/png", b"12345"))
    found = server.loop.run(blobs.under("notes/"))
    assert [blob.key for blob in found] == ["notes/.a", "notes/.a.about", "notes/a"]


def test_a_file_name_is_made_safe() -> None:
    assert safe_name("Ünser Brief (1)/..#.pdf") == "_nser_Brief__1__.._.pdf"
    assert [safe_name(name) for name in (".", "..", ".x")] == ["_", "__", ".x"]


def test_options_name_a_folder_or_a_bucket(tmp_path: Path) -> None:
    opened = open_blobs(f"file:{tmp_path}/new", "http://x", b"k", Clock())
    assert isinstance(opened, FolderBlobs)
    assert (tmp_path / "new").is_dir()
    for wrong in ("x", "file:", "s3://", "http://x", "file://host/x", "file:/proc/nothing/here"):
        with pytest.raises(BlobsUnusable):
            open_blobs(wrong, "http://x", b"k", Clock())


def test_a_bucket_gives_presigned_urls_that_bind_type_and_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    blobs = open_blobs("s3://bucket?prefix=p/", "http://x", b"k", Clock())
    assert isinstance(blobs, S3Blobs)
    put = urlsplit(blobs.upload_url("a/b.png", "image/png", 5))
    assert put.path.endswith("/p/a/b.png")
    query = parse_qs(put.query)
    assert query["X-Amz-SignedHeaders"] == ["content-length;content-type;host"]
    assert query["X-Amz-Expires"] == ["900"]
    assert parse_qs(urlsplit(blobs.read_url("a/b.png")).query)["X-Amz-Expires"] == ["3600"]


@pytest.fixture
def bucket() -> Iterator[tuple[S3Blobs, Stubber]]:
    """Objects in a bucket under a prefix; the stub says what S3 answers to what it is asked."""
    client = aws_stub_client()
    with Stubber(client) as stub:
        yield S3Blobs(client, "bucket", "p/", SignedUrls("http://here", b"k", Clock())), stub
        stub.assert_no_pending_responses()


def aws_stub_client() -> Any:
    return botocore.session.get_session().create_client(
        "s3", region_name="eu-west-1", aws_access_key_id="any", aws_secret_access_key="any"
    )


PLACE = {"Bucket": "bucket", "Key": "p/a/b.png"}
HEAD: dict[str, Any] = {
    "ContentType": "image/png",
    "ContentLength": 5,
    "LastModified": datetime.now(UTC),
}


def test_a_bucket_is_written_and_read_under_its_prefix(bucket: tuple[S3Blobs, Stubber]) -> None:
    blobs, stub = bucket
    stub.add_response("put_object", {}, {**PLACE, "Body": b"12345", "ContentType": "image/png"})
    content = StreamingBody(io.BytesIO(b"12345"), 5)
    stub.add_response("get_object", {"Body": content}, PLACE)
    stub.add_response("head_object", HEAD, PLACE)
    stub.add_response("delete_object", {}, PLACE)

    async def use() -> None:
        await blobs.write("a/b.png", "image/png", b"12345")
        assert await blobs.read("a/b.png") == b"12345"
        found = await blobs.find("a/b.png")
        assert found == Blob("a/b.png", "image/png", 5, HEAD["LastModified"])
        await blobs.delete("a/b.png")

    asyncio.run(use())


def test_an_object_of_a_bucket_is_copied_and_listed(bucket: tuple[S3Blobs, Stubber]) -> None:
    blobs, stub = bucket
    target = {"Bucket": "bucket", "Key": "p/c/d.png"}
    stub.add_response("copy_object", {}, {"CopySource": PLACE, **target})
    listed = {"Key": "p/c/d.png", "Size": 5, "LastModified": HEAD["LastModified"]}
    wanted = {"Bucket": "bucket", "Prefix": "p/c/"}
    stub.add_response("list_objects_v2", {"IsTruncated": False, "Contents": [listed]}, wanted)
    stub.add_response("head_object", HEAD, target)

    async def use() -> list[Blob]:
        await blobs.copy("a/b.png", "c/d.png")
        return await blobs.under("c/")

    assert [(blob.key, blob.content_type) for blob in asyncio.run(use())] == [
        ("c/d.png", "image/png")
    ]


def test_a_picture_of_an_object_in_a_bucket_is_drawn_here(bucket: tuple[S3Blobs, Stubber]) -> None:
    blobs, stub = bucket
    place = {"Bucket": "bucket", "Key": "p/a/b.png"}
    head = {"ContentType": "image/png", "ContentLength": 5, "LastModified": datetime.now(UTC)}
    stub.add_response("head_object", head, place)
    body = {"Body": StreamingBody(io.BytesIO(b"12345"), 5)}
    stub.add_response("get_object", body, place)
    assert asyncio.run(blobs.rendition("a/b.png", 64)) == PLACEHOLDER
    assert blobs.rendition_url("a/b.png", 64).startswith("http://here/blobs/a/b.png?rendition=64&")


def test_what_a_bucket_has_not_is_404(bucket: tuple[S3Blobs, Stubber]) -> None:
    blobs, stub = bucket
    for operation in ("get_object", "copy_object", "head_object"):
        stub.add_client_error(operation, "NoSuchKey", http_status_code=404)

    async def use() -> None:
        for asked in (blobs.read("a/b.png"), blobs.copy("a/b.png", "c/d.png")):
            with pytest.raises(Problem) as error:
                await asked
            assert error.value.status == 404
        assert await blobs.find("a/b.png") is None

    asyncio.run(use())


def test_what_a_bucket_refuses_is_no_404(bucket: tuple[S3Blobs, Stubber]) -> None:
    blobs, stub = bucket
    for operation in ("get_object", "copy_object", "head_object"):
        stub.add_client_error(operation, "AccessDenied", http_status_code=403)

    async def use() -> None:
        for asked in (blobs.read("a"), blobs.copy("a", "b"), blobs.find("a")):
            with pytest.raises(ClientError, match="AccessDenied"):
                await asked

    asyncio.run(use())


def test_signatures_are_by_method_key_and_query(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path, "http://x", b"k", Clock(lambda: 1000.0))
    made = {blobs.read_url("a/b"), blobs.read_url("a/c"), blobs.upload_url("a/b", "t", 1)}
    signatures = {parse_qs(urlsplit(url).query)["signature"][0] for url in made}
    assert len(signatures) == 3
    assert all(len(one) == hashlib.sha256().digest_size * 2 for one in signatures)


def test_a_full_disk_is_507_and_files_are_for_their_owner_alone(
    ann: Caller, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = upload(ann)
    root = Path(urlsplit(server.services.settings.blobs).path)
    modes = {path.stat().st_mode & 0o077 for path in root.rglob("*")}
    assert modes == {0}

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tablewright.web.services.blobs.os.fsync", full)
    reply = ann.request("PUT", told["url"], content=b"54321", headers=TYPE)
    assert reply.status_code == 507
    monkeypatch.undo()
    read = ann.get(note_with(ann, told["key"])["pictureUrl"])
    assert read.content == b"12345"
    assert not list(root.rglob("~upload-*"))
