"""The floor of ``./dev bench systems``: FastAPI endpoints that only check a token and a body.

They have the same models as the systems' endpoints, and answer from memory. Started with a port
and a file that lists them.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import jwt
import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException

KEY = "only for benchmarks, never for anything else"


def token() -> str:
    """What these endpoints take; with the claims of a usual one."""
    claims = {"sub": "ann", "email": "ann@example.com", "name": "Ann", "groups": ["athlete"]}
    return jwt.encode({**claims, "exp": 2**33}, KEY, algorithm="HS256")


async def caller(authorization: Annotated[str, Header()]) -> str:
    try:
        claims = jwt.decode(authorization.removeprefix("Bearer "), KEY, algorithms=["HS256"])
    except jwt.PyJWTError:
        raise HTTPException(401) from None
    return str(claims["sub"])


def model(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def add(app: FastAPI, route: dict[str, Any]) -> None:
    """One endpoint: the body is checked against its model, the answer made of one."""
    told = model(route["answer"])
    sample = route["sample"]

    async def read(_caller: Annotated[str, Depends(caller)]) -> Any:
        return told.model_validate(sample)

    async def write(body: Any, _caller: Annotated[str, Depends(caller)]) -> Any:
        assert body is not None
        return told.model_validate(sample)

    endpoint = read
    if route["body"]:
        write.__annotations__["body"] = model(route["body"])
        endpoint = write
    app.add_api_route(route["path"], endpoint, methods=[route["method"]], response_model=told)


def main() -> None:
    port, routes = sys.argv[1:]
    app = FastAPI()
    for route in json.loads(Path(routes).read_text("utf-8")):
        add(app, route)
    uvicorn.run(
        app, host="127.0.0.1", port=int(port), loop="uvloop", http="httptools", access_log=False
    )


if __name__ == "__main__":
    main()
