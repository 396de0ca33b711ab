"""Sealed decks: every order is a permutation, only true openings pass, and the format never changes."""

from dataclasses import replace
from hashlib import sha256, shake_256
from pprint import pformat

import pytest
from hypothesis import given, strategies as st

from leftbower.dealing import (
    DRAW,
    Commitment,
    Opening,
    Sealed,
    bot_secret,
    check,
    cut,
    opening,
    openings,
    salts,
    seal,
    shuffled,
)
from leftbower.engine.deal import deal_hand
from leftbower.errors import BadCut
from leftbower.rules import HouseRules, Seat, preset
from leftbower.rules.cards import DECK, Card

ENTROPIES = st.binary(min_size=32, max_size=32)
DECKS = st.sampled_from([HouseRules(players=seats).deck for seats in (2, 3, 4)])
COUNTED = bytes(range(32))

GOLDEN = {
    24: (
        "QsKsJcJhThAhQd9dTsTdKcAsQcKdJsKhAd9cAcQh9sTcJd9h",
        "2c3f2f45f6a5acf7c553df1af41abf9d",
        "9a5b43c4c36e6f4130db4441dd6db2ef131dc1391d4973c3b1b22190c98e2169",
        "a056955813bae37675f60d6956726d2f7a29129e67228ef22a9396671024edf1",
    ),
    20: (
        "KdQsKhQdQcJdAcJcQhJhAsTsJsAhThKsKcAdTdTc",
        "5ab0a0e6f6021c8d4f3134a9ff04f94d",
        "f7a60e74374d601e10ae05fb9d2a53f43e34dad3e849e504963139415b1e3e42",
        "ac006aac1ffc9083c6a3a2a023249b6a36ccee09d97a3eada8dff220e9758324",
    ),
}
"""Deck, last salt, first leaf and root of the bytes 0 to 31, bound to no match, checked with openssl and sha256sum.
They never change."""
GOLDEN_SECRET = "c97b72dc68a65ba5dcceffeea93edb3a7218fb807a0ff1f1e95c089cfee5edaa"
GOLDEN_BOT_LEAF = "ea7e1731ca56855962b754f5e39b4c3eb3102984d4c8a6beccd89cfd7ed5d1b2"
"""The bots' secret of the same bytes, and its leaf, checked in the same way."""


@given(ENTROPIES, DECKS)
def test_a_shuffled_deck_has_every_card_once(entropy: bytes, deck: tuple[Card, ...]) -> None:
    assert sorted(shuffled(entropy, deck)) == list(deck)


@given(ENTROPIES, DECKS)
def test_seals_depend_on_every_bit_of_the_entropy(entropy: bytes, deck: tuple[Card, ...]) -> None:
    assert seal(entropy, deck) == seal(entropy, deck)
    changed = bytes([entropy[0] ^ 1]) + entropy[1:]
    assert not {seal(changed, deck).root, *seal(changed, deck).salts} & {seal(entropy, deck).root, *salts(entropy, 24)}
    assert seal(changed, deck).bot_secret != seal(entropy, deck).bot_secret


@pytest.mark.parametrize("seats", [4, 2])
def test_the_format_is_the_one_of_the_first_day(seats: int) -> None:
    sealed = seal(COUNTED, HouseRules(players=seats).deck)
    deck = "".join(map(str, sealed.deck))
    assert (deck, sealed.salts[-1].hex(), sealed.commitment.leaves[0], sealed.root) == GOLDEN[len(sealed.deck)]
    assert (sealed.bot_secret.hex(), sealed.commitment.bot_leaf) == (GOLDEN_SECRET, GOLDEN_BOT_LEAF)


def test_deck_salts_and_bot_secret_have_separate_domains() -> None:
    """With a shared domain, the salts, which are opened one by one, would reveal the deck or the secret."""
    assert bot_secret(COUNTED) == shake_256(b"leftbower bots 1" + COUNTED).digest(32)
    assert b"".join(salts(COUNTED, 24)) == shake_256(b"leftbower salt 1" + COUNTED).digest(16 * 24)
    stream = [byte for byte in shake_256(b"leftbower deck 1" + COUNTED).digest(64) if byte < 240]
    assert shuffled(COUNTED, DECK)[23] is DECK[stream[0] % 24]
    assert len(set(salts(COUNTED, 24))) == 24


def test_bytes_that_would_favor_some_cards_are_rejected() -> None:
    """The first byte of this entropy is 240 or more, beyond the last multiple of 24."""
    entropy = next(
        entropy
        for number in range(1000)
        if shake_256(b"leftbower deck 1" + (entropy := number.to_bytes(32))).digest(1)[0] >= 240
    )
    fair = [byte for byte in shake_256(b"leftbower deck 1" + entropy).digest(64) if byte < 240]
    assert shuffled(entropy, DECK)[23] is DECK[fair[0] % 24]


@pytest.mark.parametrize("size", [0, 16, 31, 33, 64])
def test_any_other_amount_of_entropy_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"32 bytes of entropy, not from {size}"):
        seal(bytes(size), DECK)


@given(ENTROPIES, DECKS, st.data())
def test_an_opening_fits_and_nothing_like_it_does(entropy: bytes, deck: tuple[Card, ...], data: st.DataObject) -> None:
    sealed = seal(entropy, deck)
    position = data.draw(st.integers(0, len(deck) - 1))
    opened = opening(sealed, position)
    assert (opened.card, opened.salt) == (sealed.deck[position], sealed.salts[position])
    assert check(opened, sealed.commitment)
    bit = data.draw(st.integers(0, 127))
    salt = (int.from_bytes(opened.salt) ^ 1 << bit).to_bytes(16)
    other = data.draw(st.sampled_from([card for card in deck if card is not opened.card]))
    elsewhere = data.draw(st.integers(-30, 30).filter(lambda at: at != position))
    for wrong in (replace(opened, salt=salt), replace(opened, card=other), replace(opened, position=elsewhere)):
        assert not check(wrong, sealed.commitment)


@given(ENTROPIES, st.integers(0, 23), st.integers(0, 255))
def test_a_commitment_with_any_bit_changed_opens_nothing(entropy: bytes, position: int, bit: int) -> None:
    sealed = seal(entropy, DECK)
    leaves = list(sealed.commitment.leaves)
    leaves[position] = f"{int(leaves[position], 16) ^ 1 << bit:064x}"
    root = f"{int(sealed.root, 16) ^ 1 << bit:064x}"
    for wrong in (replace(sealed.commitment, leaves=tuple(leaves)), replace(sealed.commitment, root=root)):
        assert not any(check(opening(sealed, index), wrong) for index in range(24))
    binding, bot_leaf = sealed.binding, sealed.commitment.bot_leaf
    assert Commitment.over(leaves, bot_leaf, binding).root != sealed.root
    assert Commitment.over(sealed.commitment.leaves, root, binding).root != sealed.root
    players = {"N": {"kind": "bot", "name": "regular", "version": "1.2"}}
    for change in ({"link": root}, {"number": 2}, {"kind": DRAW}, {"players": players}):
        other = replace(binding, **change)
        assert Commitment.over(sealed.commitment.leaves, bot_leaf, other).root != sealed.root
        assert not check(opening(sealed, position), replace(sealed.commitment, binding=other))


def test_leaf_and_root_are_hashes_of_plain_text() -> None:
    sealed = seal(COUNTED, DECK)
    leaves = [
        sha256(f"leftbower leaf 1:{position}:{card}:{salt.hex()}".encode()).hexdigest()
        for position, (card, salt) in enumerate(zip(sealed.deck, sealed.salts, strict=True))
    ]
    assert sealed.commitment.leaves == tuple(leaves)
    bot_leaf = sha256(f"leftbower bot leaf 1:{sealed.bot_secret.hex()}".encode()).hexdigest()
    assert sealed.commitment.bot_leaf == bot_leaf
    bound = f"{'0' * 64}:1:hand:{{}}"
    assert sealed.root == sha256(f"leftbower root 3:{bound}:{''.join(leaves)}{bot_leaf}".encode()).hexdigest()


def test_a_sealed_deck_prints_no_card_and_no_salt() -> None:
    """Logged, formatted or pretty-printed, it shows only the root, not even the leaves."""
    sealed = seal(COUNTED, DECK)
    for text in (repr(sealed), str(sealed), f"{sealed}", pformat(sealed), repr([sealed])):
        assert sealed.root in text
        assert "deck" not in text
        assert not any(str(card) in text.replace(sealed.root, "") for card in DECK)
        assert not any(salt.hex() in text or repr(salt) in text for salt in (*sealed.salts, sealed.bot_secret))


@given(ENTROPIES, DECKS, st.data())
def test_a_cut_turns_the_deck_as_the_dealer_does(entropy: bytes, deck: tuple[Card, ...], data: st.DataObject) -> None:
    sealed = seal(entropy, deck)
    number = data.draw(st.none() | st.integers(0, len(deck) - 1))
    turned = cut(sealed.deck, number)
    assert turned[len(deck) - (number or 0) :] == sealed.deck[: number or 0]
    assert turned[: len(deck) - (number or 0)] == sealed.deck[number or 0 :]
    rules = {24: preset("club"), 20: preset("club2")}[len(deck)]
    if number and rules.players != 3:
        dealt = deal_hand(rules, dealer=Seat.N, deck=sealed.deck, cut=number)
        assert dealt.hands[Seat.S.index if rules.players == 2 else Seat.E.index][:2] == turned[:2]


@pytest.mark.parametrize("number", [-1, 24, 10**6])
def test_a_cut_beyond_the_deck_is_refused(number: int) -> None:
    with pytest.raises(BadCut, match="lift 1 to 23 cards, or none"):
        cut(DECK, number)


def test_cards_are_opened_from_the_top_down() -> None:
    sealed = seal(COUNTED, DECK)
    found = openings(sealed, [sealed.deck[9], sealed.deck[2]])
    assert [opened.position for opened in found] == [2, 9]
    assert found == (opening(sealed, 2), opening(sealed, 9))


@pytest.mark.parametrize("position", [-1, 24])
def test_there_is_nothing_to_open_beside_the_deck(position: int) -> None:
    with pytest.raises(ValueError, match="positions 0 to 23"):
        opening(seal(COUNTED, DECK), position)
    assert not check(Opening(position=position, card=DECK[0], salt=bytes(16)), seal(COUNTED, DECK).commitment)


def test_a_deck_handed_in_is_sealed_as_it_lies() -> None:
    """Tests choose cards this way; a duplicate card, or one without a full-length salt, is refused."""
    secret = bot_secret(COUNTED)
    assert Sealed(deck=DECK, salts=salts(COUNTED, 24), bot_secret=secret).deck == DECK
    with pytest.raises(ValueError, match="every card once"):
        Sealed(deck=(*DECK[:23], DECK[0]), salts=salts(COUNTED, 24), bot_secret=secret)
    with pytest.raises(ValueError, match="a salt for each"):
        Sealed(deck=DECK, salts=salts(COUNTED, 23), bot_secret=secret)
    with pytest.raises(ValueError, match="16 bytes"):
        Sealed(deck=DECK, salts=(*salts(COUNTED, 23), b"short"), bot_secret=secret)
    with pytest.raises(ValueError, match="the bots' secret has 32 bytes"):
        Sealed(deck=DECK, salts=salts(COUNTED, 24), bot_secret=b"")
