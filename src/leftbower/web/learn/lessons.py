"""Nine lessons, each a position in a hand line with a text, a question and a reply to every answer.

Rules are quoted from the rule card. Tests check the right answers with the engine where only one suit may be played,
and with the coach where there is a choice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from leftbower.rules.choices import Claims, ThrowIns
from leftbower.rules.clauses import clause_text
from leftbower.rules.formats import to_link
from leftbower.rules.house import HouseRules

LESSON_RULES: Final = HouseRules(claims=Claims.OFF, throw_ins=ThrowIns.OFF)
"""The usual rules without claims and throw-ins."""
_HAND_LINE_PREFIX: Final = f"{{{to_link(LESSON_RULES)}}} "


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A position seen from South, a question, and a reply to each answer."""

    title: str
    text: str
    question: str
    line: str
    """The position as a hand line without its rules."""
    right: Mapping[str, str]
    """Replies to the right answers, by token."""
    wrong: Mapping[str, str] = field(default_factory=dict)
    """Replies to the other legal answers, by token."""
    refused_reply: str = "The rules do not allow that here. Try another one."
    """The reply to an illegal answer."""
    continuation: str = ""
    """Tokens of the actions after a right answer."""

    @property
    def position(self) -> str:
        """The whole hand line."""
        return _HAND_LINE_PREFIX + self.line


_FOLLOW: Final = Lesson(
    title="Follow suit",
    text="Twenty-four cards, nine up to ace; five for each of you. Nora, across the table, is your partner: you take "
    "tricks together. The first card sets the suit, and who has that suit must play it.",
    question="Ellis leads the king of hearts. Which card can you play?",
    line="N Kc N:AcQcTd9sQh E:KhTsJdQd9c S:9hAhAdQsTc W:ThJhKsAsKd | p p p o -9s | Kh",
    right={
        "Ah": "You followed suit, and the ace is the highest heart: the trick is yours.",
        "9h": "A heart follows suit. The ace would have followed too, and taken the trick.",
    },
    refused_reply="Hearts were led and you have hearts, so it must be one of them.",
    continuation="Th Qh",
)
_TRUMP: Final = Lesson(
    title="Trump",
    text="One suit is trump: its lowest card beats the best of any other suit. Clubs are trump now, as the top of the "
    "table shows. Without a card of the suit that was led you may play anything.",
    question="You have no diamond. Take the trick, as cheaply as you can.",
    line="S Ac W:AdQdKsTsQh N:9d9sJhTcJs E:KdTdAsThKc S:Jc9cAhKh9h | p p p o -9h | Ad9dKd",
    right={"9c": "The nine of trump beats even the ace of diamonds, and your big clubs are still there."},
    wrong={
        "Ac": "That takes the trick, but a smaller club does too. Keep the big ones until you need them.",
        "Jc": "That takes the trick, but so does your lowest club. The jack is the best card there is: keep it.",
        "Ah": "Allowed, but a heart cannot take a trick of diamonds. Only a trump beats that ace.",
        "Kh": "Allowed, but a heart cannot take a trick of diamonds. Only a trump beats that ace.",
    },
)
_BOWERS: Final = Lesson(
    title="The two bowers",
    text="The jack of trump is the right bower, the best card of all. The other jack of its color is the left bower, "
    "second best, and a trump in every way: it no longer belongs to the suit printed on it.",
    question="Hearts are trump, and Ellis leads their ace. What must you play?",
    line="N 9h N:ThQcKc9dJs E:AhKhQhAsTd S:Jd9sAdKsTc W:AcQs9cKdQd | o -9d | Ah",
    right={"Jd": "While hearts are trump the jack of diamonds is a heart. You had to follow with it, and it wins."},
    refused_reply="Trump was led, and you have one: while hearts are trump, a red jack is always a heart.",
    continuation="9c Th",
)
_UP_CARD: Final = Lesson(
    title="The up-card",
    text="Every hand begins with a card turned up. In turn each player passes, or orders it into the dealer’s hand. "
    "Then its suit is trump, and the player who ordered must take three of the five tricks with their partner.",
    question="Nora deals, so the queen would be hers. What do you say?",
    line="N Qs N:9cTdKhTsQd E:AcKc9hJdAd S:JcAsKsAh9d W:QhThQcKdTc | p",
    right={"o": "Left bower, ace and king of trump, an ace beside them, and a trump more for Nora: that is enough."},
    wrong={
        "p": "Too shy. With spades as trump the jack of clubs is the left bower: you would have three of the best.",
        "o!": "Spades, yes. But alone you would play without Nora, and the best card, the jack of spades, is missing.",
    },
    continuation="-9c",
)
_BURY: Final = Lesson(
    title="Pick up and bury",
    text="You dealt. Everyone passed, and you took the king of hearts into your hand. Now you have six cards, and one "
    "of them goes away, face down. A suit that you have no card of is a suit you can trump.",
    question="Which card do you bury?",
    line="S Kh W:KcKdQsQd9h N:JdQcAsTdTs E:QhThKs9sJc S:JhAhAcTc9d | p p p o",
    right={"-9d": "It was your only diamond. When diamonds are led, you can trump them now."},
    wrong={
        "-Tc": "Near. But your ace of clubs leaves no trick to trump there; without the nine you could trump diamonds.",
        "-Ac": "An ace often takes a trick on its own. A low card, alone in its suit, is better buried.",
        "-Ah": "That is a trump, and trumps take tricks. Look for a low card that is alone in its suit.",
        "-Kh": "That is a trump, and trumps take tricks. Look for a low card that is alone in its suit.",
        "-Jh": "That is the right bower, the best card there is! Look for a low card that is alone in its suit.",
    },
)
_SECOND_ROUND: Final = Lesson(
    title="The second round",
    text="No one wanted the ten of diamonds, so it was turned down. Now each player may name one of the other suits. "
    f"{clause_text(LESSON_RULES, 'nobody_calls')} That is “stick the dealer”.",
    question="You deal, the others passed: you are stuck. Which suit?",
    line="S Td W:AcKd9cQdKh N:AhQhQs9dKc E:AdJdTsTcQc S:JsAsKs9hTh | p p p p p p p",
    right={"s": "Right bower, ace and king: you would have called that even if no one had made you."},
    wrong={
        "h": "Two low hearts will not take three tricks. Count your best suit, and its jack first.",
        "c": "Your jack of spades would be the left bower, but it would stand there alone. You have a better suit.",
        "s!": "The suit is right. But two of your cards are too low to win without a partner.",
        "h!": "Two low hearts, and no partner: no. Count your best suit, and its jack first.",
        "c!": "One trump, and no partner: no. You have a better suit.",
    },
)
_POINTS: Final = Lesson(
    title="What it is worth",
    text=f"{clause_text(LESSON_RULES, 'made_points', 'euchre_points')} {clause_text(LESSON_RULES, 'target')}",
    question="Wade made trump, and you have two tricks already. How do you stop him?",
    line="W Qs N:9d9hAcJhJd E:TdThKcQh9s S:TcAdKhTsAh W:AsKdQdQc9c | p p p o -9c | AcKcTcQc 9dTdAdQd AhQs9hTh KdJdQh",
    right={"Ts": "The ten of trump took your third trick. Wade is euchred: two points for Nora and you."},
    wrong={
        "Kh": "Then Wade wins this trick, and your ten may not win the last one. You have no diamond: trump it now."
    },
    continuation="Kh As Jh 9s",
)
_PARTNER: Final = Lesson(
    title="Your partner",
    text="You and Nora win together. A trick that she is winning is yours already, so spend nothing good on it: keep "
    "your trumps and aces for the tricks that need them.",
    question="Nora’s ace of hearts is winning, and you have no heart. What do you play?",
    line="W Qs N:AhKhTd9cJd E:9hTcAcKd9d S:AsTsAdQcKc W:ThJcJsQhQd | p o -Qd | Ah9h",
    right={
        "Qc": "Nora takes the trick without your help, and your trumps are still to come.",
        "Kc": "Nora takes the trick without your help, and your trumps are still to come.",
    },
    wrong={
        "Ts": "Nora had won this trick already: the trump is wasted. Throw away a card that will not win.",
        "As": "Nora had won this trick already: your best trump is wasted. Throw away a card that will not win.",
        "Ad": "Well, at least no trump. But this ace can take a trick of its own; a club is not going to.",
    },
    continuation="Th",
)
_ALONE: Final = Lesson(
    title="Going alone",
    text="With a great hand you can play without your partner, who lays the cards down. "
    f"{clause_text(LESSON_RULES, 'made_points_alone')} It is the fastest way to win.",
    question="Nora deals. Both red jacks, ace and king of hearts, and an ace: what do you say?",
    line="N Qh W:KcKdQsQd9h N:TdQcAcTcTs E:ThKs9s9dJc S:JhJdAhKhAs | p",
    right={"o!": "The four best trumps and an ace: all five tricks are nearly certain, and that is four points."},
    wrong={
        "o": "Together you would take all five as well, but for two points. This hand can do it alone, for four.",
        "p": "A hand like this comes once in an evening. It takes every trick nearly always, even without Nora.",
    },
    continuation="-Td",
)

LESSONS: Final = (_FOLLOW, _TRUMP, _BOWERS, _UP_CARD, _BURY, _SECOND_ROUND, _POINTS, _PARTNER, _ALONE)
