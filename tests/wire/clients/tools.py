"""Downloads clients into ``.cache`` once, each into its own folder."""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path

import peers
from peers import Missing

JS = ("@aws-sdk/client-dynamodb@3.1162.0", "@aws-sdk/lib-dynamodb@3.1162.0")
AWSCLI = "awscli==1.46.2"
AIOBOTO3 = "aioboto3==15.5.0"

__all__ = ["Missing", "aioboto3_python", "aws_command", "js_home"]


def js_home() -> Path:
    """A folder whose node_modules have the AWS SDK for JavaScript; raises Missing."""
    peers.tool("node")
    home = peers.CACHE / "js"
    with peers.fetching(home):
        stamp = home / ".fetched"
        if not stamp.exists() or stamp.read_text("utf-8") != " ".join(JS):
            npm = [peers.tool("npm"), "install", "--silent", "--no-audit", "--no-fund"]
            _fetch([*npm, "--prefix", str(home), *JS], home)
            stamp.write_text(" ".join(JS), "utf-8")
    return home


def aws_command() -> Path:
    """The program aws; raises Missing."""
    return _environment("awscli", AWSCLI) / "aws"


def aioboto3_python() -> Path:
    """The Python of an environment that has aioboto3; raises Missing."""
    return _environment("aioboto3", AIOBOTO3) / "python"


def _environment(name: str, package: str) -> Path:
    """The programs of an environment that has a package; raises Missing."""
    home = peers.CACHE / name
    programs = home / "bin"
    with peers.fetching(home):
        stamp = home / ".fetched"
        if not stamp.exists() or stamp.read_text("utf-8") != package:
            try:
                venv.create(home, with_pip=True, clear=True)
            except subprocess.CalledProcessError as error:
                raise Missing(f"no virtual environment can be made: {error}") from None
            _fetch([str(programs / "python"), "-m", "pip", "install", "--quiet", package], home)
            stamp.write_text(package, "utf-8")
    return programs


def _fetch(command: list[str], folder: Path) -> None:
    try:
        peers.fetch(command, folder)
    except subprocess.TimeoutExpired:
        raise Missing(f"{' '.join(command[:3])} takes too long") from None
