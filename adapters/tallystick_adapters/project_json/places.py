"""What the board holds, and under which key: the published map of this spoke."""

from typing import Final

from tallystick_contract.capabilities import Capabilities, Fidelity, Mapped


def _native(place: str, note: str = "") -> Mapped:
    return Mapped(Fidelity.NATIVE, place, note)


_DERIVED: Final = Mapped(Fidelity.UNSUPPORTED, "", "derived by the hub; the board has no place for it")

CAPABILITIES: Final = Capabilities(
    fields={
        "task": {
            "title": _native("title", "only where somebody gave one"),
            "description": _native("description"),
            "status": _native("status", "in_progress is read as in-progress (D-02)"),
            "priority": _native("priority", "else the marker at the start of the description, as in [P1] (D-12)"),
            "dependsOn": _native("depends_on"),
            "owner": _native("owner", "or assigned_agent, where that is what the record has"),
            "decisionGate": _native("decision_gate"),
            "acceptanceCriteria": Mapped(
                Fidelity.ENCODED, "acceptance_criteria, acceptance_done", "acceptance_done lists the ticked texts"
            ),
            "labels": _native("labels"),
            "milestone": _native("milestone"),
            "notes": _native("notes", "text or list, as it is (D-10)"),
            "files": _native("files"),
            "parent": _native("parent"),
            "due": _native("due"),
            "archived": _native("archive/*.jsonl", "by the file the record stands in"),
            "extensions": _native("every other key", "names of the board's own keys: in `extensions`"),
            "deliveryState": _DERIVED,
        },
        "evidence": {
            "target": _native("target"),
            "targetType": _native("target_type"),
            "status": _native("status"),
            "method": _native("method"),
            "methodClass": _DERIVED,
            "timestamp": _native("timestamp"),
            "summary": _native("evidence"),
            "artifacts": _native("artifacts"),
            "criteriaResults": _native("criteria_results"),
            "commit": _native("commit"),
            "extensions": _native("every other key", "names of the board's own keys: in `extensions`"),
        },
        "event": {
            "taskId": Mapped(Fidelity.UNSUPPORTED, "", "the trail is about the project"),
            "kind": Mapped(Fidelity.DERIVED, "handoff.json context_watch_events", "always x-context-watch"),
            "atIso": _native("atIso"),
            "actor": Mapped(Fidelity.DERIVED, "handoff.json", "always external:handoff"),
            "payload": _native("the whole entry"),
            "extensions": Mapped(Fidelity.UNSUPPORTED, "", "all of the entry is its payload"),
        },
    },
    absence="ask",
    atomicity="batch",
    revisions="reread",
    read_only=frozenset({"event"}),
)
