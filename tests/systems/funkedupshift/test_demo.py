"""The data to look at: the same every time, and such that the system takes it for its own."""

from __future__ import annotations

from collections import Counter

from tablewright.systems.funkedupshift.demo import demo_rows, fill

from .catalogue import Catalogue, match_body, place


def test_rows_are_the_same_every_time() -> None:
    rows = list(demo_rows())
    assert rows == list(demo_rows())
    kinds = Counter(type(row).__name__ for row in rows)
    assert (kinds["Site"], kinds["Match"], kinds["Player"], kinds["Group"]) == (12, 30, 6, 3)
    assert kinds["Rating"] >= 20
    assert kinds["Comment"] >= 10


def test_the_system_serves_them(catalogue: Catalogue) -> None:
    catalogue.server.loop.run(fill(catalogue.server.services))
    catalogue.require_no_drift()
    sites = catalogue.items(catalogue.guest, "/sites")
    assert len(sites) == 12
    assert sites == sorted(sites, key=lambda site: str(site["createdAt"]), reverse=True)
    for site in sites:
        summary = catalogue.guest.get(place(site, "ratings")).json()
        assert sum(summary["distribution"].values()) == summary["ratingCount"]
        assert summary["averageRating"] == site["averageRating"]
        for comment in catalogue.items(catalogue.guest, place(site, "comments")):
            one = catalogue.guest.get(place(site, "comments", comment["commentId"]))
            assert one.json() == comment
    assert len(catalogue.items(catalogue.guest, "/sites", tag="databases")) == 4
    assert catalogue.ann.get("/me").json()["squash"] == {"canRead": True, "canWrite": False}
    assert catalogue.mia.get("/me").json()["squash"] == {"canRead": True, "canWrite": True}
    assert catalogue.ids(catalogue.mia, "/groups/Squash/members", "userId") == ["ann", "ben", "mia"]
    assert len(catalogue.items(catalogue.mia, "/users")) == 6


def test_squash_goes_on_from_them(catalogue: Catalogue) -> None:
    catalogue.server.loop.run(fill(catalogue.server.services))
    players = catalogue.items(catalogue.mia, "/squash/players")
    assert len(catalogue.items(catalogue.mia, "/squash/matches")) == 30
    for player in players:
        path = f"/squash/players/{player['playerId']}/matches"
        assert len(catalogue.items(catalogue.mia, path, limit=200)) == player["matchCount"]
    body = match_body([player["playerId"] for player in players[:4]])
    assert catalogue.mia.post("/squash/matches", json=body).status_code == 201
