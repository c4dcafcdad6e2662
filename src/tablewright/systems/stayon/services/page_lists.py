"""The answers to a page, for callers who may see them: RSVPs of an event, results of a poll."""

from __future__ import annotations

from tablewright.systems.stayon.design import P, Shareable
from tablewright.systems.stayon.schemas import (
    ResultsAnswer,
    RsvpAnswer,
    RsvpList,
    TotalsAnswer,
    is_closed,
)
from tablewright.systems.stayon.services.page_rights import Rights
from tablewright.systems.stayon.services.results import results_of
from tablewright.systems.stayon.services.shareables import Shareables
from tablewright.web.http.paging import LIMIT_MAX, Paging
from tablewright.web.http.problems import Problem
from tablewright.web.services.services import Services

__all__ = ["PageLists"]

_LIST = "list_rsvps"


class PageLists:
    """Reads the answers to a page."""

    def __init__(self, services: Services, pages: Shareables) -> None:
        self._services = services
        self._store = services.store
        self._pages = pages

    @staticmethod
    def require_page(short_id: str, page: Paging) -> None:
        """Raise 400 for a cursor of another list, before anything is read."""
        page.require_cut(name=_LIST, filters={"short_id": short_id})

    async def rsvps(self, rights: Rights, paging: Paging | None = None) -> RsvpList:
        """The answers to an event, and their totals; codes only for its managers."""
        page = rights.page
        rights.require_view()
        if not rights.can_manage:
            if page.rsvp_visibility == "admin":
                raise Problem(403, "rsvps_hidden", "Only managers of this page see the answers.")
            self._pages.require_current(rights)
        rows = await self._store.run(P.list_rsvps(page.short_id).all())
        paging = paging or Paging(LIMIT_MAX, None, self._services.cursors)
        listed = paging.cut(
            rows,
            lambda rsvp: (int(rsvp.created_at.timestamp() * 1000), rsvp.code),
            name=_LIST,
            filters={"short_id": page.short_id},
        )
        going = [rsvp for rsvp in rows if rsvp.response == "going"]
        with_code = rights.can_manage
        return RsvpList(
            items=[RsvpAnswer.seen(rsvp, with_code=with_code) for rsvp in listed.items],
            cursor=listed.cursor,
            totals=TotalsAnswer(
                going=len(going),
                not_going=sum(1 for rsvp in rows if rsvp.response == "notGoing"),
                maybe=sum(1 for rsvp in rows if rsvp.response == "maybe"),
                guests=sum(rsvp.guest_count or 0 for rsvp in going),
            ),
        )

    async def results(self, rights: Rights, *, has_voted: bool = False) -> ResultsAnswer:
        """The results of a poll."""
        rights.require_view()
        if not rights.can_manage:
            self._require_results(rights.page, has_voted=has_voted)
            self._pages.require_current(rights)
        votes = await self._store.run(P.tally_votes(rights.page.short_id).all())
        return results_of(rights.page, votes, self._services.clock.now())

    def _require_results(self, page: Shareable, *, has_voted: bool) -> None:
        """Raise 403 unless a viewer may see the results."""
        is_shown = {
            "always": True,
            "afterSubmit": has_voted,
            "afterClose": is_closed(page, self._services.clock.now()),
        }
        if not is_shown.get(page.results_visibility or "", False):
            raise Problem(403, "results_hidden", "The results do not show yet.")
