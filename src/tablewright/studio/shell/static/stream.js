// The live tail: changes are put on top as the server sends them; pausing closes the connection.

const SHOWN_MAX = 400;
const bar = document.querySelector("[data-live]");
const list = document.getElementById("changes");
let last = bar?.dataset.after;
let source = null;

function tell(state) {
  bar.className = `live ${state}`;
  bar.querySelector("b").textContent = state;
}

function start() {
  const url = bar.dataset.live;
  source = new EventSource(`${url}${url.endsWith("?") ? "" : "&"}after=${last}`);
  source.onopen = () => tell("live");
  source.onerror = () => tell("reconnecting");
  source.addEventListener("changes", (event) => {
    last = event.lastEventId;
    show(event.data);
  });
}

function show(text) {
  const template = document.createElement("template");
  template.innerHTML = text;
  for (const group of template.content.children) group.classList.add("new");
  list.prepend(template.content);
  while (list.children.length > SHOWN_MAX) list.lastElementChild.remove();
  document.querySelector("[data-none]")?.remove();
}

function stop() {
  source?.close();
  source = null;
}

if (bar) {
  bar.hidden = false;
  document.querySelector(".steps a.button").hidden = true;
  const button = bar.querySelector("button");
  button.addEventListener("click", () => {
    const isPaused = Boolean(source);
    if (isPaused) stop(); else start();
    tell(isPaused ? "paused" : "connecting");
    button.textContent = isPaused ? "Continue" : "Pause";
  });
  // A page that is left must not be waited for.
  addEventListener("pagehide", stop);
  addEventListener("pageshow", (event) => {
    if (event.persisted && !bar.classList.contains("paused")) start();
  });
  start();
}
