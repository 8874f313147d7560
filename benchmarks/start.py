"""What the start of a command costs: `tally --help` beside `import typer`, in turn, medians of 15."""

import statistics
import subprocess
import sys
import time

RUNS = 15
HELP = [sys.executable, "-c", "from tallystick_cli.main import run; run(['--help'])"]
YARDSTICK = [sys.executable, "-c", "import typer"]


def seconds(command: list[str]) -> float:
    """Run a command once and return its wall time."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    """Print both medians and their ratio."""
    pairs = [(seconds(HELP), seconds(YARDSTICK)) for _ in range(RUNS)]
    ours, yardstick = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"tally --help {ours * 1000:.0f} ms, import typer {yardstick * 1000:.0f} ms, ratio {ours / yardstick:.2f}")


if __name__ == "__main__":
    main()
