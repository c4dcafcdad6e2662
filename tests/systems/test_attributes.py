"""The attributes of every row, as the documents list them: none missing, none unexpected.

Keys and the entity type aside. What the documents leave to the key, a model keeps as an attribute
as well: it is listed behind the bar.
"""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.design.entity import Entity

from .designs import SYSTEMS

REQUEST = "scope key requestHash responseStatusCode responseBody"
ROW = "createdAt updatedAt version"

ATTRIBUTES = {
    "roll_model": {
        "Profile": "userId displayName roles createdAt updatedAt version",
        "CoachLink": "athleteId coachId status createdAt updatedAt createdBy version",
        "AthleteLink": "athleteId coachId createdAt",
        "Entry": (
            "entryId athleteId createdAt updatedAt sections sessionMetrics version deletedAt"
        ),
        "EntryMeta": "entryId athleteId createdAt deletedAt",
        "Comment": (
            "commentId entryId athleteId coachId createdAt updatedAt body visibility version"
        ),
        "CommentMeta": "commentId targetType targetId athleteId coachId createdAt",
        "AiThread": "threadId title athleteId createdAt lastActiveAt version deletedAt | userId",
        "AiMessage": (
            "messageId threadId role content visibilityScope createdAt extractedUpdates "
            "suggestedPrompts contextEntryIds"
        ),
        "AiTurn": (
            "messageId requestHash userCreatedAt assistantMessageId assistantCreatedAt | threadId"
        ),
        "Keyword": "entryId createdAt visibilityScope | athleteId token",
        "PrivateKeyword": "entryId createdAt visibilityScope | athleteId token",
        "Idempotency": f"{REQUEST} ttl | expiresAt",
    },
    "funkedupshift": {
        "Site": (
            "url title description scrapedContent tags logoKey totalStarsSum totalStarsCount "
            "createdAt updatedAt version entitySk deletedAt | id"
        ),
        "SiteTag": "tag siteId",
        "Rating": "stars note starRating siteId userId createdAt updatedAt version",
        "Comment": (
            "commentId siteId userId userName body createdAt updatedAt version commentSite "
            "commentSk"
        ),
        "Group": (
            "name description permissions joinPolicy createdAt updatedAt version entitySk deletedAt"
        ),
        "Membership": "groupName userId addedAt addedBy groupCreatedAt",
        "Profile": (
            "userId name email avatarKey description createdAt updatedAt lastLoginAt lastLoginIp "
            "version entitySk"
        ),
        "Player": "playerId name email userId matchCount createdAt updatedAt version entitySk",
        "SquashLink": "playerId | userId",
        "Match": (
            "date squashDate matchId teamAPlayer1Id teamAPlayer2Id teamBPlayer1Id teamBPlayer2Id "
            "winningTeam teamAGames teamBGames createdAt updatedAt version entitySk"
        ),
        "Participation": "matchId playedOn | playerId",
        "Idempotency": f"{REQUEST} ttl | expiresAt",
    },
    "stayon": {
        "PoolSlot": "id | bucket slot",
        "Shareable": (
            "entity shortId name viewPasscode adminPasscode viewPasscodeVersion "
            "adminPasscodeVersion passcodeVersionMax expiresAfter createdAt updatedAt expiresAt "
            "ttl version note items startTime endTime type location description isRsvpRequired "
            "rsvpDeadline rsvpVisibility resultsVisibility closesAt isClosed questions"
        ),
        "Rsvp": "shortId code name response guestCount createdAt updatedAt version ttl",
        "Vote": "shortId code name answers createdAt updatedAt version ttl",
        "Attempt": "kind count windowStart ttl | shortId clienthash",
        "Idempotency": (
            "scope keyhash requestHash responseStatusCode responseBody ttl | expiresAt"
        ),
    },
    "threefc": {
        "League": f"{ROW} leagueId name slug createdByUserId adminCount seasonCount deletedAt",
        "Season": f"{ROW} leagueId seasonId name slug startsOn endsOn sessionCount",
        "LeagueSeason": f"{ROW} leagueId seasonId name slug startsOn endsOn",
        "Team": f"{ROW} seasonId teamId name color",
        "Session": f"{ROW} leagueId seasonId sessionId sessionDate gameCount",
        "SeasonSession": f"{ROW} leagueId seasonId sessionId sessionDate",
        "SessionDay": f"{ROW} sessionId | seasonId sessionDate",
        "Game": (f"{ROW} gameId leagueId seasonId sessionId status gameStartTs result deletedAt"),
        "SessionGame": f"{ROW} sessionId gameId gameStartTs leagueId seasonId",
        "Goal": (
            f"{ROW} gameId eventId third gameMinute scoringTeamId concedingTeamId scorerPlayerId "
            "assistPlayerIds ownGoal"
        ),
        "Roster": f"{ROW} gameId teamId playerId",
        "PlayerSlot": f"{ROW} teamId | gameId playerId",
        "Audit": f"{ROW} auditId gameId action eventId userId before after",
        "Acl": f"{ROW} leagueId userId role grantedByUserId",
        "UserLeague": f"{ROW} leagueId userId role",
        "Player": f"{ROW} playerId leagueId nickname claimedByUserId rosterCount",
        "LeaguePlayer": f"{ROW} playerId leagueId nickname",
        "LeagueSlug": f"{ROW} leagueId seasonId | slug",
        "SeasonSlug": f"{ROW} leagueId seasonId | slug",
        "Idempotency": f"{ROW} {REQUEST} ttlEpoch | expiresAt",
        "MagicToken": "email tokenHash expiresAtEpoch ttlEpoch usedAt | tokenId",
        "LoginSession": "email expiresAtEpoch ttlEpoch | id",
        "StartCounter": "count windowStart ttlEpoch | email",
        "Identity": "issuer subject | email",
    },
    "hold_that_thought": {
        "Profile": (
            "userId email displayName bio photoUrl familyRelationship generation familyBranch "
            "isProfilePrivate contactEmail notifyOnMessage notifyOnComment theme "
            "familyRelationships mediaUploadCount status groups createdAt updatedAt version "
            "GSI1PK GSI1SK"
        ),
        "ConversationMember": (
            "conversationId conversationType conversationTitle lastReadAt unreadCount "
            "lastMessageAt GSI1PK GSI1SK | userId"
        ),
        "ConversationMeta": (
            "conversationId conversationType conversationTitle creatorId participantIds "
            "participantNames createdAt lastMessageAt deletedAt"
        ),
        "Message": (
            "messageId conversationId senderId senderName messageText attachments createdAt"
        ),
        "Comment": (
            "itemId commentId userId userName userPhotoUrl commentText itemType itemTitle "
            "reactionCount createdAt updatedAt version deletedAt GSI1PK GSI1SK"
        ),
        "Reaction": "itemId commentId userId userName reactionType createdAt GSI1PK GSI1SK",
        "Letter": (
            "date title author content description versionCount fileKeys fileNames createdAt "
            "updatedAt updatedBy deletedAt GSI1PK GSI1SK"
        ),
        "LetterVersion": (
            "date title author content description timestamp versionNumber updatedBy"
        ),
        "Draft": (
            "draftId status uploaderId fileKeys fileNames extractedData errorMessage letterDate "
            "createdAt updatedAt version GSI1PK GSI1SK"
        ),
        "RateLimit": "count windowStart TTL | userId action expiresAt",
        "Idempotency": f"{REQUEST} TTL | expiresAt",
    },
}


def stored_names(entity: Entity[Any]) -> set[str]:
    """Every attribute that an entity's rows may have, in their envelope or beside it."""
    table = entity.table
    names = {attribute.name for attribute in entity.attributes.values()}
    names |= {part.attribute.name for face in entity.faces.values() for part in face.parts}
    names |= {table.ttl} if entity.ttl is not None and table.ttl is not None else set()
    keys = {part.name for part in table.primary.attributes}
    return names - keys - {table.type_attribute or ""}


@pytest.mark.parametrize("folder", SYSTEMS)
def test_every_row_has_the_attributes_of_its_document(folder: str) -> None:
    entities = [entity for table in SYSTEMS[folder].__design__.tables for entity in table.entities]
    assert {entity.name: stored_names(entity) for entity in entities} == {
        name: set(told.replace("|", "").split()) for name, told in ATTRIBUTES[folder].items()
    }
