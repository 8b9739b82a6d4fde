/** The page of `fovea label`: frames, whose boxes are moved, drawn, numbered and saved as a file of tracks. */
(function (fovea) {
  "use strict";

  const {element, svg} = fovea;
  const data = JSON.parse(document.getElementById("report").textContent);
  const frames = data.frames.map(frame => ({
    ...frame,
    boxes: (frame.boxes || []).map(box => ({ignored: false, ...box})),
    is_checked: Boolean(frame.annotated),
  }));
  const at_frame = new Map(frames.map((frame, i) => [frame.number, i]));
  const reach = 9;      // CSS pixels within which a handle is taken
  const smallest = 3;   // pixels of a frame: a smaller box was a slip of the hand
  const history = [];   // of steps back: lists of [frame, its boxes before]
  // What a loaded file says of frames that are not on this page.
  let elsewhere = {boxes: new Map(), annotated: [], others: []};
  let shown = 0, selected = null, is_saved = true;

  const rounded = value => Math.round(value * 10) / 10;
  const copied = boxes => boxes.map(box => ({...box}));
  const here = () => frames[shown];

  // --- what is shown ----------------------------------------------------------------------------------------

  const picture = svg("svg", {class: "shot", role: "img", tabindex: "0"});
  const button = (text, click, more = {}) => element("button", {type: "button", click, ...more}, text);
  const slider = element("input", {
    type: "range", min: 0, max: frames.length - 1, value: 0, "aria-label": "Frame",
    input: () => show(Number(slider.value)),
  });
  const place = element("span", {class: "place", "aria-live": "polite"});
  const status = element("p", {class: "status", role: "status"});
  const number = element("input", {
    type: "number", min: 0, step: 1, "aria-label": "Number of the person",
    keydown: event => {
      if (event.key !== "Enter") return;
      renumber(Number(number.value), false);
      picture.focus();
    },
  });
  const ignored = element("input", {type: "checkbox", change: () => toggle_ignored()});
  const chosen = [number, ignored, button("here", () => renumber(Number(number.value), false),
    {title: "Gives the number to this person in this frame"}),
    button("from here on", () => renumber(Number(number.value), true),
      {title: "Gives the number to this person in all later frames, too"}),
    button("delete", () => remove())];
  const back = button("undo", () => undo());
  const file = element("input", {type: "file", accept: ".txt", class: "unseen", change: () => load()});

  function say(text, is_wrong = false) {
    status.textContent = text;
    status.classList.toggle("wrong", is_wrong);
  }

  /** The length of a CSS pixel in pixels of the frame. */
  const scale = () => {
    const {width, height} = picture.getBoundingClientRect();
    return Math.max(here().width / Math.max(1, width), here().height / Math.max(1, height));
  };

  /** The eight places of a box where it is taken to be resized: shares of its width and height. */
  const handles = [0, 0.5, 1].flatMap(x => [0, 0.5, 1].map(y => [x, y])).filter(([x, y]) => x !== 0.5 || y !== 0.5);

  function drawn_box(box) {
    const edges = {x: box.x, y: box.y, width: Math.max(0, box.w), height: Math.max(0, box.h)};
    const colour = fovea.colour({colour: Math.max(0, box.person - 1)}), pixel = scale();
    const marks = `${box === selected ? " selected" : ""}${box.ignored ? " ignored" : ""}`;
    return svg("g", {class: `box${marks}`},
      svg("rect", {class: "rim", ...edges}), svg("rect", {...edges, style: `stroke:${colour}`}),
      svg("text", {x: box.x + 5 * pixel, y: box.y + 18 * pixel, "font-size": 17 * pixel, "stroke-width": 3 * pixel},
        box.ignored ? `${box.person} ignored` : String(box.person)),
      box === selected && handles.map(([x, y]) => svg("rect", {class: "handle", width: 8 * pixel, height: 8 * pixel,
        x: box.x + x * box.w - 4 * pixel, y: box.y + y * box.h - 4 * pixel})));
  }

  function draw() {
    const frame = here(), bytes = /^[A-Za-z0-9+/=]*$/.test(frame.jpeg || "") ? frame.jpeg : "";
    picture.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
    picture.setAttribute("aria-label", `Frame ${frame.number}, ${frame.boxes.length} boxes`);
    picture.replaceChildren(
      ...(bytes ? [svg("image", {href: `data:image/jpeg;base64,${bytes}`, width: frame.width, height: frame.height,
        preserveAspectRatio: "none"})] : []),
      ...frame.boxes.map(drawn_box));
    const checked = frames.filter(({is_checked}) => is_checked).length;
    place.textContent = `frame ${fovea.grouped(String(frame.number))}, ${shown + 1} of ${frames.length}; ` +
      `${checked} checked`;
    slider.value = shown;
    for (const control of chosen) control.disabled = !selected;
    number.value = selected ? selected.person : "";
    ignored.checked = Boolean(selected && selected.ignored);
    back.disabled = !history.length;
  }

  function show(index) {
    const person = selected && selected.person;
    shown = Math.max(0, Math.min(frames.length - 1, index));
    selected = here().boxes.find(box => box.person === person) || null;
    if (!here().is_checked) is_saved = false;
    here().is_checked = true;
    say(here().unreadable ? `This frame could not be read: ${here().unreadable}` : "");
    draw();
  }

  // --- changes ----------------------------------------------------------------------------------------------

  /** Remembers the boxes of frames before they change. */
  function remember(indices, boxes = index => copied(frames[index].boxes)) {
    history.push(indices.map(index => [index, boxes(index)]));
    is_saved = false;
  }

  function undo() {
    const step = history.pop();
    if (!step) return;
    for (const [index, boxes] of step) frames[index].boxes = boxes;
    selected = null;
    if (!step.some(([index]) => index === shown)) show(step[0][0]);
    draw();
  }

  function remove() {
    if (!selected) return;
    remember([shown]);
    here().boxes = here().boxes.filter(box => box !== selected);
    selected = null;
    draw();
  }

  function toggle_ignored() {
    if (!selected) return;
    remember([shown]);
    selected.ignored = !selected.ignored;
    draw();
  }

  /** Gives the selected person another number. Whoever has that number takes the old one. */
  function renumber(to, is_onwards) {
    if (!selected || !Number.isInteger(to) || to < 0 || to === selected.person) {
      draw();
      return;
    }
    const from = selected.person, indices = frames.map((_, i) => i).slice(shown, is_onwards ? undefined : shown + 1);
    remember(indices);
    for (const box of indices.flatMap(index => frames[index].boxes)) {
      if (box.person === from) box.person = to;
      else if (box.person === to) box.person = from;
    }
    draw();
  }

  /** The lowest number of a person of the video who is not in this frame, else a new one. */
  function free_number() {
    const all = new Set(frames.flatMap(frame => frame.boxes.map(box => box.person)));
    const taken = new Set(here().boxes.map(box => box.person));
    const absent = [...all].filter(person => !taken.has(person)).sort((a, b) => a - b);
    return absent.length ? absent[0] : Math.max(0, ...all) + 1;
  }

  /** Persons of the frame before who are not in this one get the box that they had there. */
  function take_from_before() {
    if (shown === 0) return;
    const taken = new Set(here().boxes.map(box => box.person));
    const more = copied(frames[shown - 1].boxes).filter(box => !taken.has(box.person));
    if (!more.length) return;
    remember([shown]);
    here().boxes.push(...more);
    selected = more[0];
    draw();
  }

  function nudge(dx, dy, is_size) {
    if (!selected) return;
    remember([shown]);
    if (is_size) {
      selected.w = Math.max(smallest, rounded(selected.w + dx));
      selected.h = Math.max(smallest, rounded(selected.h + dy));
    } else {
      selected.x = rounded(selected.x + dx);
      selected.y = rounded(selected.y + dy);
    }
    draw();
  }

  // --- the mouse --------------------------------------------------------------------------------------------

  let drag = null;

  function point(event) {
    const {x, y} = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    return {x: Math.max(0, Math.min(here().width, x)), y: Math.max(0, Math.min(here().height, y))};
  }

  function handle_at({x, y}) {
    if (!selected) return null;
    const near = reach * scale();
    return handles.find(([u, v]) =>
      Math.abs(selected.x + u * selected.w - x) <= near && Math.abs(selected.y + v * selected.h - y) <= near);
  }

  /** The smallest box there; the selected one first. */
  function box_at({x, y}) {
    const holds = box => x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h;
    if (selected && holds(selected)) return selected;
    return here().boxes.filter(holds).sort((a, b) => a.w * a.h - b.w * b.h)[0] || null;
  }

  picture.addEventListener("pointerdown", event => {
    if (event.button !== 0) return;
    const start = point(event), before = copied(here().boxes), handle = handle_at(start);
    if (!handle) selected = box_at(start);
    drag = {start, before, handle, box: selected && {...selected}, is_new: !selected, has_moved: false};
    picture.setPointerCapture(event.pointerId);
    draw();
  });

  picture.addEventListener("pointermove", event => {
    if (!drag) return;
    const {x, y} = point(event), {start, box, handle} = drag;
    if (!drag.has_moved && Math.hypot(x - start.x, y - start.y) < 2 * scale()) return;
    drag.has_moved = true;
    if (drag.is_new && !selected) {
      selected = {person: free_number(), ignored: false};
      here().boxes.push(selected);
    }
    if (drag.is_new) {
      Object.assign(selected, edges_of(start.x, start.y, x, y));
    } else if (handle) {
      const [u, v] = handle;
      Object.assign(selected, edges_of(u === 0 ? x : box.x, v === 0 ? y : box.y, u === 1 ? x : box.x + box.w,
        v === 1 ? y : box.y + box.h));
    } else {
      selected.x = rounded(box.x + x - start.x);
      selected.y = rounded(box.y + y - start.y);
    }
    draw();
  });

  function edges_of(x1, y1, x2, y2) {
    return {x: rounded(Math.min(x1, x2)), y: rounded(Math.min(y1, y2)), w: rounded(Math.abs(x2 - x1)),
      h: rounded(Math.abs(y2 - y1))};
  }

  for (const end of ["pointerup", "pointercancel"]) {
    picture.addEventListener(end, () => {
      if (!drag) return;
      const {has_moved, before, is_new} = drag;
      drag = null;
      if (!has_moved) return;
      if (selected && (selected.w < smallest || selected.h < smallest)) {
        here().boxes = before;
        selected = null;
      } else {
        remember([shown], () => before);
        if (is_new) say(`Person ${selected.person} was drawn; type another number if it is somebody else.`);
      }
      draw();
    });
  }

  // --- files ------------------------------------------------------------------------------------------------

  function save() {
    const boxes = new Map(elsewhere.boxes);
    const checked = frames.filter(({is_checked}) => is_checked);
    for (const frame of checked) boxes.set(frame.number, frame.boxes);
    const text = fovea.write_tracks({
      boxes, annotated: [...elsewhere.annotated, ...checked.map(frame => frame.number)], others: elsewhere.others,
    });
    const address = URL.createObjectURL(new Blob([text], {type: "text/plain"}));
    const link = element("a", {href: address, download: `${data.name}.txt`});
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
    is_saved = true;
    const missing = frames.length - checked.length;
    say(`Saved as ${data.name}.txt: ${checked.length} frames. ` + (missing ?
      `${missing} frames were not looked at, and count as not annotated.` : "All frames were looked at."));
  }

  /** Frames of the file take its boxes; they count as checked where the file says so. */
  fovea.load_tracks = text => {
    const read = fovea.read_tracks(text), annotated = new Set(read.annotated || read.boxes.keys());
    for (const frame of read.boxes.keys()) {
      if (!annotated.has(frame)) throw new Error(`frame ${frame} has a box, but is not among the annotated frames`);
    }
    elsewhere = {boxes: new Map(), annotated: [], others: read.others};
    for (const number of annotated) {
      const boxes = read.boxes.get(number) || [], index = at_frame.get(number);
      if (index !== undefined) {
        frames[index].boxes = boxes;
      } else {
        elsewhere.annotated.push(number);
        elsewhere.boxes.set(number, boxes);
      }
    }
    for (const frame of frames) frame.is_checked = annotated.has(frame.number);
    const count = annotated.size - elsewhere.annotated.length;
    history.length = 0;
    selected = null;
    show(shown);
    is_saved = true;
    const others = elsewhere.annotated.length;
    say(`Loaded ${count} frames of this page` + (others ? `, and ${others} others, which will be saved as they are.` :
      "."));
  };

  async function load() {
    const [given] = file.files;
    if (!given) return;
    try {
      fovea.load_tracks(await given.text());
    } catch (error) {
      say(`${given.name} was not loaded: ${error.message}.`, true);
    }
    file.value = "";
  }

  addEventListener("beforeunload", event => { if (!is_saved) event.preventDefault(); });

  // --- keys -------------------------------------------------------------------------------------------------

  const arrows = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
  const keys = {
    Delete: remove, Backspace: remove, i: toggle_ignored, p: take_from_before,
    Escape: () => { selected = null; draw(); },
    Home: () => show(0), End: () => show(frames.length - 1),
    " ": () => {
      const {boxes} = here();
      selected = boxes[(boxes.indexOf(selected) + 1) % boxes.length] || null;
      draw();
    },
  };
  addEventListener("keydown", event => {
    if (event.target === number || drag) return;
    const is_command = event.ctrlKey || event.metaKey, arrow = arrows[event.key];
    let act = null;
    if (is_command) act = {z: undo, s: save}[event.key];
    else if (arrow && event.altKey) act = () => nudge(...arrow, event.shiftKey);
    else if (arrow && arrow[0]) act = () => show(shown + arrow[0] * (event.shiftKey ? 10 : 1));
    else if (/^[0-9]$/.test(event.key)) act = () => renumber(Number(event.key), false);
    else if (event.target.tagName !== "BUTTON" || event.key !== " ") act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  addEventListener("resize", draw);

  const help = [["← →", "frame before, next frame; with Shift ten"], ["drag", "draw a box, move it, resize it"],
    ["Space", "select the next box"], ["0 to 9", "the selected person's number, in this frame; whoever has it takes the old one"],
    ["from here on", "the number in all later frames, too"],
    ["p", "take the boxes of persons who are in the frame before and not here"],
    ["i", "ignored: a face that nobody can judge"], ["Delete", "delete the box"],
    ["Alt + arrow", "move the box by a pixel; with Shift resize it"], ["Ctrl + Z, Ctrl + S", "undo, save"]];
  document.getElementById("page").replaceChildren(
    element("h1", {}, fovea.name(data.name)),
    element("div", {class: "desk"}, button("←", () => show(shown - 1), {"aria-label": "Frame before"}),
      button("→", () => show(shown + 1), {"aria-label": "Next frame"}), slider, place),
    element("div", {class: "desk"}, element("label", {}, "person ", number), chosen[2], chosen[3],
      element("label", {}, ignored, " ignored"), chosen[4], button("boxes of the frame before", take_from_before), back,
      button("save", save), element("label", {class: "file"}, "load", file)),
    picture, status,
    element("details", {}, element("summary", {}, "Keys"),
      element("dl", {class: "keys"}, help.map(([key, text]) => [element("dt", {}, key), element("dd", {}, text)]))));
  show(0);
  is_saved = true;
})(window.fovea = window.fovea || {});
