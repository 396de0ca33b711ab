"""Passkeys: where they are good, what a browser is asked for, and whether what it brings is good.

The package behind it takes a third of a second to import and few need it at once, so the functions that use it import
it, and are called in a thread.
"""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final, Self
from urllib.parse import urlsplit

from leftbower.errors import BadRequest, NoPasskeys, PasskeyRefused
from leftbower.store import Passkey

RP_NAME: Final = "leftbower"
"""What a device calls the place that a passkey is for."""
CHALLENGE_SECONDS: Final = 300.0
"""Seconds in which a challenge must be met; people look for their keys."""
_HOST: Final = re.compile(r"[a-z0-9.-]+(:[0-9]{1,5})?")
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_NO_PASSKEYS: Final = "passkeys work only under HTTPS at a name, or at localhost; sign in by password here"
_NOT_GOOD: Final = "this passkey is not good here"
_NO_CREDENTIAL: Final = "this is no credential as a browser makes it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where a passkey is good: browsers let no page of another name use it."""

    origin: str
    """Scheme and host, as browsers tell where a page came from."""
    name: str
    """The host without its port."""

    @classmethod
    def at(cls, scheme: str, host: str) -> Self:
        """The site of this host, or NoPasskeys where browsers have none: under plain HTTP, and at a bare number."""
        host = host.lower()
        name = host.partition(":")[0]
        at_home = name == "localhost" or name.endswith(".localhost")
        if not _HOST.fullmatch(host) or scheme not in ("http", "https"):
            raise NoPasskeys(_NO_PASSKEYS)
        if not at_home and (scheme != "https" or _is_number(name)):
            raise NoPasskeys(_NO_PASSKEYS)
        return cls(origin=f"{scheme}://{host}", name=name)

    @classmethod
    def of(cls, origin: str) -> Self:
        """The site of an origin that an operator has set."""
        parts = urlsplit(origin)
        if f"{parts.scheme}://{parts.netloc}" != origin:
            raise NoPasskeys(_NO_PASSKEYS)
        return cls.at(parts.scheme, parts.netloc)


@dataclass(frozen=True, slots=True, kw_only=True)
class PasskeyCredential:
    """What a browser brings, as far as it must be read before it can be verified."""

    id: bytes
    challenge: str
    handle: bytes | None
    """Whom the device says the passkey is for."""
    credential: dict[str, Any]


def read(credential: dict[str, Any]) -> PasskeyCredential:
    """What `toJSON` made of a credential, or BadRequest."""
    try:
        response = credential["response"]
        said = json.loads(decode_base64url(response["clientDataJSON"]))
        handle = response.get("userHandle")
        brought = PasskeyCredential(
            id=decode_base64url(credential["id"]),
            challenge=str(said["challenge"]),
            handle=None if handle is None else decode_base64url(handle),
            credential=credential,
        )
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise BadRequest(_NO_CREDENTIAL, place="body.credential") from None
    if not _CHALLENGE.fullmatch(brought.challenge):
        raise BadRequest(_NO_CREDENTIAL, place="body.credential")
    return brought


def registration_options(site: Site, challenge: str, person: str, name: str, has: Iterable[bytes]) -> dict[str, Any]:
    """What `parseCreationOptionsFromJSON` takes: a passkey that is found without a login, on a device that has none."""
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
        exclude_credentials=[PublicKeyCredentialDescriptor(id=one) for one in has],
    )
    return options_to_json_dict(options)


def authentication_options(site: Site, challenge: str) -> dict[str, Any]:
    """What `parseRequestOptionsFromJSON` takes: any passkey that the device has for this site."""
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


def registered(site: Site, brought: PasskeyCredential) -> tuple[bytes, bytes, int]:
    """The id of a new passkey, its public key and its count, or PasskeyRefused."""
    from webauthn import verify_registration_response

    try:
        new = verify_registration_response(
            credential=brought.credential,
            expected_challenge=decode_base64url(brought.challenge),
            expected_rp_id=site.name,
            expected_origin=site.origin,
            require_user_verification=True,
        )
    except Exception:  # whatever a parser stumbles over that reads what strangers send
        raise PasskeyRefused(_NOT_GOOD) from None
    return new.credential_id, new.credential_public_key, new.sign_count


def signed(site: Site, brought: PasskeyCredential, passkey: Passkey | None) -> int:
    """The count of a passkey with which somebody has signed in, or PasskeyRefused."""
    from webauthn import verify_authentication_response

    if passkey is None or brought.handle != passkey.person.encode():
        raise PasskeyRefused(_NOT_GOOD)
    try:
        verified = verify_authentication_response(
            credential=brought.credential,
            expected_challenge=decode_base64url(brought.challenge),
            expected_rp_id=site.name,
            expected_origin=site.origin,
            credential_public_key=passkey.key,
            credential_current_sign_count=passkey.count,
            require_user_verification=True,
        )
    except Exception:  # whatever a parser stumbles over that reads what strangers send
        raise PasskeyRefused(_NOT_GOOD) from None
    return verified.new_sign_count


def encode_base64url(raw: bytes) -> str:
    """Bytes as browsers spell them."""
    return urlsafe_b64encode(raw).decode().rstrip("=")


def decode_base64url(text: str) -> bytes:
    """The bytes again, or ValueError."""
    return urlsafe_b64decode(text + "===")


def _is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
