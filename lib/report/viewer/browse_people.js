/** The people of the archive: a cell for each with its face, its name and its number of faces. */
(function (fovea) {
  "use strict";

  const {element, archive} = fovea;
  const {people} = archive;
  const search = element("input", {type: "search", placeholder: "Search names", "aria-label": "Search names",
    input: () => update()});
  const count = element("span", {class: "count", role: "status"});

  function person_cell(p) {
    const label = `${fovea.label_of(p)}, ${people[p].faces} faces`;
    const name = fovea.name_field(p);
    return element("div", {},
      element("button", {type: "button", class: "face", "aria-label": label, title: label,
        click: () => fovea.go(`person/${p}`)}, fovea.face_picture(p, "covers")),
      name || element("span", {class: "under"}, fovea.name(fovea.label_of(p))),
      element("span", {class: "under soft"}, `${fovea.number(people[p].faces)} faces`));
  }
  const grid = fovea.grid({label: "People", width: 110, height: wide => wide + 52, cell: person_cell});

  function update() {
    const word = search.value.trim().toLowerCase();
    const shown = people.map((_, p) => p).filter(p => fovea.label_of(p).toLowerCase().includes(word));
    count.textContent = shown.length === people.length ? `${fovea.number(shown.length)} people` :
      `${fovea.number(shown.length)} of ${fovea.number(people.length)} people`;
    grid.show(shown);
  }

  fovea.people_view = {
    node: element("section", {class: "view", "aria-label": "People"}, element("div", {class: "desk"}, search, count),
      fovea.names_desk(), grid.node),
    search,
    focus: grid.focus,
    // Names may have changed elsewhere.
    open: () => grid.show(grid.items(), {stay: true}),
  };
  update();
})(window.fovea = window.fovea || {});
