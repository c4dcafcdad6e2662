"""The catalogue of rules: code, severity, consequence and fix of each.

    TW1xx keys      TW2xx access patterns      TW3xx indexes      TW4xx capacity
    TW5xx limits    TW6xx security             TW7xx portability  TW9xx ignore comments

Errors with ``at_import`` are raised when a design is imported; `tablewright lint` reports those and
all others. How a rule is checked is not known here. docs/lint.md has the same list.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

from tablewright.design.findings import Finding, Place, Severity

__all__ = ["RULES", "Rule", "completed", "finding"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule."""

    code: str
    severity: Severity
    title: str
    why: str  # The consequence; one sentence.
    fix: str
    targets: Collection[str] = ()  # The databases that it applies to; all if empty.
    at_import: bool = False  # Raised at import; otherwise only reported by lint.


def _import_error(code: str, title: str, why: str, fix: str) -> Rule:
    return Rule(code, "error", title, why, fix, at_import=True)


def _lint_error(code: str, title: str, why: str, fix: str, *targets: str) -> Rule:
    return Rule(code, "error", title, why, fix, targets)


def _lint_warning(code: str, title: str, why: str, fix: str, *targets: str) -> Rule:
    return Rule(code, "warning", title, why, fix, targets)


_ALL: Final = (
    # Keys.
    _import_error(
        "TW101",
        "ambiguous key",
        "Two different items get the same key, so one overwrites the other.",
        "Reject the delimiter in values (checked keys do), or write {name:escaped}.",
    ),
    _import_error(
        "TW102",
        "two entities can have the same key",
        "One overwrites the other.",
        "Add a fixed part to one of the keys that the other cannot contain.",
    ),
    _import_error(
        "TW103",
        "number without a width in a sort key",
        "Text sorts character by character, so 10 sorts before 9.",
        "Set a width: {minute:04}.",
    ),
    _lint_warning(
        "TW104",
        "normalised value in a key",
        "Values with the same normalised form share one item: the second overwrites the first.",
        "Use the exact value in the key, or normalise the value before it is stored.",
    ),
    _import_error(
        "TW105",
        "key does not contain the item's id",
        "Two items of the same time get the same key: the second overwrites the first.",
        "Add the item's id to its key.",
    ),
    _import_error(
        "TW106",
        "unknown field",
        "The key or option cannot be used.",
        "Name a field or a property of the model.",
    ),
    _import_error(
        "TW107",
        "optional field in the table's key",
        "An item without the value has no key.",
        "Make the field required, or remove it from the key.",
    ),
    _lint_warning(
        "TW108",
        "fixed part breaks the table's convention",
        "Code that builds keys by hand will use the other spelling and find nothing.",
        "Spell all fixed parts alike, or change static_case.",
    ),
    _import_error(
        "TW109",
        "key template does not compile",
        "Its keys cannot be parsed back into values.",
        "Separate the fields with the delimiter, and use types that are allowed in keys.",
    ),
    _lint_warning(
        "TW111",
        "keys do not sort as the values do",
        "Rows come back in another order than readers expect.",
        "Write {name:escaped}, or move the part to the end of the sort key.",
    ),
    _import_error(
        "TW112",
        "not an entity",
        "The design does not say how the model is stored.",
        "Declare the model with @table.entity(…).",
    ),
    _import_error(
        "TW113",
        "mark is inside the envelope",
        "Conditions and indexes cannot see that an item is deleted.",
        "Add the field to top=[…].",
    ),
    _import_error(
        "TW114",
        "wrong number of key templates",
        "The key cannot be built.",
        "Write one template for each attribute of the key.",
    ),
    _import_error(
        "TW115",
        "number or bytes key with several parts",
        "A number cannot be built from several parts.",
        "Use one field, or make the key attribute a string.",
    ),
    _import_error(
        "TW116",
        "model declared twice",
        "Only one of the two entities can be read and written.",
        "Derive a class for the second entity.",
    ),
    _import_error(
        "TW117",
        "two fields with one name on disk",
        "One value overwrites the other.",
        "Give one of the fields another alias.",
    ),
    # Access patterns.
    _import_error(
        "TW201",
        "no index serves the pattern",
        "Only a scan of the whole table can answer it.",
        "Add an index or a derived row, or add parameters for the missing parts.",
    ),
    _import_error(
        "TW202",
        "range over a partition key",
        "DynamoDB answers ValidationException: a partition key can only be compared with =.",
        "Move the value to a sort key under a known partition key.",
    ),
    _import_error(
        "TW203",
        "pattern returns other entities",
        "Callers get rows of other entities, pages have fewer usable rows, and every row is paid "
        "for.",
        "Give the two entities different sort key prefixes.",
    ),
    _import_error(
        "TW204",
        "pattern matches no entity",
        "The result is always empty.",
        "Store the entity under that key, or query the key that it has.",
    ),
    _import_error(
        "TW205",
        "prefix without its delimiter",
        "It also matches longer values.",
        "End the prefix with the delimiter.",
    ),
    _import_error(
        "TW206",
        "condition on a value that is not a parameter",
        "A query needs the value of every part of its prefix.",
        "Add a parameter for the part, or query the range of its type.",
    ),
    _import_error(
        "TW207",
        "parameter is not a field of the entity",
        "The parameter does not match any key part.",
        "Name the parameter like the field of the model.",
    ),
    _import_error(
        "TW208",
        "entities of several tables",
        "One request reads one table.",
        "Declare one pattern per table, and compose them.",
    ),
    _import_error(
        "TW209",
        "composition of an unknown pattern",
        "Its cost and its permissions cannot be computed.",
        "Use patterns of the same class.",
    ),
    _lint_warning(
        "TW210",
        "no access patterns",
        "Without patterns nothing proves that the keys serve the application's queries.",
        "Derive a class from Design, with one stub for each query of the application.",
    ),
    _lint_warning(
        "TW211",
        "entity that no pattern reads",
        "The rows are written and paid for, but never read.",
        "Declare the pattern that reads it, or remove the entity.",
    ),
    _lint_warning(
        "TW212",
        "one-way link",
        "From the other id, only a scan finds the links.",
        "Derive a mirror row, or add an index with the other id as partition key.",
    ),
    _import_error(
        "TW213",
        "index without all rows",
        "Rows that are not in the index are missing from the result.",
        "Name the index in the pattern to read only the rows in it, or make the field required.",
    ),
    _import_error(
        "TW214",
        "parameters do not fit the operation",
        "No call of the pattern can work.",
        "Give BatchGet and FanOut one Sequence[…], a query at most one Range[…], and others none.",
    ),
    _import_error(
        "TW215",
        "parameter of another type than its field",
        "Each call is refused, because the value cannot be in the key.",
        "Give the parameter the type of the field.",
    ),
    _import_error(
        "TW216",
        "stub without @pattern()",
        "The method raises an error when it is called.",
        "Write @pattern() above it.",
    ),
    # Indexes.
    _import_error(
        "TW301",
        "enters an index by accident",
        "Queries of the index return these items, and each write pays for the index entry.",
        "Rename the attribute, or declare the entity's keys in the index.",
    ),
    _lint_warning(
        "TW302",
        "index that no pattern uses",
        "Each write pays for the index entry, but nothing reads it.",
        "Remove the index, or declare the pattern that uses it.",
    ),
    _lint_warning(
        "TW303",
        "two indexes with the same keys",
        "Each write pays for the entry twice.",
        "Keep one of them.",
    ),
    _import_error(
        "TW304",
        "consistent read of a global index",
        "DynamoDB refuses it: global indexes are eventually consistent.",
        "Remove consistent, or read the table.",
    ),
    _import_error(
        "TW305",
        "projection lacks attributes that the entity needs",
        "A row that is read through the index cannot be parsed into its model.",
        "Project these attributes, or all attributes.",
    ),
    _import_error(
        "TW306",
        "unknown index",
        "DynamoDB rejects the request.",
        "Name an index of the table.",
    ),
    _import_error(
        "TW307",
        "table that cannot be created",
        "CreateTable rejects it.",
        "Change the declaration to what DynamoDB allows.",
    ),
    _import_error(
        "TW308",
        "one attribute with two key templates",
        "One of the keys has the wrong value, so its queries return nothing.",
        "Use the same template in both keys, or an attribute of its own for each.",
    ),
    _import_error(
        "TW309",
        "attribute of another type than the index key of its name",
        "DynamoDB rejects every item that has the attribute.",
        "Rename the attribute, or give the index key its type.",
    ),
    # Capacity.
    _lint_warning(
        "TW401",
        "few partitions",
        "A partition serves 1,000 writes and 3,000 reads per second; DynamoDB throttles the rest.",
        "Add a shard number to the partition key, or explain why the rows stay few.",
    ),
    _lint_warning(
        "TW402",
        "hot or oversized partition",
        "DynamoDB throttles requests to it; with a local index, writes fail at 10 GB.",
        "Split the partition, for example by month or by a shard number.",
    ),
    # Limits.
    _import_error(
        "TW501",
        "write of more than 100 actions",
        "DynamoDB rejects the write once the data is large enough.",
        "Lower max, or remove it so that the write is staged.",
    ),
    _import_error(
        "TW502",
        "staged write with counters or guards",
        "After a crash a counter could be moved twice, and stay wrong.",
        "Set max to bound the rows.",
    ),
    _lint_warning(
        "TW503",
        "key may be too long",
        "DynamoDB rejects keys over 2,048 bytes (partition key) or 1,024 bytes (sort key).",
        "Lower the field's max_length, or use a hash in the key.",
    ),
    _lint_warning(
        "TW504",
        "large items",
        "DynamoDB rejects items over 400 KB, and reads and writes cost by size.",
        "Store the large part in an object store, or in separate items.",
    ),
    _import_error(
        "TW505",
        "too many indexes or projected attributes",
        "CreateTable rejects it.",
        "Let entities share an index, or project all attributes.",
    ),
    _import_error(
        "TW506",
        "derived rows outside their source's transaction",
        "After a crash or an unprocessed batch, the rows no longer match their source.",
        "Remove atomic=False, and write the source through the design.",
    ),
    _lint_warning(
        "TW507",
        "expiry without a TTL attribute",
        "Expired items stay in the table, are returned, and are paid for.",
        "Set ttl=… on the table, and give the entity a field of that name or ttl=….",
    ),
    _lint_warning(
        "TW508",
        "staged write",
        "Readers may see some rows without the others; after a crash, until the write is resumed.",
        "Set max, if a bound is known.",
    ),
    # Security.
    _lint_warning(
        "TW601",
        "unchecked text in a key",
        "A user who chooses the text can include a delimiter and reach other users' keys.",
        "Remove unchecked and raw, or write {name:escaped}.",
    ),
    _lint_warning(
        "TW602",
        "secret copied into an index",
        "Everyone with access to the index can read it, and there is one more copy to erase.",
        "Project only what the patterns need, or move the secret to a separate entity.",
    ),
    _lint_warning(
        "TW603",
        "secret in a key",
        "Keys appear in logs, traces, metrics and error messages.",
        "Use a hash of it in the key.",
    ),
    # Portability.
    _lint_warning(
        "TW701",
        "needs transactions",
        "Alternator has no transactions. Emulated ones need this process to be the only writer.",
        "Open the store with transactions=emulated, or remove derived rows and counters.",
        "alternator",
    ),
    _lint_error(
        "TW702",
        "name too long for Alternator",
        "Alternator allows 192 characters for a table, 221 together with an index.",
        "Shorten the name.",
        "alternator",
    ),
    _lint_error(
        "TW703",
        "index key with several attributes",
        "AWS and the embedded engine allow up to four per key of a global index; Alternator "
        "allows one.",
        "Combine the attributes in one template, or run the design on AWS or the embedded engine.",
        "alternator",
    ),
    _lint_warning(
        "TW704",
        "expiry attribute differs in case",
        "Attribute names are case-sensitive, so the items never expire.",
        "Spell the attribute exactly like the table's ttl.",
    ),
    _lint_warning(
        "TW705",
        "projection that Alternator ignores",
        "Alternator ignores projections and copies every attribute into the index.",
        "Do not rely on the projection to save space or to hide attributes.",
        "alternator",
    ),
    # Ignore comments.
    _lint_warning(
        "TW901",
        "ignore comment without a reason",
        "Without a reason the comment does not suppress the finding.",
        "Write after the bracket why the finding is harmless here.",
    ),
    _lint_warning(
        "TW902",
        "ignore comment that matches no finding",
        "The comment would hide the same mistake later.",
        "Delete the comment, or move it to the declaration it refers to.",
    ),
)

RULES: Final[dict[str, Rule]] = {rule.code: rule for rule in _ALL}


def finding(
    code: str, subject: str, cause: str, place: Place, *, example: str = "", fix: str = ""
) -> Finding:
    """A finding of a rule, with the rule's severity, consequence and default fix."""
    rule = RULES[code]
    return Finding(code, rule.severity, subject, cause, rule.why, example, fix or rule.fix, place)


def completed(bare: Finding) -> Finding:
    """The finding with a missing consequence or fix filled in from its rule."""
    rule = RULES[bare.code]
    return replace(bare, consequence=bare.consequence or rule.why, fix=bare.fix or rule.fix)
