"""What an operator can set: by options, by the environment (`LEFTBOWER_PORT=…`), or in a TOML file, in that order."""

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
        raise PydanticCustomError("origin", "an origin is https and a name, as in https://euchre.example") from None


class Settings(BaseSettings):
    """How a server runs."""

    model_config = SettingsConfigDict(env_prefix="LEFTBOWER_", extra="forbid")

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    """The address to listen on; 0.0.0.0 for everybody in the hall."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    """0 for any that is free."""
    database: Annotated[str, Field(min_length=1)] = "leftbower.db"
    """A file, `sqlite:///file`, or `postgresql://…`."""
    processes: Annotated[int, Field(ge=1, le=64)] = 1
    """How many serve at the same port; more than one needs PostgreSQL."""
    bot_delay: Seconds = 0.7
    """Seconds that what bots do takes on the average, where people look on."""
    hand_pause: Seconds = HAND_PAUSE_SECONDS
    """Seconds in which people can look at a hand that is over before the next is dealt."""
    reconnect_grace: Annotated[float, Field(ge=1, le=3600, allow_inf_nan=False)] = RECONNECT_GRACE_SECONDS
    """Seconds for which others wait for somebody who has dropped out."""
    event_reconnect_grace: Annotated[float, Field(ge=1, le=3600, allow_inf_nan=False)] = EVENT_RECONNECT_GRACE_SECONDS
    """The same in events; never less than at other tables."""
    idle_timeout: Annotated[float, Field(ge=1, le=604800, allow_inf_nan=False)] = IDLE_TIMEOUT_SECONDS
    """Seconds after which a table closes at which nobody is heard of."""
    origin: Annotated[str, AfterValidator(_origin)] | None = None
    """Where browsers find this server, as in https://euchre.example, for passkeys; None for wherever they ask."""
    certificate: str = ""
    """A file with the certificate and its chain, in PEM, for HTTPS without a proxy."""
    key: str = ""
    """The file with its key."""
    trusted_proxies: str = ""
    """The reverse proxy whose forwarded headers are believed: addresses or networks, with commas between."""
    metrics: str = LOOPBACK
    """Who may read /metrics: `loopback`, `off`, or addresses or networks."""
    quotas: Quotas = Quotas()
    """The most that one person, address, table or event can have stored; in the file a table `[quotas]`."""
    lifetimes: Lifetimes = Lifetimes()
    """Days after which what nobody uses expires; in the file a table `[lifetimes]`."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @field_validator("trusted_proxies", "metrics")
    @classmethod
    def _are_networks(cls, words: str) -> str:
        if words not in ("", LOOPBACK, OFF):
            parse_networks(words)
        return words

    @model_validator(mode="after")
    def _go_together(self) -> Self:
        if bool(self.certificate) != bool(self.key):
            raise ValueError("a certificate and its key go together")
        return self


def read_settings(file: str | None, given: dict[str, Any]) -> Settings:
    """The settings, with what was given on the command line before everything else; errors name the place."""
    path = Path(file) if file else None
    if path is not None and not path.is_file():
        raise UnreadableFile("this file cannot be read", place=str(path))

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
        return Read(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        raise BadSettings(str(first["msg"]).lower(), place=".".join(map(str, first["loc"]))) from None
    except OSError:
        raise UnreadableFile("this file cannot be read", place=str(path)) from None
    except SettingsError:
        raise BadSettings("quotas and lifetimes are JSON objects there", place="environment") from None
    except ValueError as error:
        raise BadSettings(f"the file is not TOML: {error}", place=str(path)) from None
