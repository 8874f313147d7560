"""Acceptance cases out of public bug reports, through real files, real databases and the real command."""

import pytest

pytest.register_assert_rewrite("tests.cases.team")  # its checks are the tests' own: a failure shows what differs
