// What the pages do beyond links and forms: keys, tabs, copying, the map's light, a filter.

document.addEventListener("click", (event) => {
  const tab = event.target.closest("[data-tab]");
  if (tab) showTab(tab);
  const copy = event.target.closest("[data-copy]");
  if (copy) copyShown(copy);
});

function showTab(tab) {
  const set = tab.closest("[data-tabs]");
  for (const each of set.querySelectorAll("[data-tab]")) {
    const isShown = each === tab;
    each.setAttribute("aria-selected", String(isShown));
    each.tabIndex = isShown ? 0 : -1;
  }
  for (const panel of set.querySelectorAll("[data-panel]")) {
    panel.hidden = panel.dataset.panel !== tab.dataset.tab;
  }
}

async function copyShown(button) {
  const panel = button.closest("[data-tabs]").querySelector("[data-panel]:not([hidden])");
  try {
    await navigator.clipboard.writeText(panel.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(panel);
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

document.addEventListener("keydown", (event) => {
  const tab = event.target.closest?.("[data-tab]");
  if (!tab || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
  const tabs = [...tab.parentElement.querySelectorAll("[data-tab]")];
  const step = event.key === "ArrowRight" ? 1 : -1;
  const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
  showTab(next);
  next.focus();
});

// Keys: g and a letter, /, r, ?.

let isGoing = false;

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isGoing) {
    isGoing = false;
    const link = document.querySelector(`.rail [data-key="${CSS.escape(event.key)}"]`);
    if (link) link.click();
    return;
  }
  const actions = {
    g: () => { isGoing = true; setTimeout(() => { isGoing = false; }, 1200); },
    "/": () => document.querySelector("[data-first]")?.focus(),
    r: () => document.querySelector("[data-run]")?.click(),
    e: () => document.querySelector("[data-edit]")?.click(),
    "?": () => document.getElementById("help").showModal(),
  };
  if (actions[event.key]) {
    event.preventDefault();
    actions[event.key]();
  }
});

// The map: what lies on a path is lit together.

for (const map of document.querySelectorAll("[data-map]")) {
  const parts = [...map.querySelectorAll("[data-on]")].map((part) => [part, part.dataset.on.split(" ")]);
  const names = new Map(parts.filter(([part]) => part.id));
  const light = (id) => {
    const own = new Set(names.size && id ? [id, ...neighbours(id, parts)] : []);
    map.classList.toggle("lit", Boolean(id));
    for (const [part, on] of parts) {
      const isLit = part.id ? own.has(part.id) : on.includes(id);
      part.classList.toggle("on", isLit);
    }
  };
  for (const event of ["mouseover", "focusin"]) {
    map.addEventListener(event, (e) => light(e.target.closest(".box")?.id));
  }
  map.addEventListener("mouseleave", () => light());
  map.addEventListener("focusout", () => light());
  const focus = new URLSearchParams(location.search).get("focus");
  if (focus && names.size && document.getElementById(focus)) {
    light(focus);
    document.getElementById(focus).scrollIntoView({ block: "center" });
  }
}

// The ends of every line that belongs to a node, and what names it.
function neighbours(id, parts) {
  return parts.flatMap(([part, on]) => (on.includes(id) ? (part.id ? [part.id, ...on] : on) : []));
}

// A filter of a table's rows.

for (const field of document.querySelectorAll("[data-filter]")) {
  field.addEventListener("input", () => {
    const needle = field.value.trim().toLowerCase();
    for (const row of document.querySelectorAll(`${field.dataset.filter} tbody tr`)) {
      row.hidden = !row.textContent.toLowerCase().includes(needle);
    }
  });
}

// An open menu closes when the reader goes elsewhere.

document.addEventListener("pointerdown", (event) => {
  for (const menu of document.querySelectorAll(".switch[open], .clock[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

// On a phone the rail is a line that scrolls: the page that is open should be seen on it.

const current = document.querySelector(".rail [aria-current]");
for (const event of current ? ["pageshow", "resize"] : []) {
  addEventListener(event, () => { current.parentElement.scrollLeft = current.offsetLeft - 100; });
}
