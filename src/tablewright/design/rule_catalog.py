"""Every rule that a design is held to: its code, how grave it is, what follows, what to do.

    TW1xx keys      TW2xx access patterns      TW3xx indexes      TW4xx capacity
    TW5xx limits    TW6xx security             TW7xx portability  TW9xx explanations

Definition errors are found when a design is imported (`proofs.py`, `serving.py`), the others by
`tablewright lint`. How a rule is checked is not known here. docs/lint.md has the same list.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

from tablewright.design.findings import Finding, Place, Severity

__all__ = ["RULES", "Rule", "completed", "finding"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that a design should not do."""

    code: str
    severity: Severity
    title: str
    why: str  # What follows if it is left so; one sentence.
    fix: str
    targets: Collection[str] = ()  # Where it matters; everywhere if empty.


def _error(code: str, title: str, why: str, fix: str, *targets: str) -> Rule:
    return Rule(code, "error", title, why, fix, targets)


def _warning(code: str, title: str, why: str, fix: str, *targets: str) -> Rule:
    return Rule(code, "warning", title, why, fix, targets)


_ALL: Final = (
    # Keys.
    _error(
        "TW101",
        "ambiguous key",
        "Two different items have one key: one overwrites the other.",
        "Refuse the delimiter in values (checked keys do), or write {name:escaped}.",
    ),
    _error(
        "TW102",
        "two entities can make the same key",
        "One overwrites the other.",
        "Give one of them a fixed part that the other cannot have.",
    ),
    _error(
        "TW103",
        "number without a width in a sort key",
        "Text sorts digit by digit, so 10 comes before 9.",
        "Give it a width: {minute:04}.",
    ),
    _warning(
        "TW104",
        "normalised value in a key",
        "Values that differ only in what is normalised away are one item: the second overwrites.",
        "Keep the exact value in the key, or normalise it before it is stored.",
    ),
    _error(
        "TW105",
        "identity is not in the key",
        "Two items of one day have one key: the second overwrites the first.",
        "Add an id of the item to its key.",
    ),
    _error(
        "TW106",
        "no such field",
        "The key or rule cannot be made.",
        "Name a field or a property of the model.",
    ),
    _error(
        "TW107",
        "optional field in the table's key",
        "An item without the value would have no key.",
        "Make the field required, or leave it out of the key.",
    ),
    _warning(
        "TW108",
        "fixed part breaks the table's own convention",
        "Keys that are written by hand elsewhere will be spelt the other way, and find nothing.",
        "Spell the fixed parts alike, or change static_case.",
    ),
    _error(
        "TW109",
        "key template does not compile",
        "No key can be made of it and parsed back.",
        "Separate the fields by the delimiter, and give each a type that can stand in a key.",
    ),
    _warning(
        "TW111",
        "keys do not sort as the values do",
        "A page begins or ends at another value than its reader expects.",
        "Write {name:escaped}, or put the part last in the sort key.",
    ),
    _error(
        "TW112",
        "not an entity",
        "Nothing is known of how it is stored.",
        "Declare the model with @table.entity(…).",
    ),
    _error(
        "TW113",
        "mark lies in the envelope",
        "No condition and no index could see that an item is deleted.",
        "Name the field in top=[…].",
    ),
    _error(
        "TW114",
        "wrong number of key templates",
        "The key cannot be made.",
        "Give one template for each attribute of the key.",
    ),
    _error(
        "TW115",
        "number or bytes key of several parts",
        "A number cannot be composed of texts.",
        "Name one field, or make the key attribute a text.",
    ),
    # Access patterns.
    _error(
        "TW201",
        "no index serves the pattern",
        "Only a scan of the whole table could answer it.",
        "Add an index, a derived row, or bind the parts that are missing.",
    ),
    _error(
        "TW202",
        "range over a partition key",
        "DynamoDB answers ValidationException: a partition key takes equality only.",
        "Put the value into a sort key, below a partition that is known.",
    ),
    _error(
        "TW203",
        "pattern returns other entities",
        "Callers get rows of another kind, pages run short, and all are paid for.",
        "Give the sort keys of the two disjoint prefixes.",
    ),
    _error(
        "TW204",
        "pattern matches no entity",
        "The answer is always empty.",
        "Store the entity under that key, or ask where it is stored.",
    ),
    _error(
        "TW205",
        "prefix without its delimiter",
        "It also matches every longer value.",
        "End the prefix with the delimiter.",
    ),
    _error(
        "TW206",
        "condition on a value that is not given",
        "A prefix that is not known cannot be asked for.",
        "Ask for the range of all such keys by their type, or bind the part.",
    ),
    _error(
        "TW207",
        "parameter is no field of the entity",
        "Nothing says what it binds.",
        "Call the parameter what the model calls the field.",
    ),
    _error(
        "TW208",
        "entities of several tables",
        "One request reads one table.",
        "Declare one pattern for each table, and compose them.",
    ),
    _error(
        "TW209",
        "composed of an unknown pattern",
        "Its cost and its rights cannot be known.",
        "Name patterns of the same class.",
    ),
    _warning(
        "TW210",
        "no access patterns",
        "Nothing can be proved of the keys: whether they serve is found out in production.",
        "Derive a class from Patterns, with one stub for each question the application asks.",
    ),
    _warning(
        "TW211",
        "entity that no pattern reads",
        "It is written and paid for, and nothing asks for it.",
        "Declare the pattern that reads it, or leave the entity out.",
    ),
    _warning(
        "TW212",
        "one-way link",
        "From the other side only a scan finds the links.",
        "Derive the mirror row, or give the entity an index keyed by the other id.",
    ),
    # Indexes.
    _error(
        "TW301",
        "enters an index by accident",
        "Every query of the index returns these items, and every write pays for them.",
        "Give the attribute another name, or declare the entity's keys in the index.",
    ),
    _warning(
        "TW302",
        "index that no pattern uses",
        "Every write to it is paid for, and nothing reads it.",
        "Leave the index out, or declare the pattern it is for.",
    ),
    _warning(
        "TW303",
        "two indexes with the same keys",
        "Each write is paid for twice.",
        "Keep one of them.",
    ),
    _error(
        "TW304",
        "consistent read of a global index",
        "DynamoDB refuses it: global indexes are eventually consistent.",
        "Leave consistent out, or read the table.",
    ),
    _error(
        "TW305",
        "projection lacks what the entity needs",
        "A row that is read through the index cannot be made into its model.",
        "Project these attributes, or all.",
    ),
    _error(
        "TW306",
        "no such index",
        "The request would be refused.",
        "Name an index of the table.",
    ),
    _error(
        "TW307",
        "table that cannot be created",
        "CreateTable refuses it.",
        "Declare it as DynamoDB asks.",
    ),
    # Capacity.
    _warning(
        "TW401",
        "few partitions",
        "One partition takes 1,000 writes and 3,000 reads a second; more are throttled.",
        "Spread the rows over a shard number, or say why they stay few.",
    ),
    _warning(
        "TW402",
        "hot or oversized partition",
        "Requests to it are throttled, and below a local index writes fail at 10 GB.",
        "Divide the partition, by month or by a shard number.",
    ),
    # Limits.
    _error(
        "TW501",
        "write of more than 100 actions",
        "DynamoDB refuses the write once the data is large enough.",
        "Lower max, or leave it out so that the write is staged.",
    ),
    _error(
        "TW502",
        "staged write with counters or guards",
        "A counter moved twice after a crash would never be right again.",
        "Bound the rows with max.",
    ),
    _warning(
        "TW503",
        "key may be too long",
        "DynamoDB refuses such an item: 2,048 bytes in a partition key, 1,024 in a sort key.",
        "Lower the field's max_length, or put a hash into the key.",
    ),
    _warning(
        "TW504",
        "large items",
        "DynamoDB refuses an item over 400 KB, and every read and write of it costs by size.",
        "Keep the large part in an object store, or in items of its own.",
    ),
    _error(
        "TW505",
        "too many indexes or projected attributes",
        "CreateTable refuses it.",
        "Let entities share an index, or project all attributes.",
    ),
    _error(
        "TW506",
        "derived rows outside their source's transaction",
        "After a crash or an unprocessed batch the rows no longer tell what the source does.",
        "Leave atomic=False out, and write the source through the design.",
    ),
    _warning(
        "TW507",
        "expiry without a TTL attribute",
        "Expired items stay, are returned, and are paid for.",
        "Give the table ttl=…, and the entity a field of that name or ttl=….",
    ),
    _warning(
        "TW508",
        "staged write",
        "Readers may see some of the rows without the others, after a crash until it is resumed.",
        "Bound the rows with max, if a bound is known.",
    ),
    # Security.
    _warning(
        "TW601",
        "unchecked text in a key",
        "Whoever chooses the text can write a delimiter, and reach keys that are not theirs.",
        "Leave unchecked and raw out, or write {name:escaped}.",
    ),
    _warning(
        "TW602",
        "secret copied into an index",
        "Everyone who may read the index reads it, and there is one more place to erase.",
        "Project only what the patterns need, or keep the secret in an entity of its own.",
    ),
    _warning(
        "TW603",
        "secret in a key",
        "Keys turn up in logs, traces, metrics and error messages.",
        "Put a hash of it into the key.",
    ),
    # Portability.
    _warning(
        "TW701",
        "needs transactions",
        "Alternator has none: they are emulated, and this process must be the only writer.",
        "Open the store with transactions=emulated, or do without derived rows and counters.",
        "alternator",
    ),
    _error(
        "TW702",
        "name too long for Alternator",
        "CreateTable is refused: 192 characters for a table, 221 together with an index.",
        "Shorten the name.",
        "alternator",
    ),
    _error(
        "TW703",
        "index key of several attributes",
        "Only DynamoDB itself takes several attributes in one index key.",
        "Join the attributes into one template.",
        "alternator",
        "embedded",
    ),
    _warning(
        "TW704",
        "expiry attribute in another case",
        "Attribute names are case-sensitive: nothing ever expires.",
        "Spell the table's ttl and the attribute alike.",
    ),
    _warning(
        "TW705",
        "projection that Alternator ignores",
        "Alternator copies every attribute into the index, whatever its projection says.",
        "Do not rely on the projection to save space or to hide attributes.",
        "alternator",
    ),
    # Explanations.
    _warning(
        "TW901",
        "ignore without a reason",
        "It explains nothing, so the finding stays.",
        "Say why the finding does no harm here, after the bracket.",
    ),
    _warning(
        "TW902",
        "ignore that matches nothing",
        "It would hide the same mistake when it is made again.",
        "Delete the comment, or put it beside the declaration it is about.",
    ),
)

RULES: Final[dict[str, Rule]] = {rule.code: rule for rule in _ALL}


def finding(
    code: str, subject: str, cause: str, place: Place, *, example: str = "", fix: str = ""
) -> Finding:
    """A finding by a rule, with its severity, its consequence and, unless given, its fix."""
    rule = RULES[code]
    return Finding(code, rule.severity, subject, cause, rule.why, example, fix or rule.fix, place)


def completed(found: Finding) -> Finding:
    """The same finding, with what it leaves out about consequence and fix taken from its rule."""
    rule = RULES[found.code]
    return replace(found, consequence=found.consequence or rule.why, fix=found.fix or rule.fix)
