"""Where every field lives in a note: the spoke's declaration."""

from typing import Final

from tallystick_contract.capabilities import Capabilities, Fidelity, Mapped
from tallystick_contract.fields import EVENT, EVIDENCE

from .keys import FLAGS, KEYS

_REGIONS: Final = {
    "description": "region `description`",
    "acceptanceCriteria": "region `criteria`, one check box each",
    "notes": "region `notes`; `list` in its first line for a list",
}

_TASK: Final = {
    **{key: Mapped(Fidelity.NATIVE, f"frontmatter `{key}`") for key in KEYS if key not in ("id", *FLAGS)},
    **{name: Mapped(Fidelity.NATIVE, place) for name, place in _REGIONS.items()},
    "decisionGate": Mapped(Fidelity.NATIVE, "frontmatter `" + "`, `".join(FLAGS) + "`", "in words in region `gate`"),
    "extensions": Mapped(Fidelity.ENCODED, "frontmatter `extensions`", "a JSON mapping"),
    "deliveryState": Mapped(Fidelity.DERIVED, "region `gate`", "repainted"),
}
_EVIDENCE: Final = {
    name: Mapped(
        Fidelity.DERIVED if name == "methodClass" else Fidelity.ENCODED, "region `evidence`", f"JSON member `{name}`"
    )
    for name in EVIDENCE
}
_EVENT: Final = {
    name: Mapped(Fidelity.ENCODED, "region `journal`", f"JSON member `{name}`; lines are only ever added")
    for name in EVENT
}

CAPABILITIES: Final = Capabilities(
    fields={"task": _TASK, "evidence": _EVIDENCE, "event": _EVENT},
    absence="delete",
    atomicity="batch",
    revisions="reread",
)
