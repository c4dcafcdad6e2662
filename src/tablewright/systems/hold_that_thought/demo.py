"""Data to look at: a family of seven, letters from two wars, and what they say about them.

The same every time, but for drafts: scans wait for a day only, so those were uploaded just now.
"""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel
from ulid import ULID

from tablewright import create, save
from tablewright.systems.hold_that_thought.design import (
    Comment,
    ConversationMember,
    ConversationMeta,
    Draft,
    Letter,
    Message,
    P,
    Profile,
    Reaction,
)
from tablewright.systems.hold_that_thought.permissions import ADMINS, APPROVED
from tablewright.systems.hold_that_thought.schemas import DraftStatus
from tablewright.systems.hold_that_thought.services.blob_keys import (
    letter_key,
    media_key,
    photo_key,
    scan_key,
)
from tablewright.systems.hold_that_thought.services.conversations import direct_id
from tablewright.systems.hold_that_thought.services.transcriber import embedded_reading
from tablewright.web.services.services import Services

__all__ = ["demo_files", "demo_rows", "fill"]

_START: Final = datetime(2025, 9, 1, 18, 30, tzinfo=UTC)
_SEED: Final = 1943
_PEOPLE: Final[dict[str, tuple[str, list[str], dict[str, Any]]]] = {
    "rosa": ("Rosa Conti", [ADMINS], {"bio": "Keeps the shoe box.", "generation": "2"}),
    "ann": ("Ann Conti", [APPROVED], {"family_branch": "north", "generation": "3"}),
    "ben": ("Ben Conti", [APPROVED], {"family_branch": "north", "generation": "3"}),
    "bob": ("Bob Hale", [], {"family_relationship": "Ann's husband"}),
    "eve": ("Eve Hale", [], {"generation": "4", "theme": "dark"}),
    "dora": ("Dora Conti", [], {"is_profile_private": True}),
    "carl": ("Carl Conti", [], {"status": "inactive"}),
}
_LETTERS: Final = (
    ("1916-08-30", "From the Isonzo", "Pietro Conti", 1),
    ("1918-11-05", "It is over", "Pietro Conti", 2),
    ("1943-05-12", "From Rome", "Maria Conti", 2),
    ("1943-05-12-second", "From Rome, that evening", "Maria Conti", 0),
    ("1944-06-06", "News on the radio", "Maria Conti", 1),
    ("1946-06-02", "We voted", "Maria Conti", 1),
    ("1951-11-20", "The flood", None, 0),
    ("1969-07-21", "On the moon", "Rosa Conti", 1),
)
_TEXT: Final = (
    "My dears,\n\nthe post goes only twice a week now, so I write on both sides.",
    "We are all well, and the little one asks every day when you are coming home.",
    "The bread is grey but there is bread. Keep the blue dress for me.",
    "I embrace you all.",
)
_COMMENTS: Final = (
    "I never knew that she went there alone.",
    "Look at the stamp!",
    "Grandfather told this differently.",
    "Thank you for scanning this.",
    "Who is the little one?",
)
_KINDS: Final = ("like", "heart", "candle")
_MESSAGES: Final = (
    ("ann", "Did you find the second page?"),
    ("bob", "Behind the frame, as you said."),
    ("ann", "I will scan it on Sunday."),
)
_PICTURES: Final = (("ann", "harbour.png"), ("ben", "wedding.png"), ("rosa", "shoe-box.png"))


async def fill(services: Services) -> None:
    """Put the data into an empty store, and files into the blob store."""
    now = services.clock.now()
    for row in demo_rows(now):
        await services.store.run(create(row))
    for date, _, _, scans in _LETTERS[::3]:
        # A letter that was corrected keeps what it said before.
        old = await services.store.run(P.get_letter(date).required())
        text = f"{old.content}\n\n*({scans} pages, transcribed by Ann.)*"
        at = old.created_at + timedelta(days=2)
        update = {"content": text, "updated_at": at, "updated_by": "ann"}
        await services.store.run(save(old, old.model_copy(update=update)))
    for key, content in demo_files(now):
        await services.blobs.write(key, "image/png", content)


def demo_rows(now: datetime) -> Iterator[BaseModel]:
    """People, letters, comments, reactions, conversations and drafts; the rest is derived."""
    chance = random.Random(_SEED)
    for user_id, (name, groups, fields) in _PEOPLE.items():
        yield Profile(
            user_id=user_id,
            email=f"{user_id}@example.org",
            display_name=name,
            photo_url=_photo(user_id),
            media_upload_count=[uploader for uploader, _ in _PICTURES].count(user_id),
            groups=groups,
            created_at=_START,
            updated_at=_START,
            **fields,
        )
    for number, letter in enumerate(_letters(chance)):
        yield letter
        if number % 4 != 3:
            yield from _comments(chance, letter)
    yield from _direct(chance)
    yield from _group(chance)
    yield from _drafts(chance, now)


def demo_files(now: datetime) -> Iterator[tuple[str, bytes]]:
    """Scans, pictures and photos, each with its key."""
    chance = random.Random(_SEED)
    for row in demo_rows(now):
        keys: list[str] = []
        if isinstance(row, Letter) or (isinstance(row, Draft) and row.status != "pending"):
            keys = row.file_keys
        elif isinstance(row, Profile) and row.photo_url is not None:
            keys = [row.photo_url]
        yield from ((key, _picture(chance)) for key in keys)
    for user_id, name in _PICTURES:
        yield media_key("pictures", user_id, _uuid(chance), name), _picture(chance)


def _photo(user_id: str) -> str | None:
    return photo_key(user_id, _START, "me.png") if user_id in ("rosa", "ann") else None


def _uuid(chance: random.Random) -> str:
    return str(UUID(int=chance.getrandbits(128), version=4))


def _ulid(chance: random.Random, at: datetime) -> str:
    millis = round(at.timestamp() * 1000)
    return str(ULID.from_bytes(millis.to_bytes(6, "big") + chance.randbytes(10)))


def _letters(chance: random.Random) -> Iterator[Letter]:
    for number, (date, title, author, scans) in enumerate(_LETTERS):
        at = _START + timedelta(days=number, minutes=chance.randrange(60))
        draft_id = _uuid(chance)
        keys = [scan_key(draft_id, page, "image/png") for page in range(1, scans + 1)]
        yield Letter(
            date=date,
            title=title,
            author=author,
            content="\n\n".join(chance.sample(_TEXT, 3)),
            description=f"From the shoe box, number {number + 1}.",
            file_keys=[letter_key(date, key) for key in keys],
            file_names=[f"{date} page {page}.png" for page in range(1, scans + 1)],
            created_at=at,
            updated_at=at,
            updated_by="rosa",
        )


def _comments(chance: random.Random, letter: Letter) -> Iterator[BaseModel]:
    """A few comments on a letter, and who liked them."""
    at = letter.created_at
    for _ in range(chance.randint(1, 4)):
        at += timedelta(hours=chance.randrange(1, 30))
        author = chance.choice(("ann", "ben", "bob", "eve", "dora", "carl"))
        comment = Comment(
            item_id=letter.date,
            comment_id=_ulid(chance, at),
            user_id=author,
            user_name=_PEOPLE[author][0],
            user_photo_url=_photo(author),
            comment_text=chance.choice(_COMMENTS),
            item_type="letter",
            item_title=letter.title,
            created_at=at,
        )
        yield comment
        for fan in chance.sample(("rosa", "ann", "ben", "bob", "eve"), chance.randint(0, 4)):
            at += timedelta(minutes=1)
            yield Reaction(
                item_id=letter.date,
                comment_id=comment.comment_id,
                user_id=fan,
                user_name=_PEOPLE[fan][0],
                reaction_type=chance.choice(_KINDS),
                created_at=at,
            )


def _direct(chance: random.Random) -> Iterator[BaseModel]:
    """Ann and Bob talk; he has not read what she said last."""
    at = _START + timedelta(days=10)
    times = [at + timedelta(minutes=number) for number in range(len(_MESSAGES))]
    meta = _meta(direct_id("ann", "bob"), ["ann", "bob"], at, times[-1])
    yield meta
    yield _member(meta, "ann", times[1], 0)
    yield _member(meta, "bob", times[1], 1)
    for (sender, text), said_at in zip(_MESSAGES, times, strict=True):
        yield _message(chance, meta, sender, text, said_at)


def _group(chance: random.Random) -> Iterator[BaseModel]:
    """Four people plan a visit; only its author has read the first message."""
    at = _START + timedelta(days=12)
    people = ["rosa", "ann", "ben", "eve"]
    meta = _meta(_uuid(chance), people, at, at, "Visit in October")
    yield meta
    for user_id in people:
        yield _member(meta, user_id, None, 0 if user_id == "rosa" else 1)
    yield _message(chance, meta, "rosa", "Who comes on the 12th? I bring the box.", at)


def _meta(
    conversation_id: str,
    people: list[str],
    at: datetime,
    last: datetime,
    title: str | None = None,
) -> ConversationMeta:
    return ConversationMeta(
        conversation_id=conversation_id,
        conversation_type="direct" if title is None else "group",
        conversation_title=title,
        creator_id=people[0],
        participant_ids=people,
        participant_names={user_id: _PEOPLE[user_id][0] for user_id in people},
        created_at=at,
        last_message_at=last,
    )


def _member(
    meta: ConversationMeta, user_id: str, read_at: datetime | None, unread: int
) -> ConversationMember:
    return ConversationMember(
        user_id=user_id,
        conversation_id=meta.conversation_id,
        conversation_type=meta.conversation_type,
        conversation_title=meta.conversation_title,
        last_read_at=read_at,
        unread_count=unread,
        last_message_at=meta.last_message_at,
    )


def _message(
    chance: random.Random, meta: ConversationMeta, sender: str, text: str, at: datetime
) -> Message:
    return Message(
        message_id=_ulid(chance, at),
        conversation_id=meta.conversation_id,
        sender_id=sender,
        sender_name=_PEOPLE[sender][0],
        message_text=text,
        created_at=at,
    )


def _drafts(chance: random.Random, now: datetime) -> Iterator[Draft]:
    """One that waits for its scans, one that is ready, one that could not be read."""
    names: dict[DraftStatus, list[str]] = {
        "pending": ["envelope.png"],
        "ready": ["1947-03-08 front.png", "1947-03-08 back.png"],
        "failed": ["blurred.png"],
    }
    for number, (status, scans) in enumerate(names.items()):
        draft_id = _uuid(chance)
        at = now + timedelta(milliseconds=number)
        is_ready = status == "ready"
        yield Draft(
            draft_id=draft_id,
            status=status,
            uploader_id="ann" if is_ready else "ben",
            file_keys=[scan_key(draft_id, n, "image/png") for n in range(1, len(scans) + 1)],
            file_names=scans,
            extracted_data=embedded_reading(scans) if is_ready else None,
            error_message="transcription failed" if status == "failed" else None,
            created_at=at,
            updated_at=at,
        )


def _picture(chance: random.Random) -> bytes:
    """A small PNG in one colour, with a band of another."""
    wide, high = 96, 64
    paper = bytes(chance.randrange(150, 256) for _ in range(3))
    ink = bytes(chance.randrange(120) for _ in range(3))
    rows = (b"\0" + (ink if high // 3 <= y < high // 2 else paper) * wide for y in range(high))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in (
            (b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)),
            (b"IDAT", zlib.compress(b"".join(rows))),
            (b"IEND", b""),
        )
    )
