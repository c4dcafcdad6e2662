"""Which modules are compiled, and how Python finds them.

``compiler.py`` makes machine code of the modules below and puts a copy of this file into the
environment, with a line in a ``.pth`` file that calls ``install`` whenever its Python starts. The
code lies in a folder that is named by a digest of the sources it was made from::

    build/compiled/8c51…/tablewright/engine/sqlite/rows.cpython-311-x86_64-linux-gnu.so

The finder computes that digest of the package that is being imported, wherever it lies. Only the
folder of that name will do; without it, plain Python runs. So no edit is answered by old code.
``TABLEWRIGHT_PURE=1`` runs plain Python anyway.

It must stay cheap: every start of the environment's Python loads it.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # As in typing, whose import takes longer than all of this.
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

PACKAGE = "tablewright"

# What a GetItem, Query, Scan, PutItem, UpdateItem, DeleteItem, a batch or a transaction runs
# through, on the wire and in process; and what derives from its classes, as only compiled classes
# can. So what people derive from or patch stays plain, as Database and Client; and what is not made
# faster: the parser of expressions (each text is parsed once), errors, the upkeep of tables.
HOT = {
    "values": (
        "attributes",
        "decimals",
        "keybytes",
        "paths",
        "sizes",
    ),
    "expressions": (
        "binding",
        "conditions",
        "key_conditions",
        "nodes",
        "operands",
        "projections",
        "resolution",
        "updates",
    ),
    "engine.requests.shapes": (
        "attribute_shapes",
        "containers",
        "scalars",
        "wording",
    ),
    "engine.requests": (
        "api_operation",
        "placeholders",
    ),
    "engine.sqlite": (
        "rows",
        "spans",
        "storage",
    ),
    "engine.tables": (
        "catalog",
        "index_entries",
        "table_schema",
    ),
    "engine.items": (
        "consumed_capacity",
        "item_collections",
        "item_keys",
        "item_writes",
        "key_ranges",
        "page_reads",
        "page_requests",
        "single_writes",
    ),
    "engine.partiql": (
        "statement_actions",
        "statement_reads",
    ),
    "engine.streams": ("stream_records",),
    "engine": (
        "command_context",
        "commits",
        "state",
    ),
    "engine.operations": (
        "batch_get_item",
        "batch_write_item",
        "delete_item",
        "get_item",
        "put_item",
        "query",
        "scan",
        "transact_get_items",
        "transact_write_items",
        "update_item",
    ),
    "wire": (
        "connection",
        "pending_request",
        "protocol",
        "service",
    ),
    "client": ("value_conversion",),
}
MODULES = [f"{folder}.{name}" for folder, names in HOT.items() for name in names]
LIBRARY = "compiled__mypyc"  # One library has the code of all modules; theirs only open it.

# All that a compiled module may import of us, and so all that its code can depend on: constants of
# other modules are compiled in, whether those are compiled or not.
LAYERS = (
    "__init__.py",
    "errors.py",
    "limits.py",
    "values",
    "expressions",
    "partiql",
    "engine",
    "wire",
    "client",
)


def install(folder: str) -> None:
    """Let Python find compiled modules in this folder of digests."""
    if not os.environ.get("TABLEWRIGHT_PURE"):
        sys.meta_path.insert(0, Finder(folder))


def sources(package: str) -> Iterator[str]:
    """The files of a package that compiled modules depend on, in a fixed order."""
    for layer in LAYERS:
        yield from files(f"{package}/{layer}")


def files(path: str) -> Iterator[str]:
    """The Python files at and below a path."""
    if path.endswith(".py"):
        yield path
    elif "." not in path[path.rindex("/") :] and not path.endswith("/__pycache__"):
        for name in sorted(os.listdir(path)):
            yield from files(f"{path}/{name}")


def digest(package: str) -> str:
    """What compiled code of this package must have been made from; raises OSError."""
    from hashlib import sha256

    text = sha256(f"{suffix()} {' '.join(MODULES)}".encode())
    for path in sources(package):
        with open(path, "rb", buffering=0) as file:
            content = file.read()
        text.update(f"\n{path[len(package) :]} {len(content)}\n".encode())
        text.update(content)
    return text.hexdigest()[:32]


def suffix() -> str:
    """How the names of extension modules end for this Python, and for no other."""
    from importlib.machinery import EXTENSION_SUFFIXES

    return EXTENSION_SUFFIXES[0]


class Finder:
    """Finds the compiled modules of a package whose sources they were made from."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._names = {f"{PACKAGE}.{name}" for name in (*MODULES, LIBRARY)}
        self._homes: dict[str, str | None] = {}

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002  # The import system's signature.
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if name not in self._names:
            return None
        package = sys.modules[PACKAGE].__path__[0]
        if package not in self._homes:
            self._homes[package] = self._home_of(package)
        home = self._homes[package]
        if home is None:
            return None
        from importlib.machinery import ExtensionFileLoader, ModuleSpec

        file = os.path.join(home, *name.split(".")) + suffix()
        # Half of the modules compiled and half plain would not know each other's objects, so what
        # is missing now (a later compilation has swept) is not looked for elsewhere.
        if not os.path.exists(file):
            raise ImportError(f"{file} has gone; start anew", name=name)
        spec = ModuleSpec(name, ExtensionFileLoader(name, file), origin=file)
        spec.has_location = True
        return spec

    def _home_of(self, package: str) -> str | None:
        """The folder of the code that was made from these sources."""
        try:
            home = os.path.join(self._folder, digest(package))
        except OSError:
            return None
        return home if os.path.isdir(home) else None
