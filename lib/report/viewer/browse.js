/** The page of `fovea browse`: its views, the way between them, and keys. */
(function (fovea) {
  "use strict";

  const {element, archive} = fovea;
  const {head, people} = archive;
  const views = {
    faces: {title: "Faces", view: fovea.faces_view},
    person: {view: fovea.faces_view},
    people: {title: "People", view: fovea.people_view, is_there: people.length > 0},
    photo: {view: fovea.photo_view},
    numbers: {title: "Numbers", view: fovea.numbers_view},
    unreadable: {title: `Could not be read (${fovea.number(head.unreadable.length)})`, view: fovea.unreadable_view,
      is_there: head.unreadable.length > 0},
  };
  let now = "faces", visited = 0;

  const tabs = element("nav", {"aria-label": "Views"}, Object.entries(views)
    .filter(([, {title, is_there = true}]) => title && is_there)
    .map(([key, {title}]) => element("a", {href: `#${key}`, "data-view": key}, title)));
  const status = element("p", {class: "status", role: "status"}, "Reading the data…");
  archive.ready.then(() => { status.hidden = true; }, error => { status.textContent = error.message; });

  fovea.go = (place, is_step = false) => {
    if (is_step) {
      history.replaceState(null, "", `#${place}`);
      show();
    } else {
      location.hash = place;
    }
  };
  fovea.back = () => {
    if (visited > 1) history.back(); else fovea.go("faces");
  };

  function show() {
    const [key, ...rest] = location.hash.slice(1).split("/");
    const is_person = /^\d+$/.test(rest[0] || "") && Number(rest[0]) < people.length;
    const is_known = Object.hasOwn(views, key) && (key !== "person" || is_person);
    now = is_known ? key : "faces";
    const {view} = views[now];
    for (const other of Object.values(views)) other.view.node.hidden = other.view !== view;
    const tab = now === "person" ? "people" : now === "photo" ? "faces" : now;
    for (const link of tabs.children) {
      link.ariaCurrent = link.dataset.view === tab ? "page" : null;
    }
    view.open(...(is_known ? rest : []));
  }
  addEventListener("hashchange", () => {
    ++visited;
    const before = now;
    show();
    if (before === "photo" && views[now].view.focus) views[now].view.focus();
  });

  const help = [["← ↑ ↓ →", "next face or photograph"], ["Page Up, Page Down, Home, End", "further through the faces"],
    ["Enter", "the face's photograph, or the person's faces"], ["Esc", "back"], ["/", "search"], ["?", "these keys"]];
  const keys = element("dialog", {class: "keys", "aria-label": "Keys"}, element("h2", {}, "Keys"),
    element("dl", {}, help.map(([key, text]) => [element("dt", {}, key), element("dd", {}, text)])),
    element("button", {type: "button", click: () => keys.close()}, "Close"));

  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
    const is_typing = /^(INPUT|SELECT)$/.test(event.target.tagName) && event.target.type !== "checkbox";
    if (event.key === "Escape") {
      if (is_typing) event.target.blur();
      else if (now === "photo" || now === "person") fovea.back();
      return;
    }
    if (is_typing) return;
    const view = views[now].view;
    const acts = {
      "?": () => keys.showModal(),
      "/": () => {
        if (!view.search) fovea.go("faces");
        setTimeout(() => (views[now].view.search || fovea.faces_view.search).focus());
      },
      ...(now === "photo" ? {ArrowLeft: () => view.step(-1), ArrowRight: () => view.step(1)} :
        view.focus && event.target === document.body ? {ArrowDown: view.focus, ArrowRight: view.focus} : {}),
    };
    if (!Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    acts[event.key]();
  });

  document.getElementById("page").replaceChildren(
    element("header", {}, element("h1", {}, fovea.name(head.title)), tabs,
      element("button", {type: "button", "aria-label": "Keys", title: "Keys", click: () => keys.showModal()}, "?")),
    status, ...new Set(Object.values(views).map(({view}) => view.node)), keys);
  show();
})(window.fovea = window.fovea || {});
