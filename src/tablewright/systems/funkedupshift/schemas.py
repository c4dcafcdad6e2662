"""What FunkedUpShift's endpoints take and return; squash has schemas of its own."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, Field

from tablewright.keys.charsets import NONCHARACTERS
from tablewright.systems.funkedupshift.design import Site
from tablewright.systems.funkedupshift.permissions import SQUASH
from tablewright.systems.funkedupshift.services.picture_keys import BYTES_MAX, ContentType
from tablewright.web.http.field_types import (
    Answer,
    Body,
    Int,
    Line,
    Number,
    PatchBody,
    QueryParameters,
    Raw,
    Text,
    Time,
    Url,
    UuidText,
    wrong,
)
from tablewright.web.http.problems import field_problem

TAGS_MAX: Final = 20
RESERVED_NAMES: Final = ("admin", "manager", "user")
GROUP_NAME_PATTERN: Final = "[A-Za-z0-9_-]{1,64}"


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)


# A field of a PATCH that may be left out, but not removed.
UNSENT: Any = Field(default=None, json_schema_extra=_without_default)


class KeyLine(Line):
    """A line that lists are sorted by: of characters that a key can have."""

    def check(self, value: Any) -> str:
        text = super().check(value)
        if any(character in NONCHARACTERS for character in text):
            raise wrong("must be of characters that are assigned")
        return text


class _Tag(KeyLine):
    """A tag: lower-case, with single spaces."""

    def __init__(self) -> None:
        super().__init__(1, 40)
        self.schema = {**self.schema, "pattern": "^[^#]*$"}

    def check(self, value: Any) -> str:
        text = super().check(" ".join(value.split()).lower() if isinstance(value, str) else value)
        if "#" in text:
            raise wrong("must not have #")
        return text


def _distinct(tags: list[str]) -> list[str]:
    distinct = list(dict.fromkeys(tags))
    if len(distinct) > TAGS_MAX:
        raise ValueError(f"must be at most {TAGS_MAX}")
    return distinct


TagText = Annotated[str, _Tag()]
Tags = Annotated[
    list[TagText],
    AfterValidator(_distinct),
    Field(description=f"At most {TAGS_MAX} different ones."),
]
Title = Annotated[str, Line(1, 300)]
Description = Annotated[str, Text(0, 5000)]
Scraped = Annotated[str, Raw(0, 102_400)]
ImageKey = Annotated[str, Raw(1, 1024)]


class SiteBody(Body):
    url: Url
    title: Title | None = None
    description: Description | None = None
    scraped_content: Scraped | None = None
    tags: Tags | None = None


class SitePatch(PatchBody):
    url: Url = UNSENT
    title: Title | None = None
    description: Description | None = None
    scraped_content: Scraped | None = None
    tags: Tags | None = None
    logo_key: ImageKey | None = None


class UploadBody(Body):
    content_type: ContentType
    size: Annotated[int, Int(1, BYTES_MAX)]


class RatingBody(Body):
    stars: Annotated[int, Int(1, 5)]
    note: Annotated[str, Text(0, 1000)] | None = None


class CommentBody(Body):
    body: Annotated[str, Text(1, 2000)]


def _free(name: str) -> str:
    if name.lower() in RESERVED_NAMES:
        raise ValueError("is reserved")
    return name


GroupName = Annotated[str, Field(pattern=f"^{GROUP_NAME_PATTERN}$")]
Permissions = Annotated[list[Annotated[str, Line(1, 64)]], Field(max_length=50)]
JoinPolicy = Literal["invite", "open"]


class GroupBody(Body):
    name: Annotated[GroupName, AfterValidator(_free)]
    description: Annotated[str, Text(0, 500)] | None = None
    permissions: Permissions | None = None
    join_policy: JoinPolicy | None = None


class GroupPatch(PatchBody):
    description: Annotated[str, Text(0, 500)] | None = None
    permissions: Permissions | None = None
    join_policy: JoinPolicy | None = None


def require_invited(name: str, join_policy: JoinPolicy | None) -> None:
    """Raise 400 for a squash group with an open join policy."""
    if name == SQUASH and join_policy == "open":
        raise field_problem("joinPolicy", f"of {SQUASH} must be invite")


class SiteQuery(QueryParameters):
    tag: TagText | None = None
    q: Annotated[str, Line(1, 100)] | None = None


class StarsQuery(QueryParameters):
    stars: Annotated[int, Number(1, 5)]


class OwnCommentQuery(QueryParameters):
    site_id: UuidText | None = None


class JoinBody(Body):
    group_name: GroupName


class ProfilePatch(PatchBody):
    description: Annotated[str, Line(0, 100)] | None = None
    avatar_key: ImageKey | None = None


# Answers.


def average_rating(site: Site) -> float | None:
    """To one decimal, half up; None without ratings."""
    total, count = site.total_stars_sum, site.total_stars_count
    if count == 0:
        return None
    return (20 * total + count) // (2 * count) / 10


class SiteAnswer(Answer):
    site_id: str
    url: str
    title: str
    description: str | None
    tags: list[str]
    logo_url: str | None
    average_rating: float | None
    rating_count: int
    created_at: Time
    updated_at: Time
    version: int

    @classmethod
    def with_logo(cls, site: Site, logo_url: str | None) -> Self:
        return cls.of(
            site,
            site_id=site.id,
            logo_url=logo_url,
            average_rating=average_rating(site),
            rating_count=site.total_stars_count,
        )


class SingleSiteAnswer(SiteAnswer):
    scraped_content: str | None


class PublicRatingAnswer(Answer):
    """A rating as others see it."""

    site_id: str
    site_title: str
    user_id: str
    stars: int
    created_at: Time
    updated_at: Time
    version: int


class RatingAnswer(PublicRatingAnswer):
    """A rating as its author and admins see it."""

    note: str | None


class SummaryAnswer(Answer):
    site_id: str
    average_rating: float | None
    rating_count: int
    distribution: dict[Literal["1", "2", "3", "4", "5"], int]

    @classmethod
    def counted(cls, site: Site, counts: tuple[int, ...]) -> Self:
        return cls(
            site_id=site.id,
            average_rating=average_rating(site),
            rating_count=site.total_stars_count,
            distribution={str(stars): count for stars, count in enumerate(counts, 1)},  # type: ignore[misc]
        )


class CommentAnswer(Answer):
    comment_id: str
    site_id: str
    user_id: str
    user_name: str
    body: str
    created_at: Time
    updated_at: Time
    version: int


class GroupAnswer(Answer):
    name: str
    description: str | None
    permissions: list[str]
    join_policy: JoinPolicy
    created_at: Time
    updated_at: Time
    version: int


class MembershipAnswer(Answer):
    group_name: str
    user_id: str
    added_at: Time
    added_by: str


class SquashAnswer(Answer):
    can_read: bool
    can_write: bool


class MeAnswer(Answer):
    user_id: str
    name: str | None
    email: str | None
    roles: list[Literal["admin", "manager", "user"]]
    groups: list[str]
    squash: SquashAnswer


class PublicProfileAnswer(Answer):
    """A profile as managers see it."""

    user_id: str
    name: str | None
    email: str | None
    description: str | None
    avatar_key: str | None
    avatar_url: str | None
    created_at: Time
    updated_at: Time
    last_login_at: Time
    version: int


class ProfileAnswer(PublicProfileAnswer):
    """A profile as its owner and admins see it: with the address of the last visit."""

    last_login_ip: str | None
