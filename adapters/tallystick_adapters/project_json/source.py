"""Reads JSON values out of a file's bytes where they stand, without decoding what nobody asks for."""

import codecs
import json
import re
from typing import Any, Final, NoReturn

_BLANK: Final = re.compile(rb"[ \t\r\n]*")
_WINDOW = 1 << 18
"""How many bytes are decoded at once; a record that is longer gets as many as it needs."""

_CUT: Final = 2
"""How many characters may stand behind a number that the window cut off, as in `1e+`: it looks whole without them."""

BOM: Final = codecs.BOM_UTF8


class Doubled(ValueError):
    """An object holds one key twice; the text of the error is the key."""


def skip(data: bytes, at: int) -> int:
    """Return the next offset that holds no JSON white space."""
    found = _BLANK.match(data, at)
    return found.end() if found else at


def start(data: bytes) -> int:
    """Return the offset of the first byte that is neither byte order mark nor white space."""
    return skip(data, len(BOM) if data.startswith(BOM) else 0)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise Doubled(next(key for key in keys if keys.count(key) > 1))
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


STRICT: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
LENIENT: Final = json.JSONDecoder()


class Source:
    """A file's bytes and a window of text that moves along with the reader; `at` is where the last value was asked."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self._text = ""
        self._from = self._until = 0
        self._byte = self._char = 0

    def value(self, at: int, decoder: json.JSONDecoder = STRICT) -> tuple[Any, int]:
        """Return the JSON value at a byte offset and the offset behind it.

        Raises `ValueError` for what is no JSON or no UTF-8, `Doubled` for a doubled key (with the strict decoder).
        """
        self.at = at
        if not self._byte <= at < self._until:
            self._move(at, _WINDOW)
        size = max(_WINDOW, self._until - at)
        while True:
            self._char += len(self.data[self._byte : at].decode())
            self._byte = at
            whole = self._until == len(self.data)
            try:
                found, stop = decoder.raw_decode(self._text, self._char)
            except json.JSONDecodeError:
                if whole:
                    raise
            else:
                if whole or stop + _CUT < len(self._text):
                    break
            size *= 2
            self._move(at, size)
        end = at + len(self._text[self._char : stop].encode())
        self._byte, self._char = end, stop
        return found, end

    def culprit(self, error: Exception) -> int:
        """Return the byte offset that an error of `value` is about."""
        if isinstance(error, json.JSONDecodeError):
            return self._from + len(self._text[: error.pos].encode())
        return self.at + (error.start if isinstance(error, UnicodeDecodeError) else 0)

    def _move(self, at: int, size: int) -> None:
        part = self.data[at : at + size]
        decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = decoder.decode(part, final=at + size >= len(self.data))
        self._from = self._byte = at
        self._until = at + len(part) - len(decoder.getstate()[0])
        self._char = 0
