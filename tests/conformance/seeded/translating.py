"""Reference spokes that translate wrongly: what they show is not what stands there, or what was asked."""

from abc import ABC, abstractmethod
from typing import Any

from tallystick_conformance.reference import Reference, _mark
from tallystick_contract.adapter import Change, Key, Observed, Outcome
from tallystick_contract.canonical import Doc, canonical_json, digest
from tallystick_contract.capabilities import Capabilities, Fidelity
from tallystick_contract.fields import sparse


class Misreading(Reference, ABC):
    """Shows a record after `misread` had its way with it."""

    def _observed(self, key: Key) -> Observed:
        seen = super()._observed(key)
        doc = dict(seen.image)
        self.misread(key, doc)
        image = sparse(key.kind, doc)
        return Observed(key, seen.native, digest(canonical_json(image)), image)

    @abstractmethod
    def misread(self, key: Key, doc: dict[str, Any], /) -> None:
        """Spoil a document that was read."""


class DropsADeclaredField(Misreading):
    """Declares `due` native and does not read it."""

    def misread(self, _key: Key, doc: dict[str, Any], /) -> None:
        doc.pop("due", None)


class TakesEvidenceForPassed(Misreading):
    """Reads every result it has no word for as passed."""

    def misread(self, _key: Key, doc: dict[str, Any], /) -> None:
        if doc.get("status") == "skipped":
            doc["status"] = "passed"


class TakesCancelledForCompleted(Misreading):
    """Knows open and closed only."""

    def misread(self, _key: Key, doc: dict[str, Any], /) -> None:
        if doc.get("status") == "cancelled":
            doc["status"] = "completed"


class ReadsOneGateOnly(Misreading):
    """Reads noAutoClose and no other flag."""

    def misread(self, _key: Key, doc: dict[str, Any], /) -> None:
        if "decisionGate" in doc:
            doc["decisionGate"] = {name: True for name in doc["decisionGate"] if name == "noAutoClose"}


class InventsATitle(Misreading):
    """Gives a task without a title its first line as one."""

    def misread(self, key: Key, doc: dict[str, Any], /) -> None:
        if key.kind == "task" and "title" not in doc:
            doc["title"] = doc["description"].split("\n")[0]


class UnticksCriteria(Misreading):
    """Reads acceptance criteria as bare texts."""

    def misread(self, _key: Key, doc: dict[str, Any], /) -> None:
        if "acceptanceCriteria" in doc:
            doc["acceptanceCriteria"] = [{"text": item["text"], "done": False} for item in doc["acceptanceCriteria"]]


class ReadsTheRawText(Reference):
    """Shows line ends and letters as the store spells them."""

    def _observed(self, key: Key) -> Observed:
        image = sparse(key.kind, self.store.records[key])
        return Observed(key, key.id, digest(canonical_json(image)), image)


class GrowsItsImage(Reference):
    """Adds a line end to every description it is about to show."""

    def image(self, key: Key, doc: Doc) -> Doc:
        image = dict(super().image(key, doc))
        if "description" in image:
            image["description"] += "\n"
        return image


class FillsInItsArgument(Reference):
    """Fills in a default in the document it was handed."""

    def image(self, key: Key, doc: Doc) -> Doc:
        image = super().image(key, doc)
        if isinstance(doc, dict) and key.kind == "task":
            doc.setdefault("status", "planned")
        return image


class ForgetsARank(Reference):
    """Knows five priorities."""

    def image(self, key: Key, doc: Doc) -> Doc:
        image = dict(super().image(key, doc))
        if "priority" in image:
            image["priority"] = min(image["priority"], "p4")
        return image


class ShowsAGap(Reference):
    """Declares `owner` unsupported, and writes it."""

    def capabilities(self) -> Capabilities:
        declared = super().capabilities()
        gap = type(declared.fields["task"]["owner"])(Fidelity.UNSUPPORTED, "")
        return Capabilities({**declared.fields, "task": {**declared.fields["task"], "owner": gap}}, "delete", "batch")


class Miswriting(Reference, ABC):
    """Stores a record after `miswrite` had its way with it, and shows what stands there then."""

    def _apply(self, change: Change) -> Outcome:
        outcome = super()._apply(change)
        if outcome.shown is None:
            return outcome
        self.miswrite(change, self.store.records[change.key])
        shown = self._observed(change.key)
        self._known[change.key] = _mark(shown)
        return Outcome(change.key, shown)

    @abstractmethod
    def miswrite(self, change: Change, record: dict[str, Any], /) -> None:
        """Spoil a record that was written."""


class LosesUnknownMembers(Miswriting):
    """Rebuilds a record from the members it knows."""

    def miswrite(self, change: Change, record: dict[str, Any], /) -> None:
        if "extensions" not in change.fields:
            record.pop("extensions", None)


class LosesTheGate(Miswriting):
    """Drops the gate whenever something else is written."""

    def miswrite(self, change: Change, record: dict[str, Any], /) -> None:
        if change.op == "update" and "decisionGate" not in change.fields:
            record.pop("decisionGate", None)


class WipesLabels(Miswriting):
    """Sets the labels of a record to those the change names, none if it names none."""

    def miswrite(self, change: Change, record: dict[str, Any], /) -> None:
        if change.key.kind == "task":
            record["labels"] = list(change.fields.get("labels", ()))


class SortsLabels(Miswriting):
    """Puts the labels in order."""

    def miswrite(self, _change: Change, record: dict[str, Any], /) -> None:
        record["labels"] = sorted(record.get("labels", ()))


class ReplacesLabels(Miswriting):
    """Writes the set of labels as it was asked, over the order they had."""

    def miswrite(self, change: Change, record: dict[str, Any], /) -> None:
        if "labels" in change.fields:
            record["labels"] = list(change.fields["labels"])


class TrimsTitles(Miswriting):
    """Trims a title before it is stored."""

    def miswrite(self, _change: Change, record: dict[str, Any], /) -> None:
        if record.get("title"):
            record["title"] = record["title"].strip()


class CutsLongTexts(Miswriting):
    """Has a column of 32,768 characters."""

    def miswrite(self, _change: Change, record: dict[str, Any], /) -> None:
        if record.get("description"):
            record["description"] = record["description"][:32_768]


class TakesNullForEmpty(Miswriting):
    """Stores an empty text where there is none."""

    def miswrite(self, change: Change, record: dict[str, Any], /) -> None:
        if "owner" in change.fields and change.fields["owner"] is None:
            record["owner"] = ""


class SpellsNumbersOut(Miswriting):
    """Keeps the members it does not know as texts."""

    def miswrite(self, _change: Change, record: dict[str, Any], /) -> None:
        if "extensions" in record:
            record["extensions"] = {name: str(item) for name, item in record["extensions"].items()}


class JoinsNotes(Miswriting):
    """Has one text for all notes."""

    def miswrite(self, _change: Change, record: dict[str, Any], /) -> None:
        if isinstance(record.get("notes"), list):
            record["notes"] = "\n".join(record["notes"])


class RoundsInstants(Miswriting):
    """Keeps whole seconds of an event's instant."""

    def miswrite(self, _change: Change, record: dict[str, Any], /) -> None:
        if "." in record.get("atIso", ""):
            record["atIso"] = record["atIso"].partition(".")[0] + "Z"
