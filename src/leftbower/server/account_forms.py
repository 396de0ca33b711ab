"""What is sent to the routes of accounts, and what they answer."""

from typing import Annotated, Any

from pydantic import Field

from leftbower.server.bodies import Body
from leftbower.server.passwords import LONGEST, SHORTEST
from leftbower.server.shapes import Shape

LoginName = Annotated[str, Field(min_length=1, max_length=40)]
Password = Annotated[str, Field(min_length=SHORTEST, max_length=LONGEST)]
Credential = Annotated[dict[str, Any], Field(description="What `toJSON()` makes of the browser's credential.")]


class NewPassword(Body):
    """A login and a password for whoever asks."""

    login: LoginName
    password: Password
    old: Annotated[str, Field(max_length=LONGEST)] | None = None
    """The password so far, if there is one."""


class ByPassword(Body):
    """Somebody who comes back."""

    login: LoginName
    password: Password


class NewPasskey(Body):
    """A passkey that was made for a challenge of this server's."""

    credential: Credential
    label: Annotated[str, Field(max_length=40)] = ""
    """What its owner calls it."""


class ByPasskey(Body):
    """Somebody who comes back."""

    credential: Credential


class Account(Shape):
    """How a person can sign in."""

    login: str | None = Field(description="As it is compared; null for who has no password.")


class SessionShown(Shape):
    """A token that acts for you."""

    id: str = Field(description="What it is called here; not the token.")
    created: float = Field(description="Seconds since 1970.")
    seen: float = Field(description="When it was last used, to the minute or so.")
    this: bool = Field(description="Is it the one that asks?")
    table: str | None = Field(description="The one table at which it plays; null for everywhere.")


class PasskeyShown(Shape):
    """A passkey that signs in for you."""

    id: str
    label: str
    created: float = Field(description="Seconds since 1970.")
    used: float | None = Field(description="When somebody last signed in by it.")
