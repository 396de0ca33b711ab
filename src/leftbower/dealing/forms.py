"""The JSON of a sealed deck: the lines of a table's log, and the seal that a deal carries in a record.

{"fact": "sealed", "root": "…", "leaves": ["…", …], "bot_leaf": "…"}      before anything else of the hand
{"fact": "cut", "cut": 7}                                                  null where nobody cuts
{"fact": "packets", "packets": [3, 2, 3, 2, 2, 3, 2, 3]}                   where the dealer chose the bundles
{"fact": "opened", "cards": [{"place": 7, "card": "Jd", "salt": "…"}, …]}  as cards become public
{"root": "…", "deck": "9cJd…", "salts": ["…", …], "bot_secret": "…", "cut": 7}   everything, when the game is over;
                                                                           with `packets` where they were chosen
"""

from collections.abc import Iterable, Mapping
from typing import Any

from leftbower.dealing.sealing import Commitment, Opening, Sealed
from leftbower.errors import BadSeal, LeftbowerError
from leftbower.rules.cards import Card, parse_cards

Plain = dict[str, Any]
"""An object as JSON holds it."""


def commitment_to_json(commitment: Commitment) -> Plain:
    """`{"fact": "sealed", "root": …, "leaves": […], "bot_leaf": …}`: the first line of a hand."""
    return {"fact": "sealed", **published_to_json(commitment)}


def published_to_json(commitment: Commitment) -> Plain:
    """Root and leaves, as a table shows them."""
    return {"root": commitment.root, "leaves": list(commitment.leaves), "bot_leaf": commitment.bot_leaf}


def commitment_from_json(plain: Mapping[str, Any]) -> Commitment:
    """The commitment of a line, refused where its leaves do not give its root."""
    leaves = plain.get("leaves")
    if not isinstance(leaves, list) or not all(isinstance(leaf, str) and leaf.isascii() for leaf in leaves):
        raise BadSeal("a sealed deck is told as its root and the list of its leaves", place="leaves")
    bot_leaf = plain.get("bot_leaf")
    if not isinstance(bot_leaf, str) or not bot_leaf.isascii():
        raise BadSeal("a sealed deck has a leaf for the bots' secret", place="bot_leaf")
    commitment = Commitment.over(leaves, bot_leaf)
    if commitment.root != plain.get("root"):
        raise BadSeal("the leaves do not give the root", place="root")
    return commitment


def cut_to_json(number: int | None) -> Plain:
    """`{"fact": "cut", "cut": 7}`: how many cards were lifted, null where nobody cut."""
    return {"fact": "cut", "cut": number}


def cut_from_json(plain: Mapping[str, Any]) -> int | None:
    """The number of a cut."""
    number = plain.get("cut")
    if number is not None and (not isinstance(number, int) or isinstance(number, bool)):
        raise BadSeal("a cut is a number of cards, or null", place="cut")
    return number


def packets_to_json(packets: Iterable[int]) -> Plain:
    """`{"fact": "packets", "packets": [3, 2, …]}`: the size of every bundle, where the dealer chose them."""
    return {"fact": "packets", "packets": list(packets)}


def openings_to_json(opened: Iterable[Opening]) -> Plain:
    """`{"fact": "opened", "cards": […]}`: cards with what proves their places."""
    return {
        "fact": "opened",
        "cards": [{"place": one.place, "card": str(one.card), "salt": one.salt.hex()} for one in opened],
    }


def openings_from_json(plain: Mapping[str, Any]) -> tuple[Opening, ...]:
    """The openings of a line; whether they fit is for `check` to say."""
    try:
        return tuple(
            Opening(place=_place(one["place"]), card=Card.parse(one["card"]), salt=bytes.fromhex(one["salt"]))
            for one in plain["cards"]
        )
    except (KeyError, TypeError, ValueError):
        raise BadSeal("an opened card has its place, the card and the salt", place="cards") from None


def seal_to_json(sealed: Sealed, cut: int | None, *, packets: Iterable[int] = ()) -> Plain:
    """Everything about a deal: what its fact in the record carries as `seal`. It tells every card.

    `packets` are the sizes of all bundles in the order they were dealt, where the dealer chose them.
    """
    chosen = list(packets)
    return {
        "root": sealed.root,
        "deck": "".join(map(str, sealed.deck)),
        "salts": [salt.hex() for salt in sealed.salts],
        "bot_secret": sealed.bot_secret.hex(),
        "cut": cut,
        **({"packets": chosen} if chosen else {}),
    }


def seal_from_json(plain: Mapping[str, Any]) -> tuple[Sealed, int | None]:
    """The sealed deck and the cut of `seal_to_json`, refused where deck and salts do not give the root."""
    try:
        deck, salts = parse_cards(plain["deck"]), tuple(map(bytes.fromhex, plain["salts"]))
        sealed = Sealed(deck=deck, salts=salts, bot_secret=bytes.fromhex(plain["bot_secret"]))
    except LeftbowerError as error:
        raise error.at("deck") from None
    except (KeyError, TypeError, ValueError):
        raise BadSeal("a seal has root, deck, salts, bot_secret and cut", place="seal") from None
    if sealed.root != plain.get("root"):
        raise BadSeal("deck, salts and bot_secret do not give the root", place="root")
    return sealed, cut_from_json(plain)


def _place(plain: object) -> int:
    if not isinstance(plain, int) or isinstance(plain, bool):
        raise TypeError
    return plain
