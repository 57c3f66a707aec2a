"""Documents: msgpack, with the limits and errors of the engine."""

import math
import re
import struct
from typing import Any

MOST_DEPTH = 64  # nested lists and dicts
MOST_BYTES = 1 << 20
MOST_VALUES = 131_072

_surrogate = re.compile("[\ud800-\udfff]")


class _Refusal(Exception):
    """Why a value is not a document, and where it is in the document."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why, self.path = why, ""

    def within(self, step: str) -> "_Refusal":
        self.path = step + self.path
        return self


def encode(value: object) -> bytes:
    """Encodes a value for the host. A TypeError says what in it is not a document."""
    writer = _Writer()
    try:
        writer.value(value, 0)
    except _Refusal as e:
        raise TypeError(f"{e.path.removeprefix('.') or 'the result'} {e.why}") from None
    return bytes(writer.out)


class _Writer:
    def __init__(self) -> None:
        self.out, self.values = bytearray(), 0

    def value(self, v: object, depth: int) -> None:
        self.values += 1
        if self.values > MOST_VALUES:
            raise _Refusal("makes the document have more than 131,072 values")
        match v:
            case str():
                self.text(v)
            case None:
                self.out.append(0xC0)
            case bool():
                self.out.append(0xC3 if v else 0xC2)
            case int():
                self.integer(v)
            case float():
                if not math.isfinite(v):
                    raise _Refusal("is not a finite number")
                self.out += struct.pack(">Bd", 0xCB, v)
            case bytes() | bytearray():
                self.grow(len(v))
                self.head(len(v), None, 0xC4, 0xC5, 0xC6)
                self.out += v
            case list() | tuple():
                self.items(v, self.deeper(depth))
            case dict():
                self.pairs(v, self.deeper(depth))
            case _:
                raise _Refusal(
                    f"is of the type {type(v).__name__}, which a document cannot hold; make it a dict, a list, a string or a number")

    def grow(self, n: int) -> None:
        if len(self.out) + n > MOST_BYTES:
            raise _Refusal("makes the document larger than 1 MiB")

    def deeper(self, depth: int) -> int:
        if depth == MOST_DEPTH:
            raise _Refusal("nests more than 64 lists and dicts, or contains itself")
        self.grow(5)
        return depth + 1

    def head(self, n: int, short: tuple[int, int] | None, byte: int | None, two: int, four: int) -> None:
        """Writes the length n. short is the first byte of short values, and how many there are; byte, two and four that of longer ones."""
        if short is not None and n < short[1]:
            self.out.append(short[0] | n)
        elif byte is not None and n < 1 << 8:
            self.out += bytes((byte, n))
        elif n < 1 << 16:
            self.out += struct.pack(">BH", two, n)
        else:
            self.out += struct.pack(">BI", four, n)

    def text(self, v: str) -> None:
        data = _surrogate.sub("\ufffd", v).encode()
        self.grow(len(data))
        self.head(len(data), (0xA0, 32), 0xD9, 0xDA, 0xDB)
        self.out += data

    def integer(self, v: int) -> None:
        if not -(1 << 63) <= v < 1 << 64:
            raise _Refusal("is an integer of more than 64 bits")
        if -32 <= v < 128:
            self.out.append(v & 0xFF)
            return
        signed = v < 0
        size = next(i for i in range(4) if (-(1 << (8 << i) - 1) <= v if signed else v < 1 << (8 << i)))
        self.out.append((0xD0 if signed else 0xCC) + size)
        self.out += v.to_bytes(1 << size, signed=signed)

    def items(self, v: list[Any] | tuple[Any, ...], depth: int) -> None:
        self.head(len(v), (0x90, 16), None, 0xDC, 0xDD)
        for i, item in enumerate(v):
            try:
                self.value(item, depth)
            except _Refusal as e:
                raise e.within(f"[{i}]")

    def pairs(self, v: dict[Any, Any], depth: int) -> None:
        for key in v:
            if not isinstance(key, str):
                raise _Refusal(f"has a key of the type {type(key).__name__}; keys are strings")
        self.head(len(v), (0x80, 16), None, 0xDE, 0xDF)
        for key in sorted(v, key=lambda k: k.encode("utf-8", "surrogatepass")):  # the order of the canonical form
            item = v[key]
            self.text(key)
            try:
                self.value(item, depth)
            except _Refusal as e:
                raise e.within(f".{key}")


def decode(data: bytes) -> Any:
    """Decodes a document."""
    reader = _Reader(data)
    value = reader.value()
    if reader.at != len(data):
        raise ValueError("the host's document is malformed")
    return value


def decode_input(data: bytes) -> Any:
    """Decodes the input of a hook. The messages of views stay encoded, until the hook looks at them."""
    document = decode(data)
    for holder in (document, document.get("request", {})):
        if "messages" in holder:
            holder["messages"]["items"] = encode(holder["messages"]["items"])
    return document


# What a first byte means: the kind of the value, and the struct's format of its number or length.
_KINDS = {
    0xC4: ("bytes", "B"), 0xC5: ("bytes", "H"), 0xC6: ("bytes", "I"), 0xCA: ("number", "f"), 0xCB: ("number", "d"),
    0xCC: ("number", "B"), 0xCD: ("number", "H"), 0xCE: ("number", "I"), 0xCF: ("number", "Q"),
    0xD0: ("number", "b"), 0xD1: ("number", "h"), 0xD2: ("number", "i"), 0xD3: ("number", "q"),
    0xD9: ("text", "B"), 0xDA: ("text", "H"), 0xDB: ("text", "I"),
    0xDC: ("list", "H"), 0xDD: ("list", "I"), 0xDE: ("dict", "H"), 0xDF: ("dict", "I"),
}


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, n: int) -> bytes:
        self.at += n
        if self.at > len(self.data):
            raise ValueError("the host's document is malformed")
        return self.data[self.at - n : self.at]

    def value(self) -> Any:
        first = self.take(1)[0]
        if first < 0x80:
            return first
        if first >= 0xE0:
            return first - 256
        if first in (0xC0, 0xC2, 0xC3):
            return {0xC0: None, 0xC2: False, 0xC3: True}[first]
        if first < 0xC0:
            kind, n = ("dict", first & 15) if first < 0x90 else ("list", first & 15) if first < 0xA0 else ("text", first & 31)
            return self.many(kind, n)
        if first not in _KINDS:
            raise ValueError("the host's document is malformed")
        kind, form = _KINDS[first]
        (n,) = struct.unpack(">" + form, self.take(struct.calcsize(form)))
        return n if kind == "number" else self.many(kind, n)

    def many(self, kind: str, n: int) -> Any:
        match kind:
            case "text":
                return self.take(n).decode()
            case "bytes":
                return self.take(n)
            case "list":
                return [self.value() for _ in range(n)]
        return {self.value(): self.value() for _ in range(n)}
