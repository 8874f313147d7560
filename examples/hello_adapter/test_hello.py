"""The hello adapter in the conformance kit: three fixtures, two of which know the file and not the adapter."""

import json

import pytest
from hello_adapter import Hello

from tallystick_conformance import AdapterSuite
from tallystick_contract.adapter import Key


class TestHello(AdapterSuite):
    @pytest.fixture
    def adapter(self, tmp_path):
        return lambda: Hello("hello", {"path": "tasks.jsonl"}, str(tmp_path))

    @pytest.fixture
    def peek(self, tmp_path):
        def peek():
            text = file.read_text(encoding="utf-8") if (file := tmp_path / "tasks.jsonl").exists() else ""
            lines = [json.loads(row) for row in text.split("\n") if row]
            return [(Key("task", line.pop("id")), line) for line in lines]

        return peek

    @pytest.fixture
    def plant(self, tmp_path, peek):
        def plant(key, doc):
            docs = {there.id: line for there, line in peek()} | {key.id: doc}
            rows = [json.dumps({"id": ident, **line}) + "\n" for ident, line in docs.items() if line is not None]
            (tmp_path / "tasks.jsonl").write_text("".join(rows), encoding="utf-8")

        return plant
