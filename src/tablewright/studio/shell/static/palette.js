// Ctrl-K or ⌘K: somewhere to go, by a few letters.

const { root, here } = document.body.dataset;
let box, field, list, chosen = 0, turns = 0, search;

function element(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function build() {
  list = element("ul", { id: "palette-hits", role: "listbox", ariaLabel: "Places" });
  field = element("input", { type: "text", autocomplete: "off", spellcheck: false, placeholder: "Go to a page, entity, pattern, endpoint, rule or key", ariaLabel: "Find", role: "combobox", ariaExpanded: "true", ariaAutoComplete: "list" });
  field.setAttribute("aria-controls", list.id);
  const hint = element("p", { textContent: "↑ ↓ to choose, Enter to go, Esc to close" });
  box = element("dialog", { className: "palette", ariaLabel: "Find" }, field, list, hint);
  document.body.append(box);
  field.addEventListener("input", () => { search = find(); });
  field.addEventListener("keydown", steer);
  list.addEventListener("click", (event) => go(event.target.closest("li")));
  box.addEventListener("click", (event) => { if (event.target === box) box.close(); });
}

async function find() {
  const turn = ++turns;
  const answer = await fetch(`${here}/find.json?q=${encodeURIComponent(field.value)}`);
  if (!answer.ok) return;
  const { view } = await answer.json();
  if (turn !== turns) return; // A later letter was answered first.
  list.replaceChildren(...view.hits.map((hit, at) => {
    const line = element("li", { id: `hit-${at}`, role: "option" }, element("span", { className: "tag quiet", textContent: hit.kind }), element("b", { textContent: hit.label }), element("small", { textContent: hit.note }));
    line.dataset.path = hit.path;
    return line;
  }));
  if (!view.hits.length) list.append(element("li", { role: "option", ariaDisabled: "true" }, "", element("small", { textContent: "No results." })));
  choose(0);
}

function choose(at) {
  const lines = [...list.children];
  chosen = (at + lines.length) % lines.length;
  lines.forEach((line, n) => line.setAttribute("aria-selected", String(n === chosen)));
  lines[chosen].scrollIntoView({ block: "nearest" });
  field.setAttribute("aria-activedescendant", lines[chosen].id);
}

function steer(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) choose(chosen + step);
  else if (event.key === "Enter") search.then(() => go(list.children[chosen])); // What was typed last.
  else return;
  event.preventDefault();
}

function go(line) {
  if (!line?.dataset.path) return;
  box.close();
  location.assign(root + line.dataset.path);
}

function open() {
  if (!box) build();
  field.value = "";
  box.showModal();
  search = find();
}

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || here === root) return;
  event.preventDefault();
  if (!box?.open) open();
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-palette]");
  if (!opener || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  open();
});
