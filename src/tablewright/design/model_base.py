"""What models are usually made of: a base class with the usual settings, and a type for times."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

__all__ = ["Model", "Moment"]


class Model(BaseModel):
    """snake_case in Python, camelCase on disk, immutable. Any other pydantic model works too."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        frozen=True,
        # As JSON, bytes that are no text are base64: in DynamoDB's JSON they are, too.
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )


def _to_the_millisecond(moment: datetime) -> datetime:
    # What is read back is so already, and reading is what happens most.
    if moment.microsecond % 1000:
        moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    return moment.astimezone(UTC) if moment.utcoffset() else moment


# A time as it is stored: in UTC, to the millisecond. Finer digits are dropped when it is validated,
# so what is read back equals what was written.
Moment = Annotated[datetime, AwareDatetime, AfterValidator(_to_the_millisecond)]
