"""Passkeys (WebAuthn): options for the browser, and verification of its responses.

The `webauthn` package takes a third of a second to import, so the functions that use it import it themselves and are
called in a thread.
"""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Self, TypeVar
from urllib.parse import urlsplit

from leftbower.errors import BadRequest, NoPasskeys, PasskeyRefused
from leftbower.i18n import gettext_noop
from leftbower.server.http.rate_limit import parse_address
from leftbower.store import Passkey

T = TypeVar("T")
RP_NAME: Final = "leftbower"
"""The relying party's name, as devices show it."""
CHALLENGE_SECONDS: Final = 300.0
"""Lifetime of a challenge; people need time to find their key."""
_HOST: Final = re.compile(r"[a-z0-9.-]+(:[0-9]{1,5})?")
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_NO_PASSKEYS: Final = gettext_noop("passkeys need HTTPS and a host name, or localhost; use a password here")
_INVALID: Final = gettext_noop("this passkey is not valid here")
_NO_CREDENTIAL: Final = gettext_noop("this is not a browser's credential")


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The site of passkeys; browsers offer them to no page under another name."""

    origin: str
    """Scheme and host, as in the Origin header."""
    name: str
    """The host without its port."""

    @classmethod
    def at(cls, scheme: str, host: str) -> Self:
        """The site of a host; NoPasskeys for plain HTTP and IP addresses, where browsers have no passkeys."""
        host = host.lower()
        name = host.partition(":")[0]
        is_localhost = name == "localhost" or name.endswith(".localhost")
        if not _HOST.fullmatch(host) or scheme not in ("http", "https"):
            raise NoPasskeys(_NO_PASSKEYS)
        if not is_localhost and (scheme != "https" or parse_address(name) is not None):
            raise NoPasskeys(_NO_PASSKEYS)
        return cls(origin=f"{scheme}://{host}", name=name)

    @classmethod
    def of(cls, origin: str) -> Self:
        parts = urlsplit(origin)
        if f"{parts.scheme}://{parts.netloc}" != origin:
            raise NoPasskeys(_NO_PASSKEYS)
        return cls.at(parts.scheme, parts.netloc)


@dataclass(frozen=True, slots=True, kw_only=True)
class PasskeyCredential:
    """A browser's credential, parsed as far as verification needs it."""

    id: bytes
    challenge: str
    handle: bytes | None
    """The user handle: the person the device says the passkey is for."""
    credential: dict[str, Any]


def parse_credential(credential: dict[str, Any]) -> PasskeyCredential:
    """Parse the `toJSON` form of a credential, or BadRequest."""
    try:
        response = credential["response"]
        client_data = json.loads(decode_base64url(response["clientDataJSON"]))
        handle = response.get("userHandle")
        parsed = PasskeyCredential(
            id=decode_base64url(credential["id"]),
            challenge=str(client_data["challenge"]),
            handle=None if handle is None else decode_base64url(handle),
            credential=credential,
        )
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise BadRequest(_NO_CREDENTIAL, path="body.credential") from None
    if not _CHALLENGE.fullmatch(parsed.challenge):
        raise BadRequest(_NO_CREDENTIAL, path="body.credential")
    return parsed


def registration_options(
    site: Site, challenge: str, person: str, name: str, existing: Iterable[bytes]
) -> dict[str, Any]:
    """Options for `parseCreationOptionsFromJSON`: a discoverable passkey, on a device without an `existing` one."""
    from webauthn import generate_registration_options
    from webauthn.helpers import options_to_json_dict
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        PublicKeyCredentialDescriptor,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    options = generate_registration_options(
        rp_id=site.name,
        rp_name=RP_NAME,
        user_id=person.encode(),
        user_name=name,
        challenge=decode_base64url(challenge),
        timeout=round(CHALLENGE_SECONDS * 1000),
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.REQUIRED
        ),
        exclude_credentials=[PublicKeyCredentialDescriptor(id=key) for key in existing],
    )
    return options_to_json_dict(options)


def authentication_options(site: Site, challenge: str) -> dict[str, Any]:
    """Options for `parseRequestOptionsFromJSON`: any passkey of the device for this site."""
    from webauthn import generate_authentication_options
    from webauthn.helpers import options_to_json_dict
    from webauthn.helpers.structs import UserVerificationRequirement

    options = generate_authentication_options(
        rp_id=site.name,
        challenge=decode_base64url(challenge),
        timeout=round(CHALLENGE_SECONDS * 1000),
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return options_to_json_dict(options)


def verify_registration(site: Site, parsed: PasskeyCredential) -> tuple[bytes, bytes, int]:
    """The id, public key and sign count of a new passkey, or PasskeyRefused."""
    from webauthn import verify_registration_response

    new = _verified(verify_registration_response, site, parsed)
    return new.credential_id, new.credential_public_key, new.sign_count


def verify_authentication(site: Site, parsed: PasskeyCredential, passkey: Passkey | None) -> int:
    """The new sign count of a passkey, or PasskeyRefused."""
    from webauthn import verify_authentication_response

    if passkey is None or parsed.handle != passkey.person.encode():
        raise PasskeyRefused(_INVALID)
    stored = {"credential_public_key": passkey.key, "credential_current_sign_count": passkey.count}
    return _verified(verify_authentication_response, site, parsed, **stored).new_sign_count


def _verified(verify: Callable[..., T], site: Site, parsed: PasskeyCredential, **stored: object) -> T:
    """The result of a verification for a challenge of this site, signed by a verified user."""
    try:
        return verify(
            credential=parsed.credential,
            expected_challenge=decode_base64url(parsed.challenge),
            expected_rp_id=site.name,
            expected_origin=site.origin,
            require_user_verification=True,
            **stored,
        )
    except Exception:  # parsers of untrusted input may raise anything
        raise PasskeyRefused(_INVALID) from None


def encode_base64url(raw: bytes) -> str:
    """Encode as base64url without padding."""
    return urlsafe_b64encode(raw).decode().rstrip("=")


def decode_base64url(text: str) -> bytes:
    """Decode base64url, or ValueError."""
    return urlsafe_b64decode(text + "===")
