"""``tablewright serve``: the systems over HTTP."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablewright.cli import exits
from tablewright.cli.serving import (
    exiting,
    fill_to_look_at,
    found_systems,
    require_store_url,
    settle_memory,
)
from tablewright.errors import TablewrightError
from tablewright.file_descriptors import connections_max, raise_descriptor_limit

if TYPE_CHECKING:
    import socket

    from tablewright.web.server.app import System
    from tablewright.web.server.server_settings import Settings
    from tablewright.web.services.services import Services

__all__ = ["serve"]


def _option(name: str, text: str, **more: Any) -> Any:
    """An option that is also an environment variable."""
    return typer.Option(envvar=f"TABLEWRIGHT_{name}", help=text, **more)


Systems = Annotated[
    list[str] | None, typer.Argument(metavar="SYSTEM", help="Only these; otherwise all.")
]
Host = Annotated[str, _option("HOST", "The address to listen on.")]
Port = Annotated[int, _option("PORT", "The port; 0 takes a free one.", min=0, max=65535)]
StoreUrl = Annotated[
    str,
    _option(
        "STORE",
        "sqlite:///FILE, sqlite://:memory:, dynamodb://REGION?prefix=P or dynamodb+http://HOST:PORT.",
    ),
]
BlobsUrl = Annotated[str, _option("BLOBS", "file:FOLDER or s3://BUCKET?prefix=P.")]
PublicUrl = Annotated[
    str, _option("PUBLIC_URL", "Where people reach the server; http://HOST:PORT if left out.")
]
SecretFile = Annotated[
    Path, _option("SECRET_FILE", "The secret behind all signatures; made if it is missing.")
]
OidcIssuer = Annotated[str, _option("OIDC_ISSUER", "OpenID Connect issuer URL.")]
OidcAudience = Annotated[str, _option("OIDC_AUDIENCE", "Expected audience of tokens.")]
GroupsClaim = Annotated[str, _option("GROUPS_CLAIM", "The claim that has the groups.")]
Mail = Annotated[
    str,
    _option(
        "MAIL",
        "outbox: (sends nothing), smtp://USER:PASS@HOST:PORT (encrypted; ?tls=none is not), "
        "smtps://USER:PASS@HOST:PORT or ses://REGION.",
    ),
]
MailFrom = Annotated[str, _option("MAIL_FROM", "The sender of mails.")]
Ai = Annotated[
    str, _option("AI", "embedded, or openai+https://HOST/v1?model=NAME with TABLEWRIGHT_AI_KEY.")
]
AllowOrigin = Annotated[
    list[str] | None, _option("ALLOW_ORIGIN", "A page's origin that may call; repeatable.")
]
TrustedProxy = Annotated[
    list[str] | None,
    _option(
        "TRUSTED_PROXY",
        "An address or network whose X-Forwarded-For is believed; repeatable.",
    ),
]
Studio = Annotated[
    bool,
    _option("STUDIO", "Serve the studio outside dev mode too; needs a loopback --host."),
]
Metrics = Annotated[
    bool,
    _option("METRICS", "Serve GET /metrics for Prometheus, to all who reach the server."),
]
Demo = Annotated[
    bool, typer.Option("--demo", help="Fill systems that are empty with data to look at.")
]


def serve(
    systems: Systems = None,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    store: StoreUrl = "sqlite:///tablewright.db",
    blobs: BlobsUrl = "file:./blobs",
    public_url: PublicUrl = "",
    secret_file: SecretFile = Path("tablewright.secret"),
    oidc_issuer: OidcIssuer = "",
    oidc_audience: OidcAudience = "",
    groups_claim: GroupsClaim = "groups",
    mail: Mail = "outbox:",
    mail_from: MailFrom = "tablewright@localhost",
    ai: Ai = "embedded",
    allow_origin: AllowOrigin = None,
    trusted_proxy: TrustedProxy = None,
    studio: Studio = False,
    metrics: Metrics = False,
    demo: Demo = False,
) -> None:
    """Serve the systems over HTTP.

    Without an issuer, with a loopback --host and --public-url, it is in dev mode: it makes tokens
    for anybody on this machine. Every option is also an environment variable, TABLEWRIGHT_HOST and
    so on.

    Example: tablewright serve --demo --port 8080 --store sqlite:///app.db
    """
    gc.disable()  # What is made while starting stays: looking for garbage costs a seventh of it.
    try:
        require_store_url(store)
        mounts = found_systems(systems or ())
        with exiting():
            from tablewright.web.server.process import listen
            from tablewright.web.server.server_settings import Settings

            try:
                listener = listen(host, port)
            except OSError as error:
                exits.fail(exits.USAGE, f"cannot listen on {host}:{port}: {error}")
            with listener:
                settings = Settings(
                    host=host,
                    port=listener.getsockname()[1],
                    store=store,
                    blobs=blobs,
                    public_url=public_url,
                    secret_file=secret_file,
                    oidc_issuer=oidc_issuer,
                    oidc_audience=oidc_audience,
                    groups_claim=groups_claim,
                    mail=mail,
                    mail_from=mail_from,
                    ai=ai,
                    allow_origins=_listed(allow_origin),
                    trusted_proxies=_listed(trusted_proxy),
                    studio=studio,
                    metrics=metrics,
                )
                _run(settings, mounts, listener, with_demo=demo)
    finally:
        gc.enable()


def _listed(given: Iterable[str] | None) -> tuple[str, ...]:
    """What was given several times, or once with commas as environment variables are."""
    return tuple(part for text in given or () for part in re.split(r"[\s,]+", text) if part)


def _run(
    settings: Settings, systems: Mapping[str, System], listener: socket.socket, *, with_demo: bool
) -> None:
    import uvloop

    from tablewright.studio.shell.mount import mount_studio
    from tablewright.web.server.app import create_server, open_services, running
    from tablewright.web.server.connection_limits import ConnectionLimit
    from tablewright.web.server.logs import configure_logs
    from tablewright.web.server.process import HttpServer

    configure_logs()

    async def serving() -> None:
        services = await open_services(settings)
        async with running(services, systems):
            studio = mount_studio(settings, [path[1:] for path in systems])
            app = create_server(services, {**systems, **studio.systems} if studio else systems)
            link = studio.url if studio else None

            def listening() -> None:
                ready = _get_ready(services, systems, link, with_demo=with_demo)
                services.background.start(ready, "getting ready")

            limit = ConnectionLimit(connections_max(raise_descriptor_limit()))
            await HttpServer(app, listening, limit).serve([listener])

    uvloop.run(serving())


async def _get_ready(
    services: Services, systems: Mapping[str, System], studio: str | None, *, with_demo: bool
) -> None:
    """Make the demo data, beside requests that come already, and say that all is there."""
    try:
        if with_demo:
            await fill_to_look_at(services, systems)
    except TablewrightError as error:
        typer.echo(f"The demo data could not be made: {error}", err=True)
    _announce(services.settings, systems, studio)


def _announce(settings: Settings, systems: Mapping[str, System], studio: str | None) -> None:
    settle_memory()
    url = settings.base_url
    local = f"listening on {settings.local_url}, " if url != settings.local_url else ""
    stored = f"store {settings.store}, blobs {settings.blobs}"
    lines = [f"Tablewright is ready on {url} ({local}{stored})"]
    wide = max(map(len, systems), default=0)
    lines += [f"  {path[1:]:{wide}}  {url}{path}/docs" for path in systems]
    if studio is not None:
        lines.append(f"  The studio, for one browser: {studio}")
    if settings.is_dev:
        lines.append(
            f"  Dev mode: POST {url}/dev/token and `tablewright token SUB` make tokens for anybody."
        )
    elif not settings.oidc_issuer:
        lines.append(
            "  No --oidc-issuer: every bearer token is refused, and nobody can sign in. Dev mode "
            "needs a loopback --host and --public-url."
        )
    typer.echo("\n".join(lines), err=True)
