"""What kind of file system a path lies on: the write-ahead log does not work across a network."""

from pathlib import Path

NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse"})
"""File systems on which the write-ahead log locks up or corrupts; every `fuse.*` is one as well (BC-040)."""

UNKNOWN = "unknown"

_ESCAPES = {"\\040": " ", "\\011": "\t", "\\012": "\n", "\\134": "\\"}


def filesystem(path: Path, mounts: Path = Path("/proc/mounts")) -> str:
    """Return the type of the file system `path` lies on, or `unknown` where the system does not tell."""
    try:
        lines = mounts.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return UNKNOWN  # no such list on this system: `check` says so
    place = f"{path.resolve()}/"
    best, kind = -1, UNKNOWN
    for line in lines:
        _, point, found, *_ = line.split(" ")
        for escape, character in _ESCAPES.items():
            point = point.replace(escape, character)
        if place.startswith(point.rstrip("/") + "/") and len(point) >= best:
            best, kind = len(point), found
    return kind


def across_network(kind: str) -> bool:
    """Tell whether a file system of this type may be shared with another machine."""
    return kind in NETWORK or kind.startswith("fuse.")
