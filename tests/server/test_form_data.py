"""Form bodies: what browsers send is parsed, anything else is refused, with bounded work."""

from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from leftbower.errors import BadForm, TooLarge
from leftbower.server.http.form_data import MAX_FIELDS, parse_multipart, parse_urlencoded

KIND = "multipart/form-data; boundary=edge"
NAMED = b'Content-Disposition: form-data; name="ledger"; filename="x.jsonl"\r\n'


def part(headers: bytes = NAMED, body: bytes = b"{}") -> bytes:
    return b"--edge\r\n" + headers + b"\r\n" + body + b"\r\n"


def closed(*parts: bytes) -> bytes:
    return b"".join(parts) + b"--edge--\r\n"


def field(name: str, value: str) -> bytes:
    return part(f'Content-Disposition: form-data; name="{name}"\r\n'.encode(), value.encode())


def test_what_a_browser_sends_is_read() -> None:
    kind = 'multipart/form-data; boundary="----WebKitFormBoundary7MA4YWxkTrZu0gW"'
    body = (
        b"------WebKitFormBoundary7MA4YWxkTrZu0gW\r\n"
        b'Content-Disposition: form-data; name="names"; filename="Ann \xc3\xa9.csv"\r\nContent-Type: text/csv\r\n\r\n'
        b"name\r\nAnn; \xc3\xa9\r\n------WebKitFormBoundary\r\n\r\n"
        b"------WebKitFormBoundary7MA4YWxkTrZu0gW\r\n"
        b'content-disposition: form-data; name="single"\r\n\r\nyes\r\n'
        b"------WebKitFormBoundary7MA4YWxkTrZu0gW--\r\n"
    )
    expected = {"names": "name\r\nAnn; é\r\n------WebKitFormBoundary\r\n", "single": "yes"}
    assert parse_multipart(kind, body) == expected
    assert parse_multipart(KIND, closed()) == {}
    assert parse_urlencoded(b"a=1&b=%C3%A9+x&a=2&empty=") == {"a": "1 2", "b": "é x", "empty": ""}
    assert parse_urlencoded(b"") == {}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        pytest.param("multipart/form-data", closed(part()), id="no boundary"),
        pytest.param("multipart/form-data; boundary=", closed(part()), id="empty boundary"),
        pytest.param('multipart/form-data; boundary="a\r\nb"', closed(part()), id="boundary of two lines"),
        pytest.param("multipart/form-data; boundary=" + "x" * 71, closed(part()), id="long boundary"),
        pytest.param("multipart/form-data; boundary=é", closed(part()), id="boundary not ASCII"),
        pytest.param("multipart/form-data; " + "(" * 3000, closed(part()), id="3,000 parentheses as a type"),
        pytest.param("multipart/mixed; boundary=edge", closed(part()), id="another multipart"),
        pytest.param(KIND, closed(part(b"X: " + b"(" * 3000 + b"\r\n")), id="3,000 parentheses"),
        pytest.param(KIND, closed(part(b"Content-Disposition: " + b"(" * 900 + b"\r\n")), id="900 parentheses"),
        pytest.param(KIND, closed(part(NAMED + b"Content-Type: multipart/mixed; boundary=b\r\n")), id="nested"),
        pytest.param(KIND, closed(part(NAMED + b"Content-Type: message/rfc822\r\n")), id="a message"),
        pytest.param(KIND, closed(part(NAMED + b"Content-Type: text/plain; charset=utf-7\r\n")), id="charset"),
        pytest.param(KIND, closed(part(NAMED + b"Content-Transfer-Encoding: base64\r\n")), id="transfer encoding"),
        pytest.param(KIND, closed(part(NAMED, b"\xff\xfe{\0")), id="UTF-16"),
        pytest.param(KIND, closed(part(NAMED, b"\xed\xa0\x80")), id="a lone surrogate"),
        pytest.param(KIND, closed(part(), part()), id="twice the same name"),
        pytest.param(KIND, closed(part(NAMED * 2)), id="twice the same header"),
        pytest.param(KIND, closed(part(NAMED + b"X-%d: 1\r\n" * 8 % tuple(range(8)))), id="many headers"),
        pytest.param(KIND, closed(part(b"")), id="no headers"),
        pytest.param(KIND, closed(part(b"Content-Disposition: form-data\r\n")), id="no name"),
        pytest.param(KIND, closed(field("x" * 101, "")), id="long name"),
        pytest.param(KIND, closed(part(b'Content-Disposition: attachment; name="a"\r\n')), id="attachment"),
        pytest.param(KIND, part(), id="no end"),
        pytest.param(KIND, part()[:30], id="cut in a header"),
        pytest.param(KIND, b"", id="empty"),
        pytest.param(KIND, b"--other\r\n\r\n", id="another boundary"),
    ],
)
def test_what_no_browser_sends_is_one_error(kind: str, body: bytes) -> None:
    with pytest.raises(BadForm):
        parse_multipart(kind, body)


def test_the_number_of_fields_of_a_form_is_limited() -> None:
    most = closed(*(field(f"f{number}", "x") for number in range(MAX_FIELDS)))
    assert len(parse_multipart(KIND, most)) == MAX_FIELDS
    for body in (closed(*(field(f"f{number}", "") for number in range(MAX_FIELDS + 1))), closed(part() * 40_000)):
        with pytest.raises(BadForm, match="fields"):
            parse_multipart(KIND, body)
    assert len(parse_urlencoded(b"&".join(b"f%d=x" % number for number in range(MAX_FIELDS)))) == MAX_FIELDS
    with pytest.raises(BadForm, match="fields"):
        parse_urlencoded(b"&".join([b"f"] * (MAX_FIELDS + 1)))


def test_an_urlencoded_form_is_short_and_utf8() -> None:
    with pytest.raises(TooLarge):
        parse_urlencoded(b"a=" + b"x" * (256 << 10))
    for body in (b"a=%FF", b"a=\xff", b"a=%ED%A0%80"):
        with pytest.raises(BadForm):
            parse_urlencoded(body)


@given(st.text(), st.binary(), st.lists(st.sampled_from([b"--edge", b"\r\n", b"--", NAMED, b"x", b": "])))
def test_no_body_is_answered_by_another_error(kind: str, body: bytes, words: list[bytes]) -> None:
    for content_type in (kind, KIND):
        for sent in (body, b"".join(words), b"--edge\r\n" + NAMED + b"\r\n" + b"".join(words)):
            with suppress(BadForm):
                parse_multipart(content_type, sent)
    with suppress(BadForm):
        parse_urlencoded(body)


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,20}", fullmatch=True), st.text().filter(lambda text: "--edge" not in text))
)
def test_fields_are_read_as_they_were_written(fields: dict[str, str]) -> None:
    fields = {name: value.encode("utf-8", "replace").decode() for name, value in fields.items()}
    assert parse_multipart(KIND, closed(*(field(name, value) for name, value in fields.items()))) == fields
