"""Automatic fixes: the edit of the design file that resolves a finding, shown as a diff first.

What is offered was tried: the edited file was loaded beside the one that is shown, the finding was
gone, and no new error came. It is written only if the file is still what the diff was made from.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tablewright.design.lint.autofix import Fix, fixes_for
from tablewright.design.lint.report_formats import shown_path
from tablewright.design.lint.source_edits import Source, edited
from tablewright.design.lint.subject import subjects_of
from tablewright.design.rule_catalog import RULES
from tablewright.studio.shell.design_reload import (
    DesignNotLoaded,
    content_digest,
    is_own,
    own_file,
    trial,
)

if TYPE_CHECKING:
    from tablewright.design.findings import Finding
    from tablewright.studio.shell.loaded_design import LoadedDesign

__all__ = ["FixRefused", "FixTarget", "FixView", "apply_fix", "fix_view", "has_fix"]

_PACKAGED = (
    "This design is part of an installed package and cannot be edited here. "
    "Copy the change by hand."
)
_READ_ONLY = "The studio is read-only. Start it with --write."
_CHANGED = "The file has changed since it was loaded. Reload it first."


class FixRefused(ValueError):
    """A fix is not made; the message says why."""


@dataclass(frozen=True)
class FixTarget:
    """Which finding is meant, as an address has it."""

    code: str
    subject: str
    line: int


@dataclass(frozen=True)
class FixView:
    """The page."""

    code: str
    subject: str
    line: int
    title: str  # Of the rule.
    cause: str
    fix: str  # In words.
    file: str
    mend: str  # What the edit does; empty if there is none that is certain.
    note: str
    diff: tuple[tuple[str, str], ...]  # "add", "drop", "hunk" or nothing, and a line.
    warnings: tuple[str, ...]  # What lint would say besides, afterwards.
    digest: str  # Of the whole file.
    reason: str  # Why it cannot be applied here; empty if it can.


def has_fix(design: LoadedDesign, finding: Finding) -> bool:
    """Whether a finding may have a fix to show."""
    try:
        return bool(_mends(design, finding, _content(design, finding)))
    except FixRefused:
        return False


def fix_view(design: LoadedDesign, meant: FixTarget, *, may_write: bool) -> FixView:
    """The page; raises LookupError if lint does not find this."""
    finding = _finding(design, meant)
    mend: Fix | None = None
    warnings: tuple[str, ...] = ()
    content, reason = b"", ""
    try:
        content = _content(design, finding)
        mend, warnings = _certain(design, finding, content)
    except FixRefused as refused:
        reason = str(refused)
    file = finding.place.file
    path = shown_path(file, Path.cwd()) if file else ""
    if mend is not None and not reason:
        reason = _hindrance(design, may_write=may_write)
    return FixView(
        code=finding.code,
        subject=finding.subject,
        line=finding.place.line,
        title=RULES[finding.code].title,
        cause=finding.cause,
        fix=finding.fix,
        file=path,
        mend=mend.title if mend is not None else "",
        note=mend.note if mend is not None else "",
        diff=_diff(content, mend, path) if mend is not None else (),
        warnings=warnings,
        digest=hashlib.sha256(content).hexdigest(),
        reason=reason,
    )


def apply_fix(design: LoadedDesign, meant: FixTarget, digest: str, *, may_write: bool) -> Path:
    """Write a fix to the design's file; returns the file. Raises FixRefused and LookupError."""
    finding = _finding(design, meant)
    content = _content(design, finding)
    if hashlib.sha256(content).hexdigest() != digest:
        raise FixRefused(_CHANGED)
    mend, _ = _certain(design, finding, content)
    hindrance = _hindrance(design, may_write=may_write)
    if mend is None or hindrance:
        raise FixRefused(hindrance or "No safe automatic fix.")
    file = own_file(design)
    assert file is not None
    _write(file, content, edited(content, mend.edits))
    return file


def _hindrance(design: LoadedDesign, *, may_write: bool) -> str:
    if not is_own(design):
        return _PACKAGED
    return "" if may_write else _READ_ONLY


def _finding(design: LoadedDesign, meant: FixTarget) -> Finding:
    for finding in design.report.findings:
        if (finding.code, finding.subject, finding.place.line) == (
            meant.code,
            meant.subject,
            meant.line,
        ):
            return finding
    raise LookupError(f"No finding {meant.code} of {meant.subject} here.")


def _content(design: LoadedDesign, finding: Finding) -> bytes:
    """The file that the finding is about; raises FixRefused if it is not the one that is shown."""
    file = own_file(design)
    if file is None or Path(finding.place.file).resolve() != file:
        raise FixRefused("The finding is in a file other than the design file.")
    try:
        content = file.read_bytes()
    except OSError as error:
        raise FixRefused(f"The file cannot be read: {error.strerror}") from error
    if content_digest(content) != design.digest:
        raise FixRefused(_CHANGED)
    return content


def _mends(design: LoadedDesign, finding: Finding, content: bytes) -> list[Fix]:
    try:
        source = Source(content)
    except (SyntaxError, ValueError):
        return []
    [subject] = subjects_of(design.patterns or design.tables, "aws")
    return fixes_for(finding, subject, source)


def _certain(
    design: LoadedDesign, finding: Finding, content: bytes
) -> tuple[Fix | None, tuple[str, ...]]:
    """The first fix that was tried and held, and the warnings that come with it."""
    before = [(f.code, f.subject) for f in design.report.findings]
    for mend in _mends(design, finding, content):
        try:
            with trial(design, edited(content, mend.edits)) as candidate:
                after = candidate.report.findings
        except DesignNotLoaded:
            continue
        names = [(f.code, f.subject) for f in after]
        is_gone = names.count((finding.code, finding.subject)) < before.count(
            (finding.code, finding.subject)
        )
        new = [f for f in after if (f.code, f.subject) not in before]
        if is_gone and all(f.severity == "warning" for f in new):
            return mend, tuple(f"{f.code} {f.subject}: {f.cause}" for f in new)
    return None, ()


def _diff(content: bytes, mend: Fix, name: str) -> tuple[tuple[str, str], ...]:
    old, new = (text.decode().splitlines() for text in (content, edited(content, mend.edits)))
    lines = difflib.unified_diff(old, new, name, name, lineterm="")
    kinds = {"+": "add", "-": "drop", "@": "hunk"}
    return tuple(
        ("file" if line.startswith(("---", "+++")) else kinds.get(line[:1], ""), line)
        for line in lines
    )


def _write(file: Path, old: bytes, new: bytes) -> None:
    """Put other content into a file, all of it or nothing, with the rights that it has."""
    with tempfile.NamedTemporaryFile(
        dir=file.parent, prefix=f".{file.name}.", delete=False
    ) as temporary:
        path = Path(temporary.name)
        try:
            temporary.write(new)
            temporary.flush()
            os.fsync(temporary.fileno())
            shutil.copymode(file, path)
            if file.read_bytes() != old:
                raise FixRefused(_CHANGED)
            path.replace(file)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
