# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Exact search over bit words: compiled by Cython if there is a C compiler, otherwise run as plain Python.

A word holds cards in the layout of `encoding`: one byte per suit, with trump in the top byte. A better card has a
higher bit, and the top bit of each byte, the guard, is never a card. So among cards that can take a trick (`eligible`:
the suit led and trump), the larger word is the better card.

There are four chairs, makers on 0 and 2, defenders on 1 and 3; an absent player holds nothing and is skipped. The
search answers one yes-or-no question: does the leader's side take at least `need` of the `left` tricks? It calls the
chairs `a`, `b`, `c`, `d`, starting with the leader, so `a` and `c` are partners. What keeps the search small:

- Cards next to each other among those still in play are equivalent, so it tries only the lowest of each run. One
  addition finds the runs: a card's bit, shifted up by one, carries across the gaps of played cards to its neighbor.
- A hand's trumps, minus the most of them that higher opposing trumps can match, are sure tricks for its side (`SURE`):
  each has to be played at some point, and each opposing trump beats only one of them.
- It tries the cheapest winner first, but losers first when partner is winning.
- The last trick plays itself.

Plain Python has no 32-bit words. Every expression works in both, because extra bits are masked off before any
comparison.
"""

import cython
from cython.cimports.libc.math import exp

POSITION_WORDS = 16
"""Words per position: four hands, the four cards on the table (0 for none), the leader's chair, the makers' tricks, and
six piles that are out of play."""

GUARD = cython.declare(cython.uint, 0x80808080)
"""The top bit of each byte. A literal this large would be a Python object in compiled code."""
GOLDEN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
MIX_1 = cython.declare(cython.ulonglong, 0xBF58476D1CE4E5B9)
MIX_2 = cython.declare(cython.ulonglong, 0x94D049BB133111EB)
WORD_64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
"""Constants of the splitmix64 generator."""
SURE = cython.declare(cython.uchar[16384])
"""Sure tricks of a hand, indexed by its trumps, and, shifted by seven bits, the opposing trumps."""


def is_compiled() -> bool:
    return cython.compiled


def _fill_sure() -> None:
    """Going up through the trumps, each opposing one cancels one of mine below it; the rest are sure."""
    mine: cython.int
    theirs: cython.int
    rank: cython.int
    sure: cython.int
    for mine in range(128):
        for theirs in range(128):
            sure = 0
            for rank in range(7):
                if mine >> rank & 1:
                    sure += 1
                elif theirs >> rank & 1 and sure > 0:
                    sure -= 1
            SURE[mine | theirs << 7] = sure


_fill_sure()


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _suit(card: cython.uint) -> cython.uint:
    """All cards of this card's suit."""
    if card >= 0x1000000:
        return 0x7F000000
    if card >= 0x10000:
        return 0x7F0000
    if card >= 0x100:
        return 0x7F00
    return 0x7F


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _sure(mine: cython.uint, theirs: cython.uint) -> cython.int:
    """The trump tricks that a hand takes no matter how the cards are played."""
    return SURE[mine >> 24 | theirs >> 24 << 7]


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _choices(hand: cython.uint, led: cython.uint, live: cython.uint) -> cython.uint:
    """Cards worth trying in a hand that must follow suit if it can; `live` has the cards in play and the guards."""
    legal: cython.uint = hand & led
    if legal == 0:
        legal = hand
    return legal & ~((legal << 1) + ~live)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _lead(
    a: cython.uint, b: cython.uint, c: cython.uint, d: cython.uint, need: cython.int, left: cython.int
) -> cython.bint:
    """Does the side of `a`, who leads, take `need` of the `left` tricks? `need` is from 1 to `left`."""
    ours: cython.uint = a | c
    theirs: cython.uint = b | d
    if _sure(a, theirs) >= need or _sure(c, theirs) >= need:
        return True
    if _sure(b, ours) > left - need or _sure(d, ours) > left - need:
        return False
    live: cython.uint = ours | theirs | GUARD
    moves: cython.uint = _choices(a, a, live)
    card: cython.uint
    while moves:
        card = moves & (0 - moves)
        moves ^= card
        if _second(a ^ card, b, c, d, card, live, need, left):
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _second(
    a: cython.uint,
    b: cython.uint,
    c: cython.uint,
    d: cython.uint,
    lead: cython.uint,
    live: cython.uint,
    need: cython.int,
    left: cython.int,
) -> cython.bint:
    """The same question after `a` has led, when `b` plays."""
    led: cython.uint = _suit(lead)
    eligible: cython.uint = led | 0x7F000000
    if b == 0:
        return _third(a, b, c, d, led, eligible, lead, 0, live, need, left)
    losers: cython.uint = _choices(b, led, live)
    winners: cython.uint = losers & eligible & (0 - (lead << 1))
    losers ^= winners
    card: cython.uint
    while winners:
        card = winners & (0 - winners)
        winners ^= card
        if not _third(a, b ^ card, c, d, led, eligible, card, 1, live, need, left):
            return False
    while losers:
        card = losers & (0 - losers)
        losers ^= card
        if not _third(a, b ^ card, c, d, led, eligible, lead, 0, live, need, left):
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _third(
    a: cython.uint,
    b: cython.uint,
    c: cython.uint,
    d: cython.uint,
    led: cython.uint,
    eligible: cython.uint,
    best: cython.uint,
    winner: cython.int,
    live: cython.uint,
    need: cython.int,
    left: cython.int,
) -> cython.bint:
    """The same question when `c` plays and the card `best` of `winner` (0 for `a`, 1 for `b`) is winning."""
    if c == 0:
        return _fourth(a, b, c, d, led, eligible, best, winner, live, need, left)
    losers: cython.uint = _choices(c, led, live)
    winners: cython.uint = losers & eligible & (0 - (best << 1))
    losers ^= winners
    card: cython.uint
    if winner == 0:
        while losers:
            card = losers & (0 - losers)
            losers ^= card
            if _fourth(a, b, c ^ card, d, led, eligible, best, winner, live, need, left):
                return True
    while winners:
        card = winners & (0 - winners)
        winners ^= card
        if _fourth(a, b, c ^ card, d, led, eligible, card, 2, live, need, left):
            return True
    while losers:
        card = losers & (0 - losers)
        losers ^= card
        if _fourth(a, b, c ^ card, d, led, eligible, best, winner, live, need, left):
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fourth(
    a: cython.uint,
    b: cython.uint,
    c: cython.uint,
    d: cython.uint,
    led: cython.uint,
    eligible: cython.uint,
    best: cython.uint,
    winner: cython.int,
    live: cython.uint,
    need: cython.int,
    left: cython.int,
) -> cython.bint:
    """The same question when only `d` still has to play."""
    if d == 0:
        return _taken(a, b, c, d, winner, need, left)
    losers: cython.uint = _choices(d, led, live)
    winners: cython.uint = losers & eligible & (0 - (best << 1))
    losers ^= winners
    card: cython.uint
    if winner == 1:
        while losers:
            card = losers & (0 - losers)
            losers ^= card
            if not _taken(a, b, c, d ^ card, winner, need, left):
                return False
    while winners:
        card = winners & (0 - winners)
        winners ^= card
        if not _taken(a, b, c, d ^ card, 3, need, left):
            return False
    while losers:
        card = losers & (0 - losers)
        losers ^= card
        if not _taken(a, b, c, d ^ card, winner, need, left):
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _taken(
    a: cython.uint,
    b: cython.uint,
    c: cython.uint,
    d: cython.uint,
    winner: cython.int,
    need: cython.int,
    left: cython.int,
) -> cython.bint:
    """The same question after `winner` took the trick and leads to the next."""
    if winner == 0 or winner == 2:
        need -= 1
        if need == 0:
            return True
    elif need == left:
        return False
    left -= 1
    eligible: cython.uint
    if left == 1:
        if winner == 0:
            eligible = _suit(a)
        elif winner == 1:
            eligible = _suit(b)
        elif winner == 2:
            eligible = _suit(c)
        else:
            eligible = _suit(d)
        eligible |= 0x7F000000
        return ((a | c) & eligible) > ((b | d) & eligible)
    if winner == 0:
        return _lead(a, b, c, d, need, left)
    if winner == 1:
        return not _lead(b, c, d, a, left + 1 - need, left)
    if winner == 2:
        return _lead(c, d, a, b, need, left)
    return not _lead(d, a, b, c, left + 1 - need, left)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _count(word: cython.uint) -> cython.int:
    """The number of cards in a word."""
    cards: cython.int = 0
    while word:
        word &= word - 1
        cards += 1
    return cards


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _side_takes(
    a: cython.uint,
    b: cython.uint,
    c: cython.uint,
    d: cython.uint,
    ta: cython.uint,
    tb: cython.uint,
    tc: cython.uint,
    td: cython.uint,
    need: cython.int,
    left: cython.int,
) -> cython.bint:
    """Does the side of `a`, who leads or led, take `need` of the `left` tricks? `ta` to `td` are on the table."""
    if need <= 0:
        return True
    if need > left:
        return False
    if ta == 0:
        return _lead(a, b, c, d, need, left)
    live: cython.uint = a | b | c | d | ta | tb | tc | td | GUARD
    if tb == 0 and b:
        return _second(a, b, c, d, ta, live, need, left)
    led: cython.uint = _suit(ta)
    eligible: cython.uint = led | 0x7F000000
    best: cython.uint = ta
    winner: cython.int = 0
    if (tb & eligible) > best:
        best = tb
        winner = 1
    if tc == 0 and c:
        return _third(a, b, c, d, led, eligible, best, winner, live, need, left)
    if (tc & eligible) > best:
        best = tc
        winner = 2
    if td == 0 and d:
        return _fourth(a, b, c, d, led, eligible, best, winner, live, need, left)
    if (td & eligible) > best:
        winner = 3
    return _taken(a, b, c, d, winner, need, left)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _makers_take(
    h0: cython.uint,
    h1: cython.uint,
    h2: cython.uint,
    h3: cython.uint,
    t0: cython.uint,
    t1: cython.uint,
    t2: cython.uint,
    t3: cython.uint,
    leader: cython.uint,
    need: cython.int,
    left: cython.int,
) -> cython.bint:
    """Do the makers take `need` of the remaining tricks, including the one on the table?"""
    if leader == 0:
        return _side_takes(h0, h1, h2, h3, t0, t1, t2, t3, need, left)
    if leader == 1:
        return not _side_takes(h1, h2, h3, h0, t1, t2, t3, t0, left + 1 - need, left)
    if leader == 2:
        return _side_takes(h2, h3, h0, h1, t2, t3, t0, t1, need, left)
    return not _side_takes(h3, h0, h1, h2, t3, t0, t1, t2, left + 1 - need, left)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _value(
    h0: cython.uint,
    h1: cython.uint,
    h2: cython.uint,
    h3: cython.uint,
    t0: cython.uint,
    t1: cython.uint,
    t2: cython.uint,
    t3: cython.uint,
    leader: cython.uint,
    taken: cython.int,
    exact: cython.bint,
) -> cython.int:
    """The makers' tricks in the whole hand; unless `exact`, the lowest number with the same score: 0, 3 or 5."""
    led: cython.uint = t0 if leader == 0 else t1 if leader == 1 else t2 if leader == 2 else t3
    hand: cython.uint = h0 if leader == 0 else h1 if leader == 1 else h2 if leader == 2 else h3
    left: cython.int = _count(hand) + (led != 0)
    tricks: cython.int = 3
    if _makers_take(h0, h1, h2, h3, t0, t1, t2, t3, leader, 3 - taken, left):
        if not exact:
            return 5 if _makers_take(h0, h1, h2, h3, t0, t1, t2, t3, leader, 5 - taken, left) else 3
        while tricks < 5 and _makers_take(h0, h1, h2, h3, t0, t1, t2, t3, leader, tricks + 1 - taken, left):
            tricks += 1
        return tricks
    if not exact:
        return 0
    tricks = 2
    while tricks > 0 and not _makers_take(h0, h1, h2, h3, t0, t1, t2, t3, leader, tricks - taken, left):
        tricks -= 1
    return tricks


def solve(
    words: cython.uint[:], tricks: cython.schar[:], start: cython.int, stop: cython.int, exact: cython.bint
) -> None:
    """Write the makers' tricks of positions `start` to `stop`."""
    position: cython.int
    w: cython.int
    with cython.nogil:
        for position in range(start, stop):
            w = position * 16
            tricks[position] = _value(
                words[w],
                words[w + 1],
                words[w + 2],
                words[w + 3],
                words[w + 4],
                words[w + 5],
                words[w + 6],
                words[w + 7],
                words[w + 8],
                words[w + 9],
                exact,
            )


def solve_cards(
    words: cython.uint[:],
    cards: cython.uint[:],
    chair: cython.int,
    tricks: cython.schar[:],
    start: cython.int,
    stop: cython.int,
    exact: cython.bint,
) -> None:
    """Write the makers' tricks of positions `start` to `stop` after the same chair plays each of `cards`."""
    position: cython.int
    card_index: cython.int
    w: cython.int
    card: cython.uint
    h0: cython.uint
    h1: cython.uint
    h2: cython.uint
    h3: cython.uint
    t0: cython.uint
    t1: cython.uint
    t2: cython.uint
    t3: cython.uint
    card_count: cython.int = len(cards)
    with cython.nogil:
        for position in range(start, stop):
            w = position * 16
            for card_index in range(card_count):
                card = cards[card_index]
                h0, t0 = words[w], words[w + 4]
                h1, t1 = words[w + 1], words[w + 5]
                h2, t2 = words[w + 2], words[w + 6]
                h3, t3 = words[w + 3], words[w + 7]
                if chair == 0:
                    h0 ^= card
                    t0 = card
                elif chair == 1:
                    h1 ^= card
                    t1 = card
                elif chair == 2:
                    h2 ^= card
                    t2 = card
                else:
                    h3 ^= card
                    t3 = card
                tricks[position * card_count + card_index] = _value(
                    h0, h1, h2, h3, t0, t1, t2, t3, words[w + 8], words[w + 9], exact
                )


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _mixed(state: cython.ulonglong) -> cython.ulonglong:
    """The random word for this state of the generator; the state grows by `GOLDEN` each time."""
    state = (state ^ state >> 30) * MIX_1 & WORD_64
    state = (state ^ state >> 27) * MIX_2 & WORD_64
    return state ^ state >> 31


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _nth(word: cython.uint, n: cython.int) -> cython.uint:
    """The card with `n` lower cards in the word."""
    while n > 0:
        word &= word - 1
        n -= 1
    return word & (0 - word)


def deal(
    deck: cython.uint[:],
    words: cython.uint[:],
    start: cython.int,
    stop: cython.int,
    seed: cython.ulonglong,
) -> None:
    """Write random positions: five cards for each chair and a random leader. Position n depends only on seed and n."""
    position: cython.int
    i: cython.int
    j: cython.int
    state: cython.ulonglong
    size: cython.int = len(deck)
    cards = cython.declare(cython.uint[32])
    swap: cython.uint
    with cython.nogil:
        for position in range(start, stop):
            state = _mixed(seed + (position + 1) * GOLDEN & WORD_64)
            for i in range(size):
                cards[i] = deck[i]
            for i in range(16):
                words[position * 16 + i] = 0
            for i in range(20):
                state = state + GOLDEN & WORD_64
                j = i + ((_mixed(state) >> 32) * (size - i) >> 32)
                swap = cards[j]
                cards[j] = cards[i]
                words[position * 16 + (i & 3)] |= swap
            words[position * 16 + 8] = _mixed(state + GOLDEN & WORD_64) & 3


def playouts(
    words: cython.uint[:],
    tricks: cython.schar[:],
    start: cython.int,
    stop: cython.int,
    times: cython.int,
    seed: cython.ulonglong,
) -> None:
    """Play out positions `start` to `stop` with uniformly random legal cards, `times` times; write the tricks."""
    position: cython.int
    time: cython.int
    w: cython.int
    chair: cython.int
    leader: cython.int
    winner: cython.int
    taken: cython.int
    turn: cython.int
    begun: cython.bint
    led: cython.uint
    best: cython.uint
    legal: cython.uint
    card: cython.uint
    state: cython.ulonglong
    hands = cython.declare(cython.uint[4])
    with cython.nogil:
        for position in range(start, stop):
            w = position * 16
            for time in range(times):
                state = _mixed(seed + (position * times + time + 1) * GOLDEN & WORD_64)
                leader = words[w + 8]
                taken = words[w + 9]
                begun = True
                for chair in range(4):
                    hands[chair] = words[w + chair] | words[w + 4 + chair]
                while hands[leader]:
                    led, best, winner = 0, 0, leader
                    for turn in range(4):
                        chair = leader + turn & 3
                        if hands[chair] == 0:
                            continue
                        card = words[w + 4 + chair] if begun else 0
                        if card == 0:
                            legal = hands[chair] & _suit(led) if led else hands[chair]
                            if legal == 0:
                                legal = hands[chair]
                            state = state + GOLDEN & WORD_64
                            card = _nth(legal, (_mixed(state) >> 32) * _count(legal) >> 32)
                        hands[chair] ^= card
                        if led == 0:
                            led = card
                        if (card & (_suit(led) | 0x7F000000)) > best:
                            best = card
                            winner = chair
                    if winner == 0 or winner == 2:
                        taken += 1
                    leader = winner
                    begun = False
                tricks[position * times + time] = taken


def sample(
    known: cython.uint[:],
    pool: cython.uint[:],
    sizes: cython.int[:],
    allowed: cython.uint[:],
    owed: cython.uint[:],
    words: cython.uint[:],
    start: cython.int,
    stop: cython.int,
    seed: cython.ulonglong,
    tries: cython.int,
) -> cython.int:
    """Write uniformly random layouts that complete `known`.

    The cards of the pool are distributed at random over the words of a position: `sizes` cards to each word, only cards
    that word is `allowed`, and, if any card is `owed`, at least one in a word it is owed to. A layout that doesn't fit
    is rejected, up to `tries` times per layout. Returns the index at which it stopped.
    """
    layout: cython.int
    word: cython.int
    card: cython.int
    other: cython.int
    last: cython.int
    fits: cython.bint
    owing: cython.uint
    paid: cython.uint
    drawn: cython.uint
    state: cython.ulonglong
    pool_size: cython.int = len(pool)
    filled: cython.int = stop
    cards = cython.declare(cython.uint[32])
    with cython.nogil:
        owing = 0
        for word in range(16):
            owing |= owed[word]
        for layout in range(start, stop):
            state = _mixed(seed + (layout + 1) * GOLDEN & WORD_64)
            for card in range(pool_size):
                cards[card] = pool[card]
            fits = False
            for _ in range(tries):
                card = 0
                fits = True
                paid = 0
                for word in range(16):
                    words[layout * 16 + word] = known[word]
                    last = card + sizes[word]
                    while card < last:
                        state = state + GOLDEN & WORD_64
                        other = card + ((_mixed(state) >> 32) * (pool_size - card) >> 32)
                        drawn = cards[other]
                        cards[other] = cards[card]
                        cards[card] = drawn
                        if drawn & allowed[word] == 0:
                            fits = False
                            break
                        words[layout * 16 + word] |= drawn
                        card += 1
                    if not fits:
                        break
                    paid |= words[layout * 16 + word] & owed[word]
                if fits and (owing == 0 or paid):
                    break
                fits = False
            if not fits:
                filled = layout
                break
    return filled


def weigh(
    words: cython.uint[:],
    place: cython.int,
    heap: cython.int,
    more: cython.uint,
    less: cython.uint,
    worth: cython.double[:],
    weights: cython.double[:],
    sign: cython.double,
) -> None:
    """Multiply each layout's weight by the probability that the player calls (`sign` 1) or passes (-1) in it.

    The player was dealt the cards of the words `place` and `heap`, plus `more`, minus `less`. `worth` has a number for
    each of 32 cards, and a bias at the end; the logistic function of their sum is the probability of a call.
    """
    layout: cython.int
    card: cython.int
    layouts: cython.int = len(weights)
    hand: cython.uint
    total: cython.double
    with cython.nogil:
        for layout in range(layouts):
            hand = (words[layout * 16 + place] | words[layout * 16 + heap] | more) & ~less
            total = worth[32]
            for card in range(32):
                if hand >> card & 1:
                    total += worth[card]
            weights[layout] *= 1.0 / (1.0 + exp(-sign * total))


def choose(words: cython.uint[:], weights: cython.double[:], count: cython.int, point: cython.double) -> cython.int:
    """Resample `count` layouts in proportion to their weights, to the front; return how many are distinct.

    Systematic sampling: `count` steps of equal weight through all layouts, with the first at offset `point`. The new
    weight of a layout is the number of steps that end in it.
    """
    layout: cython.int
    word: cython.int
    after: cython.int
    before: cython.int = 0
    chosen: cython.int = 0
    layouts: cython.int = len(weights)
    total: cython.double = 0.0
    cumulative: cython.double = 0.0
    with cython.nogil:
        for layout in range(layouts):
            total += weights[layout]
        for layout in range(layouts):
            cumulative += weights[layout]
            after = cython.cast(cython.int, cumulative * count / total + 1.0 - point)
            if after > count or layout == layouts - 1:
                after = count
            if after > before:
                for word in range(16):
                    words[chosen * 16 + word] = words[layout * 16 + word]
                weights[chosen] = after - before
                chosen += 1
                before = after
    return chosen


def averages(
    tricks: cython.schar[:],
    card_count: cython.int,
    weights: cython.double[:],
    worth: cython.double[:],
    means: cython.double[:],
) -> None:
    """Write, for each of `card_count` cards, the weighted mean of `worth` by the makers' tricks after it."""
    layout: cython.int
    card_index: cython.int
    total: cython.double = 0.0
    layouts: cython.int = len(weights)
    with cython.nogil:
        for layout in range(layouts):
            total += weights[layout]
            for card_index in range(card_count):
                means[card_index] += weights[layout] * worth[tricks[layout * card_count + card_index]]
        for card_index in range(card_count):
            means[card_index] /= total


def take(words: cython.uint[:], chair: cython.int, heap: cython.int, card: cython.uint) -> None:
    """In each layout, a chair takes all cards of a pile, plus one face-up card (or none)."""
    layout: cython.int
    layouts: cython.int = len(words) // 16
    with cython.nogil:
        for layout in range(layouts):
            words[layout * 16 + chair] |= words[layout * 16 + heap] | card
            words[layout * 16 + heap] = 0


def bury(words: cython.uint[:], chair: cython.int, heap: cython.int, cards: cython.int) -> None:
    """In each layout, a chair discards `cards` cards to a pile, like a sensible player who sees no other hand.

    The lowest side card that leaves a void goes first, but not an ace; then the lowest side card; then a trump.
    """
    layout: cython.int
    layouts: cython.int = len(words) // 16
    worst: cython.uint
    with cython.nogil:
        for layout in range(layouts):
            for _ in range(cards):
                worst = _worst(words[layout * 16 + chair])
                words[layout * 16 + chair] ^= worst
                words[layout * 16 + heap] |= worst


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _worst(hand: cython.uint) -> cython.uint:
    """The discard of a sensible player."""
    worst: cython.uint = hand & (0 - hand)
    side: cython.uint = hand & 0xFFFFFF
    card: cython.uint
    rank: cython.int
    lowest: cython.int = 99
    while side:
        card = side & (0 - side)
        side ^= card
        rank = _rank(card)
        if rank == (4 if card < 0x100 else 5):
            rank += 20
        if hand & _suit(card) == card:
            rank -= 10
        if rank < lowest:
            lowest = rank
            worst = card
    return worst


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _rank(card: cython.uint) -> cython.int:
    """A card's rank in its suit, starting with the nine."""
    rank: cython.int = -1
    while card:
        card >>= 1
        rank += 1
    return rank & 7
