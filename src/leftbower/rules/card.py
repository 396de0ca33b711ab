"""The rule card: all rules on one page to hand to strangers, with the source of each rule."""

import html
import textwrap
from dataclasses import dataclass
from typing import Final

from leftbower.i18n import gettext as _
from leftbower.rules.clauses import Clause, sections
from leftbower.rules.diff import Difference, diff
from leftbower.rules.formats import fingerprint, to_link
from leftbower.rules.house import HouseRules, options
from leftbower.rules.sheets import Mark, Preset, Reading, base_preset, mark

_WIDTH: Final = 78


@dataclass(frozen=True, slots=True)
class CardLine:
    """One clause on the card, with a note about its source."""

    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, the rules under it, and the rules that only come from defaults."""

    heading: str
    lines: tuple[CardLine, ...]
    silent: tuple[CardLine, ...] = ()
    """Not on the sheet; played by the default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCard:
    """A rule set in English, ready to render as text, Markdown or HTML."""

    title: str
    about: str
    sections: tuple[Section, ...]
    link: str
    fingerprint: str


def rule_card(rules: HouseRules) -> RuleCard:
    base = base_preset(rules)
    changed = _changes(rules, base) if base else ()
    return RuleCard(
        title=_("Euchre rules: %(sheet)s", sheet=base.title) if base else _("Euchre rules: our own"),
        about=base.about if base else _("Rules of our own."),
        sections=changed + tuple(_section(rules, base, heading, clauses) for heading, clauses in sections(rules)),
        link=to_link(rules),
        fingerprint=fingerprint(rules),
    )


def highlights(rules: HouseRules) -> tuple[str, ...]:
    """The clauses in which a rule set differs from the default, in the order of the card."""
    plain = {name for name, option in options().items() if getattr(rules, name) == option.default}
    return tuple(
        clause.text
        for heading, clauses in sections(rules)
        for clause in clauses
        if not plain.issuperset(clause.options)
    )


def as_text(card: RuleCard) -> str:
    """The card for a terminal or a text file, 78 columns wide."""
    blocks = [card.title.upper(), textwrap.fill(card.about, _WIDTH)]
    for section in card.sections:
        blocks.append("\n".join([section.heading.upper(), *_text_lines(section.lines)]))
        if section.silent:
            blocks[-1] += "\n" + "\n".join([f"  {_silence()}", *_text_lines(section.silent, indent="    ")])
    return "\n\n".join([*blocks, f"{_fingerprint(card.fingerprint)}   {card.link}"]) + "\n"


def as_markdown(card: RuleCard) -> str:
    blocks = [f"# {card.title}", card.about]
    for section in card.sections:
        blocks += (
            [f"## {section.heading}", _markdown_lines(section.lines)] if section.lines else [f"## {section.heading}"]
        )
        if section.silent:
            blocks += [f"*{_silence()}*", _markdown_lines(section.silent)]
    return "\n\n".join([*blocks, f"{_fingerprint(f'`{card.fingerprint}`')} · `{card.link}`"]) + "\n"


def as_html(card: RuleCard) -> str:
    """The card as one HTML article to embed in a page, without style or script."""
    parts = [f"<h1>{html.escape(card.title)}</h1>", f"<p>{html.escape(card.about)}</p>"]
    for section in card.sections:
        parts += ["<section>", f"<h2>{html.escape(section.heading)}</h2>", *_html_lines(section.lines)]
        if section.silent:
            parts += [
                '<div class="silent">',
                f"<p>{html.escape(_silence())}</p>",
                *_html_lines(section.silent),
                "</div>",
            ]
        parts.append("</section>")
    fingerprint_html = _fingerprint(f"<code>{card.fingerprint}</code>")
    parts.append(f"<footer>{fingerprint_html} <code>{card.link}</code></footer>")
    return "\n".join(['<article class="rule-card">', *parts, "</article>"]) + "\n"


def _silence() -> str:
    # Translators: the heading of rules that the sheet does not state.
    return _("Not on the sheet; played as:")


def _fingerprint(fingerprint: str) -> str:
    # Translators: the fingerprint is a short code that differs where any rule does.
    return _("Rules %(fingerprint)s", fingerprint=fingerprint)


def _changes(rules: HouseRules, base: Preset) -> tuple[Section, ...]:
    """The table's changes to its sheet; they come first on the card because the players must have agreed to them."""
    lines = dict.fromkeys(
        CardLine(difference.our_words, (_on_the_sheet(difference, base),)) for difference in diff(rules, base.rules)
    )
    return (Section(_("Changed from the sheet"), tuple(lines)),) if lines else ()


def _on_the_sheet(difference: Difference, base: Preset) -> str:
    """Quote the sheet if it states the rule; otherwise its gist with our reading, or its silence."""
    if difference.option in base.readings:
        return _reading(base.readings[difference.option])
    if base.mark(difference.option) is Mark.STATED:
        return _("On the sheet: %(rule)s", rule=difference.their_words)
    return _("The sheet is silent.")


def _reading(reading: Reading) -> str:
    return _("The sheet says: %(says)s; we play it as: %(means)s.", says=reading.says, means=reading.means)


def _section(rules: HouseRules, base: Preset | None, heading: str, clauses: tuple[Clause, ...]) -> Section:
    silent = [clause for clause in clauses if base and _is_silent(rules, base, clause)]
    return Section(
        heading,
        tuple(CardLine(clause.text, _readings(rules, base, clause)) for clause in clauses if clause not in silent),
        tuple(CardLine(clause.text) for clause in silent),
    )


def _is_silent(rules: HouseRules, base: Preset, clause: Clause) -> bool:
    """Does the sheet say nothing about this?"""
    if clause.ours or clause.common in base.unstated:
        return True
    return {mark(rules, option) for option in clause.options} == {Mark.SILENT}


def _readings(rules: HouseRules, base: Preset | None, clause: Clause) -> tuple[str, ...]:
    if base is None:
        return ()
    read = (
        base.readings[name]
        for name in clause.options
        if name in base.readings and mark(rules, name) is not Mark.CHANGED
    )
    return tuple(dict.fromkeys(map(_reading, read)))


def _text_lines(lines: tuple[CardLine, ...], indent: str = "  ") -> list[str]:
    return [
        textwrap.fill(
            text, _WIDTH, initial_indent=indent + lead, subsequent_indent=indent + "  ", break_on_hyphens=False
        )
        for line in lines
        for text, lead in [(line.text, "- "), *((f"[{note}]", "  ") for note in line.notes)]
    ]


def _markdown_lines(lines: tuple[CardLine, ...]) -> str:
    return "\n".join("- " + " ".join([line.text, *(f"*{note}*" for note in line.notes)]) for line in lines)


def _html_lines(lines: tuple[CardLine, ...]) -> list[str]:
    items = [
        f"<li>{html.escape(line.text)}"
        + "".join(f" <small>{html.escape(note)}</small>" for note in line.notes)
        + "</li>"
        for line in lines
    ]
    return ["<ul>", *items, "</ul>"] if items else []
