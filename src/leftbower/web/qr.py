"""QR codes as SVG."""

from io import BytesIO


def qr_svg(address: str) -> str:
    """The QR code of a URL as SVG without a fixed size, which CSS sets for any length of URL."""
    import segno  # noqa: PLC0415  # few pages need it, and every start would pay for it

    buffer = BytesIO()
    segno.make(address, error="m", micro=False).save(
        buffer, kind="svg", border=2, light="#fff", xmldecl=False, svgns=True, omitsize=True
    )
    return buffer.getvalue().decode()
