"""What is sent to the routes of accounts, and what they answer."""

from typing import Annotated, Any

from pydantic import Field

from leftbower.server.api.requests import RequestModel
from leftbower.server.api.responses import ResponseModel
from leftbower.server.people.passwords import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH

LoginName = Annotated[str, Field(min_length=1, max_length=40)]
Password = Annotated[str, Field(min_length=MIN_PASSWORD_LENGTH, max_length=MAX_PASSWORD_LENGTH)]
Credential = Annotated[dict[str, Any], Field(description="What `toJSON()` makes of the browser's credential.")]


class NewPassword(RequestModel):
    """A login and a password for whoever asks."""

    login: LoginName
    password: Password
    old: Annotated[str, Field(max_length=MAX_PASSWORD_LENGTH)] | None = None
    """The password so far, if there is one."""


class ByPassword(RequestModel):
    """Somebody who comes back."""

    login: LoginName
    password: Password


class NewPasskey(RequestModel):
    """A passkey that was made for a challenge of this server's."""

    credential: Credential
    label: Annotated[str, Field(max_length=40)] = ""
    """What its owner calls it."""


class ByPasskey(RequestModel):
    """Somebody who comes back."""

    credential: Credential


class Account(ResponseModel):
    """How a person can sign in."""

    login: str | None = Field(description="As it is compared; null for who has no password.")


class SessionView(ResponseModel):
    """A token that acts for you."""

    id: str = Field(description="What it is called here; not the token.")
    created: float = Field(description="Seconds since 1970.")
    seen: float = Field(description="When it was last used, to the minute or so.")
    this: bool = Field(description="Is it the one that asks?")
    table: str | None = Field(description="The one table at which it plays; null for everywhere.")


class PasskeyView(ResponseModel):
    """A passkey that signs in for you."""

    id: str
    label: str
    created: float = Field(description="Seconds since 1970.")
    used: float | None = Field(description="When somebody last signed in by it.")
