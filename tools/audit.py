"""``./dev audit`` and ``./dev sbom``: what the locked packages are, and what is known against them.

Both tools run in an environment of their own (``.cache/audit``, from ``requirements-audit.lock``):
they bring fifty packages that nothing else needs.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".cache" / "audit"
LOCK = ROOT / "requirements-audit.lock"
SBOM = ROOT / "dist" / "sbom.cdx.json"


def main(verb: str) -> int:
    prepare()
    return {"audit": audit, "sbom": write_sbom}[verb]()


def prepare() -> None:
    """Make the environment, unless it was made from this lock."""
    stamp = ENVIRONMENT / ".made-from"
    wanted = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text("ascii") == wanted:
        return
    print("• Installing pip-audit and cyclonedx-py", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)], check=True)
    pip = [str(ENVIRONMENT / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--require-hashes", "-r", str(LOCK)], check=True)
    stamp.write_text(wanted, "ascii")


def audit() -> int:
    """Compare the locked packages with the database of advisories; 1 if one is known to be bad."""
    command = ["pip-audit", "--require-hashes", "--disable-pip", "--format", "json"]
    command += ["--progress-spinner", "off", "--requirement", str(ROOT / "requirements-dev.lock")]
    ended = subprocess.run(
        [str(ENVIRONMENT / "bin" / command[0]), *command[1:]],
        check=False,
        capture_output=True,
        text=True,
    )
    try:
        report = json.loads(ended.stdout)
    except ValueError:
        print(ended.stderr.strip().splitlines()[-1] if ended.stderr else "pip-audit said nothing")
        print("No database of advisories could be reached: nothing was audited.")
        return 0
    code, lines = judge(report)
    print("\n".join(lines))
    return code


def judge(report: dict[str, Any]) -> tuple[int, list[str]]:
    """What a report of pip-audit comes to: the exit code, and what to print."""
    packages = report["dependencies"]
    bad = [package for package in packages if package.get("vulns")]
    unknown = [package for package in packages if "skip_reason" in package]
    if len(unknown) == len(packages):
        return 0, ["No database of advisories could be reached: nothing was audited."]
    lines = [
        f"{package['name']} {package['version']}: {flaw['id']}, fixed in "
        f"{', '.join(flaw['fix_versions']) or 'no version yet'}"
        for package in bad
        for flaw in package["vulns"]
    ]
    lines += [f"{package['name']}: {package['skip_reason']}" for package in unknown]
    lines.append(f"{len(packages) - len(unknown)} packages audited, {len(bad)} with advisories.")
    return (1 if bad else 0), lines


def write_sbom() -> int:
    """Write the parts of this installation in the format of CycloneDX."""
    SBOM.parent.mkdir(exist_ok=True)
    command = [str(ENVIRONMENT / "bin" / "cyclonedx-py"), "environment", "--output-reproducible"]
    command += ["--pyproject", str(ROOT / "pyproject.toml"), "--of", "JSON", "-o", str(SBOM)]
    code = subprocess.run([*command, sys.executable], check=False).returncode
    if code == 0:
        parts = json.loads(SBOM.read_text("utf-8"))["components"]
        print(f"Wrote {SBOM.relative_to(ROOT)}: {len(parts)} parts.")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
