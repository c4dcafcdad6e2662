"""Every access pattern of the documents is a method; every method is tested, and used.

A test belongs to the pattern whose name stands first in its own: ``test_list_matches_on_date_…`` is
of ``list_matches_on_date``, not of ``list_matches``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tablewright import Design, systems

from .designs import SYSTEMS

HERE = Path(__file__).parent
SOURCE = Path(systems.__file__).parent

# The names in the documents' lists of access patterns, in their order.
DOCUMENTS = {
    "roll_model": """
        list_own_entries list_athlete_entries check_comment_permission export_athlete_data
        list_thread_messages find_entries_by_keyword find_entries_by_private_keyword
        list_comments_of_entry get_entry_by_id get_comment_by_id list_entries_in_range
        list_coaches_of_athlete list_athletes_of_coach list_threads_of_user get_thread get_profile
        get_turn
    """,
    "funkedupshift": """
        get_site list_sites list_sites_by_tag get_my_rating list_my_ratings list_ratings_by_stars
        list_comments_of_site list_groups get_group list_groups_of_user list_group_members
        get_profile list_players get_player list_matches_on_date list_matches_in_range list_matches
        list_matches_of_players get_match get_comment list_my_comments count_ratings_of_site
        list_profiles check_squash_access
    """,
    "stayon": """
        claim_short_id create_page get_page update_page delete_page login create_rsvp get_rsvp
        list_rsvps create_vote get_vote tally_votes clone_page count_failed_attempts
    """,
    "threefc": """
        get_league list_seasons list_teams list_sessions get_game list_session_games get_player
        list_acl list_roster list_goals get_season get_session get_acl list_leagues_of_user
        get_league_by_slug get_season_by_slug list_league_players list_season_games get_goal
        get_last_goal list_audit get_player_slot season_standings season_leaderboard
    """,
    "hold_that_thought": """
        get_profile list_my_conversations list_comments_of_item list_comments_of_user
        list_reactions_of_user list_letters list_letter_versions list_messages get_membership
        get_conversation get_letter get_letter_version get_comment get_message
        list_reactions_of_comment have_i_reacted list_users list_drafts get_draft
        count_unread_since check_rate
    """,
}

PAGED = "The service sends the same query by `Paging.joined`, which drops rows and fills pages up."
# Access patterns of the documents that no service calls: they show a whole read in one place, and
# the service does the same in parts, because more has to happen between the parts.
UNUSED = {
    "roll_model": {
        "list_athlete_entries": "The service checks the link by `standing`, as for all it reads.",
        "check_comment_permission": "The service checks the link by `standing`, and again as a"
        " condition of the write.",
        "list_coaches_of_athlete": "The service filters links by status, and fills pages up.",
        "list_athletes_of_coach": "The service names people by `named`, as in every list of links.",
    },
    "funkedupshift": {
        "list_sites_by_tag": PAGED,
        "list_my_ratings": PAGED,
        "list_ratings_by_stars": PAGED,
        "list_my_comments": PAGED,
        "list_groups_of_user": PAGED,
        "list_matches_of_players": "The service reads the keys, and then one page of matches.",
    },
    "stayon": {
        "clone_page": "The route has read the page already, to check who may see it.",
        "login": "The service reads the page by `find`, as for all that is done with a page.",
    },
    "threefc": {
        "get_player_slot": "The service reads the roster: its row has the version to compare.",
        "list_session_games": PAGED,
        "list_leagues_of_user": PAGED,
        "list_league_players": PAGED,
    },
    "hold_that_thought": {"list_my_conversations": PAGED},
}


def declared(system: type[Design]) -> list[str]:
    """Every pattern of a design, however it is declared."""
    design = system.__design__
    return [*design.patterns, *design.composed, *design.writes]


def names_in(folder: Path) -> Iterator[str]:
    """The names of a folder's tests."""
    for path in sorted(folder.rglob("test_*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield node.name


def untested(patterns: Iterable[str], tests: Iterable[str]) -> list[str]:
    """The patterns that no test is named for."""
    names = list(patterns)
    found = set()
    for test in tests:
        owners = [name for name in names if test.startswith(f"test_{name}_")]
        found.add(max(owners, key=len, default=""))
    return [name for name in names if name not in found]


def calls_in(tree: ast.AST, owner: str) -> set[str]:
    """The attributes of a name that are used anywhere in a tree."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == owner
    }


def unused(patterns: Iterable[str], design: str, others: Iterable[str]) -> list[str]:
    """The patterns that neither another pattern of the design nor another source uses."""
    used = set().union(*(calls_in(ast.parse(source), "P") for source in others))
    for node in ast.walk(ast.parse(design)):
        if isinstance(node, ast.FunctionDef):
            used |= calls_in(node, "self") - {node.name}
    return [name for name in patterns if name not in used]


@pytest.mark.parametrize("folder", SYSTEMS)
def test_every_pattern_is_used(folder: str) -> None:
    """Or it is one of its document, and `UNUSED` says why no service calls it."""
    package = SOURCE / folder
    sources = [path for path in package.rglob("*.py") if path != package / "design.py"]
    names = unused(
        declared(SYSTEMS[folder]),
        (package / "design.py").read_text("utf-8"),
        [path.read_text("utf-8") for path in sources],
    )
    assert sorted(names) == sorted(UNUSED[folder])
    assert set(UNUSED[folder]) <= set(DOCUMENTS[folder].split())


@pytest.mark.parametrize("folder", SYSTEMS)
def test_every_pattern_has_a_test_of_its_name(folder: str) -> None:
    assert untested(declared(SYSTEMS[folder]), names_in(HERE / folder)) == []


@pytest.mark.parametrize("folder", SYSTEMS)
def test_every_access_pattern_of_the_document_is_a_method(folder: str) -> None:
    names = declared(SYSTEMS[folder])
    assert [name for name in DOCUMENTS[folder].split() if name not in names] == []


@pytest.mark.parametrize("folder", SYSTEMS)
def test_every_pattern_has_a_sentence(folder: str) -> None:
    system = SYSTEMS[folder]
    for name in declared(system):
        assert (getattr(system, name).__doc__ or "").endswith("."), name


def test_a_pattern_without_a_test_is_found() -> None:
    patterns = ["list_matches", "list_matches_on_date", "matches"]
    tests = ["test_list_matches_on_date_returns_that_days", "test_matching_is_hard"]
    assert untested(patterns, tests) == ["list_matches", "matches"]


def test_a_pattern_that_is_not_used_is_found() -> None:
    design = """
class P:
    def get_page(self): ...
    def get_again(self): return self.get_again()
    def clone_page(self): return self.get_page()
"""
    patterns = ["get_page", "get_again", "clone_page", "get_vote"]
    others = ["store.run(P.get_vote(1))", "pages.clone_page()"]
    assert unused(patterns, design, others) == ["get_again", "clone_page"]
