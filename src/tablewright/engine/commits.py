"""Group commit: concurrent writers share one wait for the disk.

Writers queue. The writer that holds the turn runs all queued jobs in one SQLite transaction and
commits it once. A job's reply is released only after its commit, so acknowledged writes are on
disk. Jobs check before they write (`items.item_writes`), so a rejected job leaves nothing to undo.

`GroupWriter.run` is for threads. `LoopWriter` is for an event loop: it runs the jobs on the loop
and, if the disk is slow, waits for it on another thread.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tablewright.engine.command_context import Deltas, Tx
from tablewright.engine.sqlite.storage import GONE, INTERNAL, Failure
from tablewright.engine.state import Emit, State, as_service_error
from tablewright.engine.tables.catalog import Catalog
from tablewright.errors import InternalError, StorageGone

log = logging.getLogger(__name__)

GROUP_JOBS_MAX = 256
# A loop waits for the disk itself while commits are faster than this: handing them to a thread and
# back costs as much. Only readers wait with it, and no longer than for a large page.
LOOP_WAIT_SECONDS_MAX = 0.003
_RECENT = 0.2  # The weight of the newest commit in the average time of a commit.

Command = Callable[[Tx], Any]
Done = Callable[[Any, Exception | None], None]


class Job:
    """A command waiting for its commit, and then its result.

    A job of an event loop has a `loop`, on which `notify` is called once the job is done.
    """

    __slots__ = ("changes_tables", "command", "done", "emit", "error", "is_done", "loop", "result")

    def __init__(
        self,
        command: Command,
        emit: Emit,
        *,
        changes_tables: bool = False,
        done: Done | None = None,
    ) -> None:
        self.command = command
        self.emit = emit
        self.changes_tables = changes_tables
        self.done = done
        self.loop: asyncio.AbstractEventLoop | None = None
        self.result: Any = None
        self.error: Exception | None = None
        self.is_done = False

    def notify(self) -> None:
        """Pass the result or error to the callback; called on the job's loop, if it has one."""
        if self.done is not None:
            self.done(self.result, self.error)


class GroupWriter:
    """The queue of writers of one database."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.storage = state.storage
        self.queue: deque[Job] = deque()
        self.turn = threading.Lock()
        self.commit_seconds = 0.0  # Moving average of the time of a commit.
        self.committed_at: float | None = None  # The time of the last successful commit.

    def run(self, job: Job) -> Any:
        """Run a job and wait for its commit; returns its result or raises its error."""
        self.queue.append(job)
        with self.turn:
            while not job.is_done:
                self.run_group()
        if job.error is not None:
            raise job.error
        return job.result

    # The methods below require the turn.

    def run_group(self) -> None:
        """Run and commit the queued jobs; a table command at the front runs alone."""
        group = self.start_group()
        self.commit_group(group)
        group.notify()

    def start_group(self) -> Group:
        """Run queued jobs up to the next table command inside an open transaction."""
        group = Group(self._take_jobs())
        self.storage.take_writer()
        try:
            while not self._run_jobs(group):
                pass
        except BaseException:
            # A dying thread must not leave other threads waiting for the jobs it took.
            group.fail()
            self.storage.writer.rollback()
            self.storage.return_writer()
            raise
        return group

    def _take_jobs(self) -> list[Job]:
        jobs: list[Job] = []
        queue = self.queue
        while queue and len(jobs) < GROUP_JOBS_MAX:
            if queue[0].changes_tables:
                if not jobs:
                    jobs.append(queue.popleft())
                break
            jobs.append(queue.popleft())
        return jobs

    def _run_jobs(self, group: Group) -> bool:
        """Run a group's jobs in order. On an internal error, roll back and return False: retry."""
        session = self.storage.writer
        if self.storage.problem == GONE and not self.storage.is_in_place():
            group.fail(StorageGone(GONE))
            return True
        try:
            session.begin()
        except Failure as error:
            group.fail(self.storage.failure(error))
            return True
        group.is_open = True
        tx = self.state.next_view(group.deltas)
        for job in group.jobs:
            if job.error is not None:
                continue
            tx.emit = job.emit
            try:
                job.result = job.command(tx)
                group.has_success = True
            except Failure as error:
                job.error = self.storage.failure(error)
            except Exception as error:  # noqa: BLE001  # Reported by the job.
                job.error = as_service_error(error)
            if isinstance(job.error, InternalError):
                session.rollback()
                group.reset()
                return False
            if job.changes_tables and job.error is None:
                group.catalog = tx.catalog
        return True

    def commit_group(self, group: Group) -> None:
        """Commit a group's transaction, waiting for the disk."""
        session = self.storage.writer
        try:
            # Rejected jobs wrote nothing: without a success there is nothing to commit.
            if group.has_success:
                started = time.perf_counter()
                self.state.store_counts(group.catalog, group.deltas)
                session.commit()
                self.committed_at = ended = time.perf_counter()
                self.commit_seconds += _RECENT * (ended - started - self.commit_seconds)
                self.state.publish(group.catalog, group.deltas)
                if self.storage.problem:
                    self.storage.note_success()
                # After the commit: acknowledged writes are in the file at this path.
                if self.storage.is_identity_check_due(ended) and not self.storage.is_in_place():
                    group.fail(StorageGone(GONE))
            elif group.is_open:
                session.rollback()
        except Exception as error:  # noqa: BLE001  # No job is acknowledged.
            group.fail(self.storage.failure(error))
            session.rollback()
        finally:
            self.storage.return_writer()
            group.end()


class Group:
    """Jobs that share one commit, with their changes of the catalog and the counts."""

    __slots__ = ("catalog", "deltas", "has_success", "is_open", "jobs")

    def __init__(self, jobs: list[Job]) -> None:
        self.jobs = jobs
        self.is_open = False
        self.has_success = False
        self.catalog: Catalog | None = None
        self.deltas: Deltas = {}

    def reset(self) -> None:
        """Prepare for a retry after a rollback; internal errors of jobs stay."""
        self.is_open = self.has_success = False
        self.catalog = None
        self.deltas.clear()
        for job in self.jobs:
            if not isinstance(job.error, InternalError):
                job.error = None

    def fail(self, error: InternalError | None = None) -> None:
        """Fail every job: an error of one job may come from the effects of another."""
        error = error or InternalError(INTERNAL)
        self.has_success = False
        for job in self.jobs:
            job.result = None
            # One instance each: a shared one would accumulate the tracebacks of all threads.
            job.error = type(error)(error.message)
        self.end()

    def end(self) -> None:
        for job in self.jobs:
            job.is_done = True

    def notify(self, here: asyncio.AbstractEventLoop | None = None) -> None:
        """Notify the jobs of event loops, each on its own loop; `here` is this thread's loop.

        If notifying one job fails, the others are still notified.
        """
        for job in self.jobs:
            if job.loop is None:
                continue
            try:
                if job.loop is here:
                    job.notify()
                else:
                    job.loop.call_soon_threadsafe(job.notify)
            except Exception:
                log.exception("cannot notify a request of its result")


class LoopWriter:
    """Group commit for an event loop: jobs run on the loop, a thread waits for a slow disk."""

    def __init__(self, writer: GroupWriter, loop: asyncio.AbstractEventLoop) -> None:
        self._writer = writer
        self._loop = loop
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="tablewright-commit")
        self._is_scheduled = False
        self._gathered = 0  # Number of jobs queued one loop iteration ago.

    def submit(self, job: Job) -> None:
        """Queue a job; its `notify` is called on the loop once it is on disk or rejected."""
        job.loop = self._loop
        self._writer.queue.append(job)
        if not self._is_scheduled:
            self._is_scheduled = True
            # In the next loop iteration, so that requests that arrive together share a commit.
            self._loop.call_soon(self._start)

    def _start(self) -> None:
        """Commit the queued jobs once a loop iteration has added no more.

        While some requests are answered, others arrive: waiting a moment lets two or three times
        as many share a commit at little extra cost.
        """
        writer = self._writer
        queued = len(writer.queue)
        if self._gathered < queued < GROUP_JOBS_MAX:
            self._gathered = queued
            self._loop.call_soon(self._start)
            return
        self._gathered = 0
        if not queued:
            self._is_scheduled = False
        elif not writer.turn.acquire(blocking=False):
            # A thread is writing: wait for it off the loop.
            self._disk.submit(self._wait_for_turn)
        elif writer.commit_seconds > LOOP_WAIT_SECONDS_MAX:
            self._disk.submit(self._commit, self._run_jobs())
        else:
            group = self._run_jobs()
            try:
                writer.commit_group(group)
            finally:
                writer.turn.release()
                self._finish(group)

    def _run_jobs(self) -> Group:
        try:
            return self._writer.start_group()
        except BaseException:
            # Release the turn whatever the error is, or the next group waits forever.
            self._writer.turn.release()
            self._loop.call_soon(self._start)
            raise

    def _wait_for_turn(self) -> None:
        try:
            with self._writer.turn:
                self._writer.run_group()
        finally:
            self._loop.call_soon_threadsafe(self._start)

    def _commit(self, group: Group) -> None:
        try:
            self._writer.commit_group(group)
        finally:
            self._writer.turn.release()
            self._loop.call_soon_threadsafe(self._finish, group)

    def _finish(self, group: Group) -> None:
        group.notify(self._loop)
        # In the next iteration: pending requests are read first and share the next commit.
        self._loop.call_soon(self._start)

    def close(self) -> None:
        """Wait until submitted jobs are on disk."""
        self._disk.shutdown(wait=True)
