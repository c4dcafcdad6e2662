"""A small design for the tests of stores."""

from __future__ import annotations

from tablewright.design.model_base import Model
from tablewright.design.table import Table
from tablewright.design.table_definition import Index

NOTES = Table("notes", pk="pk", sk="sk", indexes=[Index("byG", pk="g", sk="sk")], ttl="until")


@NOTES.entity("NOTE#{id}", "NOTE")
class Note(Model):
    id: str
    text: str = ""
