"""Everything an athlete owns, as JSON in two arrangements, or her entries as CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tablewright.design.item_values import time_text
from tablewright.systems.roll_model.design import (
    AiMessage,
    AiThread,
    CoachLink,
    Comment,
    Entry,
    P,
    Profile,
)
from tablewright.systems.roll_model.permissions import Caller
from tablewright.systems.roll_model.schemas import (
    CommentAnswer,
    EntryAnswer,
    EntryComment,
    EntryWithComments,
    FullExport,
    LinkAnswer,
    MessageAnswer,
    ProfileAnswer,
    Relationships,
    ThreadAnswer,
    ThreadMessage,
    ThreadWithMessages,
    TidyExport,
)
from tablewright.systems.roll_model.services.people import People
from tablewright.web.services.services import Services

__all__ = ["Export", "as_csv", "full", "read_export", "tidy"]

# What a formula begins with; also in the full width of East Asian type.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
_COLUMNS = (
    "entryId",
    "createdAt",
    "updatedAt",
    "durationMinutes",
    "intensity",
    "rounds",
    "giOrNoGi",
    "tags",
    "shared",
    "private",
)


@dataclass(frozen=True)
class Export:
    """What one athlete owns, each list in its order."""

    generated_at: datetime
    profile: Profile
    entries: list[tuple[Entry, list[Comment]]]
    links: list[CoachLink]
    threads: list[tuple[AiThread, list[AiMessage]]]
    names: dict[str, str]


async def read_export(services: Services, people: People, caller: Caller) -> Export:
    """Read everything; no snapshot, ``generated_at`` is when it began."""
    generated_at = services.clock.now()
    profile = await people.profile(caller.user_id)
    entries, links, threads = await services.store.run(P.export_athlete_data(caller.user_id))
    names = await people.names([caller.user_id, *(link.coach_id for link in links)])
    return Export(generated_at, profile, entries, links, threads, names)


def full(export: Export) -> FullExport:
    return FullExport(
        schema_version="1",
        generated_at=export.generated_at,
        athlete_id=export.profile.user_id,
        profile=ProfileAnswer.of(export.profile),
        entries=[
            EntryWithComments.of(entry, comments=list(map(CommentAnswer.of, comments)))
            for entry, comments in export.entries
        ],
        links=[LinkAnswer.named(link, export.names) for link in export.links],
        threads=[
            ThreadWithMessages.of(thread, messages=list(map(MessageAnswer.of, messages)))
            for thread, messages in export.threads
        ],
    )


def tidy(export: Export) -> TidyExport:
    comments = [comment for _, of_entry in export.entries for comment in of_entry]
    messages = [message for _, of_thread in export.threads for message in of_thread]
    # Each kind by time, then by id.
    comments.sort(key=lambda comment: (comment.created_at, comment.comment_id))
    messages.sort(key=lambda message: (message.created_at, message.message_id))
    return TidyExport(
        schema_version="1",
        generated_at=export.generated_at,
        athlete=ProfileAnswer.of(export.profile),
        entries=[EntryAnswer.of(entry) for entry, _ in export.entries],
        comments=list(map(CommentAnswer.of, comments)),
        links=[LinkAnswer.named(link, export.names) for link in export.links],
        threads=[ThreadAnswer.of(thread) for thread, _ in export.threads],
        messages=list(map(MessageAnswer.of, messages)),
        relationships=Relationships(
            entry_comments=list(map(EntryComment.of, comments)),
            thread_messages=list(map(ThreadMessage.of, messages)),
        ),
    )


def as_csv(export: Export) -> str:
    """The entries as RFC 4180 has it; what people wrote is text, whatever it looks like."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for entry, _ in export.entries:
        metrics = entry.session_metrics
        writer.writerow(
            (
                entry.entry_id,
                time_text(entry.created_at),
                time_text(entry.updated_at),
                metrics.duration_minutes,
                metrics.intensity,
                metrics.rounds,
                metrics.gi_or_no_gi,
                _text(";".join(metrics.tags)),
                _text(entry.sections.shared),
                _text(entry.sections.private),
            )
        )
    return out.getvalue()


def _text(cell: str) -> str:
    """A cell of text that no spreadsheet takes for a formula: with an apostrophe before it."""
    is_formula = cell.startswith(_FORMULA) or cell.lstrip().startswith(_FORMULA)
    return f"'{cell}" if is_formula else cell
