"""Provably fair dealing: shuffle a deck from given entropy, seal it before the hand, open its cards, and verify it."""

from leftbower.dealing.chain import (
    DRAW as DRAW,
    HAND as HAND,
    NAME_SALT_BYTES as NAME_SALT_BYTES,
    Binding as Binding,
    bound_player as bound_player,
    canonical as canonical,
    final_root as final_root,
    link_after as link_after,
    match_root as match_root,
    name_commitment as name_commitment,
    opening_of as opening_of,
)
from leftbower.dealing.codec import (
    commitment_from_json as commitment_from_json,
    commitment_to_json as commitment_to_json,
    cut_from_json as cut_from_json,
    cut_to_json as cut_to_json,
    openings_from_json as openings_from_json,
    openings_to_json as openings_to_json,
    packets_to_json as packets_to_json,
    published_to_json as published_to_json,
    seal_from_json as seal_from_json,
    seal_to_json as seal_to_json,
)
from leftbower.dealing.reveal import may_be_opened as may_be_opened
from leftbower.dealing.seal import (
    Commitment as Commitment,
    Opening as Opening,
    Sealed as Sealed,
    check as check,
    cut as cut,
    opening as opening,
    openings as openings,
    seal as seal,
)
from leftbower.dealing.shuffle import (
    BOT_SECRET_BYTES as BOT_SECRET_BYTES,
    ENTROPY_BYTES as ENTROPY_BYTES,
    SALT_BYTES as SALT_BYTES,
    bot_secret as bot_secret,
    salts as salts,
    shuffled as shuffled,
)
