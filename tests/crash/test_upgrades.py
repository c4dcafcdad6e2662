"""Files of older formats are brought to this one, whenever the process is killed meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.endurance.effort import Effort

from .test_kill_jobs import BROKEN_KILLS, kill


@pytest.mark.crash
@pytest.mark.trial("T17")
@pytest.mark.parametrize("version", [1, 2])
def test_an_upgrade_that_is_killed_loses_nothing(
    tmp_path: Path, effort: Effort, version: int
) -> None:
    kills = effort.pick(change=4, nightly=20, release=20)
    for number in effort.rounds("files", change=1, nightly=25, release=125):
        seed = effort.random(number).getrandbits(32)
        report = kill(tmp_path / str(number), f"upgrade from {version}", kills, seed)
        assert report["problems"] == []
        assert report["calls"] > 5
        effort.record(kills=kills, lost=0)


# The judge itself is judged: an upgrade that is no transaction must be found half done. (That from
# format 2 may be begun again anywhere.)
@pytest.mark.crash
def test_an_upgrade_that_is_no_transaction_is_found_half_done(tmp_path: Path) -> None:
    report = kill(tmp_path / "broken", "upgrade from 1", BROKEN_KILLS, 1, "broken")
    assert report["problems"] != []
