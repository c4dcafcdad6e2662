// The page behind a mailed link. A link may be opened by whatever checks mails, so opening it
// changes nothing: one signs in with the button.
const ask = document.querySelector("#ask");
const enter = document.querySelector("#enter");
const leave = document.querySelector("#leave");
const told = document.querySelector("#told");

const token = new URLSearchParams(location.search).get("token");
history.replaceState(null, "", location.pathname); // A token is nothing for the history.

function show(form, text = "") {
  for (const one of [ask, enter, leave]) one.hidden = one !== form;
  told.textContent = text;
}

async function call(method, path, body) {
  const options = { method, headers: {} };
  if (body) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const reply = await fetch(`v1/auth/${path}`, options);
  const answer = reply.status === 204 ? null : await reply.json();
  if (!reply.ok) throw new Error(answer.detail);
  return answer;
}

function on(form, work) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    try {
      await work();
    } catch (error) {
      told.textContent = error.message;
    } finally {
      button.disabled = false;
    }
  });
}

function welcome(session) {
  const until = new Date(session.expiresAt).toLocaleString();
  show(leave, `You are signed in as ${session.email}, until ${until}.`);
}

on(ask, async () => {
  const email = ask.elements.email.value;
  await call("POST", "magic/start", { email });
  show(null, `A link is on its way to ${email}. It works once, for fifteen minutes.`);
});

on(enter, async () => {
  try {
    welcome(await call("POST", "magic/complete", { token }));
  } catch (error) {
    show(ask, `${error.message} Ask for a new one.`);
  }
});

on(leave, async () => {
  await call("POST", "logout");
  show(ask, "You are signed out.");
});

if (token) {
  show(enter);
} else {
  try {
    welcome(await call("GET", "session"));
  } catch {
    show(ask);
  }
}
