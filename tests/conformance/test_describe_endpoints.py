"""DescribeEndpoints over HTTP."""

from __future__ import annotations

from typing import Any

# Serialization


# API_DescribeEndpoints, "Request Parameters": none, so anything is unknown and ignored.
def test_unknown_members_are_ignored(post: Any) -> None:
    status, _ = post("DescribeEndpoints", {"Nonsense": [1]})
    assert status == 200


# Behaviour


# SDKs with endpoint discovery ask this first. API_DescribeEndpoints and API_Endpoint: an address,
# and for how many minutes to keep it.
def test_an_endpoint_is_described(boto: Any) -> None:
    (endpoint,) = boto.describe_endpoints()["Endpoints"]
    assert set(endpoint) == {"Address", "CachePeriodInMinutes"}
    assert endpoint["Address"]
    assert endpoint["CachePeriodInMinutes"] == 1440
