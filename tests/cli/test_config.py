"""The configuration: what is right is taken, what is wrong is named with its line and what is allowed."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from tallystick_cli.config import build, find, load
from tallystick_cli.toml_lines import key_lines, line_of
from tallystick_contract.errors import Invalid
from tests.cli.plugin import install

SMALLEST = """\
[project]
id = "demo"
[spokes.board]
type = "project-json"
path = ".project"
[spokes.db]
type = "sqlite"
path = "tasks.db"
[spokes.vault]
type = "markdown"
path = "vault"
"""


def _write(folder: Path, text: str) -> Path:
    file = folder / "tallystick.toml"
    file.write_text(text, encoding="utf-8")
    return file


def _refusal(folder: Path, text: str) -> Invalid:
    with pytest.raises(Invalid) as caught:
        load(_write(folder, text))
    return caught.value


def test_the_smallest_configuration_works_as_it_stands(tmp_path: Path) -> None:
    config = load(_write(tmp_path, SMALLEST))
    assert [(spoke.name, spoke.type, dict(spoke.settings), spoke.write) for spoke in config.spokes] == [
        ("board", "project-json", {"path": ".project"}, True),
        ("db", "sqlite", {"path": "tasks.db"}, True),
        ("vault", "markdown", {"path": "vault"}, True),
    ]
    assert (config.project, config.root, config.policy.preset) == ("demo", tmp_path, "team")
    assert config.ledger_path == tmp_path / ".tallystick" / "ledger.db"
    assert config.gates_default == ()


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    text = (
        SMALLEST
        + """\
write = false
[policy]
preset = "canonical-local"
authority = "board"
[policy.fields]
status = "prefer:db"
notes = "latest"
owner = "authority"
[gates]
default = ["noAutoClose", "requiresVerification"]
[ledger]
path = "state/ledger.db"
"""
    )
    config = load(_write(tmp_path, text))
    assert config.spokes[2].write is False
    assert (config.policy.preset, config.policy.authority) == ("canonical-local", "board")
    assert config.policy.fields == {"status": "prefer:db", "notes": "latest", "owner": "authority"}
    assert config.gates_default == ("noAutoClose", "requiresVerification")
    assert config.ledger_path == tmp_path / "state" / "ledger.db"


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('id = "demo"', "", 1, "project.id is missing"),
        ('id = "demo"', "id = 3", 2, "project.id must be a text, and is a whole number"),
        ('id = "demo"', 'id = " "', 2, "project.id is empty"),
        ('id = "demo"', 'id = "demo"\nname = "x"', 3, "project.name is not a key here"),
        ("[project]", "[projct]", 1, "did you mean 'project'?"),
        ('type = "sqlite"', 'type = "sqlit"', 7, "did you mean 'sqlite'? allowed: markdown, project-json, sqlite"),
        ('type = "sqlite"', "", 6, "spokes.db.type is missing"),
        ("[spokes.db]", "[spokes.DB]", 6, "'DB' is not a spoke's name"),
        ("[spokes.db]", "[spokes.hub]", 6, "'hub' is not a spoke's name"),
        ('path = "tasks.db"', 'path = "./vault"', 11, "vault and db use the same path 'vault'"),
        ('path = "tasks.db"', 'path = ".tallystick/ledger.db"', 8, "db and the ledger use the same path"),
        ('path = "tasks.db"', 'token = "s3cr3t"', 8, 'token = { env = "NAME" }'),
        ('path = "tasks.db"', 'path = { env = "A", of = "B" }', 8, "spokes.db.path.of is not a key here"),
        (
            'path = "vault"',
            'path = "vault"\nwrite = "no"',
            12,
            "spokes.vault.write must be true or false, and is a text",
        ),
        ('path = "vault"', 'path = "vault"\n[policy]\npreset = "tem"', 13, "did you mean 'team'?"),
        ('path = "vault"', 'path = "vault"\n[policy]\npreset = "adapter-first"', 13, "needs an authority"),
        ('path = "vault"', 'path = "vault"\n[policy]\nauthority = "bord"', 13, "did you mean 'board'?"),
        ('path = "vault"', 'path = "vault"\n[policy.fields]\nstatus = "prefer:gitub"', 13, "'prefer:gitub'"),
        ('path = "vault"', 'path = "vault"\n[policy.fields]\nstatus = "authority"', 13, "none is named"),
        ('path = "vault"', 'path = "vault"\n[policy.fields]\ndepends_on = "ask"', 13, "did you mean 'dependsOn'?"),
        ('path = "vault"', 'path = "vault"\n[policy.fields]\ndeliveryState = "ask"', 13, "not a field of a task"),
        ('path = "vault"', 'path = "vault"\n[gates]\ndefault = ["noautoclose"]', 13, "did you mean 'noAutoClose'?"),
        ('path = "vault"', 'path = "vault"\n[gates]\ndefault = "noAutoClose"', 13, "must be a list"),
        ('path = "vault"', 'path = "vault', 11, "is not TOML"),
        ('path = "vault"', 'path = "vault"\n[spokes.db]', 12, "is not TOML"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    assert SMALLEST.count(old) == 1
    told = _refusal(tmp_path, SMALLEST.replace(old, new))
    assert told.where == f"{tmp_path / 'tallystick.toml'}:{line}"
    assert words in f"{told.what} {told.todo}"
    assert "s3cr3t" not in str(told)


def test_no_spoke_at_all_is_refused(tmp_path: Path) -> None:
    assert "no spoke" in _refusal(tmp_path, '[project]\nid = "a"\n[spokes]\n').what


def test_a_file_that_is_not_text_and_one_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "tallystick.toml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(Invalid, match="not UTF-8"):
        load(file)
    with pytest.raises(Invalid, match="cannot be read"):
        load(tmp_path / "other.toml")


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    file = tmp_path / "tallystick.toml"
    file.write_bytes(b"\xef\xbb\xbf" + SMALLEST.replace("\n", "\r\n").encode())
    assert load(file).lines["spokes", "vault", "path"] == 11


def test_the_nearest_file_above_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = _write(tmp_path, SMALLEST)
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert find(deep) == file
    monkeypatch.chdir(deep)
    assert load().root == tmp_path


def test_secrets_come_from_the_environment_and_never_stay_in_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, module="secret_adapter")
    text = '[project]\nid = "a"\n[spokes.hi]\ntype = "hello"\ntoken = { env = "HELLO_TOKEN" }\n'
    config = load(_write(tmp_path, text))
    monkeypatch.delenv("HELLO_TOKEN", raising=False)
    with pytest.raises(Invalid, match="variable HELLO_TOKEN is not set") as caught:
        build(config)
    assert caught.value.where.endswith(":5")
    monkeypatch.setenv("HELLO_TOKEN", "s3cr3t")
    [(name, adapter, writable)] = build(config)
    assert (name, writable) == ("hi", False)
    assert vars(adapter)["settings"] == {"token": "s3cr3t"}
    assert "s3cr3t" not in repr(config)


def test_a_setting_the_adapter_refuses_is_named_at_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", monkeypatch, module="picky_adapter")
    text = '[project]\nid = "a"\n[spokes.hi]\ntype = "hello"\npath = "x"\ncolour = "red"\n'
    with pytest.raises(Invalid) as caught:
        build(load(_write(tmp_path, text)))
    assert caught.value.where.endswith(":6")
    assert caught.value.what == "hi: colour is not a setting"
    assert caught.value.todo == "allowed: mood, path, token"


def test_a_spoke_that_cannot_be_written_is_not_writable_whatever_the_file_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, module="shy_adapter")
    text = '[project]\nid = "a"\n[spokes.hi]\ntype = "hello"\nwrite = true\nmood = "{}"\n'
    assert build(load(_write(tmp_path, text.format("gay"))))[0][2] is True
    assert build(load(_write(tmp_path, text.format("shy"))))[0][2] is False


_KEYS = st.text(st.sampled_from("abcXYZ019-_ .=#[]{}é"), min_size=1, max_size=6)
_TEXTS = st.text(st.sampled_from("a =\n[]{}#.,'\"\\é"), max_size=12)
_VALUES = st.one_of(_TEXTS, st.integers(0, 99), st.booleans(), st.lists(_TEXTS, max_size=3))
_TABLES = st.recursive(_VALUES, lambda inner: st.dictionaries(_KEYS, inner, max_size=3), max_leaves=8)


def _paths(table: dict[str, Any], above: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    found: list[tuple[tuple[str, ...], Any]] = []
    for key, value in table.items():
        found.append(((*above, key), value))
        if isinstance(value, dict):
            found += _paths(value, (*above, key))
    return found


@given(st.dictionaries(_KEYS, _TABLES, max_size=4), st.booleans())
def test_every_line_named_holds_its_key(data: dict[str, Any], multiline: bool) -> None:  # noqa: FBT001 -- Hypothesis passes it
    text = tomli_w.dumps(data, multiline_strings=multiline)
    assert tomllib.loads(text) == data
    lines = key_lines(text)
    rows = text.split("\n")
    for path, value in _paths(data):
        row = rows[line_of(lines, path) - 1]
        if not isinstance(value, dict):
            assert path in lines  # tomli_w writes inline tables in arrays only
        if path in lines:
            assert path[-1] in row or re.search(r"\\", row)
    assert set(lines) <= {path for path, _ in _paths(data)}
