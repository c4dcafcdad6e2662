"""Passcodes: hashed with a salt, compared in their own time."""

from __future__ import annotations

import asyncio

from tablewright.systems.stayon.services.passcodes import Passcodes


def test_a_passcode_fits_its_own_hash_alone() -> None:
    async def told() -> tuple[str, str, list[bool]]:
        passcodes = Passcodes()
        one, two = await passcodes.hash("open sesame"), await passcodes.hash("open sesame")
        tried = [("open sesame", one), ("open sesame ", one), ("Open sesame", one), ("", one)]
        return one, two, [await passcodes.is_right(text, hashed) for text, hashed in tried]

    one, two, right = asyncio.run(told())
    assert one.startswith("$scrypt$ln=14,r=8,p=1$")
    assert one != two  # Each has a salt of its own.
    assert "sesame" not in one
    assert right == [True, False, False, False]


def test_no_passcode_and_a_broken_hash_fit_nothing() -> None:
    async def told() -> list[bool]:
        passcodes = Passcodes()
        return [
            await passcodes.is_right("any", hashed)
            for hashed in (None, "", "no hash", "$scrypt$ln=14,r=8,p=1$$")
        ]

    assert asyncio.run(told()) == [False] * 4
