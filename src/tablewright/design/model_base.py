"""The base class of models, and the type of stored times."""

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
        # Bytes are base64 in JSON, as in DynamoDB's JSON.
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )


def _to_the_millisecond(moment: datetime) -> datetime:
    # Fast path: a time that was read back is already in this form.
    if moment.microsecond % 1000:
        moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    return moment.astimezone(UTC) if moment.utcoffset() else moment


# A time in UTC with milliseconds. Validation drops finer digits, so that the value that is read
# equals the value that was written.
Moment = Annotated[datetime, AwareDatetime, AfterValidator(_to_the_millisecond)]
