/** The names of people: those of people.json, and those that somebody types here, who saves them as a file. */
(function (fovea) {
  "use strict";

  const {element, archive} = fovea;
  const {head, people} = archive;
  const key = `fovea-names ${head.id}`;
  const typed = new Map();  // by the number of the person
  fovea.names_changed = fovea.event();

  const given = p => people[p].name || "";
  const places = new Map(people.map(({person}, p) => [person, p]));
  // Browsers may refuse to keep anything for a file; names then last as long as the page is open.
  try {
    for (const [person, name] of JSON.parse(localStorage.getItem(key) || "[]")) {
      if (places.has(person) && name !== given(places.get(person))) typed.set(person, String(name));
    }
  } catch { /* as above */ }

  fovea.name_of = p => typed.get(people[p].person) ?? given(p);
  fovea.label_of = p => fovea.name_of(p) || (people[p].person ? `Person ${people[p].person}` : "Nobody");

  let is_saved = true;
  function set_name(p, name) {
    const {person} = people[p];
    if (name.trim() === given(p)) typed.delete(person); else typed.set(person, name.trim());
    try {
      localStorage.setItem(key, JSON.stringify([...typed]));
    } catch {
      is_saved = false;
    }
    fovea.names_changed.send(p);
  }
  addEventListener("beforeunload", event => { if (!is_saved && typed.size) event.preventDefault(); });

  /** A field for the name of a person; null where names cannot be given. */
  fovea.name_field = p => {
    if (!head.id || !people[p].person) return null;
    const field = element("input", {
      type: "text", "aria-label": `Name of person ${people[p].person}`, placeholder: "name", autocomplete: "off",
      maxlength: 200, input: () => set_name(p, field.value),
    });
    field.value = fovea.name_of(p);
    return field;
  };

  fovea.names_file = () => JSON.stringify({
    format: "fovea-names", version: 1, people: head.id, names: [...typed].map(([person, name]) => ({person, name})),
  }, null, 2) + "\n";

  /** The button that saves, with what to do then; null where names cannot be given. */
  fovea.names_desk = () => {
    if (!head.id) return null;
    const count = element("span", {"aria-live": "polite"});
    const button = element("button", {type: "button", click: () => {
      const address = URL.createObjectURL(new Blob([fovea.names_file()], {type: "application/json"}));
      element("a", {href: address, download: "names.json"}).click();
      setTimeout(() => URL.revokeObjectURL(address), 60000);
      is_saved = true;
    }}, "Save names");
    const tell = () => {
      count.textContent = `${typed.size} changed.`;
      button.disabled = !typed.size;
    };
    fovea.names_changed.listen(tell);
    tell();
    return element("p", {class: "desk"}, button, " ", count, " Then: ",
      element("code", {}, "fovea people ARCHIVE --names names.json --out people/"));
  };
})(window.fovea = window.fovea || {});
