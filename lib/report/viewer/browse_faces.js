/** The faces of the archive, or of one person: searched, filtered and sorted. */
(function (fovea) {
  "use strict";

  const {element, archive} = fovea;
  const {head, people, columns, photos} = archive;
  const folder_of = image => photos.name[image].slice(0, Math.max(0, photos.name[image].lastIndexOf("/")));
  const by = value => (a, b) => value(a) - value(b) || a - b;
  const date = face => photos.date[columns.image[face]];
  const score = face => columns.score[face];
  const person_name = face => (archive.person_of(face) < 0 ? "" : fovea.label_of(archive.person_of(face)));
  const day = face => archive.day_of(columns.image[face]);
  const size_text = face => `${archive.size_of(face)} px`;
  const score_text = face => fovea.number(columns.score[face], 3);

  /** An order of faces, and what stands under each. */
  const orders = {
    person: {title: "person", caption: person_name},
    newest: {title: "newest first", compare: by(face => -date(face)), caption: day},
    oldest: {title: "oldest first", compare: by(date), caption: day},
    sure: {title: "highest score first", compare: by(face => -score(face)), caption: score_text},
    unsure: {title: "lowest score first", compare: by(score), caption: score_text},
    large: {title: "largest first", compare: by(face => -archive.size_of(face)), caption: size_text},
    small: {title: "smallest first", compare: by(archive.size_of), caption: size_text},
    photo: {title: "photograph", compare: by(face => columns.image[face]),
      caption: face => [archive.file_of(columns.image[face]).replace(/^.*\//, ""), archive.on_screen(face)]
        .filter(Boolean).join(" ")},
  };

  const reasons = head.reasons || [];
  const choice = (label, options, change) => element("select", {"aria-label": label, change},
    options.map(([value, text]) => element("option", {value}, text)));
  const field = (label, attributes) =>
    element("label", {}, label, " ", element("input", {input: () => later(), ...attributes}));

  const search = element("input", {type: "search", placeholder: "Search names and paths",
    "aria-label": "Search names and paths", input: () => later()});
  const order = choice("Order", Object.entries(orders).map(([key, {title}]) => [key, title]), () => update());
  const with_people = people.length ? [["some", "with a person"], ["none", "with no person"]] : [];
  const who = choice("Whose faces", [["all", "all faces"], ...with_people,
    ...reasons.slice(1).map((reason, i) => [`apart ${i + 1}`, `apart: ${reason}`])], () => update());
  const least_score = field("score at least", {type: "number", step: "any"});
  const least_size = field("pixels at least", {type: "number", min: 0, step: 1});
  const from = field("from", {type: "date"}), to = field("to", {type: "date"});
  const folder = choice("Folder", [["", "all folders"]], () => update());
  const count = element("span", {class: "count", role: "status"});
  const filters = element("details", {class: "filters"}, element("summary", {}, "Filters"),
    element("div", {class: "desk"}, who, folder, least_score, least_size, from, to,
      element("button", {type: "button", click: () => { clear(); update(); }}, "Clear")));
  const about = element("div", {class: "desk about", hidden: true});
  let person = -1;

  function face_cell(face) {
    const image = columns.image[face], name = person_name(face);
    const facts = archive.is_ready() ?
      [name || "nobody known", archive.file_of(image), archive.on_screen(face), day(face),
        `score ${score_text(face)}`, size_text(face)] :
      [`Face ${face + 1}`];
    const label = facts.filter(Boolean).join(", ");
    const caption = archive.is_ready() || order.value === "person" ? orders[order.value].caption(face) : "";
    return element("div", {},
      element("button", {type: "button", class: "face", "aria-label": label, title: label,
        click: () => { if (archive.is_ready()) fovea.go(`photo/${image}/${face}`); }}, fovea.face_picture(face)),
      element("span", {class: "under", "aria-hidden": "true"}, caption));
  }
  const grid = fovea.grid({label: "Faces", width: 68, height: wide => wide + 17, cell: face_cell});

  const value_of = label => label.querySelector("input").value;
  function clear() {
    search.value = "";
    who.value = "all";
    folder.value = "";
    for (const label of [least_score, least_size, from, to]) label.querySelector("input").value = "";
  }

  /** A test of faces; null if all pass. */
  function wanted() {
    const tests = [];
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length) {
      const names = people.map((_, p) => fovea.label_of(p).toLowerCase());
      tests.push(face => {
        const p = archive.person_of(face), path = photos.name[columns.image[face]].toLowerCase();
        return words.every(word => path.includes(word) || (p >= 0 && names[p].includes(word)));
      });
    }
    if (who.value === "some") tests.push(face => archive.person_of(face) >= 0);
    if (who.value === "none") tests.push(face => archive.person_of(face) < 0);
    if (who.value.startsWith("apart")) tests.push(face => columns.apart[face] === Number(who.value.slice(6)));
    if (folder.value) {
      const under = folder.value === "." ? "" : folder.value;
      tests.push(face => folder_of(columns.image[face]) === under);
    }
    if (value_of(least_score)) tests.push(face => columns.score[face] >= Number(value_of(least_score)));
    if (value_of(least_size)) tests.push(face => archive.size_of(face) >= Number(value_of(least_size)));
    if (value_of(from)) tests.push(face => day(face) >= value_of(from));
    if (value_of(to)) tests.push(face => day(face) !== "" && day(face) <= value_of(to));
    return tests.length ? face => tests.every(test => test(face)) : null;
  }

  function update(options) {
    const begin = person < 0 ? 0 : archive.starts[person];
    const all = Int32Array.from({length: person < 0 ? head.faces : people[person].faces}, (_, i) => begin + i);
    const test = archive.is_ready() ? wanted() : null;
    const shown = test ? all.filter(test) : all;
    const {compare} = orders[order.value];
    if (compare && archive.is_ready()) shown.sort(compare);
    count.textContent = shown.length === all.length ? `${fovea.number(all.length)} faces` :
      `${fovea.number(shown.length)} of ${fovea.number(all.length)} faces`;
    grid.show(shown, options);
  }
  let timer = 0;
  function later() {
    clearTimeout(timer);
    timer = setTimeout(update, 150);
  }

  archive.ready.then(() => {
    const folders = [...new Set(photos.name.map((_, image) => folder_of(image)))].sort();
    const most = 2000;  // more are searched by text
    folder.hidden = folders.length < 2;
    folder.append(...folders.slice(0, most)
      .map(path => element("option", {value: path || "."}, path || "(no folder)")));
    update({stay: true});
  }, () => {});

  function show_person(p) {
    person = p;
    about.hidden = p < 0;
    if (p < 0) return;
    const begin = archive.starts[p];
    const years = new Map();
    for (let face = begin; face < begin + people[p].faces; ++face) {
      const year = archive.year_of(columns.image[face]);
      if (year) years.set(year, (years.get(year) || 0) + 1);
    }
    about.replaceChildren(element("button", {type: "button", click: () => fovea.go("people")}, "← People"),
      element("h2", {}, fovea.name(fovea.label_of(p))), fovea.name_field(p) || "",
      years.size > 1 ? fovea.bars("Faces by year", ...fovea.year_bars(years), {small: true}) : "");
  }

  fovea.faces_view = {
    node: element("section", {class: "view", "aria-label": "Faces"}, about,
      element("div", {class: "desk"}, search, element("label", {}, "by ", order), count), filters, grid.node),
    search,
    /** The faces in their present order, for walks through photographs. */
    items: () => grid.items(),
    focus: grid.focus,
    open(argument) {
      const p = argument === undefined ? -1 : Number(argument);
      if (p === person) return;
      const was_person = person >= 0;
      clear();
      order.value = p >= 0 ? "oldest" : was_person ? "person" : order.value;
      show_person(p);
      update();
    },
  };
  update();
})(window.fovea = window.fovea || {});
