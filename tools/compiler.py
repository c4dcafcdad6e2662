"""Compiles the hot modules with mypyc: ``./dev compile``.

Everything happens in ``build/compiled``: ``source`` is a copy of what is compiled, ``c`` the code
that mypyc makes of it, ``objects`` what the compiler made of that, by digest, so that the next time
only what has changed is compiled. The result is moved to the folder of its digest when it is whole.
Why it is found there and never out of date: ``compiled_modules.py``.
"""

from __future__ import annotations

import hashlib
import io
import os
import py_compile
import shutil
import site
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import compiled_modules
from compiled_modules import LIBRARY, MODULES, PACKAGE, suffix

if TYPE_CHECKING:
    from setuptools import Extension

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / PACKAGE
PLACE = ROOT / "build" / "compiled"
MAKER = "made-by"
KEPT = 3  # This one, and two before for branches that one goes back to.
# Calls within the library and into Python go straight there: a twentieth of a request's time.
LINUX = sys.platform == "linux"
COMPILE_FLAGS = ["-fno-plt", "-fno-semantic-interposition"] if LINUX else []
LINK_FLAGS = ["-Wl,-Bsymbolic-functions"] if LINUX else []
UNAVAILABLE = 3  # The exit code that means: this machine cannot, plain Python it is.


def main() -> int:
    lacks = missing()
    if lacks:
        say(f"Not compiled, since {lacks}; plain Python runs as well")
        return UNAVAILABLE
    started = time.monotonic()
    from setuptools.errors import CompileError, LinkError

    try:
        home = renewed()
    except (CompileError, LinkError) as failure:
        say(f"Not compiled: {failure}; plain Python runs as well")
        return 1
    enable(Path(site.getsitepackages()[0]))
    seconds = time.monotonic() - started
    print(f"{len(MODULES)} modules are compiled: {home.relative_to(ROOT)} ({seconds:.0f} s)")
    return 0


def missing() -> str | None:
    """What this machine lacks for compiling."""
    try:
        import mypyc  # noqa: F401
        import setuptools  # noqa: F401
    except ImportError as failure:
        return f"{failure.name} is not installed"
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cl"
    if not shutil.which(compiler.split()[0]):
        return f"there is no C compiler ({compiler.split()[0]})"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "Python's headers are not installed"
    return None


def renewed() -> Path:
    """The folder with the code of the modules as they are now, compiled if it was not there."""
    PLACE.mkdir(parents=True, exist_ok=True)
    with one_at_a_time(PLACE / "lock"):
        copy = copied_sources()
        home = PLACE / compiled_modules.digest(str(copy))
        if not is_fresh(home):
            say(f"Compiling {len(MODULES)} modules with mypyc (up to a minute)")
            with tempfile.TemporaryDirectory(dir=PLACE) as unfinished:
                made = Path(unfinished) / "made"
                build(copy.parent, made)
                (made / MAKER).write_text(maker(), encoding="utf-8")
                shutil.rmtree(home, ignore_errors=True)
                made.rename(home)
        os.utime(home)
        sweep()
    return home


def copied_sources() -> Path:
    """A copy, which nobody edits meanwhile, of just what the digest is made from."""
    copy = PLACE / "source" / PACKAGE
    shutil.rmtree(copy, ignore_errors=True)
    for path in map(Path, compiled_modules.sources(str(SOURCE))):
        target = copy / path.relative_to(SOURCE)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return copy


def is_fresh(home: Path) -> bool:
    """Whether there is code in it, and this version of mypyc made it."""
    path = home / MAKER
    return path.is_file() and path.read_text(encoding="utf-8") == maker()


def maker() -> str:
    from mypy.version import __version__

    return " ".join(["mypyc", __version__, *COMPILE_FLAGS, *LINK_FLAGS]) + "\n"


def build(source: Path, target: Path) -> None:
    """Compile the package in one folder into extension modules in another."""
    compiler = c_compiler()
    extensions = generate(source, PLACE / "c")
    headers = hashlib.sha256()
    for path in sorted((PLACE / "c").rglob("*.h")):
        headers.update(path.read_bytes())

    # mypyc puts the headers of a library that lies in a package beside it, and includes them bare.
    places = [str(PLACE / "c" / PACKAGE), sysconfig.get_path("include")]

    def compile_c(extension: Extension, path: str) -> str:
        own = [*extension.extra_compile_args, *COMPILE_FLAGS]
        flags = (maker(), suffix(), compiler.compiler_so, own)
        key = hashlib.sha256(repr(flags).encode())
        if extension.include_dirs:  # A module's own file only opens the library.
            key.update(headers.digest())
        key.update(Path(path).read_bytes())
        folder = PLACE / "objects" / key.hexdigest()[:32]
        made = list(folder.rglob("*.o*"))
        if made:
            os.utime(folder)
            return str(made[0])
        with tempfile.TemporaryDirectory(dir=PLACE) as unfinished:
            fresh = Path(unfinished) / "made"
            compiler.compile(
                [path],
                output_dir=str(fresh),
                include_dirs=[*extension.include_dirs, *places],
                extra_postargs=own,
            )
            folder.parent.mkdir(exist_ok=True)
            fresh.rename(folder)
        return str(next(folder.rglob("*.o*")))

    def link(extension: Extension) -> None:
        objects = [futures[path].result() for path in extension.sources]
        file = target.joinpath(*extension.name.split(".")).with_suffix(suffix())
        file.parent.mkdir(parents=True, exist_ok=True)
        compiler.link_shared_object(objects, str(file), extra_postargs=LINK_FLAGS)

    with working_in(PLACE / "c"), ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = {
            path: pool.submit(compile_c, extension, path)
            for extension in extensions
            for path in by_size(extension.sources)
        }
        try:
            list(pool.map(link, extensions))
        finally:
            pool.shutdown(cancel_futures=True)


def generate(source: Path, target: Path) -> list[Extension]:
    """Let mypyc write C; exits with its messages if it refuses."""
    from mypyc.build import mypycify

    target.mkdir(exist_ok=True)
    files = [str(Path(PACKAGE, *name.split(".")).with_suffix(".py")) for name in MODULES]
    # The layers above are not there; only the package's own public face names them.
    options = ["--config-file=", "--strict", "--disable-error-code=import-not-found"]
    options.append(f"--cache-dir={os.devnull}")
    said = io.StringIO()  # Advice, unless it fails.
    with working_in(source), redirect_stdout(said):
        try:
            extensions = mypycify(
                [*options, *files],
                opt_level="2",
                debug_level="0",
                multi_file=True,
                group_name=f"{PACKAGE}.{LIBRARY.removesuffix('__mypyc')}",
                target_dir=str(target),
            )
        except SystemExit:
            say(said.getvalue())
            raise
    return list(extensions)


def c_compiler() -> Any:
    from setuptools._distutils import ccompiler
    from setuptools._distutils.sysconfig import customize_compiler

    compiler = ccompiler.new_compiler()
    customize_compiler(compiler)
    return compiler


def by_size(paths: Iterable[str]) -> list[str]:
    """The largest first, so that no processor is left alone with one at the end."""
    return sorted(paths, key=lambda path: -Path(path).stat().st_size)


def sweep() -> None:
    """Remove all but the newest results, and objects that none of them can have been made of."""
    made = sorted(PLACE.glob("?" * 32), key=lambda path: -path.stat().st_mtime)
    for path in made[KEPT:]:
        shutil.rmtree(path)
    oldest = made[min(KEPT, len(made)) - 1].stat().st_mtime
    for path in (PLACE / "objects").glob("*"):
        if path.stat().st_mtime < oldest - 3600:
            shutil.rmtree(path)


def enable(packages: Path) -> None:
    """Put the finder into the environment whose packages these are."""
    finder = "_tablewright_compiled"
    copy = shutil.copyfile(compiled_modules.__file__, packages / f"{finder}.py")
    py_compile.compile(str(copy), doraise=True)  # It is loaded whenever this Python starts.
    line = f"import {finder}; {finder}.install({str(PLACE)!r})\n"
    (packages / f"{finder}.pth").write_text(line, encoding="utf-8")


def say(text: str) -> None:
    print(f"• {text}", file=sys.stderr, flush=True)


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    with path.open("w") as handle:
        try:
            import fcntl
        except ImportError:  # Windows: two compilations at once are the developer's to avoid.
            yield
            return
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main())
