"""Messages about limits: which is reached first, why, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tablewright.studio.format.amounts import amount_text, rate_text
from tablewright.studio.format.number_format import bytes_text, number

if TYPE_CHECKING:
    from tablewright.studio.capacity.limit_forecast import Limit
    from tablewright.studio.capacity.whatif import Assumptions

__all__ = ["LimitLine", "Verdict", "limit_line", "verdicts_of"]


@dataclass(frozen=True)
class LimitLine:
    """A limit in a table."""

    title: str  # "1,000 write units a second in LETTERS"
    short: str
    place: str
    load: str
    percent: float
    breaks_at: str
    line: str  # The pattern or write that adds most.
    line_share: str
    why: str
    fix: str
    is_soft: bool
    is_broken: bool


@dataclass(frozen=True)
class Verdict:
    """A sentence for the top of the page."""

    level: Literal["good", "warn", "bad"]
    head: str
    title: str
    when: str
    limit: LimitLine | None


def limit_line(limit: Limit, assumed: Assumptions) -> LimitLine:
    """A limit in words."""
    unit = "write" if limit.is_write else "read"
    most = bytes_text(int(limit.most)) if limit.kind == "collection" else f"{limit.most:,.0f}"
    titles = {
        "partition": f"{most} {unit} units a second of one partition, {limit.subject}",
        "quota": f"{most} {unit} units a second of {limit.place}, its quota",
        "start": f"{most} {unit} units a second of {limit.place}, when it is new",
        "collection": f"{most} of one collection, {limit.subject}",
    }
    shorts = {
        "partition": f"{limit.subject} {unit}s",
        "quota": f"{limit.place} {unit} quota",
        "start": f"{limit.place} new, {unit}s",
        "collection": f"{limit.subject} 10 GB",
    }
    is_bytes = limit.kind == "collection"
    return LimitLine(
        title=titles[limit.kind],
        short=shorts[limit.kind],
        place=limit.place,
        load=bytes_text(int(limit.load)) if is_bytes else rate_text(limit.load),
        percent=round(min(limit.percent, 9999.0), 2),
        breaks_at=amount_text(limit.breaks_at) if limit.breaks_at is not None else "never",
        line=limit.line,
        line_share=f"{100 * limit.line_share:.0f} %",
        why=_why(limit, assumed),
        fix=_fix(limit),
        is_soft=limit.is_soft,
        is_broken=limit.percent >= 100,
    )


def _why(limit: Limit, assumed: Assumptions) -> str:
    if limit.kind == "quota":
        return "The default quota of an account for one table or index."
    if limit.kind == "start":
        return "A new on-demand table starts with this, then scales to twice its last peak."
    if limit.values == 1:
        return "All calls use a single key, however many callers there are."
    keys = f"{limit.values:,} keys, the busiest at {number(assumed.skew)} times the average"
    if limit.kind == "collection":
        return f"A local index keeps a collection in one partition: {keys}."
    return f"{keys}."


def _fix(limit: Limit) -> str:
    if limit.kind == "quota":
        return "Request a higher quota in time; it is free."
    if limit.kind == "start":
        return "Ramp up over half an hour, or set warm throughput before a launch."
    if limit.kind == "collection":
        return "Add a field to the partition key, or replace the local index with a global one."
    if limit.values == 1:
        return "Spread the key over shards (…#0 to …#9) and read them together, or cache the reads."
    if limit.is_write:
        return "Shard the key, or write aggregates less often."
    return "Use eventually consistent reads, smaller pages, or a cache for the busiest keys."


def verdicts_of(limits: tuple[Limit, ...], assumed: Assumptions) -> tuple[Verdict, ...]:
    """The first limit, and the first that is the design's own."""
    hard = [limit for limit in limits if not limit.is_soft and limit.breaks_at is not None]
    own = [limit for limit in hard if limit.kind != "quota"]
    if not hard:
        return (Verdict("good", "No limit reached", "No limit is reached at any size.", "", None),)
    verdicts = [_verdict("The first limit that breaks", hard[0], assumed)]
    if own and own[0] is not hard[0]:
        verdicts.append(_verdict("The first limit of the design", own[0], assumed))
    elif not own:
        verdicts.append(_spread(limits))
    return tuple(verdicts)


def _spread(limits: tuple[Limit, ...]) -> Verdict:
    """That nothing in the design breaks, with the partition that comes closest."""
    text = "All keys scale with the number of callers. Only quotas remain, and those can be raised."
    partitions = [limit for limit in limits if limit.kind == "partition"]
    closest = max(partitions, key=lambda limit: limit.percent, default=None)
    near = ""
    if closest is not None:
        unit = "write" if closest.is_write else "read"
        share = f"{closest.percent:.2g} % of the {closest.most:,.0f} {unit} units of a partition"
        near = f"the busiest is {closest.subject}, at {share}"
    return Verdict("good", "In the design itself", text, near, None)


def _verdict(head: str, limit: Limit, assumed: Assumptions) -> Verdict:
    assert limit.breaks_at is not None
    line = limit_line(limit, assumed)
    times = limit.breaks_at / assumed.total if assumed.total else 0.0
    if limit.percent >= 100:
        when = f"at {line.breaks_at} calls a day: {amount_text(1 / times)} times less than here"
        return Verdict("bad", head, line.title, when, line)
    far = f"{times:.1f}" if times < 10 else amount_text(times)
    when = f"at {line.breaks_at} calls a day: {far} times as many as here"
    return Verdict("warn" if times < 10 else "good", head, line.title, when, line)
