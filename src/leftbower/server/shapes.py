"""What the server answers with, as OpenAPI describes it."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Shape(BaseModel):
    """Nothing but what is described."""

    model_config = ConfigDict(extra="forbid")


class Signed(Shape):
    """A person, and a token to act for them; it is told once."""

    person: str
    name: str
    token: str


class Me(Shape):
    """Who asks."""

    person: str
    name: str


class Token(Shape):
    """A token, told once."""

    token: str


class Invitation(Shape):
    """A code that leads to a table."""

    code: str
    table: str


class SeatedPerson(Shape):
    """A seat that a person has."""

    person: str


class SeatedBot(Shape):
    """A seat that a bot has."""

    bot: str


Phase = Literal["gathering", "drawing", "dealing", "cutting", "playing", "over", "closed"]


class Listed(Shape):
    """A table in a list."""

    table: str
    phase: Phase
    title: str
    sheet: str
    host: str
    seats: dict[str, SeatedPerson | SeatedBot]


class You(Shape):
    """The viewer."""

    person: str | None
    seat: str | None
    plays: bool = Field(description="False for a latecomer, who plays from the next hand on.")


class PlayerShown(Shape):
    """A player as roots bind it: a bot by its level and version, a person by the commitment to their name."""

    kind: Literal["human", "bot"]
    name: str | None = Field(None, description="The level of a bot.")
    version: str | None = Field(None, description="The version of leftbower whose bot it is.")
    commitment: str | None = Field(None, description="The hash that binds a person's name.")


class MatchShown(Shape):
    """The match that is played, or was played last, and the roots that bind it."""

    number: int = Field(description="1 for the first match of the table.")
    root: str = Field(description="Binds table, match number, rules and players; told before the first deck.")
    players: dict[str, PlayerShown] = Field(description="By seat, as the match began.")
    final_root: str | None = Field(description="Binds the whole match; null until it is over.")


class SealShown(Shape):
    """The deck of the present hand, or the next, or of the draw for the dealer, in its envelopes."""

    kind: Literal["draw", "hand"]
    number: int = Field(description="Its number among the decks of the match.")
    link: str = Field(description="Binds all that came before it in the match.")
    players: dict[str, PlayerShown] | None = Field(None, description="Those that changed since the deck before.")
    root: str
    leaves: list[str]
    bot_leaf: str = Field(description="Binds the secret that seeds the bots of this deal.")


class UndoShown(Shape):
    """Somebody wants the own last act undone."""

    person: str
    agreed: list[str]


class ClockShown(Shape):
    """How the table keeps time, in seconds; with no clock only its kind is told."""

    kind: Literal["off", "relaxed", "quick"]
    each: float | None = Field(None, description="For every decision.")
    banks: dict[str, float] | None = Field(None, description="By seat, for where that is not enough.")


class SaidShown(Shape):
    """Something that was said."""

    version: int
    person: str
    phrase: str = Field(description="One of the phrases, or empty.")
    words: str = Field(description="Words of one's own; empty where they are forgotten.")


class TalkShown(Shape):
    """What people say."""

    free: bool = Field(description="Are words of one's own allowed here?")
    muted: list[str] = Field(description="Whom you do not want to hear.")
    said: list[SaidShown]


class Shown(Shape):
    """A table as one person, or a spectator, may see it."""

    table: str
    version: int = Field(description="The number of the last thing that happened; acts are meant for one version.")
    phase: Phase
    title: str = Field(description="What the host calls the table; may be empty.")
    host: str
    rules: dict[str, Any] = Field(description="Every option of the rule set.")
    link: str = Field(description="The same as a link.")
    level: str = Field(description="How well the bots play that the house seats here.")
    clock: ClockShown
    tempo: Literal["slow", "steady", "brisk"] = Field(description="How much time bots take.")
    hints: bool = Field(description="May people who play with others ask the coach in the middle of a hand?")
    left: float | None = Field(None, description="Seconds until the time of whoever is asked runs out, by the clock.")
    seats: dict[str, SeatedPerson | SeatedBot | None]
    away: list[str] = Field(description="Who sits here, and has dropped out.")
    covered: list[str] = Field(description="For whom a bot plays now.")
    waiting: dict[str, str] = Field(description="Latecomers, by the bot's seat that they get with the next hand.")
    agreed: list[str] = Field(description="Who is ready to play by the rules as they stand.")
    revised: list[str] = Field(description="Who of them agreed before the host changed the rules or the clock.")
    rejoins: list[str] = Field(
        description="Seats whose player the event's desk let join from another device, which gets a seat only between "
        "matches."
    )
    again: list[str] = Field(description="Who wants another match.")
    you: You
    last_card: bool = Field(description="Is your last card laid for you?")
    wins: list[int] = Field(description="Games won, side by side.")
    scores: list[int]
    dealer: str | None
    cut: str | None = Field(description="Who is offered the cut now, before a deal or before the draw for the dealer.")
    deals: str | None = Field(description="Who is asked to deal now, at an honor table.")
    may_offer_cut: bool = Field(description="May the seat under `deals` offer the cut before it deals?")
    match: MatchShown | None
    sealed: SealShown | None
    shuffler: str | None = Field(description="Who shuffled the sealed deck for the draw; null for the deck of a hand.")
    opened: list[dict[str, Any]] = Field(description="The cards that everybody has seen, and what proves their places.")
    hand: dict[str, Any] | None = Field(description="The hand as you may see it; `legal` lists what you may do.")
    undo: UndoShown | None
    talk: TalkShown
    people: dict[str, str] = Field(description="Names, by the ids of people; empty for who is forgotten.")


class ShownAfterAct(Shown):
    """The table as it stands after an act."""

    acted: int = Field(description="The version that came of the act, whenever it is asked for again.")


class MatchListed(Shape):
    """A finished match of a table."""

    number: int = Field(description="1 for the first match of the table.")
    version: int = Field(description="The version of the table at which it ended.")
    ended: float = Field(description="When, in seconds since 1970.")
    sheet: str
    link: str = Field(description="The rules by which it was played.")
    wins: list[int] = Field(description="Games won, side by side.")
    scores: list[int] = Field(description="The score of its last game.")
    winner: list[str] | None = Field(description="The seats of the side that won; none for a tie.")
    seats: dict[str, SeatedPerson | SeatedBot] = Field(description="Who sat where when it ended.")
    root: str = Field(description="Was published before its first deck: it binds table, number, rules and players.")
    final_root: str = Field(description="Was published when it was over: it binds the whole match.")
    people: dict[str, str] = Field(description="Everyone who played in it: names by id, empty for who is forgotten.")


class Health(Shape):
    """Is the server well?"""

    store: Literal["ok"]
    feeds: int = Field(description="How many clients listen to a table.")
    busy: int = Field(description="At how many tables the house has something to do.")
