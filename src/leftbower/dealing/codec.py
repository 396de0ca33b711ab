"""JSON of sealed decks: the lines published at a table, and the seal of a draw or a deal in a record.

    {"fact": "sealed", BINDING, "root": "…", "leaves": ["…", …], "bot_leaf": "…"}   before anything else of the hand
    {"fact": "cut", "cut": 7}                                                       null without a cut
    {"fact": "packets", "packets": [3, 2, 3, 2, 2, 3, 2, 3]}                        if the dealer chose the packets
    {"fact": "opened", "cards": [{"position": 7, "card": "Jd", "salt": "…"}, …]}       as cards become public
    {BINDING, "root": "…", "deck": "9cJd…", "salts": ["…", …], "bot_secret": "…", "cut": 7}
        everything, when the game is over; with `packets` if they were chosen

BINDING is `"kind": "hand", "number": 3, "link": "…"`, with `"players": {…}` if some changed since the last deck.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from leftbower.codec import Codec, Scalar
from leftbower.dealing.chain import Binding, bound_player
from leftbower.dealing.seal import Commitment, Opening, Sealed
from leftbower.errors import BadSeal, LeftbowerError
from leftbower.rules.cards import parse_cards

Plain = dict[str, Any]
"""A JSON object."""


def commitment_to_json(commitment: Commitment) -> Plain:
    """`{"fact": "sealed", …}`: the first line of a hand."""
    return {"fact": "sealed", **published_to_json(commitment)}


def published_to_json(commitment: Commitment) -> Plain:
    """Binding, root and leaves, as a table shows them."""
    return {
        **_binding_to_json(commitment.binding),
        "root": commitment.root,
        "leaves": list(commitment.leaves),
        "bot_leaf": commitment.bot_leaf,
    }


def commitment_from_json(plain: Mapping[str, Any]) -> Commitment:
    """Parse a commitment; raises BadSeal if the leaves don't give the root."""
    leaves, bot_leaf = _read_leaves(plain.get("leaves")), _read_bot_leaf(plain.get("bot_leaf"))
    commitment = Commitment.over(leaves, bot_leaf, _binding_from_json(plain))
    if commitment.root != plain.get("root"):
        raise BadSeal("the leaves don't match the root", path="root")
    return commitment


def cut_to_json(number: int | None) -> Plain:
    """`{"fact": "cut", "cut": 7}`: the number of cards lifted, or null without a cut."""
    return {"fact": "cut", "cut": number}


def cut_from_json(plain: Mapping[str, Any]) -> int | None:
    return None if plain.get("cut") is None else _read_cut(plain["cut"])


def packets_to_json(packets: Iterable[int]) -> Plain:
    """`{"fact": "packets", "packets": [3, 2, …]}`: the size of every packet, if the dealer chose them."""
    return {"fact": "packets", "packets": list(packets)}


def openings_to_json(opened: Iterable[Opening]) -> Plain:
    """`{"fact": "opened", "cards": […]}`: cards with proof of their positions."""
    return {"fact": "opened", "cards": list(map(_write_opening, opened))}


def openings_from_json(plain: Mapping[str, Any]) -> tuple[Opening, ...]:
    """Parse openings; `check` then says whether they match the commitment."""
    return _read_openings(plain.get("cards"))


def seal_to_json(
    sealed: Sealed, cut: int | None, *, packets: Iterable[int] = (), players: Mapping[str, Plain] | None = None
) -> Plain:
    """Everything about a deal, for the key `seal` of its fact in the record. It contains every card.

    `packets` are the sizes of all packets in dealing order, if the dealer chose them. `players` are those of the
    binding, with names and salts.
    """
    chosen = list(packets)
    return {
        **_binding_to_json(sealed.binding),
        **({"players": dict(players)} if players else {}),
        "root": sealed.root,
        "deck": "".join(map(str, sealed.deck)),
        "salts": [salt.hex() for salt in sealed.salts],
        "bot_secret": sealed.bot_secret.hex(),
        "cut": cut,
        **({"packets": chosen} if chosen else {}),
    }


def seal_from_json(plain: Mapping[str, Any]) -> tuple[Sealed, int | None]:
    """Parse the sealed deck and the cut; raises BadSeal if deck and salts don't give the root."""
    try:
        deck, salts = parse_cards(plain["deck"]), tuple(map(bytes.fromhex, plain["salts"]))
        secret, binding = bytes.fromhex(plain["bot_secret"]), _binding_from_json(plain)
        sealed = Sealed(deck=deck, salts=salts, bot_secret=secret, binding=binding)
    except BadSeal:
        raise
    except LeftbowerError as error:
        raise error.at("deck") from None
    except (KeyError, TypeError, ValueError):
        raise BadSeal(
            "a seal must have kind, number, link, root, deck, salts, bot_secret and cut", path="seal"
        ) from None
    if sealed.root != plain.get("root"):
        raise BadSeal("deck, salts and bot_secret don't match the root", path="root")
    return sealed, cut_from_json(plain)


def _binding_to_json(binding: Binding) -> Plain:
    changed = {seat: dict(player) for seat, player in binding.players.items()}
    plain: Plain = {"kind": binding.kind, "number": binding.number, "link": binding.link}
    return plain | ({"players": changed} if changed else {})


def _binding_from_json(plain: Mapping[str, Any]) -> Binding:
    match plain:
        case {"kind": "draw" | "hand" as kind, "number": int(number), "link": str(link)} if link.isascii():
            changed = plain.get("players", {})
        case _:
            raise BadSeal("a sealed deck must have its kind (draw or hand), number and link", path="link")
    players = {seat: bound_player(player) for seat, player in _read_players(changed).items()}
    return Binding(kind=kind, number=number, link=link, players=players)


def _check_ascii(text: str) -> str:
    if not text.isascii():
        raise ValueError
    return text


_CODEC: Final = Codec[Opening](
    BadSeal, scalars={str: Scalar(str, _check_ascii), bytes: Scalar(bytes.hex, bytes.fromhex)}, strict=False
)
_write_opening = _CODEC.writer(Opening)
_read_openings = _CODEC.reader(tuple[Opening, ...], "cards")
_read_leaves = _CODEC.reader(tuple[str, ...], "leaves")
_read_bot_leaf = _CODEC.reader(str, "bot_leaf")
_read_cut = _CODEC.reader(int, "cut")
_read_players = _CODEC.reader(dict[Any, dict[Any, Any]], "players")
