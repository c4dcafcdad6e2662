"""The five designs, by the folder of their tests."""

from __future__ import annotations

from tablewright import Design
from tablewright.systems.funkedupshift.design import FunkedUpShift
from tablewright.systems.hold_that_thought.design import HoldThatThought
from tablewright.systems.roll_model.design import RollModel
from tablewright.systems.stayon.design import StayOn
from tablewright.systems.threefc.design import ThreeFC

__all__ = ["SYSTEMS", "TABLES"]

SYSTEMS: dict[str, type[Design]] = {
    "roll_model": RollModel,
    "funkedupshift": FunkedUpShift,
    "stayon": StayOn,
    "threefc": ThreeFC,
    "hold_that_thought": HoldThatThought,
}
TABLES = tuple(table for system in SYSTEMS.values() for table in system.__design__.tables)
