"""Puts compiled modules into a wheel, when asked: HATCH_BUILD_HOOK_ENABLE_CUSTOM=true.

They lie beside their sources there, where Python prefers them by itself.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledModules(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # There the sources are edited, and a finder looks at them.
            return
        sys.path.insert(0, str(Path(__file__).parent))
        import compiler

        lacks = compiler.missing()
        if lacks:
            raise RuntimeError(f"Modules cannot be compiled, since {lacks}.")
        home = compiler.renewed()
        for file in home.rglob(f"*{compiler.suffix()}"):
            build_data["force_include"][str(file)] = str(file.relative_to(home))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
