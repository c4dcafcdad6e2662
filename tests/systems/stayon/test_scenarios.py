"""The acceptance scenarios, each on every kind of store."""

from __future__ import annotations

import re

from .desk import BOTH, CHECKLIST, EVENT, POLL, Desk, place, refused, vote_body

HOUR = 3600
DAY = 24 * HOUR


def test_a_checklist_is_found_by_its_short_id_in_any_form(each_desk: Desk) -> None:
    page = each_desk.make(CHECKLIST, items=[{"name": "Milk"}, {"name": "Bread"}])
    short_id = page["shortId"]
    assert re.fullmatch("[a-z]{3}-[a-z]{3}-[0-9]{5}", short_id)
    ids = [item["checklistItemId"] for item in page["items"]]
    assert all(re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", one) for one in ids)
    assert len(set(ids)) == 2
    for form in (short_id, short_id.upper(), short_id.replace("-", "")):
        assert each_desk.anyone.get(f"/pages/{form}").json()["shortId"] == short_id
    refused(each_desk.anyone.get("/pages/abc-def-1234"), 404, "not_found")


def test_fifty_pages_at_once_have_fifty_ids(each_desk: Desk) -> None:
    asked = [each_desk.guest().ask("POST", "/pages", json=CHECKLIST) for _ in range(50)]
    made = each_desk.server.together(asked)
    assert [one.status_code for one in made] == [201] * 50
    assert len({one.json()["shortId"] for one in made}) == 50


def test_one_key_makes_one_page(each_desk: Desk) -> None:
    key = each_desk.guest(idempotency_key="k" * 20)
    made = each_desk.server.together([key.ask("POST", "/pages", json=CHECKLIST) for _ in range(5)])
    assert [one.status_code for one in made] == [201] * 5
    assert len({one.json()["shortId"] for one in made}) == 1
    short = each_desk.guest(idempotency_key="short").post("/pages", json=CHECKLIST)
    refused(short, 400, field="Idempotency-Key")


def test_each_passcode_opens_its_level(each_desk: Desk) -> None:
    page = each_desk.make(CHECKLIST, **BOTH)
    told = refused(each_desk.anyone.get(place(page)), 401, "unauthorized")
    assert told["shortId"] == page["shortId"]
    assert told["entity"] == "checklist"
    assert told["hasAdminPasscode"] is True
    assert "name" not in told
    viewer = each_desk.guest(each_desk.token(page, "view", "view-1234"))
    seen = viewer.get(place(page))
    assert seen.status_code == 200
    assert seen.json()["access"] == "view"
    change = {"name": "Other", "items": [{"name": "Tea"}]}
    refused(viewer.put(place(page), json=change), 403, "forbidden")
    manager = each_desk.guest(each_desk.token(page, "admin", "admin-1234"))
    assert manager.get(place(page)).json()["access"] == "admin"
    assert manager.put(place(page), json=change).status_code == 200


def test_only_the_level_inside_a_token_counts(each_desk: Desk) -> None:
    page = each_desk.make(CHECKLIST, **BOTH)
    token = each_desk.token(page, "view", "view-1234")
    change = {"name": "Other", "items": [{"name": "Tea"}]}
    cookie = f"admin_{page['shortId'].replace('-', '')}={token}"
    refused(each_desk.guest(cookie=cookie).put(place(page), json=change), 403, "forbidden")
    refused(each_desk.guest(token).put(place(page), json=change), 403, "forbidden")


def test_a_new_view_passcode_ends_view_tokens_alone(each_desk: Desk) -> None:
    page = each_desk.make(CHECKLIST, **BOTH)
    view = each_desk.token(page, "view", "view-1234")
    admin = each_desk.token(page, "admin", "admin-1234")
    changed = each_desk.guest(admin).put(
        f"{place(page)}/passcodes", json={"viewPasscode": "another-1"}
    )
    assert changed.status_code == 200
    each_desk.forget_cookies()
    refused(each_desk.guest(view).get(place(page)), 401)
    assert each_desk.guest(admin).get(place(page)).status_code == 200


def test_rights_follow_from_the_passcodes_there_are(each_desk: Desk) -> None:
    change = {"name": "Other", "items": [{"name": "Tea"}]}
    viewed = each_desk.make(CHECKLIST, viewPasscode="view-1234")
    token = each_desk.token(viewed, "view", "view-1234")
    assert each_desk.guest(token).put(place(viewed), json=change).status_code == 200
    free = each_desk.make(CHECKLIST)
    assert each_desk.anyone.put(place(free), json=change).status_code == 200
    managed = each_desk.make(CHECKLIST, adminPasscode="admin-1234")
    assert each_desk.anyone.get(place(managed)).status_code == 200
    refused(each_desk.anyone.put(place(managed), json=change), 401)


def test_ten_wrong_passcodes_make_a_wait(each_desk: Desk) -> None:
    page = each_desk.make(CHECKLIST, viewPasscode="view-1234")
    login = f"{place(page)}/login"
    for _ in range(10):
        wrong = each_desk.anyone.post(login, json={"level": "view", "passcode": "wrong-one"})
        refused(wrong, 401)
    right = {"level": "view", "passcode": "view-1234"}
    waiting = each_desk.anyone.post(login, json=right)
    refused(waiting, 429, "too_many_requests")
    assert 0 < int(waiting.headers["retry-after"]) <= 600
    each_desk.server.advance(600)
    assert each_desk.anyone.post(login, json=right).status_code == 200


def test_an_event_takes_answers_until_its_deadline(each_desk: Desk) -> None:
    now = each_desk.server.services.clock.now()
    deadline = now.replace(microsecond=0).isoformat()
    page = each_desk.make(
        EVENT, **BOTH, rsvpDeadline=deadline.replace(f"{now.year}", f"{now.year + 1}")
    )
    view = each_desk.guest(each_desk.token(page, "view", "view-1234"))
    admin = each_desk.token(page, "admin", "admin-1234")
    rsvps = f"{place(page)}/rsvps"
    body = {"name": "Ann", "response": "going", "guestCount": 2}
    made = view.post(rsvps, json=body)
    assert made.status_code == 201
    code = made.json()["code"]
    assert re.fullmatch("[0-9]{6}", code)
    changed = view.put(f"{rsvps}/{code}", json={**body, "response": "notGoing"})
    assert changed.json()["guestCount"] is None
    assert "code" not in view.get(rsvps).json()["items"][0]
    assert each_desk.guest(admin).get(rsvps).json()["items"][0]["code"] == code
    hidden = {**EVENT, "rsvpVisibility": "admin", "expiresAfter": 30}
    assert each_desk.guest(admin).put(place(page), json=hidden).status_code == 200
    refused(view.get(rsvps), 403, "rsvps_hidden")


def test_after_the_deadline_nobody_answers(each_desk: Desk) -> None:
    soon = each_desk.server.advance(0)
    page = each_desk.make(EVENT, rsvpDeadline=f"{soon[:17]}59.999Z")
    rsvps = f"{place(page)}/rsvps"
    body = {"name": "Ann", "response": "maybe"}
    code = each_desk.anyone.post(rsvps, json=body).json()["code"]
    each_desk.server.advance(61)
    refused(each_desk.anyone.post(rsvps, json=body), 409, "rsvp_closed")
    refused(each_desk.anyone.put(f"{rsvps}/{code}", json=body), 409, "rsvp_closed")


def test_a_vote_fits_its_poll_or_is_refused(each_desk: Desk) -> None:
    soon = each_desk.server.advance(0)
    page = each_desk.make(POLL, closesAt=f"{soon[:17]}59.999Z")
    votes = f"{place(page)}/votes"
    good = vote_body(page, 0)
    question = good["answers"][0]
    foreign = {**question, "optionIds": ["00000000-0000-4000-8000-000000000001"]}
    for answers in ([], vote_body(page, 0, 1)["answers"], [foreign], [question, question]):
        refused(each_desk.anyone.post(votes, json={"answers": answers}), 400)
    code = each_desk.anyone.post(votes, json=good).json()["code"]
    each_desk.server.advance(61)
    refused(each_desk.anyone.post(votes, json=good), 409, "poll_closed")
    refused(each_desk.anyone.put(f"{votes}/{code}", json=good), 409, "poll_closed")


def test_results_show_to_whom_and_when_the_poll_says(each_desk: Desk) -> None:
    guarded = {"adminPasscode": "admin-1234"}
    after = each_desk.make(POLL, **guarded, resultsVisibility="afterSubmit")
    results = f"{place(after)}/results"
    code = each_desk.server.together([each_desk.vote(after, 0)])[0].json()["code"]
    refused(each_desk.anyone.get(results), 403, "results_hidden")
    assert each_desk.anyone.get(results, params={"code": code}).status_code == 200
    closing = each_desk.make(POLL, **guarded, resultsVisibility="afterClose")
    manager = each_desk.token(closing, "admin", "admin-1234")
    refused(each_desk.anyone.get(f"{place(closing)}/results"), 403, "results_hidden")
    assert each_desk.guest(manager).post(f"{place(closing)}/close").status_code == 200
    assert each_desk.anyone.get(f"{place(closing)}/results").status_code == 200
    secret = each_desk.make(POLL, **guarded, resultsVisibility="admin")
    refused(each_desk.anyone.get(f"{place(secret)}/results"), 403, "results_hidden")
    owner = each_desk.token(secret, "admin", "admin-1234")
    assert each_desk.guest(owner).get(f"{place(secret)}/results").status_code == 200


def test_closing_and_voting_at_once_lose_no_vote(each_desk: Desk) -> None:
    page = each_desk.make(POLL)
    askings = [each_desk.vote(page, number % 2) for number in range(20)]
    askings.insert(10, each_desk.guest().ask("POST", f"{place(page)}/close"))
    answers = each_desk.server.together(askings)
    made = sum(1 for one in answers if one.status_code == 201)
    assert all(one.status_code in (200, 201, 409) for one in answers)
    assert each_desk.anyone.get(f"{place(page)}/results").json()["voters"] == made
    late = each_desk.server.together([each_desk.vote(page, 0)])[0]
    refused(late, 409, "poll_closed")


def test_dropping_what_people_voted_for_has_to_be_confirmed(each_desk: Desk) -> None:
    page = each_desk.make(POLL)
    each_desk.server.together([each_desk.vote(page, 0)])
    question = page["questions"][0]
    dropped = {**question, "options": [question["options"][1], {"label": "Mon"}]}
    change = {"name": "When?", "questions": [dropped]}
    refused(each_desk.anyone.put(place(page), json=change), 409, "votes_exist")
    confirmed = each_desk.anyone.put(place(page), json={**change, "confirmVoteLoss": True})
    assert confirmed.status_code == 200
    counted = each_desk.anyone.get(f"{place(page)}/results").json()["questions"][0]
    assert counted["voters"] == 0


def test_a_renamed_option_keeps_its_votes(each_desk: Desk) -> None:
    page = each_desk.make(POLL)
    each_desk.server.together([each_desk.vote(page, 0)])
    question = page["questions"][0]
    question["options"][0]["label"] = "Saturday"
    change = {"name": "When?", "questions": [question]}
    assert each_desk.anyone.put(place(page), json=change).status_code == 200
    options = each_desk.anyone.get(f"{place(page)}/results").json()["questions"][0]["options"]
    assert (options[0]["label"], options[0]["votes"]) == ("Saturday", 1)


def test_an_expired_page_is_kept_for_who_manages_it(each_desk: Desk) -> None:
    page = each_desk.make(EVENT, expiresAfter=1, adminPasscode="admin-1234")
    each_desk.server.advance(25 * HOUR)
    manager = each_desk.guest(each_desk.token(page, "admin", "admin-1234"))
    told = refused(each_desk.anyone.get(place(page)), 410, "gone")
    assert (told["shortId"], told["canManage"]) == (page["shortId"], False)
    refused(manager.get(place(page)), 410)
    kept = manager.get(place(page), params={"as": "admin"})
    assert kept.status_code == 200
    assert kept.json()["expired"] is True
    refused(each_desk.anyone.get(place(page), params={"as": "admin"}), 410)
    answer = {"name": "Ann", "response": "going"}
    refused(each_desk.anyone.post(f"{place(page)}/rsvps", json=answer), 410)
    change = {"name": "Late", "startTime": "2026-06-01T12:00:00Z"}
    refused(manager.put(place(page), json=change), 410)
    copied = manager.post(f"{place(page)}/clone")
    assert copied.status_code == 201
    assert copied.json()["shortId"] != page["shortId"]
    assert copied.json()["hasAdminPasscode"] is False
    each_desk.server.advance(366 * DAY)
    refused(each_desk.anyone.get(place(page)), 404)
    refused(each_desk.anyone.post(f"{place(page)}/clone"), 404)


def test_nobody_is_asked_for_the_passcode_of_an_expired_page(each_desk: Desk) -> None:
    page = each_desk.make(EVENT, expiresAfter=1, viewPasscode="view-1234")
    refused(each_desk.anyone.get(place(page)), 401, "unauthorized")
    each_desk.server.advance(25 * HOUR)
    for query in ({}, {"as": "admin"}):
        told = refused(each_desk.anyone.get(place(page), params=query), 410, "gone")
        assert (told["shortId"], told["canManage"]) == (page["shortId"], False)
    viewer = each_desk.guest(each_desk.token(page, "view", "view-1234"))
    assert refused(viewer.get(place(page)), 410, "gone")["canManage"] is True
    assert viewer.get(place(page), params={"as": "admin"}).status_code == 200


def test_people_can_sign_in_to_manage_an_expired_page(each_desk: Desk) -> None:
    page = each_desk.make(EVENT, expiresAfter=1, viewPasscode="view-1234")
    each_desk.server.advance(25 * HOUR)
    expired = each_desk.anyone.get(f"/{page['shortId']}")
    assert expired.status_code == 410
    assert 'href="?as=admin"' in expired.text
    gate = each_desk.anyone.get(f"/{page['shortId']}", params={"as": "admin"})
    assert gate.status_code == 401
    assert 'type="password"' in gate.text
    viewer = each_desk.guest(each_desk.token(page, "view", "view-1234"))
    managed = viewer.get(f"/{page['shortId']}", params={"as": "admin"})
    assert managed.status_code == 200
    assert page["name"] in managed.text


def test_of_two_changes_of_one_version_one_wins(each_desk: Desk) -> None:
    page = each_desk.make(CHECKLIST)
    change = {"name": "Other", "items": [{"name": "Tea"}]}
    guest = each_desk.guest(if_match='"1"')
    both = each_desk.server.together([guest.ask("PUT", place(page), json=change) for _ in range(2)])
    assert sorted(one.status_code for one in both) == [200, 412]


def test_a_deleted_page_stays_unknown(each_desk: Desk) -> None:
    page = each_desk.make(EVENT)
    answer = {"name": "Ann", "response": "going"}
    code = each_desk.anyone.post(f"{place(page)}/rsvps", json=answer).json()["code"]
    assert each_desk.anyone.delete(place(page)).status_code == 204
    for path in ("", "/rsvps", f"/rsvps/{code}"):
        refused(each_desk.anyone.get(f"{place(page)}{path}"), 404)


def test_shares_are_rounded_to_four_places(each_desk: Desk) -> None:
    page = each_desk.make(POLL)
    each_desk.server.together([each_desk.vote(page, number) for number in (0, 0, 1)])
    results = each_desk.anyone.get(f"{place(page)}/results").json()
    assert results["voters"] == 3
    shares = [option["share"] for option in results["questions"][0]["options"]]
    assert shares == [0.6667, 0.3333]
