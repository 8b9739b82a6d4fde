/** Photographs with boxes drawn over them, galleries of them, and their enlargement. */
(function (fovea) {
  "use strict";

  const {element, svg, name} = fovea;
  const classes = {face: "truth", ignored: "truth ignored", detection: "found"};

  /**
   * A photograph with its boxes. A dark rim under every line keeps it visible on any photograph. A box may
   * carry a class of its own, which the sample browser uses.
   */
  fovea.drawn_picture = picture => {
    const view = picture.view || [0, 0, picture.width, picture.height];
    const parts = [svg("title", {}, [picture.name, ...(picture.facts || [])].join("; "))];
    if (picture.address) {
      parts.push(svg("image", {href: picture.address, width: picture.width, height: picture.height}));
    }
    for (const box of picture.boxes || []) {
      const place = {x: box.x, y: box.y, width: Math.max(0, box.width), height: Math.max(0, box.height)};
      const marks = `${box.subject ? " subject" : ""}${box.below ? " below" : ""}`;
      const kind = (box.class || classes[box.kind] || "found") + marks;
      parts.push(svg("rect", {class: `rim ${kind}`, ...place}));
      parts.push(svg("rect", {class: kind, ...place}, box.note && svg("title", {}, box.note)));
    }
    for (const drawn of picture.points || []) {
      // Lines without length, whose round ends are dots of the same size at any scale of the picture.
      const d = (drawn.points || []).map(([x, y]) => `M${x} ${y}h0`).join("");
      const kind = drawn.kind === "detection" ? "found" : "truth";
      parts.push(svg("path", {class: "dots rim", d}), svg("path", {class: `dots ${kind}`, d}));
    }
    return svg("svg", {class: "picture", viewBox: view.join(" "), role: "img"}, parts);
  };

  function gallery_picture(picture) {
    const bytes = /^[A-Za-z0-9+/=\s]*$/.test(picture.jpeg || "") ? picture.jpeg : null;
    return {...picture, address: bytes ? `data:image/jpeg;base64,${bytes}` : null};
  }

  function drawing(picture) {
    const shown = picture.address || (!picture.unreadable && picture.width > 0);
    if (shown) return fovea.drawn_picture(picture);
    return element("span", {class: "picture none"}, name(picture.unreadable || "no picture"));
  }

  /** Pictures as picture_figure() and enlarge() take them. */
  fovea.picture_list = pictures => {
    const shown = pictures.map(gallery_picture);
    return {length: shown.length, at: i => shown[i]};
  };

  const caption = picture => [element("b", {}, name(picture.name)),
    (picture.facts || []).map(fact => element("span", {}, name(fact)))];

  /**
   * Shows one picture of a list large. `list` has a length and at(i), which gives a picture. The arrow keys
   * lead through it, and Escape leads back to where the reader was.
   */
  fovea.enlarge = (list, first) => {
    let shown = first;
    const place = element("div", {class: "large"});
    const text = element("div", {class: "large-caption", "aria-live": "polite"});
    const step = (by, label) => element("button", {type: "button", click: () => move(by)}, label);
    const [previous, next] = [step(-1, "← previous"), step(1, "next →")];
    const dialog = element("dialog", {class: "enlarged", "aria-label": "Picture, enlarged"},
      element("div", {class: "steps"}, previous, next,
        element("button", {type: "button", click: () => dialog.close()}, "close")), place, text);

    function show() {
      const picture = list.at(shown);
      const counted = `${fovea.number(shown + 1)} of ${fovea.number(list.length)}`;
      place.replaceChildren(drawing(picture));
      const details = (picture.details || []).map(detail => element("span", {}, name(detail)));
      text.replaceChildren(...caption(picture).flat(), ...details, element("span", {}, counted));
      previous.disabled = shown === 0;
      next.disabled = shown >= list.length - 1;
    }
    function move(by) {
      shown = Math.max(0, Math.min(list.length - 1, shown + by));
      show();
      if (document.activeElement === document.body) dialog.focus();
    }
    dialog.addEventListener("keydown", event => {
      const by = {ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1}[event.key];
      if (!by) return;
      event.preventDefault();
      move(by);
    });
    dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    show();
  };

  /** A picture of a grid, which enlarges the list from itself on. `place` is where it stands in the list. */
  fovea.picture_figure = (list, index, place = () => index) => {
    const picture = list.at(index);
    return element("figure", {}, element("button", {
      type: "button", class: "enlarge", "aria-label": `Enlarge ${picture.name}`,
      click: () => fovea.enlarge(list, place()),
    }, drawing(picture)), element("figcaption", {}, caption(picture)));
  };

  /**
   * A picture of a detector at its threshold: detections below it are faint, and what is found is counted. It
   * is settled if its subject is no error there.
   */
  function at_threshold(picture) {
    if (picture.rival === undefined) return picture;
    const threshold = fovea.threshold.of(picture.rival);
    const is_kept = ({score = -Infinity}) => score >= threshold;
    const boxes = (picture.boxes || []).map(box =>
      ({...box, below: box.kind === "detection" && !is_kept(box)}));
    const faces = boxes.filter(({kind}) => kind === "face"), found = faces.filter(is_kept);
    const alarms = boxes.filter(box => box.alarm && is_kept(box)), subject = boxes.find(box => box.subject);
    const settled = Boolean(subject) && is_kept(subject) === (subject.kind === "face");
    const here = `${faces.length ? `${found.length} of ${fovea.number(faces.length)} found` : "no face"}, ` +
      `${fovea.number(alarms.length)} false positive${alarms.length === 1 ? "" : "s"}`;
    return {...picture, boxes, settled, facts: [...(picture.facts || []), here]};
  }

  fovea.gallery = block => {
    const pictures = (block.pictures || []).map(gallery_picture);
    let order = pictures.map((_, i) => i);
    const list = {length: pictures.length, at: i => at_threshold(pictures[order[i]])};
    const figures = order.map(i => fovea.picture_figure(list, i, () => order.indexOf(i)));
    const grid = element("div", {class: "gallery"}, figures);
    /** Pictures that are no errors at the threshold stand last. */
    function follow() {
      const now = pictures.map(at_threshold);
      now.forEach(({boxes, settled}, i) => {
        figures[i].classList.toggle("settled", settled);
        for (const kind of [".rim", ":not(.rim)"]) {
          const drawn = figures[i].querySelectorAll(`rect${kind}`);
          drawn.forEach((rect, k) => rect.classList.toggle("below", boxes[k].below));
        }
        figures[i].lastElementChild.replaceChildren(...caption(now[i]).flat());
      });
      const next = [...figures.keys()].sort((a, b) => now[a].settled - now[b].settled || a - b);
      if (String(next) === String(order)) return;
      order = next;
      grid.append(...order.map(i => figures[i]));
    }
    const rivals = new Set(pictures.map(({rival}) => rival).filter(rival => rival !== undefined));
    fovea.threshold.listen(moved => { if ([...rivals].some(rival => moved.has(rival))) follow(); });
    return element("div", {id: block.id, class: "pictures"},
      block.title && element("h3", {}, name(block.title)),
      block.note && element("p", {class: "note"}, name(block.note)), grid);
  };
})(window.fovea = window.fovea || {});
