"""Every acceptance case: what it is about, whose reports it comes from, and what of it still waits for what."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Final

TESTS: Final = Path(__file__).parents[1]


class Part(Enum):
    """A part of the product that is not there yet, and the module whose arrival ends the wait."""

    GITHUB = "the GitHub spoke", "tallystick_adapters.github"
    GITEA = "the Gitea spoke", "tallystick_adapters.gitea"
    WEBHOOKS = "webhooks", "tallystick_cli.server"
    APPROVALS = "receipts and decision labels", "tallystick_sync.approvals"
    MEMORY = "the memory server", "tallystick_cli.mcp"
    WATCHING = "a sync that watches files", "tallystick_cli.commands.watching"

    @property
    def module(self) -> str:
        """The module that will hold it."""
        return self.value[1]

    def __str__(self) -> str:
        return self.value[0]


@dataclass(frozen=True)
class Case:
    """One case. `rest` says which part of its inputs waits, where tests cover the others."""

    about: str
    sources: str
    waits: tuple[Part, ...] = ()
    rest: str = ""


CASES: Final[Mapping[int, Case]] = {
    1: Case(
        "our own comments do not come back as new ones", "git-bug/git-bug#1582, RayLabsHQ/gitea-mirror#165",
        (Part.GITHUB,),
    ),
    3: Case(
        "what one spoke mirrored is not mirrored back by the next",
        "calcom/synclinear.com#134, paperclipai/paperclip#2008, C-Arduino-Libraries#266",
        (Part.GITHUB, Part.GITEA), "issues and comments on trackers, all from one account",
    ),
    5: Case(
        "a spoke suddenly empty deletes nothing",
        "pimutils/vdirsyncer#42", (Part.GITHUB,), "a tracker as the other side"
    ),
    7: Case(
        "a deletion against an edit, and look-alikes of deleted tasks",
        "pimutils/vdirsyncer#128, todeoapp/todeo#474, gastownhall/beads#592", (Part.GITEA,), "a tracker in between",
    ),
    8: Case(
        "edits of different fields combine, edits of one field are asked about",
        "super-productivity/super-productivity#8694"
    ),
    11: Case(
        "nobody's status is set back",
        "Intense-Visions/harness-engineering#1432, guardyn/guardyn#233, dwarvesf/dwarves-kit#295",
        (Part.GITHUB,), "issues closed with a reason and opened again",
    ),
    12: Case(
        "what a failed run did not reach is reached by the next", "open-jarvis/OpenJarvis#782, deeplethe/utopia#794",
        (Part.GITHUB,), "pages and a cursor in time",
    ),
    14: Case(
        "no clock and no file time decides", "WatchShelf#61, ChurchApps/FreeShow#3556, Frontier#697", (Part.GITHUB,),
        "a tracker's clock",
    ),
    16: Case(
        "times keep their zone on the way to a tracker and back",
        "PyGithub/PyGithub#2282, chaoss/grimoirelab-perceval#865, go-gitea/gitea#37620", (Part.GITHUB, Part.GITEA),
    ),
    18: Case("throttling in all its wordings", "PyGithub/PyGithub#2127, lgtmaybe#574", (Part.GITHUB,)),
    20: Case(
        "an old repository with holes is read to its end", "iFixit/pulldasher#61, giscus/giscus#391",
        (Part.GITHUB,),
    ),
    21: Case(
        "a text too long for a tracker stays whole where it came from",
        "create-or-update-comment#181, release-engineering/Sync2Jira#123", (Part.GITHUB,),
    ),
    22: Case("pages shorter than asked for end no list", "go-gitea/gitea#21158, #7297", (Part.GITEA,)),
    24: Case(
        "labels are found wherever they are, and made once", "go-gitea/gitea#37192, matomo-org/github-sync#14",
        (Part.GITHUB, Part.GITEA),
    ),
    26: Case(
        "a delivery counts only with a signature over its bytes",
        "adcontextprotocol/adcp-client#313, octokit/webhooks.js#1155",
        (Part.WEBHOOKS,),
    ),
    27: Case("a delivery that comes twice happens once", "plan42#1457, loopover#789", (Part.WEBHOOKS,)),
    29: Case(
        "a label approves only by who set it", "kubernetes/test-infra#25815, jenkins-x/lighthouse#1415",
        (Part.APPROVALS, Part.GITHUB),
    ),
    33: Case(
        "old, skipped and missing evidence opens no gate",
        "openbot#83, vhk#194, kesha-voice-kit#1079", (Part.APPROVALS,),
        "evidence of an older commit, and a list of checks that must all pass",
    ),
    34: Case(
        "several writers on one board lose nothing", "Backlog.md#843, claude-task-master#1567, agent-sh/agentsys#331",
        (Part.MEMORY,), "the memory server as one of the writers",
    ),
    36: Case(
        "what a git merge leaves behind", "rappterbook#19957, boring-ui#1569, projen/projen#4194, yaml/pyyaml#165",
        (Part.MEMORY,), "memories doubled by a merge",
    ),
    38: Case(
        "a file is replaced whole, and stays a link with its mode",
        "oh-my-pi#4104, gptme/gptme-contrib#1364, nanoidp#234"
    ),
    39: Case(
        "a database in use is waited for, then named",
        "python/cpython#124510, jentic/jentic-one#529, chatmail/core#4063"
    ),
    40: Case(
        "databases on network disks, copied without their log, or cut off",
        "databasement#344, oh-my-pi#9082, Sonarr/Sonarr#1886",
    ),
    42: Case(
        "what we do not know stays as it is", "Backlog.md#918, openshift/origin#5505, dotpm/obsidian-pm#272",
        (Part.MEMORY,), "starting the memory server",
    ),
    43: Case(
        "titles that break YAML hide no task", "basicmachines-co/basic-memory#408, tldw_chatbook#1954", (Part.GITHUB,),
        "the issues linked to such notes",
    ),
    46: Case("an update of a note leaves all other bytes", "obsidian-frontmatter-modified-date#70, tandem#1457"),
    47: Case("boxes in examples are no tasks", "usememos/memos#5319, obsidian-reminder#338, obsidian-todoseq#69"),
    49: Case(
        "nothing changed, nothing written", "Noema#82, Signet-AI/signetai#337, Mergifyio/mergify#3822",
        (Part.GITHUB, Part.GITEA, Part.WATCHING), "trackers, and watching while somebody types",
    ),
    50: Case("two memory servers on one project", "modelcontextprotocol/servers#4797, #3653", (Part.MEMORY,)),
    51: Case(
        "memories are UTF-8 whatever the system says", "agentic-hil/agentic-hil#484, MemPalace/mempalace#1241",
        (Part.MEMORY,),
    ),
    54: Case(
        "ids, dates and colons in a query are words", "NousResearch/hermes-agent#40653, mcp_agent_mail#67",
        (Part.MEMORY,),
    ),
    55: Case("a memory lands in its own project", "ai-memory#757, agentmemory#926", (Part.MEMORY,)),
    56: Case(
        "two clones that both add tasks lose none", "Backlog.md#711, beads_rust#512, gastownhall/beads#4796",
        (Part.GITHUB,), "issues made by both clones before they merge",
    ),
    58: Case(
        "dependencies as a tracker holds them", "carbon-design-system/carbon-ai-chat#1939, PyGithub/PyGithub#3477",
        (Part.GITHUB,),
    ),
    60: Case("a token shows up nowhere", "kubernetes/git-sync#851, gogs/gogs#123", (Part.GITHUB, Part.GITEA)),
}  # fmt: skip


@cache
def written() -> dict[int, tuple[str, ...]]:
    """Return by case the tests named after it, wherever they are: `file: name`."""
    found: dict[int, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_bc_"):
                number = int(node.name.split("_")[2])
                found.setdefault(number, []).append(f"{path.relative_to(TESTS.parent).as_posix()}: {node.name}")
    return {number: tuple(names) for number, names in found.items()}
