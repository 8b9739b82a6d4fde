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
      const kind = `${box.class || classes[box.kind] || "found"}${box.subject ? " subject" : ""}`;
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

  /** A picture of a grid, which enlarges the list from itself on. */
  fovea.picture_figure = (list, index) => {
    const picture = list.at(index);
    return element("figure", {}, element("button", {
      type: "button", class: "enlarge", "aria-label": `Enlarge ${picture.name}`,
      click: () => fovea.enlarge(list, index),
    }, drawing(picture)), element("figcaption", {}, caption(picture)));
  };

  fovea.gallery = block => {
    const pictures = (block.pictures || []).map(gallery_picture);
    return element("div", {id: block.id, class: "pictures"},
      block.title && element("h3", {}, name(block.title)),
      block.note && element("p", {class: "note"}, name(block.note)),
      element("div", {class: "gallery"}, pictures.map((_, i) => fovea.picture_figure(pictures, i))));
  };
})(window.fovea = window.fovea || {});
