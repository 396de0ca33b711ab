"""Server settings from command-line options, the environment (`LEFTBOWER_PORT=…`) or a TOML file, in this order."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from leftbower.errors import BadSettings, NoPasskeys, UnreadableFile
from leftbower.server.api.operations import LOOPBACK, OFF, parse_networks
from leftbower.server.expiry import Lifetimes
from leftbower.server.people.passkeys import Site
from leftbower.server.quotas import Quotas
from leftbower.table import (
    EVENT_RECONNECT_GRACE_SECONDS,
    HAND_PAUSE_SECONDS,
    IDLE_TIMEOUT_SECONDS,
    RECONNECT_GRACE_SECONDS,
)

Seconds = Annotated[float, Field(ge=0, le=60, allow_inf_nan=False)]


def _origin(origin: str) -> str:
    try:
        return Site.of(origin).origin
    except NoPasskeys:
        raise PydanticCustomError("origin", "write the origin like https://euchre.example") from None


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="LEFTBOWER_", extra="forbid")

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    """The address to listen on; 0.0.0.0 for the whole LAN."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    """0 for any free port."""
    database: Annotated[str, Field(min_length=1)] = "leftbower.db"
    """A file, `sqlite:///file`, or `postgresql://…`."""
    processes: Annotated[int, Field(ge=1, le=64)] = 1
    """Worker processes on the same port; more than one needs PostgreSQL."""
    bot_delay: Seconds = 0.3
    """Average bot delay while people are watching, in seconds."""
    hand_pause: Seconds = HAND_PAUSE_SECONDS
    """Seconds between the end of a hand and the next deal."""
    reconnect_grace: Annotated[float, Field(ge=1, le=3600, allow_inf_nan=False)] = RECONNECT_GRACE_SECONDS
    """Seconds until a bot plays for a disconnected player."""
    event_reconnect_grace: Annotated[float, Field(ge=1, le=3600, allow_inf_nan=False)] = EVENT_RECONNECT_GRACE_SECONDS
    """The same in events; never less than at other tables."""
    idle_timeout: Annotated[float, Field(ge=1, le=604800, allow_inf_nan=False)] = IDLE_TIMEOUT_SECONDS
    """Seconds without any client after which a table closes."""
    origin: Annotated[str, AfterValidator(_origin)] | None = None
    """The public origin, like https://euchre.example, for passkeys and links; None for that of each request."""
    certificate: str = ""
    """PEM file with the certificate and its chain, for HTTPS without a proxy."""
    key: str = ""
    """PEM file with the key of the certificate."""
    trusted_proxies: str = ""
    """Reverse proxies whose forwarded headers are trusted: addresses or networks, separated by commas."""
    metrics: str = LOOPBACK
    """Who may read /metrics: `loopback`, `off`, or addresses or networks."""
    quotas: Quotas = Quotas()
    """Limits on what one person, address, table or event can store; in the file a table `[quotas]`."""
    lifetimes: Lifetimes = Lifetimes()
    """Days after which unused data expires; in the file a table `[lifetimes]`."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @field_validator("trusted_proxies", "metrics")
    @classmethod
    def _are_networks(cls, text: str) -> str:
        if text not in ("", LOOPBACK, OFF):
            parse_networks(text)
        return text

    @model_validator(mode="after")
    def _has_certificate_and_key(self) -> Self:
        if bool(self.certificate) != bool(self.key):
            raise ValueError("set both the certificate and its key")
        return self


def read_settings(file: str | None, options: dict[str, Any]) -> Settings:
    """Read the settings; command-line `options` override everything else."""
    path = Path(file) if file else None
    if path is not None and not path.is_file():
        raise UnreadableFile("can't read this file", path=str(path))

    class Read(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            toml = (TomlConfigSettingsSource(settings_cls, path),) if path else ()
            return init_settings, env_settings, *toml

    try:
        return Read(**{name: value for name, value in options.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        raise BadSettings(str(first["msg"]).lower(), path=".".join(map(str, first["loc"]))) from None
    except OSError:
        raise UnreadableFile("can't read this file", path=str(path)) from None
    except SettingsError:
        raise BadSettings("quotas and lifetimes must be JSON objects", path="environment") from None
    except ValueError as error:
        raise BadSettings("this file is not TOML: %(error)s", path=str(path), error=error) from None
