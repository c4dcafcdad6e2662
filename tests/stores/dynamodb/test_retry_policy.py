"""Trying again: what, how often, how long; without a clock and without a network."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from tablewright.errors import (
    ConditionalCheckFailed,
    ServiceError,
    StoreUnavailable,
    Throttled,
    TransactionCanceled,
    TransactionInProgress,
    ValidationError,
)
from tablewright.stores.dynamodb.replies import Reply, Unanswered
from tablewright.stores.dynamodb.retry_policy import Retrying, exchange
from tablewright.stores.runner import drive

OK = Reply(200, None, b'{"ok":true}')
LOST = Unanswered("lost", was_sent=True)
NOT_SENT = Unanswered("refused", was_sent=False)
ADD = {"UpdateExpression": "ADD n :one"}


def refusal(code: str, status: int = 400, **fields: Any) -> Reply:
    return Reply(status, None, orjson.dumps({"__type": code, **fields}))


def canceled(*codes: str) -> Reply:
    reasons = [{"Code": code} for code in codes]
    return refusal("TransactionCanceledException", CancellationReasons=reasons)


class World:
    """Answers from a list, a clock that only pauses move, and randomness that is always 1."""

    def __init__(self, *answers: Reply | Exception) -> None:
        self.answers = list(answers)
        self.now = 0.0
        self.pauses: list[float] = []
        self.sent: list[dict[str, Any]] = []

    def post(self, operation: str, request: dict[str, Any]) -> Reply:
        self.sent.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def call(
        self,
        operation: str = "PutItem",
        request: dict[str, Any] | None = None,
        retrying: Retrying | None = None,
    ) -> dict[str, Any]:
        steps = exchange(
            operation, request or {}, retrying or Retrying(), lambda: self.now, lambda: 1.0
        )
        return drive(steps, self.post, self.sleep)


@pytest.mark.parametrize(
    "failure",
    [
        NOT_SENT,
        LOST,
        refusal("InternalServerError", 500),
        refusal("ServiceUnavailable", 503),
        refusal("ThrottlingException"),
        refusal("ProvisionedThroughputExceededException"),
        refusal("RequestLimitExceeded"),
        refusal("TransactionInProgressException"),
        refusal("TransactionConflictException"),
        canceled("None", "TransactionConflict"),
        canceled("TransactionConflict", "ThrottlingError"),
    ],
    ids=repr,
)
def test_what_passes_is_tried_again(failure: Reply | Exception) -> None:
    world = World(failure, failure, OK)
    assert world.call() == {"ok": True}
    assert len(world.sent) == 3
    assert world.pauses == [0.05, 0.1]


@pytest.mark.parametrize(
    "failure",
    [
        refusal("ValidationException"),
        refusal("ConditionalCheckFailedException"),
        refusal("AccessDeniedException"),
        canceled("ConditionalCheckFailed", "TransactionConflict"),
        canceled("ValidationError"),
        canceled("None"),
    ],
    ids=repr,
)
def test_an_answer_is_an_answer(failure: Reply) -> None:
    world = World(failure, OK)
    with pytest.raises(ServiceError):
        world.call()
    assert len(world.sent) == 1


@pytest.mark.parametrize("failure", [LOST, refusal("InternalServerError", 500)], ids=repr)
def test_a_write_that_adds_is_not_sent_twice(failure: Reply | Exception) -> None:
    world = World(failure, OK)
    with pytest.raises(StoreUnavailable, match="UpdateItem may or may not have been applied"):
        world.call("UpdateItem", ADD)
    assert len(world.sent) == 1


def test_a_write_that_adds_is_sent_again_if_it_was_not_sent_or_not_done() -> None:
    for failure in (NOT_SENT, refusal("ThrottlingException")):
        world = World(failure, OK)
        assert world.call("UpdateItem", ADD) == {"ok": True}


def test_a_transaction_is_sent_again_as_it_was() -> None:
    request = {"TransactItems": [], "ClientRequestToken": "t"}
    world = World(LOST, OK)
    world.call("TransactWriteItems", request)
    assert world.sent == [request, request]
    with pytest.raises(StoreUnavailable, match="may or may not"):
        World(LOST, OK).call("TransactWriteItems", {"TransactItems": []})


def test_pauses_double_and_tries_end() -> None:
    world = World(NOT_SENT)
    with pytest.raises(StoreUnavailable, match="failed 8 times: refused"):
        world.call()
    assert world.pauses == [0.05 * 2**n for n in range(7)]


def test_time_ends_before_tries_do() -> None:
    world = World(NOT_SENT)
    with pytest.raises(StoreUnavailable, match="failed 3 times"):
        world.call(retrying=Retrying(tries=100, base_seconds=1.0, total_seconds=5.0))
    assert world.pauses == [1.0, 2.0]


def test_a_throttled_request_ends_as_unavailable_with_its_cause() -> None:
    with pytest.raises(StoreUnavailable) as failure:
        World(refusal("ThrottlingException")).call()
    assert isinstance(failure.value.__cause__, Throttled)
    assert "may or may not" not in str(failure.value)


def test_conflicts_that_last_are_told_as_they_are() -> None:
    with pytest.raises(TransactionCanceled):
        World(canceled("TransactionConflict")).call("TransactWriteItems")
    with pytest.raises(TransactionInProgress):
        World(refusal("TransactionInProgressException")).call("TransactWriteItems")


def test_one_lost_reply_is_remembered_to_the_end() -> None:
    with pytest.raises(StoreUnavailable, match="may or may not have been applied"):
        World(LOST, NOT_SENT).call("PutItem")
    with pytest.raises(StoreUnavailable) as failure:
        World(LOST, NOT_SENT).call("GetItem")
    assert "may or may not" not in str(failure.value)


def test_an_answer_after_a_lost_reply_counts() -> None:
    with pytest.raises(ValidationError):
        World(LOST, refusal("ValidationException")).call()


def test_pauses_have_full_jitter() -> None:
    policy = Retrying()
    assert policy.pause(3, 0.0) == 0.0
    assert policy.pause(3, 0.5) == pytest.approx(0.1)


FALSE = "ConditionalCheckFailedException"


def test_a_put_that_finds_its_own_item_was_made() -> None:
    request = {"Item": {"pk": {"N": "1.0"}}}
    own = refusal(FALSE, Item={"pk": {"N": "1"}})
    assert World(LOST, own).call("PutItem", request) == {}
    with pytest.raises(ConditionalCheckFailed):
        World(NOT_SENT, own).call("PutItem", request)


@pytest.mark.parametrize(
    ("operation", "request_", "answer"),
    [
        ("PutItem", {"Item": {"pk": {"N": "1"}}}, refusal(FALSE, Item={"pk": {"N": "2"}})),
        ("PutItem", {"Item": {"pk": {"N": "1"}}}, refusal(FALSE)),
        (
            "PutItem",
            {"Item": {"pk": {"N": "1"}}, "ReturnValues": "ALL_OLD"},
            refusal(FALSE, Item={"pk": {"N": "1"}}),
        ),
        ("UpdateItem", {}, refusal(FALSE, Item={"pk": {"N": "1"}})),
        (
            "UpdateItem",
            {
                "UpdateExpression": "SET m.x = :v",
                "ExpressionAttributeValues": {":v": {"N": "1"}},
            },
            refusal(FALSE, Item={"pk": {"N": "1"}, "m": {"M": {"x": {"N": "1"}}}}),
        ),
        (
            "UpdateItem",
            {"UpdateExpression": "REMOVE gone"},
            refusal(FALSE, Item={"pk": {"N": "1"}}),
        ),
        ("DeleteItem", {}, refusal(FALSE)),
    ],
)
def test_a_false_condition_after_a_lost_reply_says_nothing(
    operation: str, request_: dict[str, Any], answer: Reply
) -> None:
    with pytest.raises(StoreUnavailable, match="may or may not have been applied"):
        World(LOST, answer).call(operation, request_)
