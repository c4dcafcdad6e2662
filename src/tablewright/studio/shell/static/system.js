// Endpoints: the one that an address names is open; another is chosen without a button.

function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named?.matches("details")) return;
  named.open = true;
  named.scrollIntoView({ block: "start" });
}

addEventListener("hashchange", openNamed);
openNamed();

for (const field of document.querySelectorAll("[data-choose]")) {
  field.addEventListener("change", () => field.form.requestSubmit());
}
