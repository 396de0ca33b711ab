"""Plot a bout: the running mean and its interval over the number of pairs."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

from leftbower.errors import BadUsage, MissingExtra, UnreadableFile
from leftbower.i18n import signed
from leftbower.players.arena.arena import BoutTally

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 40, 40
_INK: Final = "#1a1a1a"
_BAND: Final = "#9ecae1"
_LINE: Final = "#08519c"


class Point(NamedTuple):
    """The running mean and its interval after `pairs` pairs."""

    pairs: int
    mean: float
    low: float
    high: float


def draw(path: str, title: str, unit: str, running: Sequence[BoutTally]) -> None:
    """Write the plot: SVG without dependencies, other formats with matplotlib, which is an extra."""
    points = [
        Point(tally.pairs, found.mean, found.low, found.high)
        for tally in running
        if (found := tally.difference).low is not None and found.high is not None
    ]
    if not points:
        raise BadUsage("a plot needs at least three pairs")
    try:
        if path.endswith(".svg"):
            Path(path).write_text(svg(title, unit, points), encoding="utf-8")
        else:
            _plot(path, title, unit, points)
    except OSError as why:
        reason = (why.strerror or "it cannot be opened").lower()
        raise UnreadableFile("can't write the plot: %(reason)s", path=path, reason=reason) from None


def svg(title: str, unit: str, points: Sequence[Point]) -> str:
    """The plot as a small standalone SVG, without style sheet or script."""
    low, high = _bounds(points)
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def at(pairs: int, value: float) -> str:
        across = _LEFT + (right - _LEFT) * pairs / points[-1].pairs
        down = bottom - (bottom - _TOP) * (min(max(value, low), high) - low) / (high - low)
        return f"{across:.1f},{down:.1f}"

    band = [at(point.pairs, point.high) for point in points] + [
        at(point.pairs, point.low) for point in reversed(points)
    ]
    mean = [at(point.pairs, point.mean) for point in points]
    zero = at(0, 0).split(",")[1]
    last = points[-1]
    interval = f"95% interval {signed(last.low, 3)} to {signed(last.high, 3)}"
    caption = f"{signed(last.mean, 3)} {unit}, {interval}, {last.pairs:,} pairs"
    text = f'font-family="sans-serif" font-size="13" fill="{_INK}"'
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-labelledby="t d">
<title id="t">{escape(title)}</title>
<desc id="d">{escape(caption)}</desc>
<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>
<polygon points="{" ".join(band)}" fill="{_BAND}"/>
<line x1="{_LEFT}" y1="{zero}" x2="{right}" y2="{zero}" stroke="{_INK}" stroke-dasharray="4 3"/>
<polyline points="{" ".join(mean)}" fill="none" stroke="{_LINE}" stroke-width="2"/>
<path d="M{_LEFT},{_TOP}V{bottom}H{right}" fill="none" stroke="{_INK}"/>
<g {text}>
<text x="{_LEFT}" y="18" font-weight="bold">{escape(title)}</text>
<text x="{_LEFT}" y="34">{escape(caption)}</text>
<text x="{_LEFT - 6}" y="{_TOP + 10}" text-anchor="end">{signed(high)}</text>
<text x="{_LEFT - 6}" y="{zero}" dy="4" text-anchor="end">0</text>
<text x="{_LEFT - 6}" y="{bottom}" text-anchor="end">{signed(low)}</text>
<text x="{_LEFT}" y="{bottom + 18}">0</text>
<text x="{right}" y="{bottom + 18}" text-anchor="end">{last.pairs:,} pairs</text>
</g>
</svg>
"""


def _bounds(points: Sequence[Point]) -> tuple[float, float]:
    """The range of the y axis: zero, and every interval except those of the first tenth, which are far too wide."""
    visible = [point for point in points if 10 * point.pairs >= points[-1].pairs]
    low, high = min(0.0, *(point.low for point in visible)), max(0.0, *(point.high for point in visible))
    return (low, high) if low < high else (-1.0, 1.0)


def _plot(path: str, title: str, unit: str, points: Sequence[Point]) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("plots") from None
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    pairs = [point.pairs for point in points]
    axes.fill_between(pairs, [point.low for point in points], [point.high for point in points], color=_BAND)
    axes.plot(pairs, [point.mean for point in points], color=_LINE)
    axes.axhline(0, color=_INK, linestyle="--", linewidth=1)
    axes.set(title=title, xlabel="pairs", ylabel=unit, ylim=_bounds(points))
    try:
        figure.savefig(path)
    except ValueError:  # matplotlib doesn't know the suffix
        raise BadUsage("use a name that ends in .svg, .png or .pdf") from None
