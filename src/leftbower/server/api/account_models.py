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
    """A login and a password for the caller."""

    login: LoginName
    password: Password
    old: Annotated[str, Field(max_length=MAX_PASSWORD_LENGTH)] | None = None
    """The current password, if there is one."""


class ByPassword(RequestModel):
    """A sign-in with a password."""

    login: LoginName
    password: Password


class NewPasskey(RequestModel):
    """A new passkey, created for a challenge of this server."""

    credential: Credential
    label: Annotated[str, Field(max_length=40)] = ""
    """What its owner calls it."""


class ByPasskey(RequestModel):
    """A sign-in with a passkey."""

    credential: Credential


class Account(ResponseModel):
    """How a person can sign in."""

    login: str | None = Field(description="The normalized login; null without a password.")


class SessionView(ResponseModel):
    """A token that acts for you."""

    id: str = Field(description="The id of the session; not its token.")
    created: float = Field(description="Seconds since 1970.")
    last_used: float = Field(description="Seconds since 1970, accurate to about a minute.")
    this: bool = Field(description="Is this the session of the request?")
    table: str | None = Field(description="The only table at which it acts; null for an account token.")


class PasskeyView(ResponseModel):
    """A passkey that signs in for you."""

    id: str
    label: str
    created: float = Field(description="Seconds since 1970.")
    used: float | None = Field(description="Time of the last sign-in with it.")
