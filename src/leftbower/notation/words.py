"""An action as one word of a hand line.

p          pass                          !        the maker goes alone, where that is said later
o  o!      order up, alone               &        with the partner, or takes the dummy
h  h!      name a suit, alone            W!  W&   a defender stands alone, or does not
-9s        the dealer buries             ~9sTcTd  shows a farmer's hand
-9s9hTc    the maker lays away three     .        keeps the hand when asked about a farmer's hand
"""

from leftbower.engine.actions import (
    Action,
    Bury,
    DefendAlone,
    DefendTogether,
    GoAlone,
    GoTogether,
    KeepHand,
    LayAway,
    Name,
    Order,
    Pass,
    Play,
    ShowFarmersHand,
)
from leftbower.errors import BadHandLine
from leftbower.rules.cards import Suit, parse_cards, parse_faces
from leftbower.rules.seats import Seat


def word(action: Action) -> str:
    """The word for an action; a played card is written inside its trick's word."""
    match action:
        case Pass():
            return "p"
        case Order():
            return "o!" if action.alone else "o"
        case Name():
            return f"{action.suit}!" if action.alone else str(action.suit)
        case Bury() | Play():
            return f"-{action.card}" if isinstance(action, Bury) else str(action.card)
        case GoAlone():
            return "!"
        case GoTogether():
            return "&"
        case LayAway():
            return "-" + "".join(map(str, action.cards))
        case DefendAlone():
            return f"{action.seat}!"
        case DefendTogether():
            return f"{action.seat}&"
        case ShowFarmersHand():
            return "~" + "".join(map(str, action.cards))
        case KeepHand():
            return "."


def read_word(text: str, seat: Seat) -> Action:
    """The action a word stands for when `seat` is to act."""
    alone = text.endswith("!")
    body = text.removesuffix("!")
    match text[0], body:
        case _, "p" if not alone:
            return Pass(seat)
        case _, "o":
            return Order(seat, alone)
        case _, "c" | "d" | "h" | "s":
            return Name(seat, Suit(body), alone)
        case "!", "":
            return GoAlone(seat)
        case "&", "&":
            return GoTogether(seat)
        case ".", ".":
            return KeepHand(seat)
        case "N" | "E" | "S" | "W", letter if text[1:] in ("!", "&"):
            return DefendAlone(Seat(letter)) if alone else DefendTogether(Seat(letter[0]))
        case "~", _:
            return ShowFarmersHand(seat, parse_cards(text[1:]))
        case "-", _:
            cards = parse_faces(text[1:])
            return Bury(seat, cards[0]) if len(cards) == 1 else LayAway(seat, cards)
        case _:
            raise BadHandLine(f"'{text[:12]}' is not a call")
