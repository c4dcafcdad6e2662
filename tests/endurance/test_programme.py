"""The programme itself: sizes, seeds, shares of time, and the table."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from .effort import Effort, Options
from .plugin import ROOT, Clock
from .programme import BEGIN, END, PAGE, Outcome, Programme, balanced, chosen, done_in, weight_of
from .trials import TRIALS, Trial


def effort_of(size: str, seconds: float | None = None, **options: int) -> Effort:
    return Effort(Options(size, **options), "T1", "tests/x.py::test_y[z]", seconds)  # type: ignore[arg-type]


@pytest.mark.parametrize(("size", "count"), [("change", 2), ("nightly", 5), ("release", 9)])
def test_a_size_has_its_number_of_rounds(size: str, count: int) -> None:
    effort = effort_of(size)
    assert list(effort.rounds("kills", change=2, nightly=5, release=9)) == list(range(count))
    assert effort.figures == {"kills": count}


def test_a_test_whose_time_is_over_has_done_one_round() -> None:
    effort = effort_of("nightly", seconds=0.0)
    assert list(effort.rounds("kills", change=2, nightly=5, release=9)) == [0]
    assert effort.budget(change=2, nightly=5, release=9) == 0.0


def test_chance_depends_on_the_seed_the_test_and_the_round() -> None:
    def number(seed: int, round_: int) -> float:
        return effort_of("change", seed=seed).random(round_).random()

    assert number(1, 1) == number(1, 1)
    assert len({number(1, 1), number(2, 1), number(1, 2)}) == 3


def test_a_failure_names_the_command_that_replays_it() -> None:
    effort = effort_of("nightly", seed=4711)
    rounds = effort.rounds("kills", change=2, nightly=5, release=9)
    assert [next(rounds), next(rounds)] == [0, 1]
    assert effort.replay == (
        "./dev endure --only T1 --size nightly --seed 4711 --first 1 -- -k 'test_y'"
    )
    again = effort_of("nightly", seed=4711, first=1)
    assert next(again.rounds("kills", change=2, nightly=5, release=9)) == 1


def test_options_reach_another_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    options = Options("release", 7, 3, 1.5, tmp_path / "report")
    for name, value in options.environment().items():
        monkeypatch.setenv(name, value)
    assert Options.from_environment() == options


def test_tests_share_the_time_by_their_weight() -> None:
    clock = Clock(100.0, {"a": 1.0, "b": 3.0})
    assert clock.share("a") == pytest.approx(25.0, abs=1)
    assert clock.share("b") == pytest.approx(100.0, abs=1)  # Nothing was spent on the other.


def test_lanes_have_about_the_same_weight() -> None:
    trials = [Trial(f"X{n}", "", (), weight=n) for n in range(1, 6)]
    assert sorted(map(weight_of, balanced(trials))) == [7, 8]


def test_figures_of_a_trial_are_added_up(tmp_path: Path) -> None:
    lines = [{"figures": {"kills": 2, "most_MB": 5}}, {"figures": {"kills": 3, "most_MB": 4}}]
    report = tmp_path / "report.ndjson"
    report.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert done_in(report) == {"kills": 5, "most MB": 5}
    assert done_in(tmp_path / "none") == {}


def test_the_table_takes_the_place_of_the_last_one(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nan earlier table\n{END}\nafter\n")
    programme = Programme(TRIALS[:2], Options(seconds=3600), [])
    programme.outcomes["T1"] = Outcome(TRIALS[0], 1, "passed", 12.0, {"kills": 3000.0})
    programme.write(page)
    text = page.read_text()
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "earlier" not in text
    assert "3,000 kills | passed | 12 |" in text
    assert not programme.has_passed  # T2 was not run.


def test_an_unknown_trial_is_refused() -> None:
    assert [trial.name for trial in chosen("T2,T1")] == ["T2", "T1"]
    with pytest.raises(SystemExit, match="no trial is called T99"):
        chosen("T99")


def test_every_trial_has_tests_and_a_row_on_the_page() -> None:
    page = PAGE.read_text("utf-8")
    for trial in TRIALS:
        assert re.search(rf"^\| {trial.name}\b", page, re.MULTILINE), trial.name
        assert [name for name in trial.tests if not (ROOT / name).exists()] == [], trial.name


def test_every_test_that_asks_for_effort_belongs_to_its_trial() -> None:
    for file in (ROOT / "tests").rglob("test_*.py"):
        for name in re.findall(r'@pytest\.mark\.trial\("(T\d+)"', file.read_text("utf-8")):
            [trial] = [one for one in TRIALS if one.name == name]
            place = file.relative_to(ROOT).as_posix()
            assert any(place.startswith(test) for test in trial.tests), (place, name)
