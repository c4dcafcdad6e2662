"""The acceptance scenarios, each on every kind of store."""

from __future__ import annotations

from typing import Any

from .family import DATE, MEDIA, UNKNOWN, Family, files, letter_body, place, refused

EDIT = {"title": "Second", "content": "second text"}


def test_scans_become_a_letter(each_family: Family) -> None:
    ann = each_family.ann
    draft = each_family.made(ann.post("/drafts", json=files("1943-05-12 front.jpg", "back.png")))
    for upload, content in zip(draft["uploads"], (b"front", b"back!"), strict=True):
        each_family.put(upload, content)
    path = f"/drafts/{draft['draftId']}"
    processing = each_family.made(ann.post(f"{path}/process"), 202)
    assert processing["status"] == "processing"
    each_family.server.settle()
    ready = ann.get(path).json()
    assert ready["status"] == "ready"
    assert ready["extractedData"]["date"] == DATE
    assert ready["extractedData"]["content"].split("\n") == [
        "[scan 1: 1943-05-12 front.jpg]",
        "[scan 2: back.png]",
    ]
    letter = each_family.made(ann.post(f"{path}/publish", json={"title": "From Rome"}))
    assert (letter["date"], letter["title"], letter["scanCount"]) == (DATE, "From Rome", 2)
    [listed] = each_family.items(each_family.bob, "/letters")
    assert listed == {name: letter[name] for name in letter if name != "content"}
    scans = each_family.items(each_family.bob, f"/letters/{DATE}/scans")
    assert [scan["fileName"] for scan in scans] == ["1943-05-12 front.jpg", "back.png"]
    assert [each_family.fetch(scan["url"]).content for scan in scans] == [b"front", b"back!"]
    published = ann.get(path).json()
    assert (published["status"], published["letterDate"]) == ("published", DATE)


def test_a_taken_date_changes_nothing(each_family: Family) -> None:
    ann = each_family.ann
    first = each_family.ready(ann, f"{DATE}.jpg")
    each_family.made(ann.post(f"/drafts/{first['draftId']}/publish"))

    def seen() -> list[Any]:
        scans = each_family.items(ann, f"/letters/{DATE}/scans")
        told = [(scan["fileName"], each_family.fetch(scan["url"]).content) for scan in scans]
        paths = (f"/letters/{DATE}", f"/letters/{DATE}/versions")
        return [told, *(ann.get(path).json() for path in paths)]

    before = seen()
    other = each_family.ready(each_family.ben, "other.png")
    reply = each_family.ben.post(f"/drafts/{other['draftId']}/publish", json={"date": DATE})
    refused(reply, 409, "date_taken")
    assert seen() == before
    assert each_family.ben.get(f"/drafts/{other['draftId']}").json() == other


def test_every_replaced_text_is_kept_once(each_family: Family) -> None:
    ann = each_family.ann
    first = each_family.letter(author="Nonna", description="found in the attic")
    path = f"/letters/{DATE}"
    replies = each_family.server.together(
        ann.ask("PUT", path, json=EDIT, headers={"If-Match": '"0"'}) for _ in range(2)
    )
    assert sorted(reply.status_code for reply in replies) == [200, 412]
    [won] = [reply.json() for reply in replies if reply.status_code == 200]
    assert won["versionCount"] == 1
    [version] = each_family.items(ann, f"{path}/versions")
    whole = ann.get(f"{path}/versions/{version['timestamp']}").json()
    assert whole["content"] == first["content"]
    back = ann.post(f"{path}/revert", json={"timestamp": version["timestamp"]})
    reverted = each_family.made(back, 200)
    assert reverted["versionCount"] == 2
    for name in ("title", "author", "content", "description"):
        assert reverted[name] == first[name]
    texts = [f"text {number}" for number in range(5)]
    replies = each_family.server.together(
        ann.ask("PUT", path, json={"title": "T", "content": text}) for text in texts
    )
    assert {reply.status_code for reply in replies} == {200}
    current = ann.get(path).json()
    assert current["versionCount"] == 7
    versions = each_family.items(ann, f"{path}/versions")
    assert [one["versionNumber"] for one in versions] == [7, 6, 5, 4, 3, 2, 1]
    kept = [ann.get(f"{path}/versions/{one['timestamp']}").json()["content"] for one in versions]
    everything = [first["content"], "second text", first["content"], *texts]
    assert sorted([*kept, current["content"]]) == sorted(everything)


def test_the_number_of_reactions_is_right_whoever_toggles_at_once(each_family: Family) -> None:
    comment = each_family.comment(each_family.ann)
    path = f"{place(comment)}/reactions"
    bob = each_family.bob
    fans = [each_family.who(f"fan-{number:02}") for number in range(30)]
    each_family.meet(bob, *fans)
    asked = [bob.ask("POST", path, json={}) for _ in range(11)]
    replies = each_family.server.together([*asked, *(fan.ask("POST", path) for fan in fans)])
    assert {reply.status_code for reply in replies} == {200}
    reactions = each_family.items(bob, path)
    assert len(reactions) == 31
    assert bob.get(place(comment)).json()["reactionCount"] == 31


def test_a_conversation_is_its_participants_alone(each_family: Family) -> None:
    ann = each_family.ann
    each_family.meet(each_family.bob)
    chat = each_family.talk(ann, "bob", messageText="Only for you")
    file = {"fileName": "a.pdf", "contentType": "application/pdf", "size": 5}

    def asked(caller: Any, path: str) -> list[Any]:
        return [
            caller.get(path),
            caller.get(f"{path}/messages"),
            caller.post(f"{path}/messages", json={"messageText": "Hi"}),
            caller.put(f"{path}/read", json={}),
            caller.post(f"{path}/upload-url", json=file),
        ]

    for stranger in (each_family.eve, each_family.adam):
        there = asked(stranger, each_family.at(chat))
        nowhere = asked(stranger, f"/conversations/{UNKNOWN}")
        for reply, other in zip(there, nowhere, strict=True):
            assert refused(reply, 403, "not_a_participant") == refused(other, 403)
    assert len(each_family.items(ann, f"{each_family.at(chat)}/messages")) == 1


def test_a_private_profile_is_for_its_owner_and_admins(each_family: Family) -> None:
    ann, bob = each_family.ann, each_family.bob
    each_family.comment(bob)
    told = {"isProfilePrivate": True, "contactEmail": "secret@example.org"}
    each_family.made(bob.patch("/me", json=told), 200)
    for path in ("/users/bob", "/users/bob/comments"):
        refused(ann.get(path), 403, "profile_private")
        assert bob.get(path).status_code == 200
        assert each_family.adam.get(path).status_code == 200
    listed = ann.get("/users")
    assert "bob" not in [one["userId"] for one in listed.json()["items"]]
    each_family.made(bob.patch("/me", json={"isProfilePrivate": False}), 200)
    for reply in (ann.get("/users"), ann.get("/users/bob"), ann.get("/users/bob/comments")):
        assert "bob" in reply.text
        assert "bob@example.org" not in reply.text
        assert "secret@example.org" not in reply.text
    assert each_family.adam.get("/users/bob").json()["contactEmail"] == "secret@example.org"


def test_groups_are_compared_whole(each_family: Family) -> None:
    each_family.letter()
    draft = each_family.ready(each_family.ann)
    for caller in (each_family.bob, each_family.who("eve", "NotAdmins", "approvedusers")):
        refused(caller.put(f"/letters/{DATE}", json=EDIT), 403, "approval_required")
        refused(caller.post("/drafts", json=files("a.jpg")), 403, "approval_required")
        publish = caller.post(f"/drafts/{draft['draftId']}/publish", json={})
        refused(publish, 403, "approval_required")
        refused(caller.delete(f"/letters/{DATE}"), 403, "admin_required")


def test_attachments_are_ones_own_and_go_with_their_message(each_family: Family) -> None:
    ann, bob = each_family.ann, each_family.bob
    each_family.meet(bob)
    chat = each_family.talk(ann, "bob")
    path = f"{each_family.at(chat)}/messages"
    draft = each_family.ready(ann)
    each_family.made(ann.post(f"/drafts/{draft['draftId']}/publish"))
    [scan] = each_family.objects("letters/")
    his = each_family.attach(bob, chat)
    for key in (scan, his["s3Key"]):
        body = {"messageText": "x", "attachments": [{**his, "s3Key": key}]}
        refused(ann.post(path, json=body), 400, field="attachments.0.s3Key")
    first, second = each_family.attach(ann, chat, "1.pdf"), each_family.attach(ann, chat, "2.pdf")
    one = each_family.say(ann, chat, attachments=[first])
    each_family.say(ann, chat, attachments=[second])
    [shown] = one["attachments"]
    assert each_family.fetch(shown["url"]).content == b"12345"
    assert ann.delete(f"{path}/{one['messageId']}").status_code == 204
    assert each_family.objects("messages/") == sorted([his["s3Key"], second["s3Key"]])
    assert each_family.objects("letters/") == [scan]


def test_two_who_begin_at_once_have_one_conversation(each_family: Family) -> None:
    ann, bob = each_family.ann, each_family.bob
    each_family.meet(ann, bob)
    replies = each_family.server.together(
        caller.ask("POST", "/conversations", json={"participantIds": [other], "messageText": other})
        for caller, other in ((ann, "bob"), (bob, "ann"))
    )
    assert sorted(reply.status_code for reply in replies) == [200, 201]
    assert len({reply.json()["conversationId"] for reply in replies}) == 1
    for caller in (ann, bob):
        [chat] = each_family.items(caller, "/conversations")
        assert chat["unreadCount"] == 1
        messages = each_family.items(caller, f"{each_family.at(chat)}/messages")
        assert sorted(one["messageText"] for one in messages) == ["ann", "bob"]


def test_pages_of_comments_have_nothing_else(each_family: Family) -> None:
    ann, bob = each_family.ann, each_family.bob
    made = []
    for number in range(9):
        comment = each_family.comment(ann if number % 2 else bob, f"number {number}")
        each_family.toggle(bob, comment)
        made.append(comment)
    for comment in made[::3]:
        assert each_family.adam.delete(place(comment)).status_code == 204
    left = [one["commentId"] for at, one in enumerate(made) if at % 3]
    pages = each_family.pages(ann, f"/comments/{MEDIA}", limit=2)
    assert [one["commentId"] for page in pages for one in page] == left
    assert {len(page) for page in pages if page} == {2}


def test_a_message_brings_a_conversation_to_the_top(each_family: Family) -> None:
    ann = each_family.ann
    others = [f"cousin-{number:02}" for number in range(60)]
    each_family.meet(*(each_family.who(other) for other in others))
    chats = [each_family.talk(ann, other) for other in others]
    listed = [page for pages in each_family.pages(ann, "/conversations") for page in pages]
    assert len(listed) == 60
    each_family.say(each_family.who(others[0]), chats[0])
    first = each_family.items(ann, "/conversations")[0]
    assert (first["conversationId"], first["unreadCount"]) == (chats[0]["conversationId"], 1)


def test_twenty_comments_a_minute_are_enough(each_family: Family) -> None:
    ann = each_family.ann
    each_family.meet(ann)
    replies = each_family.server.together(
        ann.ask("POST", f"/comments/{MEDIA}", json={"commentText": f"{number}"})
        for number in range(30)
    )
    statuses = [reply.status_code for reply in replies]
    assert (statuses.count(201), statuses.count(429)) == (20, 10)
    for reply in replies:
        if reply.status_code == 429:
            refused(reply, 429, "too_many_requests")
            assert 1 <= int(reply.headers["retry-after"]) <= 60
    assert len(each_family.items(ann, f"/comments/{MEDIA}")) == 20
    each_family.server.advance(60)
    each_family.comment(each_family.ann)


def test_what_was_read_is_counted_exactly(each_family: Family) -> None:
    ann, bob = each_family.ann, each_family.bob
    each_family.meet(bob)
    chat = each_family.talk(ann, "bob")
    sent = [each_family.say(ann, chat, f"number {number}") for number in range(3)]
    path = each_family.at(chat)
    assert each_family.unread(bob, chat) == 3
    read = bob.put(f"{path}/read", json={"readUpTo": sent[1]["createdAt"]}).json()
    assert (read["unreadCount"], read["lastReadAt"]) == (1, sent[1]["createdAt"])
    read = bob.put(f"{path}/read").json()
    assert (read["unreadCount"], read["lastReadAt"]) == (0, sent[2]["createdAt"])
    late = each_family.say(ann, chat, "number 3")
    assert each_family.unread(bob, chat) == 1
    assert ann.delete(f"{path}/messages/{late['messageId']}").status_code == 204
    assert each_family.unread(bob, chat) == 0


def test_a_transcription_that_failed_can_be_repeated(each_family: Family) -> None:
    ann = each_family.ann
    draft = each_family.draft(ann)
    path = f"/drafts/{draft['draftId']}"
    each_family.fail_next(1)
    each_family.made(ann.post(f"{path}/process"), 202)
    each_family.server.settle()
    failed = ann.get(path).json()
    assert (failed["status"], failed["errorMessage"]) == ("failed", "transcription failed")
    each_family.made(ann.post(f"{path}/process"), 202)
    each_family.server.settle()
    ready = ann.get(path).json()
    assert (ready["status"], ready["errorMessage"]) == ("ready", None)
    other = each_family.draft(ann)
    path = f"/drafts/{other['draftId']}/process"
    replies = each_family.server.together(ann.ask("POST", path) for _ in range(2))
    assert sorted(reply.status_code for reply in replies) == [202, 409]
    [lost] = [reply for reply in replies if reply.status_code == 409]
    refused(lost, 409, "invalid_transition")


def test_tags_are_removed_from_comments(each_family: Family) -> None:
    comment = each_family.comment(each_family.ann, "<b>Hi</b> <script>x</script>")
    assert comment["commentText"] == "Hi x"
    assert each_family.items(each_family.ann, f"/comments/{MEDIA}") == [comment]
    reply = each_family.ann.post(f"/comments/{MEDIA}", json={"commentText": "<p></p>"})
    refused(reply, 400, "invalid_request", "commentText")


def test_mails_go_to_those_who_want_them(each_family: Family) -> None:
    ann, bob = each_family.ann, each_family.bob
    told = {"contactEmail": "bob@home.example", "notifyOnMessage": False}
    each_family.made(bob.patch("/me", json=told), 200)
    chat = each_family.talk(ann, "bob")
    each_family.say(ann, chat, "Quiet")
    assert each_family.mails("bob@home.example") == []
    each_family.made(bob.patch("/me", json={"notifyOnMessage": True}), 200)
    each_family.say(ann, chat, "Loud " * 30)
    [mail] = each_family.mails("bob@home.example")
    assert (mail["subject"], mail["text"]) == ("New message from Ann", ("Loud " * 30)[:100])
    assert each_family.mails("bob@example.org") == []


def test_who_is_inactive_is_shut_out(each_family: Family) -> None:
    ann, bob = each_family.ann, each_family.bob
    each_family.meet(ann, bob)
    assert "bob" in [one["userId"] for one in each_family.items(ann, "/users")]
    each_family.made(each_family.adam.patch("/admin/users/bob", json={"status": "inactive"}), 200)
    refused(bob.get("/me"), 403, "account_inactive")
    assert "bob" not in [one["userId"] for one in each_family.items(ann, "/users")]
    reply = ann.post("/conversations", json={"participantIds": ["bob"]})
    refused(reply, 400, "invalid_request")


def test_a_deleted_letter_takes_everything_with_it(each_family: Family) -> None:
    ann, bob = each_family.ann, each_family.bob
    draft = each_family.ready(ann, f"{DATE}.jpg")
    each_family.made(ann.post(f"/drafts/{draft['draftId']}/publish"))
    each_family.made(ann.put(f"/letters/{DATE}", json=EDIT), 200)
    comments = [each_family.comment(bob, f"{number}", DATE) for number in range(3)]
    for comment in comments:
        each_family.toggle(ann, comment)
    assert each_family.adam.delete(f"/letters/{DATE}").status_code == 204
    refused(ann.get(f"/letters/{DATE}"), 404, "not_found")
    refused(ann.get(f"/letters/{DATE}/versions"), 404, "not_found")
    refused(ann.post(f"/comments/{DATE}", json={"commentText": "Late."}), 404, "not_found")
    assert each_family.items(ann, f"/comments/{DATE}") == []
    assert each_family.items(ann, "/me/reactions") == []
    assert each_family.items(ann, "/users/bob/comments") == []
    assert each_family.objects("letters/") == []
    assert each_family.kinds() == {"USER_PROFILE", "DRAFT_LETTER"}
    refused(each_family.adam.delete(f"/letters/{DATE}"), 404)
    again = each_family.made(each_family.adam.post("/letters", json=letter_body()))
    assert again["versionCount"] == 0
    assert each_family.items(ann, f"/letters/{DATE}/versions") == []
