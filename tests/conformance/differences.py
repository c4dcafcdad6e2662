"""Where DynamoDB Local 3.3.1 does not do as AWS documents: test, and what it does instead.

Keys are ``test_file.py::test_name``, or ``test_file.py::test_name[parameters]`` for one case of a
test. On DynamoDB Local each of them must fail: an entry that no longer differs is an error.
"""

from __future__ import annotations

DIFFERENCES: dict[str, str] = {}
