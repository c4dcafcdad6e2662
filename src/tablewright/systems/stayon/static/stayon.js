// The pages' behaviour. Everything goes through the same HTTP API that anybody can use; what a
// person sees first is rendered by the server.

const root = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const article = $("[data-page]");
const page = JSON.parse($("#page-data")?.textContent ?? "null");

// Talking to the server.

class Refused extends Error {
  constructor(status, problem) {
    super(problem?.detail ?? "Something went wrong.");
    this.status = status;
    this.code = problem?.code;
  }
}

async function call(method, path, body, headers = {}) {
  const options = { method, headers: { ...headers }, credentials: "same-origin" };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const reply = await fetch(`${root}${path}`, options);
  const text = await reply.text();
  const content = text ? JSON.parse(text) : null;
  if (!reply.ok) throw new Refused(reply.status, content);
  return content;
}

// Telling people.

function notice(text) {
  const shown = Object.assign(document.createElement("p"), { textContent: text });
  $("#notice").replaceChildren(shown);
  setTimeout(() => shown.remove(), 4000);
}

function wrong(form, error) {
  const place = $("[data-wrong]", form);
  place.textContent = error.message;
  place.hidden = false;
  place.scrollIntoView({ block: "nearest" });
}

function onSubmit(form, act) {
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = $("button:not([type=button])", form);
    button.disabled = true;
    const place = $("[data-wrong]", form);
    if (place) place.hidden = true;
    try {
      await act(new FormData(form), form);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (place) wrong(form, error);
      else notice(error.message);
    } finally {
      button.disabled = false;
    }
  });
}

// Times: people write theirs, the API has UTC.

const toUtc = (local) => (local ? new Date(local).toISOString() : null);

function toLocal(utc) {
  if (!utc) return "";
  const at = new Date(utc);
  return new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

for (const time of $$("time[data-local]")) {
  time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: "full", timeStyle: "short" });
}
for (const input of $$("input[type=datetime-local]")) {
  const stored = page?.[input.name];
  if (stored) input.value = toLocal(stored);
}

// Rows of items, questions and options.

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function removable(row, label) {
  const button = element("button", { type: "button", className: "icon", textContent: "✕" });
  button.setAttribute("aria-label", label);
  button.addEventListener("click", () => row.remove());
  return button;
}

function textInput(label, value, max) {
  const input = element("input", { value: value ?? "", maxLength: max, placeholder: label, autocomplete: "off" });
  input.setAttribute("aria-label", label);
  return input;
}

function itemRow(item = {}) {
  const row = element("div", { className: "line" });
  row.dataset.id = item.checklistItemId ?? "";
  row.dataset.note = item.note ?? "";
  row.append(textInput("Item", item.name, 200), removable(row, "Remove this item"));
  return row;
}

function optionRow(option = {}) {
  const row = element("div", { className: "line" });
  row.dataset.id = option.pollQuestionOptionId ?? "";
  row.append(textInput("Option", option.label, 200), removable(row, "Remove this option"));
  return row;
}

function checkLabel(name, text, checked) {
  const box = element("input", { type: "checkbox", checked });
  box.dataset.flag = name;
  return element("label", { className: "check" }, box, element("span", { textContent: text }));
}

function questionRow(question = { options: [{}, {}] }) {
  const block = element("div", { className: "block" });
  block.dataset.id = question.pollQuestionId ?? "";
  const title = textInput("Question", question.title, 300);
  title.dataset.title = "";
  const head = element("div", { className: "line" }, title, removable(block, "Remove this question"));
  const options = element("div", { className: "rows" }, ...question.options.map(optionRow));
  options.dataset.options = "";
  const add = element("button", { type: "button", className: "link", textContent: "Add an option" });
  add.addEventListener("click", () => options.append(optionRow()));
  block.append(
    head,
    options,
    add,
    checkLabel("isMultiple", "Several options may be chosen", question.isMultiple ?? false),
    checkLabel("isRequired", "Must be answered", question.isRequired ?? false),
  );
  return block;
}

function startRows(form, stored) {
  const items = $("[data-items]", form);
  const questions = $("[data-questions]", form);
  items?.append(...(stored?.items ?? [{}, {}]).map(itemRow));
  questions?.append(...(stored?.questions ?? [undefined]).map((question) => questionRow(question)));
  $("[data-add-item]", form)?.addEventListener("click", () => {
    items.append(itemRow());
    $("input", items.lastElementChild).focus();
  });
  $("[data-add-question]", form)?.addEventListener("click", () => {
    questions.append(questionRow());
    $("input", questions.lastElementChild).focus();
  });
}

const withId = (name, row) => (row.dataset.id ? { [name]: row.dataset.id } : {});

function contentOf(form, data, entity) {
  const body = { name: data.get("name"), expiresAfter: Number(data.get("expiresAfter")) };
  if (entity === "checklist") {
    body.note = data.get("note");
    body.items = $$("[data-items] > *", form)
      .map((row) => ({ ...withId("checklistItemId", row), name: $("input", row).value, note: row.dataset.note }))
      .filter((item) => item.name.trim());
  } else if (entity === "event") {
    for (const name of ["startTime", "endTime", "rsvpDeadline"]) body[name] = toUtc(data.get(name));
    for (const name of ["type", "location", "description", "rsvpVisibility"]) body[name] = data.get(name) || null;
    body.isRsvpRequired = data.has("isRsvpRequired");
  } else {
    body.note = data.get("note");
    body.resultsVisibility = data.get("resultsVisibility");
    body.closesAt = toUtc(data.get("closesAt"));
    body.questions = $$("[data-questions] > *", form).map((block) => ({
      ...withId("pollQuestionId", block),
      title: $("[data-title]", block).value,
      isMultiple: $("[data-flag=isMultiple]", block).checked,
      isRequired: $("[data-flag=isRequired]", block).checked,
      options: $$("[data-options] > *", block)
        .map((row) => ({ ...withId("pollQuestionOptionId", row), label: $("input", row).value }))
        .filter((option) => option.label.trim()),
    }));
  }
  return body;
}

// Making a page, and the passcode before one.

const creating = $("[data-create]");
if (creating) {
  const entity = creating.dataset.create;
  startRows(creating);
  const key = crypto.randomUUID();
  onSubmit(creating, async (data, form) => {
    const body = { entity, ...contentOf(form, data, entity) };
    for (const name of ["viewPasscode", "adminPasscode"]) body[name] = data.get(name) || null;
    const made = await call("POST", "/pages", body, { "Idempotency-Key": `${key}-${await digest(body)}` });
    location.assign(`${root}/${made.shortId}`);
  });
}

async function digest(body) {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return [...new Uint8Array(hash)].slice(0, 8).map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

onSubmit($("[data-login]"), async (data, form) => {
  const body = { level: data.get("level"), passcode: data.get("passcode") };
  await call("POST", `/pages/${form.dataset.login}/login`, body);
  location.assign(location.pathname);
});

$("[data-copy]")?.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.origin + location.pathname);
    notice("The link is copied.");
  } catch {
    notice(location.origin + location.pathname);
  }
});

// A checklist's ticks stay on the device.

if (page?.entity === "checklist") {
  const place = `stayon:${page.shortId}`;
  const ticked = new Set(JSON.parse(localStorage.getItem(place) ?? "[]"));
  const boxes = $$("[data-tick]");
  const show = () => {
    const done = boxes.filter((box) => box.checked).length;
    $("[data-progress] span").style.setProperty("width", `${(100 * done) / boxes.length}%`);
    $("[data-progress-text]").textContent = `${done} of ${boxes.length} done. Ticks stay on this device.`;
  };
  for (const box of boxes) {
    box.checked = ticked.has(box.dataset.tick);
    box.addEventListener("change", () => {
      box.checked ? ticked.add(box.dataset.tick) : ticked.delete(box.dataset.tick);
      localStorage.setItem(place, JSON.stringify([...ticked]));
      show();
    });
  }
  show();
}

// Answers: an RSVP or a vote, with a code to find it again.

const base = page && `/pages/${page.shortId}`;
let found = null;

function keepCode(kind, code) {
  localStorage.setItem(`stayon:${page.shortId}:${kind}`, code);
  const shown = $("[data-code]");
  $("strong", shown).textContent = code;
  shown.hidden = false;
}

onSubmit($("[data-rsvp]"), async (data) => {
  const body = {
    name: data.get("guestName"),
    response: data.get("response"),
    guestCount: Number(data.get("guestCount") || 0),
  };
  if (found) {
    await call("PUT", `${base}/rsvps/${found.code}`, body);
    notice("Your answer is changed.");
  } else {
    keepCode("rsvp", (await call("POST", `${base}/rsvps`, body)).code);
    notice("Thank you, your answer is in.");
  }
});

onSubmit($("[data-vote]"), async (data, form) => {
  const answers = $$("[data-question]", form).map((question) => ({
    pollQuestionId: question.dataset.question,
    optionIds: $$("input:checked", question).map((input) => input.value),
  }));
  const body = { name: data.get("voterName") || null, answers };
  let code = found?.code;
  if (found) {
    await call("PUT", `${base}/votes/${code}`, body);
    notice("Your vote is changed.");
  } else {
    code = (await call("POST", `${base}/votes`, body)).code;
    keepCode("vote", code);
    notice("Thank you, your vote is in.");
  }
  await showResults(code);
});

async function showResults(code) {
  const section = $("[data-results]");
  try {
    const results = await call("GET", `${base}/results${code ? `?code=${code}` : ""}`);
    $("[data-voters]").textContent = `${results.voters} ${results.voters === 1 ? "vote" : "votes"}`;
    const bars = results.questions.flatMap((question) => [
      element("h3", { textContent: question.title }),
      element("ul", { className: "bars" }, ...question.options.map(bar)),
    ]);
    $("[data-bars]").replaceChildren(...bars);
    section.hidden = false;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    section.hidden = true;
  }
}

function bar(option) {
  return element(
    "li",
    {},
    element("span", { textContent: option.label }),
    element("meter", { min: 0, max: 1, value: option.share }),
    element("b", { textContent: option.votes }),
  );
}

const finding = $("[data-find]");
if (finding) {
  const kind = finding.dataset.find;
  const kept = localStorage.getItem(`stayon:${page.shortId}:${kind}`);
  if (kept) $("[name=code]", finding).value = kept;
  onSubmit($("form", finding), async (data) => {
    found = await call("GET", `${base}/${kind}s/${data.get("code")}`);
    kind === "rsvp" ? fillRsvp(found) : fillVote(found);
    $("[data-withdraw]").hidden = false;
    notice("Found. Change it above.");
  });
  $("[data-withdraw]").addEventListener("click", async () => {
    await call("DELETE", `${base}/${kind}s/${found.code}`);
    localStorage.removeItem(`stayon:${page.shortId}:${kind}`);
    location.reload();
  });
}

function fillRsvp(rsvp) {
  $("[name=guestName]").value = rsvp.name;
  $(`[name=response][value=${rsvp.response}]`).checked = true;
  $("[name=guestCount]").value = rsvp.guestCount ?? 0;
}

function fillVote(vote) {
  $("[name=voterName]").value = vote.name ?? "";
  for (const input of $$("[data-question] input")) input.checked = false;
  for (const id of vote.answers.flatMap((given) => given.optionIds)) {
    const input = $(`[data-question] input[value="${id}"]`);
    if (input) input.checked = true;
  }
}

// Managing.

const editing = $("[data-edit]");
if (editing) {
  startRows(editing, page);
  onSubmit(editing, async (data, form) => {
    const body = contentOf(form, data, page.entity);
    const match = { "If-Match": `"${page.version}"` };
    try {
      await call("PUT", base, body, match);
    } catch (error) {
      if (error.code !== "votes_exist" || !confirm(`${error.message} Change it all the same?`)) throw error;
      await call("PUT", base, { ...body, confirmVoteLoss: true }, match);
    }
    location.reload();
  });
}

onSubmit($("[data-passcodes]"), async (data) => {
  await call("PUT", `${base}/passcodes`, {
    viewPasscode: data.get("newViewPasscode") || null,
    adminPasscode: data.get("newAdminPasscode") || null,
    removeViewPasscode: data.has("removeViewPasscode"),
    removeAdminPasscode: data.has("removeAdminPasscode"),
  });
  location.reload();
});

const actions = {
  close: async () => (await call("POST", `${base}/close`), location.reload()),
  reopen: async () => (await call("POST", `${base}/reopen`), location.reload()),
  clone: async () => location.assign(`${root}/${(await call("POST", `${base}/clone`, {})).shortId}`),
  delete: async () => {
    if (!confirm("Delete this page and every answer to it?")) return;
    await call("DELETE", base);
    location.assign(`${root}/`);
  },
};
for (const button of $$("[data-action]")) {
  button.addEventListener("click", async () => {
    try {
      await actions[button.dataset.action]();
    } catch (error) {
      notice(error.message);
    }
  });
}
