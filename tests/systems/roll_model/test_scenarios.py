"""The acceptance scenarios, each on every kind of store; races again in test_races."""

from __future__ import annotations

from typing import Any

from .journal import Journal, entry_body, place, refused


def comments_of(entry: dict[str, Any]) -> str:
    return f"/entries/{entry['entryId']}/comments"


def test_a_logged_entry_is_listed_first_and_read_back(each_journal: Journal) -> None:
    ann = each_journal.ann
    each_journal.log(ann, "an earlier one")
    made = ann.post("/entries", json=entry_body())
    assert made.status_code == 201
    entry = made.json()
    assert entry["createdAt"] == entry["updatedAt"]
    assert entry["version"] == 1
    assert made.headers["etag"] == '"1"'
    assert each_journal.items(ann, "/entries")[0] == entry
    assert ann.get(f"/entries/{entry['entryId']}").json() == entry


def test_a_linked_coach_never_sees_private_text(each_journal: Journal) -> None:
    ann, cleo = each_journal.ann, each_journal.cleo
    entry = each_journal.log(ann, "worked on sweeps", private="meniscus again")
    each_journal.link(ann, "cleo")
    listed = cleo.get("/athletes/ann/entries")
    one = cleo.get(f"/entries/{entry['entryId']}")
    hits = cleo.get("/search", params={"keywords": "sweeps", "athleteId": "ann"})
    for reply in (listed, one, hits):
        assert reply.status_code == 200
        assert "meniscus" not in reply.text
    shown = [listed.json()["items"][0], one.json(), hits.json()["items"][0]["entry"]]
    for view in shown:
        assert set(view["sections"]) == {"shared"}
        assert view["sessionMetrics"] == entry["sessionMetrics"]


def test_without_an_active_link_there_is_nothing(each_journal: Journal) -> None:
    ann, cleo = each_journal.ann, each_journal.cleo
    entry = each_journal.log(ann)
    each_journal.link(ann, "carl")
    kept = each_journal.comment(each_journal.carl, entry)

    def stranger_sees_nothing() -> None:
        refused(cleo.get("/athletes/ann/entries"), 403, "link_required")
        search = {"keywords": "sweeps", "athleteId": "ann"}
        refused(cleo.get("/search", params=search), 403, "link_required")
        asked = {"message": "How is she?", "context": {"athleteId": "ann"}}
        refused(cleo.post("/ai/chat", json=asked), 403, "link_required")
        refused(cleo.get(f"/entries/{entry['entryId']}"), 404, "not_found")
        refused(cleo.post(comments_of(entry), json={"body": "Hi."}), 404, "not_found")
        refused(cleo.get(comments_of(entry)), 404, "not_found")
        assert each_journal.items(ann, comments_of(entry)) == [kept]

    stranger_sees_nothing()
    each_journal.link(ann, "cleo")
    assert ann.delete("/links/cleo").status_code == 204
    stranger_sees_nothing()


def test_private_words_find_only_for_her_who_asks_for_them(each_journal: Journal) -> None:
    ann, cleo = each_journal.ann, each_journal.cleo
    entry = each_journal.log(ann, "drills", private="meniscus", tags=())
    for number in range(11):
        each_journal.log(ann, f"later {number}", private="", tags=())
    each_journal.link(ann, "cleo")
    assert each_journal.found(cleo, "meniscus", athleteId="ann", includePrivate="true") == []
    plain = {"athleteId": "ann", "keywords": []}
    without = each_journal.chat(cleo, context=plain)
    asking = {"athleteId": "ann", "keywords": ["meniscus"], "includePrivate": True}
    told = each_journal.chat(cleo, context=asking)
    assert told["contextEntryIds"] == without["contextEntryIds"]
    assert entry["entryId"] not in told["contextEntryIds"]
    assert each_journal.found(ann, "meniscus", includePrivate="true") == [entry["entryId"]]
    assert each_journal.found(ann, "meniscus", includePrivate="false") == []
    hers = each_journal.chat(ann, context={"keywords": ["meniscus"], "includePrivate": True})
    assert entry["entryId"] in hers["contextEntryIds"]


def test_a_hidden_comment_shows_to_its_athlete_on_request_and_to_its_author(
    each_journal: Journal,
) -> None:
    ann = each_journal.ann
    entry = each_journal.log(ann)
    each_journal.link(ann, "cleo", "carl")
    hidden = each_journal.hide(ann, each_journal.comment(each_journal.cleo, entry))
    assert hidden["visibility"] == "hiddenByAthlete"
    assert each_journal.items(ann, comments_of(entry)) == []
    assert each_journal.items(ann, comments_of(entry), includeHidden="true") == [hidden]
    assert each_journal.items(each_journal.cleo, comments_of(entry)) == [hidden]
    assert each_journal.items(each_journal.carl, comments_of(entry), includeHidden="true") == []
    exported = ann.get("/export").json()
    assert exported["entries"][0]["comments"] == [hidden]


def test_another_athlete_cannot_write_into_a_thread(each_journal: Journal) -> None:
    turn = each_journal.chat(each_journal.ann)
    before = each_journal.messages(each_journal.ann, turn["threadId"])
    asked = {"message": "Let me in.", "threadId": turn["threadId"]}
    refused(each_journal.ben.post("/ai/chat", json=asked), 404, "not_found")
    assert each_journal.messages(each_journal.ann, turn["threadId"]) == before


def test_search_knows_phrases_and_whole_words_and_ranks_by_matches(
    each_journal: Journal,
) -> None:
    ann = each_journal.ann
    tagged = each_journal.log(ann, "nothing else", tags=("Open Guard",))["entryId"]
    three = each_journal.log(ann, "armbar triangle kimura", tags=())["entryId"]
    one = each_journal.log(ann, "armbar only, guardian angel", tags=())["entryId"]
    assert each_journal.found(ann, "open guard") == [tagged]
    assert each_journal.found(ann, "guard") == [tagged]
    assert each_journal.found(ann, "armbar triangle kimura") == [three, one]


def test_words_that_move_are_found_where_they_are_now(each_journal: Journal) -> None:
    ann, cleo = each_journal.ann, each_journal.cleo
    entry = each_journal.log(ann, "berimbolo heelhook", private="", tags=())
    found = [entry["entryId"]]
    each_journal.link(ann, "cleo")
    assert each_journal.found(cleo, "berimbolo", athleteId="ann") == found
    changed = entry_body("quiet day", private="berimbolo", tags=())
    assert ann.put(f"/entries/{entry['entryId']}", json=changed).status_code == 200
    assert each_journal.found(cleo, "berimbolo", athleteId="ann") == []
    assert each_journal.found(ann, "berimbolo") == []
    assert each_journal.found(ann, "berimbolo", includePrivate="true") == found
    assert each_journal.found(ann, "heelhook", includePrivate="true") == []
    assert each_journal.found(cleo, "heelhook", athleteId="ann") == []


def test_of_two_changes_of_one_version_one_wins(each_journal: Journal) -> None:
    ann = each_journal.ann
    entry = each_journal.log(ann, "before", private="", tags=())
    path, words = f"/entries/{entry['entryId']}", ["leftside", "rightside"]
    replies = each_journal.server.together(
        ann.ask("PUT", path, json=entry_body(word, "", ()), headers={"If-Match": '"1"'})
        for word in words
    )
    assert sorted(reply.status_code for reply in replies) == [200, 412]
    for word, reply in zip(words, replies, strict=True):
        is_winner = reply.status_code == 200
        assert each_journal.found(ann, word) == ([entry["entryId"]] if is_winner else [])
    assert each_journal.found(ann, "before") == []


def test_a_revoke_ends_commenting(each_journal: Journal) -> None:
    ann, cleo = each_journal.ann, each_journal.cleo
    entry = each_journal.log(ann)
    each_journal.link(ann, "cleo")
    comments = [
        cleo.ask("POST", comments_of(entry), json={"body": f"Number {number}."})
        for number in range(10)
    ]
    revoke = ann.ask("DELETE", "/links/cleo")
    replies = each_journal.server.together([*comments[:5], revoke, *comments[5:]])
    assert replies.pop(5).status_code == 204
    made = [reply.json() for reply in replies if reply.status_code == 201]
    assert {reply.status_code for reply in replies} <= {201, 404}
    listed = each_journal.items(ann, comments_of(entry))
    assert sorted(c["commentId"] for c in listed) == sorted(c["commentId"] for c in made)
    refused(cleo.post(comments_of(entry), json={"body": "Late."}), 404)


def test_a_question_that_failed_is_asked_again_without_being_stored_twice(
    each_journal: Journal,
) -> None:
    ann = each_journal.ann
    each_journal.fail_next(1)
    problem = refused(ann.post("/ai/chat", json={"message": "Why?"}), 502, "upstream_error")
    ids = {"threadId": problem["threadId"], "messageId": problem["messageId"]}
    [question] = each_journal.messages(ann, ids["threadId"])
    assert (question["role"], question["content"]) == ("user", "Why?")
    assert question["messageId"] == ids["messageId"]
    answered = each_journal.chat(ann, "Why?", **ids)
    assert [m["role"] for m in each_journal.messages(ann, ids["threadId"])] == ["user", "assistant"]
    assert each_journal.chat(ann, "Why?", **ids) == answered
    assert len(each_journal.messages(ann, ids["threadId"])) == 2


def test_a_shared_turn_knows_nothing_of_a_private_one(each_journal: Journal) -> None:
    ann = each_journal.ann
    private = each_journal.chat(ann, context={"includePrivate": True})
    shared = each_journal.chat(ann, threadId=private["threadId"])
    assert private["visibilityScope"] == "private"
    assert shared["visibilityScope"] == "shared"
    assert "Earlier messages: 0." in shared["assistantText"]


def test_pages_and_exports_hold_everything_once(each_journal: Journal) -> None:
    ann, cleo = each_journal.ann, each_journal.cleo
    each_journal.link(ann, "cleo")
    entries = [each_journal.log(ann, f"session {number}", tags=()) for number in range(120)]
    for number in range(150):
        each_journal.comment(cleo, entries[number % 100], f"comment {number}")
    pages = each_journal.pages(ann, "/entries", limit=50)
    assert [len(page) for page in pages] == [50, 50, 20]
    listed = [entry["entryId"] for page in pages for entry in page]
    assert sorted(listed) == sorted(entry["entryId"] for entry in entries)
    first, second = ann.get("/export").json(), ann.get("/export").json()
    assert len(first["entries"]) == 120
    assert sum(len(entry["comments"]) for entry in first["entries"]) == 150
    assert [first.pop("generatedAt"), second.pop("generatedAt")]
    assert first == second


def test_a_deleted_entry_is_gone_with_its_comments(each_journal: Journal) -> None:
    ann, cleo = each_journal.ann, each_journal.cleo
    entry = each_journal.log(ann)
    each_journal.link(ann, "cleo")
    comment = each_journal.comment(cleo, entry)
    assert ann.delete(f"/entries/{entry['entryId']}").status_code == 204
    refused(ann.get(f"/entries/{entry['entryId']}"), 404)
    refused(ann.get(comments_of(entry)), 404)
    refused(ann.get(place(comment)), 404)
    assert each_journal.found(ann, "sweeps knee", includePrivate="true") == []
    refused(ann.delete(f"/entries/{entry['entryId']}"), 404)
    kinds = {row["entityType"]["S"] for row in each_journal.rows()}
    assert kinds == {"USER_PROFILE", "COACH_LINK", "ATHLETE_LINK"}


def test_equal_requests_with_one_key_have_one_effect(each_journal: Journal) -> None:
    ann, headers = each_journal.ann, {"Idempotency-Key": "once"}
    replies = each_journal.server.together(
        ann.ask("POST", "/entries", json=entry_body(), headers=headers) for _ in range(10)
    )
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.content for reply in replies}) == 1
    assert [entry["entryId"] for entry in each_journal.items(ann, "/entries")] == [
        replies[0].json()["entryId"]
    ]
    other = ann.post("/entries", json=entry_body("another"), headers=headers)
    refused(other, 409, "idempotency_conflict")


def test_links_are_with_coaches_and_keep_when_they_began(each_journal: Journal) -> None:
    ann = each_journal.ann
    assert each_journal.ben.get("/me").status_code == 200
    refused(ann.post("/links", json={"coachId": "ben"}), 404, "not_found")
    refused(ann.post("/links", json={"coachId": "nobody"}), 404, "not_found")
    refused(ann.post("/links", json={"coachId": "ann"}), 400, "invalid_request", "coachId")
    assert each_journal.cleo.get("/me").status_code == 200
    first = ann.post("/links", json={"coachId": "cleo"})
    assert first.status_code == 201
    assert ann.delete("/links/cleo").status_code == 204
    each_journal.server.advance(60)
    again = each_journal.ann.post("/links", json={"coachId": "cleo"})
    assert again.status_code == 201
    assert again.json()["createdAt"] == first.json()["createdAt"]
    assert again.json()["version"] == 3
