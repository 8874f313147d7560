"""The settings of a spoke, checked: what is wrong is named, and so is everything that may be set."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from tallystick_contract.errors import Invalid

type Durability = Literal["file", "power"]
"""What a write survives: the death of the process (`file`), or a power cut too (`power`)."""


def read[Settings: BaseModel](model: type[Settings], given: Mapping[str, Any], spoke: str) -> Settings:
    """Return the settings of a spoke as their model has them. Raises `Invalid` for the first that is wrong."""
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        allowed = ", ".join(model.model_fields)
        raise Invalid(f"{place}: {first['msg']}", where=f"spoke {spoke}", todo=f"settings are: {allowed}") from error
