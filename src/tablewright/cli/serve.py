"""``tablewright serve``: serves the systems over HTTP."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablewright.cli import exit_codes
from tablewright.cli.server_record import ServerRecord, recorded, write_record
from tablewright.cli.server_setup import (
    exit_on_failure,
    load_demo_with_history,
    require_store_url,
    settle_memory,
    systems_by_path,
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
    """An option with an environment variable."""
    return typer.Option(envvar=f"TABLEWRIGHT_{name}", help=text, **more)


Systems = Annotated[
    list[str] | None, typer.Argument(metavar="SYSTEM", help="Systems to serve. Default: all.")
]
Host = Annotated[str, _option("HOST", "Address to listen on.")]
Port = Annotated[int, _option("PORT", "Port; 0 picks a free one.", min=0, max=65535)]
StoreUrl = Annotated[
    str,
    _option(
        "STORE",
        "sqlite:///FILE, sqlite://:memory:, dynamodb://REGION?prefix=P or dynamodb+http://HOST:PORT.",
    ),
]
BlobsUrl = Annotated[str, _option("BLOBS", "file:FOLDER or s3://BUCKET?prefix=P.")]
PublicUrl = Annotated[
    str, _option("PUBLIC_URL", "URL at which clients reach the server. Default: http://HOST:PORT.")
]
SecretFile = Annotated[
    Path, _option("SECRET_FILE", "Secret that signs tokens, cursors and links; created if missing.")
]
OidcIssuer = Annotated[str, _option("OIDC_ISSUER", "OpenID Connect issuer URL.")]
OidcAudience = Annotated[str, _option("OIDC_AUDIENCE", "Expected audience of tokens.")]
GroupsClaim = Annotated[str, _option("GROUPS_CLAIM", "Token claim that holds the groups.")]
Mail = Annotated[
    str,
    _option(
        "MAIL",
        "outbox: (sends nothing), smtp://USER:PASS@HOST:PORT (STARTTLS; ?tls=none turns it off), "
        "smtps://USER:PASS@HOST:PORT or ses://REGION.",
    ),
]
MailFrom = Annotated[str, _option("MAIL_FROM", "Sender address of mails.")]
Ai = Annotated[
    str, _option("AI", "embedded, or openai+https://HOST/v1?model=NAME with TABLEWRIGHT_AI_KEY.")
]
AllowOrigin = Annotated[
    list[str] | None,
    _option("ALLOW_ORIGIN", "Origin of web pages that may call the API; repeatable."),
]
TrustedProxy = Annotated[
    list[str] | None,
    _option(
        "TRUSTED_PROXY",
        "Address or network whose X-Forwarded-For header is trusted; repeatable.",
    ),
]
Studio = Annotated[
    bool,
    _option("STUDIO", "Serve the studio outside dev mode too; needs a loopback --host."),
]
Metrics = Annotated[
    bool,
    _option("METRICS", "Serve GET /metrics for Prometheus, without authentication."),
]
Demo = Annotated[bool, typer.Option("--demo", help="Load demo data into empty systems.")]


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

    Without --oidc-issuer, and with a loopback --host and --public-url, the server is in dev mode:
    it issues tokens for any user to clients on this machine. Every option can be set with an
    environment variable such as TABLEWRIGHT_HOST.

    Example: tablewright serve --demo --port 8080 --store sqlite:///app.db
    """
    gc.disable()  # Startup creates little garbage, and collecting takes a seventh of its time.
    try:
        require_store_url(store)
        mounts = systems_by_path(systems or ())
        with exit_on_failure(store, "serve"), recorded(store):
            from tablewright.web.server.process import listen
            from tablewright.web.server.server_settings import Settings

            try:
                listener = listen(host, port)
            except OSError as error:
                exit_codes.fail(exit_codes.USAGE, f"cannot listen on {host}:{port}: {error}")
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


def _listed(texts: Iterable[str] | None) -> tuple[str, ...]:
    """The values of a repeated option, or of an environment variable with commas."""
    return tuple(part for text in texts or () for part in re.split(r"[\s,]+", text) if part)


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

    async def run_server() -> None:
        services = await open_services(settings)
        async with running(services, systems):
            studio = mount_studio(settings, [path[1:] for path in systems])
            app = create_server(services, {**systems, **studio.systems} if studio else systems)
            link = studio.url if studio else None

            def on_listening() -> None:
                write_record(settings.store, ServerRecord("serve", settings.local_url))
                preparation = _get_ready(services, systems, link, with_demo=with_demo)
                services.background.start(preparation, "getting ready")

            limit = ConnectionLimit(connections_max(raise_descriptor_limit()))
            await HttpServer(app, on_listening, limit).serve([listener])

    uvloop.run(run_server())


async def _get_ready(
    services: Services, systems: Mapping[str, System], studio: str | None, *, with_demo: bool
) -> None:
    """Load the demo data while requests are already served, then announce the server."""
    try:
        if with_demo:
            await load_demo_with_history(services, systems)
    except TablewrightError as error:
        typer.echo(f"Loading the demo data failed: {error}", err=True)
    _announce(services.settings, systems, studio)


def _announce(settings: Settings, systems: Mapping[str, System], studio: str | None) -> None:
    settle_memory()
    url = settings.base_url
    local = f"listening on {settings.local_url}, " if url != settings.local_url else ""
    storage = f"store {settings.store}, blobs {settings.blobs}"
    lines = [f"Tablewright is ready on {url} ({local}{storage})"]
    width = max(map(len, systems), default=0)
    lines += [f"  {path[1:]:{width}}  {url}{path}/docs" for path in systems]
    if studio is not None:
        lines.append(f"  Studio (one browser can open this link, once): {studio}")
    if settings.is_dev:
        lines.append(f"  Dev mode: POST {url}/dev/token or `tablewright token SUB` issues tokens.")
    elif not settings.oidc_issuer:
        lines.append(
            "  No --oidc-issuer: the server rejects every bearer token, and users cannot sign in. "
            "Dev mode needs a loopback --host and --public-url."
        )
    typer.echo("\n".join(lines), err=True)
