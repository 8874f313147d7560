"""What `tally init` proposes: a configuration for the boards, vaults and remotes a folder already has."""

import configparser
import os
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tallystick_cli.config import FILE_NAME
from tallystick_contract.errors import Invalid

SKIPPED = frozenset({"node_modules", "build", "dist", "docs"})
"""Folders that are never proposed as a vault."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A configuration that was not written yet: where it would go, its text, and what it was made from."""

    file: Path
    text: str
    found: tuple[str, ...]


def look(folder: Path) -> Proposal:
    """Look, without writing, what lies in a folder. Raises `Invalid` where a configuration is there already."""
    file = folder / FILE_NAME
    if not folder.is_dir():
        raise Invalid("is not a folder", where=str(folder), todo="name the project's folder")
    if os.path.lexists(file):
        raise Invalid("is there already", where=str(file), todo="edit it; nothing was changed")
    board, vault, remote = (folder / ".project").is_dir(), _vault(folder), _remote(folder)
    found = [".project"] * board + ([f"vault {vault}"] if vault else []) + ([f"remote {remote}"] if remote else [])
    spokes = [("board", "project-json", ".project")] if board or not vault else []
    spokes += [("vault", "markdown", vault)] if vault else []
    spokes += [("db", "sqlite", "tasks.db")] if len(spokes) == 1 else []
    return Proposal(file, _text(_project_id(folder), spokes, remote), tuple(found))


def save(proposal: Proposal) -> None:
    """Write the file. Raises `Invalid` when one appeared meanwhile or the folder refuses."""
    try:
        with proposal.file.open("x", encoding="utf-8") as file:
            file.write(proposal.text)
    except OSError as error:
        raise Invalid(f"cannot be written: {error.strerror}", where=str(proposal.file)) from error


def _text(project: str, spokes: list[tuple[str, str, str]], remote: str | None) -> str:
    blocks = [f'[project]\nid = "{project}"\n']
    blocks += [f'[spokes.{name}]\ntype = "{kind}"\npath = {_quoted(path)}\n' for name, kind, path in spokes]
    if remote:
        blocks.append(f"# The repository's remote is {remote}; `tally adapters` lists what can be connected to it.\n")
    return "\n".join(blocks)


def _quoted(path: str) -> str:
    escaped = re.sub(r'[\x00-\x1f"\\\x7f]', lambda match: f"\\u{ord(match[0]):04x}", path)
    return f'"{escaped}"'


def _project_id(folder: Path) -> str:
    letters = unicodedata.normalize("NFKD", folder.name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", letters).strip("-") or "project"


def _vault(folder: Path) -> str | None:
    """Return the folder that looks like a vault: an Obsidian one, else one whose notes carry frontmatter."""
    places = [folder, *sorted(item for item in folder.iterdir() if item.is_dir() and _may_be_vault(item.name))]
    for place in places:
        if (place / ".obsidian").is_dir():
            return place.relative_to(folder).as_posix()
    for place in places[1:]:
        if any(_has_frontmatter(note) for note in sorted(place.glob("*.md"))[:20]):
            return place.relative_to(folder).as_posix()
    return None


def _may_be_vault(name: str) -> bool:
    return not name.startswith((".", "_")) and name not in SKIPPED


def _has_frontmatter(note: Path) -> bool:
    try:
        with note.open("rb") as file:
            return file.readline().removeprefix(b"\xef\xbb\xbf").strip() == b"---"
    except OSError:
        return False  # what cannot be read is no sign of a vault


def _remote(folder: Path) -> str | None:
    """Return host and path of the remote `origin`, without the user and password an address may carry."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read(folder / ".git" / "config", encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        return None  # git reads more than this parser; a remote is only a hint here
    address = parser.get('remote "origin"', "url", fallback="")
    short = re.fullmatch(r"(?:[^@/\s]+@)?([A-Za-z0-9.-]+):([^/\s]\S*)", address)
    if short:
        return f"{short[1]}/{short[2].removesuffix('.git')}"
    parts = urlsplit(address)
    return f"{parts.hostname}{parts.path.removesuffix('.git')}" if parts.hostname else None
