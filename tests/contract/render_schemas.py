"""Writes the committed schema files; run as `python -m tests.contract.render_schemas` from the checkout."""

import json
from pathlib import Path

from tallystick_contract import schema
from tallystick_contract.models import VERSIONS

SCHEMAS = Path(schema.__file__).with_name("schemas")


def rendered() -> dict[Path, str]:
    """Return the text of every schema file, by path."""
    return {
        SCHEMAS / version / f"{kind}.json": json.dumps(schema.render(version, kind), indent=2) + "\n"
        for version in VERSIONS
        for kind in schema.kinds(version)
    }


def main() -> None:
    """Write the files."""
    for path, text in rendered().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
