"""The key condition and index of every pattern, as the documents write them.

Where the document names only a partition, a prefix that all its rows have may be added: it keeps
whatever else comes to share the partition out of the answer. Where it gives a range by its ends,
the ends themselves are tested beside the pattern.
"""

from __future__ import annotations

import pytest

from .designs import SYSTEMS

CONDITIONS = {
    "roll_model": {
        "get_profile": "PK = USER#{userId} AND SK = PROFILE",
        "profiles": "PK = USER#{userId} AND SK = PROFILE",
        "get_link": "PK = USER#{athleteId} AND SK = COACH#{coachId}",
        "links": "PK = USER#{athleteId} AND SK = COACH#{coachId}",
        "coach_links": "PK = USER#{athleteId} AND begins_with(SK, COACH#)",
        "athlete_links": "PK = USER#{coachId} AND begins_with(SK, ATHLETE#)",
        "get_entry": "PK = USER#{athleteId} AND SK = ENTRY#{createdAt}#{entryId}",
        "entries": "PK = USER#{athleteId} AND SK = ENTRY#{createdAt}#{entryId}",
        "get_entry_meta": "PK = ENTRY#{entryId} AND SK = META",
        "get_comment": "PK = ENTRY#{entryId} AND SK = COMMENT#{createdAt}#{commentId}",
        "get_comment_meta": "PK = COMMENT#{commentId} AND SK = META",
        "list_own_entries": "PK = USER#{athleteId} AND begins_with(SK, ENTRY#), descending",
        "list_thread_messages": "PK = AI_THREAD#{threadId} AND begins_with(SK, MSG#)",
        "messages_until": (
            "PK = AI_THREAD#{threadId} AND SK BETWEEN …, over MSG#{createdAt}#{messageId}, "
            "descending"
        ),
        "find_entries_by_keyword": (
            "PK = USER#{athleteId} AND begins_with(SK, KW#{token}#TS#), descending"
        ),
        "find_entries_by_private_keyword": (
            "PK = USER_PRIVATE#{athleteId} AND begins_with(SK, KW#{token}#TS#), descending"
        ),
        "list_comments_of_entry": "PK = ENTRY#{entryId} AND begins_with(SK, COMMENT#), descending",
        "list_entries_in_range": (
            "PK = USER#{athleteId} AND SK BETWEEN …, over ENTRY#{createdAt}#{entryId}, descending"
        ),
        "list_threads_of_user": "PK = USER#{userId} AND begins_with(SK, AI_THREAD#)",
        "get_thread": "PK = USER#{userId} AND SK = AI_THREAD#{threadId}",
        "get_turn": "PK = AI_THREAD#{threadId} AND SK = TURN#{messageId}",
        "list_turns": "PK = AI_THREAD#{threadId} AND begins_with(SK, TURN#)",
        "get_idempotency": "PK = IDEMPOTENCY#{scope}#{key} AND SK = METADATA",
    },
    "funkedupshift": {
        "get_site": "PK = SITE#{id} AND SK = METADATA",
        "sites": "PK = SITE#{id} AND SK = METADATA",
        "list_sites": "byEntity entityType = SITE AND begins_with(entitySk, SITE#), descending",
        "site_tags": "byTag tag = {tag} AND begins_with(siteId, SITE#)",
        "get_my_rating": "PK = USER#{userId} AND SK = SITE#{siteId}",
        "ratings_of_user": "PK = USER#{userId} AND begins_with(SK, SITE#)",
        "ratings_by_stars": "byStars starRating = {stars} AND begins_with(siteId, SITE#)",
        "ratings_of_site": "byStars starRating = {stars} AND siteId = SITE#{siteId}",
        "count_ratings": "byStars starRating = {stars} AND siteId = SITE#{siteId}",
        "list_comments_of_site": (
            "bySite commentSite = SITE#{siteId} AND begins_with(commentSk, COMMENT#), descending"
        ),
        "get_comment": (
            "bySite commentSite = SITE#{siteId} AND commentSk = COMMENT#{createdAt}#{commentId}"
        ),
        "get_own_comment": "PK = USER#{userId} AND SK = COMMENT#SITE#{siteId}#{commentId}",
        "comments_of_user": "PK = USER#{userId} AND begins_with(SK, COMMENT#SITE#)",
        "comments_of_user_on_site": (
            "PK = USER#{userId} AND begins_with(SK, COMMENT#SITE#{siteId}#)"
        ),
        "list_groups": "byEntity entityType = GROUP AND begins_with(entitySk, GROUP#)",
        "get_group": "PK = GROUP#{name} AND SK = METADATA",
        "groups": "PK = GROUP#{name} AND SK = METADATA",
        "get_membership": "PK = USER#{userId} AND SK = MEMBERSHIP#{groupName}",
        "memberships_of_user": "PK = USER#{userId} AND begins_with(SK, MEMBERSHIP#)",
        "list_group_members": "byGroup groupName = {groupName}",
        "get_profile": "PK = USER#{userId} AND SK = PROFILE",
        "list_profiles": "byEntity entityType = PROFILE AND begins_with(entitySk, PROFILE#)",
        "list_players": (
            "byEntity entityType = SQUASH_PLAYER AND begins_with(entitySk, SQUASH#PLAYER#)"
        ),
        "get_player": "PK = SQUASH#PLAYER#{playerId} AND SK = METADATA",
        "players": "PK = SQUASH#PLAYER#{playerId} AND SK = METADATA",
        "get_player_of_user": "PK = SQUASH#USER#{userId} AND SK = METADATA",
        "list_matches_on_date": "bySquashDate squashDate = {date}",
        "list_matches_in_range": (
            "byEntity entityType = SQUASH_MATCH AND entitySk BETWEEN …, over {date}#{matchId}"
        ),
        "list_matches": "byEntity entityType = SQUASH_MATCH",
        "participations_of": "PK = SQUASH#PLAYER#{playerId} AND begins_with(SK, MATCH#)",
        "matches": "PK = SQUASH#MATCH#{matchId} AND SK = METADATA",
        "get_match": "PK = SQUASH#MATCH#{matchId} AND SK = METADATA",
        "get_idempotency": "PK = IDEMPOTENCY#{scope}#{key} AND SK = METADATA",
    },
    "stayon": {
        "claim_short_id": "pk = {bucket} AND begins_with(sk, available#)",
        "get_page": "pk = shareable#{shortId:compact} AND sk = 01#",
        "get_rsvp": "pk = event_rsvp#{shortId:compact} AND sk = 01#{code}#",
        "list_rsvps": "pk = event_rsvp#{shortId:compact} AND begins_with(sk, 01#)",
        "get_vote": "pk = poll_vote#{shortId:compact} AND sk = 01#{code}#",
        "tally_votes": "pk = poll_vote#{shortId:compact} AND begins_with(sk, 01#)",
        "count_failed_attempts": (
            "pk = attempt#{shortId:compact} AND sk = 01#{kind}#{clienthash}#"
        ),
        "get_idempotency": "pk = idempotency#{scope}#{keyhash} AND sk = 01#",
    },
    "threefc": {
        "get_league": "pk = LEAGUE#{leagueId} AND sk = METADATA",
        "leagues": "pk = LEAGUE#{leagueId} AND sk = METADATA",
        "list_seasons": "pk = LEAGUE#{leagueId} AND begins_with(sk, SEASON#)",
        "list_teams": "pk = SEASON#{seasonId} AND begins_with(sk, TEAM#)",
        "list_sessions": "pk = SEASON#{seasonId} AND begins_with(sk, SESSION#)",
        "get_game": "pk = GAME#{gameId} AND sk = METADATA",
        "games": "pk = GAME#{gameId} AND sk = METADATA",
        "session_games": "pk = SESSION#{sessionId} AND begins_with(sk, GAME#)",
        "get_player": "pk = PLAYER#{playerId} AND sk = PROFILE",
        "players": "pk = PLAYER#{playerId} AND sk = PROFILE",
        "list_acl": "pk = LEAGUE#{leagueId} AND begins_with(sk, ACL#USER#)",
        "list_roster": "pk = GAME#{gameId} AND begins_with(sk, ROSTER#)",
        "list_goals": "pk = GAME#{gameId} AND begins_with(sk, GOAL#)",
        "get_season": "pk = SEASON#{seasonId} AND sk = METADATA",
        "get_session": "pk = SESSION#{sessionId} AND sk = METADATA",
        "get_session_day": "pk = SEASON#{seasonId} AND sk = SESSIONDATE#{sessionDate}",
        "get_acl": "pk = LEAGUE#{leagueId} AND sk = ACL#USER#{userId}",
        "user_leagues": "pk = USER#{userId} AND begins_with(sk, LEAGUE#)",
        "get_league_slug": "pk = SLUG#LEAGUE#{slug} AND sk = METADATA",
        "get_season_slug": "pk = SLUG#{leagueId}#SEASON#{slug} AND sk = METADATA",
        "league_players": "pk = LEAGUE#{leagueId} AND begins_with(sk, PLAYER#)",
        "league_players_named": (
            "pk = LEAGUE#{leagueId} AND begins_with(sk, PLAYER#{nicknameLower})"
        ),
        "games_of_sessions": "pk = SESSION#{sessionId} AND begins_with(sk, GAME#)",
        "list_audit": "pk = GAME#{gameId} AND begins_with(sk, AUDIT#)",
        "get_player_slot": "pk = GAME#{gameId} AND sk = PLAYERSLOT#{playerId}",
        "rosters_of_games": "pk = GAME#{gameId} AND begins_with(sk, ROSTER#)",
        "goals_of_games": "pk = GAME#{gameId} AND begins_with(sk, GOAL#)",
        "get_magic_token": "pk = AUTH_MAGIC#{tokenId} AND sk = METADATA",
        "get_login_session": "pk = AUTH_SESSION#{id} AND sk = METADATA",
        "get_start_counter": "pk = AUTH_RATE#{email} AND sk = METADATA",
        "get_identity": "pk = AUTH_IDENTITY#{email} AND sk = METADATA",
        "get_idempotency": "pk = IDEMPOTENCY#{scope}#{key} AND sk = METADATA",
    },
    "hold_that_thought": {
        "get_profile": "PK = USER#{userId} AND SK = PROFILE",
        "profiles": "PK = USER#{userId} AND SK = PROFILE",
        "memberships_by_recency": (
            "GSI1 GSI1PK = USER#{userId} AND begins_with(GSI1SK, CONV#), descending"
        ),
        "conversations": "PK = CONV#{conversationId} AND SK = META",
        "list_comments_of_item": (
            "PK = COMMENT#{itemId} AND SK BETWEEN …, over {createdAt}#{commentId}"
        ),
        "list_comments_of_user": (
            "GSI1 GSI1PK = USER#{userId} AND begins_with(GSI1SK, COMMENT#), descending"
        ),
        "list_reactions_of_user": (
            "GSI1 GSI1PK = USER#{userId} AND begins_with(GSI1SK, REACTION#), descending"
        ),
        "list_letters": "GSI1 GSI1PK = LETTERS, descending",
        "list_letter_versions": "PK = LETTER#{date} AND begins_with(SK, VERSION#), descending",
        "versions_until": "PK = LETTER#{date} AND SK BETWEEN …, over VERSION#{timestamp}",
        "list_messages": "PK = CONV#{conversationId} AND begins_with(SK, MSG#), descending",
        "messages_until": (
            "PK = CONV#{conversationId} AND SK BETWEEN …, over MSG#{createdAt}#{messageId}"
        ),
        "get_membership": "PK = USER#{userId} AND SK = CONV#{conversationId}",
        "members": "PK = USER#{userId} AND SK = CONV#{conversationId}",
        "get_conversation": "PK = CONV#{conversationId} AND SK = META",
        "get_letter": "PK = LETTER#{date} AND SK = CURRENT",
        "get_letter_version": "PK = LETTER#{date} AND SK = VERSION#{timestamp}",
        "get_comment": "PK = COMMENT#{itemId} AND SK = {createdAt}#{commentId}",
        "comments": "PK = COMMENT#{itemId} AND SK = {createdAt}#{commentId}",
        "get_message": "PK = CONV#{conversationId} AND SK = MSG#{createdAt}#{messageId}",
        "list_reactions_of_comment": (
            "PK = COMMENT#{itemId} AND begins_with(SK, REACTION#{commentId}#)"
        ),
        "have_i_reacted": "PK = COMMENT#{itemId} AND SK = REACTION#{commentId}#{userId}",
        "reactions_of_person": "PK = COMMENT#{itemId} AND SK = REACTION#{commentId}#{userId}",
        "list_users": "GSI1 GSI1PK = USERS AND begins_with(GSI1SK, USER#)",
        "list_drafts": "GSI1 GSI1PK = DRAFTS, descending",
        "get_draft": "PK = DRAFT#{draftId} AND SK = METADATA",
        "count_unread_since": (
            "PK = CONV#{conversationId} AND SK BETWEEN …, over MSG#{createdAt}#{messageId}"
        ),
        "check_rate": "PK = USER#{userId} AND SK = RATE#{action}",
        "get_idempotency": "PK = IDEMPOTENCY#{scope}#{key} AND SK = METADATA",
    },
}


@pytest.mark.parametrize("folder", SYSTEMS)
def test_every_pattern_has_the_key_condition_of_its_document(folder: str) -> None:
    made = {}
    for name, model in SYSTEMS[folder].__design__.patterns.items():
        index = "" if model.index.is_table else f"{model.index.name} "
        order = ", descending" if model.declared.is_descending else ""
        made[name] = f"{index}{model.condition_text()}{order}"
    assert made == CONDITIONS[folder]


@pytest.mark.parametrize("folder", SYSTEMS)
def test_tables_are_read_consistently_and_indexes_as_they_can(folder: str) -> None:
    for model in SYSTEMS[folder].__design__.patterns.values():
        assert model.is_consistent == model.index.is_table
