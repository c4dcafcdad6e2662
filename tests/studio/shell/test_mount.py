"""The studio inside a server: where it is, and when it is made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tablewright.studio.shell.mount import PATH, mount_studio
from tablewright.web.server.server_settings import Settings


def test_it_is_only_where_nobody_else_can_reach_it() -> None:
    here = mount_studio(Settings(), ["stayon"])
    assert here is not None
    assert list(here.systems) == [PATH]
    assert here.url.startswith("http://127.0.0.1:8080/studio/?token=")
    assert mount_studio(Settings(host="0.0.0.0"), ["stayon"]) is None


def test_a_server_that_nobody_opens_it_on_does_not_import_its_pages() -> None:
    program = (
        "import sys\n"
        "from tablewright.studio.shell.mount import mount_studio\n"
        "from tablewright.web.server.server_settings import Settings\n"
        "assert mount_studio(Settings(), ['stayon'])\n"
        "print([name for name in sys.modules if name.startswith('tablewright.studio.')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=Path.home()
    )
    assert "tablewright.studio.shell.mount" in done.stdout
    assert "tablewright.studio.shell.app" not in done.stdout
    assert "tablewright.studio.shell.page_routes" not in done.stdout
