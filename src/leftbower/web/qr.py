"""Codes to point a phone at."""

from io import BytesIO


def qr_svg(address: str) -> str:
    """An address as a drawing that is scaled to the size its page gives it, however long the address is."""
    import segno  # noqa: PLC0415  # few pages need it, and every start would pay for it

    drawn = BytesIO()
    segno.make(address, error="m", micro=False).save(
        drawn, kind="svg", border=2, light="#fff", xmldecl=False, svgns=True, omitsize=True
    )
    return drawn.getvalue().decode()
