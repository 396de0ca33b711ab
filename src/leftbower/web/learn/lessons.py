"""Nine lessons: each has a position as a hand line, a text, a question and a reply to every answer.

Rules are quoted from the rule card. Tests check the right answers with the engine where only one suit may be played,
and with the coach where there is a choice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from leftbower.i18n import gettext as _, gettext_noop, holds_texts
from leftbower.rules.choices import Claims, ThrowIns
from leftbower.rules.clauses import clause_text
from leftbower.rules.formats import to_link
from leftbower.rules.house import HouseRules

LESSON_RULES: Final = HouseRules(claims=Claims.OFF, throw_ins=ThrowIns.OFF)
"""The usual rules without claims and throw-ins."""
REFUSED_REPLY: Final = gettext_noop("You can’t do that here. Try something else.")
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
    refused_reply: str = ""
    """Replaces `REFUSED_REPLY` as the reply to an illegal answer."""
    continuation: str = ""
    """Tokens of the actions after a right answer."""

    @property
    def position(self) -> str:
        """The hand line with its rules."""
        return _HAND_LINE_PREFIX + self.line


@holds_texts
@cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons in order, in the reader's language."""
    return _follow(), _trump(), _bowers(), _up_card(), _discard(), _second_round(), _points(), _partner(), _alone()


def _follow() -> Lesson:
    return Lesson(
        title=_("Follow suit"),
        text=_(
            "There are 24 cards, nine up to ace, and everyone gets five. Nora, across the table, is your partner: you "
            "take tricks together. The first card of a trick sets the suit. If you have that suit, you must play it."
        ),
        question=_("Ellis leads the king of hearts. Which card can you play?"),
        line="N Kc N:AcQcTd9sQh E:KhTsJdQd9c S:9hAhAdQsTc W:ThJhKsAsKd | p p p o -9s | Kh",
        right={
            "Ah": _("You followed suit, and the ace is the highest heart: the trick is yours."),
            "9h": _("A heart follows suit. The ace would have followed too, and taken the trick."),
        },
        refused_reply=_("Hearts were led and you have hearts, so you must play one."),
        continuation="Th Qh",
    )


def _trump() -> Lesson:
    return Lesson(
        title=_("Trump"),
        text=_(
            "One suit is trump: its lowest card beats the best card of any other suit. Clubs are trump now, as the "
            "top of the table shows. If you can’t follow suit, you may play anything."
        ),
        question=_("You have no diamonds. Take the trick as cheaply as you can."),
        line="S Ac W:AdQdKsTsQh N:9d9sJhTcJs E:KdTdAsThKc S:Jc9cAhKh9h | p p p o -9h | Ad9dKd",
        right={"9c": _("The nine of trump beats even the ace of diamonds, and you still have your big clubs.")},
        wrong={
            "Ac": _("That takes the trick, but a smaller club does too. Keep the big ones until you need them."),
            "Jc": _("That takes the trick, but so does your lowest club. The jack is the best card there is: keep it."),
            "Ah": _("You may play it, but a heart can’t take a trick of diamonds. Only a trump beats that ace."),
            "Kh": _("You may play it, but a heart can’t take a trick of diamonds. Only a trump beats that ace."),
        },
    )


def _bowers() -> Lesson:
    return Lesson(
        title=_("The two bowers"),
        text=_(
            "The jack of trump is the right bower, the best card of all. The other jack of its color is the left "
            "bower, second best, and a trump in every way: it no longer belongs to the suit printed on it."
        ),
        question=_("Hearts are trump, and Ellis leads the ace of hearts. What must you play?"),
        line="N 9h N:ThQcKc9dJs E:AhKhQhAsTd S:Jd9sAdKsTc W:AcQs9cKdQd | o -9d | Ah",
        right={
            "Jd": _("While hearts are trump the jack of diamonds is a heart. You had to follow with it, and it wins.")
        },
        refused_reply=_("Trump was led, and you have one: while hearts are trump, a red jack is always a heart."),
        continuation="9c Th",
    )


def _up_card() -> Lesson:
    return Lesson(
        title=_("The up-card"),
        text=_(
            "Every hand starts with a card turned up. In turn, each player passes or orders it up. Then the dealer "
            "takes it and its suit is trump. The player who ordered it up must take three of the five tricks, "
            "together with their partner."
        ),
        question=_("Nora deals, so the queen would be hers. What do you say?"),
        line="N Qs N:9cTdKhTsQd E:AcKc9hJdAd S:JcAsKsAh9d W:QhThQcKdTc | p",
        right={
            "o": _("Left bower, ace and king of trump, an ace on the side, and one more trump for Nora: that’s enough.")
        },
        wrong={
            "p": _("Too shy. With spades as trump the jack of clubs is the left bower: you’d have three of the best."),
            "o!": _(
                "Spades, yes. But alone you’d play without Nora, and you don’t have the jack of spades, the best card."
            ),
        },
        continuation="-9c",
    )


def _discard() -> Lesson:
    return Lesson(
        title=_("Pick up and discard"),
        text=_(
            "You dealt. Everyone passed, and you picked up the king of hearts. Now you have six cards, and you discard "
            "one of them, face down. If you’re out of a suit, you can trump it."
        ),
        question=_("Which card do you discard?"),
        line="S Kh W:KcKdQsQd9h N:JdQcAsTdTs E:QhThKs9sJc S:JhAhAcTc9d | p p p o",
        right={"-9d": _("It was your only diamond. When diamonds are led, you can trump them now.")},
        wrong={
            "-Tc": _("You’d still have a club to follow with. Without the nine you could trump diamonds."),
            "-Ac": _("An ace often takes a trick on its own. A low card, alone in its suit, is a better discard."),
            "-Ah": _("That is a trump, and trumps take tricks. Look for a low card that is alone in its suit."),
            "-Kh": _("That is a trump, and trumps take tricks. Look for a low card that is alone in its suit."),
            "-Jh": _("That is the right bower, the best card there is! Look for a low card that is alone in its suit."),
        },
    )


def _second_round() -> Lesson:
    return Lesson(
        title=_("The second round"),
        text=_(
            "No one wanted the ten of diamonds, so it was turned down. Now each player may name one of the other "
            "suits. %(rule)s That is “stick the dealer.”",
            rule=clause_text(LESSON_RULES, "nobody_calls"),
        ),
        question=_("You deal and the others passed, so you’re stuck. Which suit?"),
        line="S Td W:AcKd9cQdKh N:AhQhQs9dKc E:AdJdTsTcQc S:JsAsKs9hTh | p p p p p p p",
        right={"s": _("Right bower, ace and king: you’d call that even if you didn’t have to.")},
        wrong={
            "h": _("Two low hearts won’t take three tricks. Count your best suit, and its jack first."),
            "c": _("Your jack of spades would be the left bower, but your only trump. You have a better suit."),
            "s!": _("The suit is right. But two of your cards are too low to win without a partner."),
            "h!": _("Two low hearts, and no partner: no. Count your best suit, and its jack first."),
            "c!": _("One trump, and no partner: no. You have a better suit."),
        },
    )


def _points() -> Lesson:
    return Lesson(
        title=_("What it’s worth"),
        text=_(
            "Now for the points. %(rules)s",
            rules=clause_text(LESSON_RULES, "made_points", "euchre_points", "target"),
        ),
        question=_("Wade made trump, and you have two tricks already. How do you stop him?"),
        line="W Qs N:9d9hAcJhJd E:TdThKcQh9s S:TcAdKhTsAh W:AsKdQdQc9c | p p p o -9c | "
        "AcKcTcQc 9dTdAdQd AhQs9hTh KdJdQh",
        right={"Ts": _("The ten of trump took your third trick. Wade is euchred: two points for Nora and you.")},
        wrong={
            "Kh": _("Then Wade wins this trick, and your ten may not win the last one. You have no diamond: trump it.")
        },
        continuation="Kh As Jh 9s",
    )


def _partner() -> Lesson:
    return Lesson(
        title=_("Your partner"),
        text=_(
            "You and Nora win together. If she is winning a trick, it’s yours already, so don’t waste a good card on "
            "it. Keep your trumps and aces for the tricks that need them."
        ),
        question=_("Nora’s ace of hearts is winning, and you have no heart. What do you play?"),
        line="W Qs N:AhKhTd9cJd E:9hTcAcKd9d S:AsTsAdQcKc W:ThJcJsQhQd | p o -Qd | Ah9h",
        right={
            "Qc": _("Nora takes the trick without your help, and you still have your trumps."),
            "Kc": _("Nora takes the trick without your help, and you still have your trumps."),
        },
        wrong={
            "Ts": _("Nora had this trick already: the trump is wasted. Throw a card that won’t win."),
            "As": _("Nora had this trick already: your best trump is wasted. Throw a card that won’t win."),
            "Ad": _("At least it’s not a trump. But this ace can take a trick of its own; a club won’t."),
        },
        continuation="Th",
    )


def _alone() -> Lesson:
    return Lesson(
        title=_("Going alone"),
        text=_(
            "With a great hand you can play without your partner, who lays the cards down. %(rule)s It’s the fastest "
            "way to win.",
            rule=clause_text(LESSON_RULES, "made_points_alone"),
        ),
        question=_("Nora deals. You have both red jacks, ace and king of hearts, and an ace. What do you say?"),
        line="N Qh W:KcKdQsQd9h N:TdQcAcTcTs E:ThKs9s9dJc S:JhJdAhKhAs | p",
        right={"o!": _("The four best trumps and an ace: all five tricks are nearly certain, and that’s four points.")},
        wrong={
            "o": _("Together you’d take all five too, but for two points. This hand can do it alone, for four."),
            "p": _("You get a hand like this once an evening. It nearly always takes every trick, even without Nora."),
        },
        continuation="-Td",
    )
