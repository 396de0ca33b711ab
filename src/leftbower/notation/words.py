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
        case _:
            return "."


def read_word(text: str, seat: Seat) -> Action:
    """The action a word stands for when `seat` is to act."""
    match text[:1], text[1:]:
        case "p", "":
            return Pass(seat)
        case "o", "" | "!" as alone:
            return Order(seat, bool(alone))
        case "c" | "d" | "h" | "s" as suit, "" | "!" as alone:
            return Name(seat, Suit(suit), bool(alone))
        case "!", "":
            return GoAlone(seat)
        case "&", "":
            return GoTogether(seat)
        case ".", "":
            return KeepHand(seat)
        case "N" | "E" | "S" | "W" as defender, "!":
            return DefendAlone(Seat(defender))
        case "N" | "E" | "S" | "W" as defender, "&":
            return DefendTogether(Seat(defender))
        case "~", cards if cards:
            return ShowFarmersHand(seat, parse_cards(cards))
        case "-", cards if len(cards) == 2:
            return Bury(seat, parse_faces(cards)[0])
        case "-", cards if cards:
            return LayAway(seat, parse_faces(cards))
        case _:
            raise BadHandLine(f"'{text[:12]}' is not a call")
