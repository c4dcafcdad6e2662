"""DescribeLimits over HTTP."""

from __future__ import annotations

from typing import Any

# Serialization


# The request has no members: anything in it is unknown, and unknown members are ignored.
# API_DescribeLimits, "Request Parameters": none.
def test_unknown_members_are_ignored(post: Any) -> None:
    status, answer = post("DescribeLimits", {"Nonsense": {"a": [1]}})
    assert status == 200
    assert len(answer) == 4


# Behaviour


# Tools size their tables by this. API_DescribeLimits, "Response Elements"; the figures are the
# default quotas of us-east-1 (Quotas, "Throughput default quotas").
def test_the_default_quotas_are_described(boto: Any) -> None:
    answer = boto.describe_limits()
    assert {name: answer[name] for name in answer if name != "ResponseMetadata"} == {
        "AccountMaxReadCapacityUnits": 80_000,
        "AccountMaxWriteCapacityUnits": 80_000,
        "TableMaxReadCapacityUnits": 40_000,
        "TableMaxWriteCapacityUnits": 40_000,
    }
