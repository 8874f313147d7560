"""What a file's records were, and the search for the stretches of it that did not change."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, repeat
from typing import Final

from tallystick_adapters.project_json.sheet import Block, Entry, Row
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import digest

BLOCK: Final = 64
"""How many records are compared at once."""


class Memory:
    """The rows of a file as they were, compared in their order: a text that did not change is not parsed again.

    An object's text ends where it ends: when the text at a place starts with the whole text of an object that was
    read before, parsing it again could only give that object. The same goes for several in a row. `blocks` may
    cover the rows from the first on, or be empty. What was found unchanged of them is kept in `same`, by offset.
    """

    def __init__(self, rows: Sequence[Row] = (), blocks: Sequence[Block] = ()) -> None:
        self._rows = rows
        firsts = accumulate((block.size for block in blocks), initial=0)
        self._blocks: Mapping[int, Block] = dict(zip(firsts, blocks, strict=False))
        self._next = 0
        self.same: dict[int, Block] = {}

    @cached_property
    def _places(self) -> dict[tuple[str, str], int]:
        return {row[:2]: place for place, row in enumerate(self._rows)}

    def run(self, data: bytes, at: int, gap: bytes) -> tuple[list[Entry], int]:
        """Return the unchanged records that stand from `at` on, `gap` between them, and the offset behind them."""
        found: list[Entry] = []
        while self._next < len(self._rows) and (not found or data.startswith(gap, at)):
            start = at + len(gap) if found else at
            rows, apart = self._unchanged(data, start)
            if not rows:
                break
            found += placed(rows, start, apart)
            at = found[-1].end
            self._next += len(rows)
        return found, at

    def _unchanged(self, data: bytes, at: int) -> tuple[Sequence[Row], int]:
        """Return the rows expected next if their text stands at `at`, a block of them or one, and the gap's length."""
        block = self._blocks.get(self._next)
        if block and digest(data[at : at + block.length]) == block.digest:
            if block.size * 2 >= BLOCK:  # smaller ones are cut anew, or a file that grows would end as crumbs
                self.same[at] = block._replace(start=at)
            return self._rows[self._next : self._next + block.size], block.gap
        row = self._rows[self._next]
        return ((row,) if digest(data[at : at + row.length]) == row.digest else ()), 0

    def passed(self, row: Row) -> None:
        """Take note that `row` was read, and expect what followed it."""
        if self._rows[self._next : self._next + 1] and self._rows[self._next][:2] == row[:2]:
            self._next += 1
        elif (place := self._places.get(row[:2])) is not None:
            self._next = place + 1


def placed(rows: Sequence[Row], start: int, gap: int) -> Iterator[Entry]:
    """Return the records that stand from `start` on, with so many bytes between any two."""
    starts = accumulate((row.length + gap for row in rows), initial=start)
    return map(Entry._make, zip(rows, starts, repeat(None), repeat(None), strict=False))


def recalled(rows: Sequence[Row], blocks: Sequence[Block], keys: Collection[Key]) -> list[Entry]:
    """Return where some of the records of a file stand that is as it was."""
    entries: list[Entry] = []
    first = 0
    for block in blocks:
        mine = rows[first : first + block.size]
        first += block.size
        if not {row[:2] for row in mine}.isdisjoint(keys):
            entries += [entry for entry in placed(mine, block.start, block.gap) if entry.row[:2] in keys]
    return entries


def blocks_after(rows: Sequence[Row], blocks: Sequence[Block], now: Sequence[Row], data: bytes) -> Iterator[Block]:
    """Return the blocks of the rows `now`, which stand in `data` where `rows` stood before."""
    first = longer = 0
    for block in blocks:
        old, new = rows[first : first + block.size], now[first : first + block.size]
        first += block.size
        start = block.start + longer
        if old == new:
            yield block._replace(start=start)
            continue
        grown = sum(row.length for row in new) - sum(row.length for row in old)
        length = block.length + grown
        yield block._replace(start=start, length=length, digest=digest(data[start : start + length]))
        longer += grown


def blocks_of(data: bytes, entries: Sequence[Entry], same: Mapping[int, Block]) -> Iterator[Block]:
    """Cut the records of a file into blocks; those of `same`, by offset, are known already."""
    first = 0
    while first < len(entries):
        block = same.get(entries[first].start)
        if block is None or not _covers(block, entries, first):
            block = _cut(data, entries, first, same)
        yield block
        first += block.size


def _covers(block: Block, entries: Sequence[Entry], first: int) -> bool:
    last = first + block.size - 1
    return last < len(entries) and entries[last].end == entries[first].start + block.length


def _cut(data: bytes, entries: Sequence[Entry], first: int, same: Mapping[int, Block]) -> Block:
    """Return the block of records that starts with the `first`, up to the next one that is known."""
    begin, end = entries[first].start, entries[first].end
    gap = entries[first + 1].start - end if first + 1 < len(entries) else 0
    count = 1
    for entry in entries[first + 1 : first + BLOCK]:
        if entry.start - end != gap or entry.start in same:
            break
        end = entry.end
        count += 1
    return Block(begin, count, gap, end - begin, digest(data[begin:end]))
