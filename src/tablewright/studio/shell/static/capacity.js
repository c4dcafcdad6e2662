// Fields that were left empty follow the rule: they need not stand in the address.

for (const form of document.querySelectorAll("[data-short]")) {
  form.addEventListener("formdata", (event) => {
    for (const [name, value] of [...event.formData]) {
      if (!value.trim()) event.formData.delete(name);
    }
  });
}
