"""Software authenticator with passkeys: it makes keys, counts, and signs anything from a browser at some origin.

It also acts as the browser: it returns what `toJSON()` of a credential would.
"""

import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

Plain = dict[str, Any]
PRESENT: Final = 0x01
VERIFIED: Final = 0x04
ATTESTED: Final = 0x40


@dataclass
class Key:
    """A passkey with its private key."""

    id: bytes
    site: str
    handle: bytes
    secret: ec.EllipticCurvePrivateKey
    count: int = 0


@dataclass
class Authenticator:
    """A device at one origin. `counts` is False for a device that always reports 0; one that cheats chooses its
    `next_id`."""

    origin: str
    counts: bool = True
    flags: int = PRESENT | VERIFIED
    next_id: bytes | None = None
    keys: list[Key] = field(default_factory=list)

    def create(self, options: Mapping[str, Any]) -> Plain:
        """A new passkey, as `navigator.credentials.create` returns it."""
        assert {"type": "public-key", "alg": -7} in options["pubKeyCredParams"]
        assert not {credential["id"] for credential in options["excludeCredentials"]} & {
            encode_base64url(key.id) for key in self.keys
        }
        secret = ec.generate_private_key(ec.SECP256R1())
        name = self.next_id or secrets.token_bytes(32)
        key = Key(name, options["rp"]["id"], decode_base64url(options["user"]["id"]), secret)
        self.keys.append(key)
        point = secret.public_key().public_numbers()
        public = {1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")}
        attested = bytes(16) + len(key.id).to_bytes(2, "big") + key.id + cbor2.dumps(public)
        said = self._said(key, self.flags | ATTESTED) + attested
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": said})
        return self._credential(
            key,
            clientDataJSON=self._client("webauthn.create", options),
            attestationObject=attestation,
            transports=["internal"],
        )

    def get(self, options: Mapping[str, Any], key: Key | None = None) -> Plain:
        """A signature by the last passkey for the site, as `navigator.credentials.get` returns it."""
        key = key or [passkey for passkey in self.keys if passkey.site == options["rpId"]][-1]
        key.count += self.counts
        said, client = self._said(key, self.flags), self._client("webauthn.get", options)
        signature = key.secret.sign(said + sha256(client).digest(), ec.ECDSA(SHA256()))
        return self._credential(
            key, clientDataJSON=client, authenticatorData=said, signature=signature, userHandle=key.handle
        )

    def _said(self, key: Key, flags: int) -> bytes:
        return sha256(key.site.encode()).digest() + bytes([flags]) + key.count.to_bytes(4, "big")

    def _client(self, kind: str, options: Mapping[str, Any]) -> bytes:
        said = {"type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": False}
        return json.dumps(said).encode()

    def _credential(self, key: Key, **response: Any) -> Plain:
        return {
            "id": encode_base64url(key.id),
            "rawId": encode_base64url(key.id),
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": {
                name: encode_base64url(value) if isinstance(value, bytes) else value for name, value in response.items()
            },
        }


def encode_base64url(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")


def decode_base64url(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
