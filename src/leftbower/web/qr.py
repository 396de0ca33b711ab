"""Codes to point a phone at."""

from io import BytesIO


def qr_svg(address: str, *, scale: int = 4) -> str:
    """An address as a drawing that stands within a page."""
    import segno  # noqa: PLC0415  # few pages need it, and every start would pay for it

    drawn = BytesIO()
    segno.make(address, error="m", micro=False).save(
        drawn, kind="svg", border=2, scale=scale, light="#fff", xmldecl=False, svgns=True
    )
    return drawn.getvalue().decode()
