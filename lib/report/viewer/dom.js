/** Helpers of all parts of the viewer: elements, text of numbers, colours, the tooltip, events. */
(function (fovea) {
  "use strict";

  const svg_space = "http://www.w3.org/2000/svg";

  function filled(node, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === undefined || value === null || value === false) continue;
      if (typeof value === "function") node.addEventListener(key, value);
      else node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.flat(Infinity).filter(child => (child ?? false) !== false));
    return node;
  }

  /** An element with attributes (functions listen) and children. Strings become text, never markup. */
  fovea.element = (tag, attributes, ...inner) => filled(document.createElement(tag), attributes, inner);
  fovea.svg = (tag, attributes, ...inner) =>
    filled(document.createElementNS(svg_space, tag), attributes, inner);

  /** Appends an element with attributes to a selection of D3. */
  fovea.add = (parent, tag, attributes) => {
    const node = parent.append(tag);
    for (const [key, value] of Object.entries(attributes)) node.attr(key, value);
    return node;
  };

  /** A name from the data: its directional marks end with it, and long ones break at their joints. */
  fovea.name = text => {
    const pieces = String(text).split(/(?<=[_\-./])(?!\d)/);
    return fovea.element("bdi", {}, pieces.map((piece, i) => [i > 0 && fovea.element("wbr"), piece]));
  };

  let ids = 0;
  fovea.unique = stem => `${stem}-${++ids}`;

  /** A link stays among files and web pages: no address of a report may run a script. */
  fovea.safe_address = (address, protocols = ["file:", "http:", "https:"]) => {
    try {
      return protocols.includes(new URL(address, location.href).protocol) ? address : null;
    } catch {
      return null;
    }
  };

  /** 1,234 and 0.8731 and 1.2e-7: as the tables of the report write numbers. */
  fovea.number = (value, digits = 4) => {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size >= 1e9 || (size > 0 && size < 1e-4)) return String(Number(value.toPrecision(digits)));
    return fovea.grouped(String(Number.isInteger(value) ? value : Number(value.toPrecision(digits))));
  };
  fovea.grouped = text => {
    const [whole, rest] = text.split(".");
    const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ",").replace("-", "\u2212");
    return rest ? `${thousands}.${rest}` : thousands;
  };
  fovea.percent = share => (Number.isFinite(share) ? `${(100 * share).toFixed(1)}\u00a0%` : "–");

  fovea.colour = style => {
    if (style && style.tone) return `var(--plot-${style.tone})`;
    return `var(--plot-${(((style && style.colour) || 0) % 12) + 1})`;
  };

  /** The square before a name that has a colour. */
  fovea.swatch = style => {
    const colour = fovea.colour(style);
    const look = style.calibrated ? `border-color:${colour}` : `border-color:${colour};background:${colour}`;
    return fovea.element("i", {class: style.calibrated ? "swatch calibrated" : "swatch", style: look});
  };

  /** A list of listeners and what calls them. */
  fovea.event = () => {
    const listeners = [];
    return {listen: f => listeners.push(f), send: (...values) => listeners.forEach(f => f(...values))};
  };

  const pen = document.createElement("canvas").getContext("2d");
  fovea.text_width = (text, size) => {
    pen.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
    return pen.measureText(text).width;
  };

  /** The text, or so much of its beginning and end as the width has room for. */
  fovea.fitted = (text, width, size) => {
    if (fovea.text_width(text, size) <= width) return text;
    const letters = Array.from(text);
    let low = 1, high = Math.min(letters.length, 400);
    const piece = (from, to) => letters.slice(from, to).join("");
    const cut = n => `${piece(0, Math.ceil(n / 2))}…${piece(letters.length - (n >> 1))}`;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (fovea.text_width(cut(middle), size) <= width) low = middle; else high = middle - 1;
    }
    return cut(low);
  };

  const tip = fovea.element("div", {class: "tip", id: "tip", role: "tooltip", hidden: true});

  /** Shows content above a place of the window, given as a rectangle, or below it if there is no room. */
  fovea.show_tip = (content, place) => {
    if (!tip.isConnected) document.body.append(tip);
    tip.replaceChildren(...[content].flat());
    tip.hidden = false;
    const {width, height} = tip.getBoundingClientRect();
    const room = document.documentElement.clientWidth;
    const left = Math.max(8, Math.min((place.left + place.right - width) / 2, room - width - 8));
    const top = place.top - height - 10;
    tip.style.left = `${left}px`;
    tip.style.top = `${top >= 4 ? top : place.bottom + 10}px`;
  };
  fovea.hide_tip = () => { tip.hidden = true; };
  addEventListener("keydown", event => { if (event.key === "Escape") fovea.hide_tip(); });
  addEventListener("scroll", fovea.hide_tip, {passive: true, capture: true});

  /** Makes an element tell a text to the mouse, the keyboard and the finger. */
  fovea.explain = (node, text) => {
    const show = () => {
      fovea.show_tip(fovea.element("span", {}, text), node.getBoundingClientRect());
      node.setAttribute("aria-describedby", "tip");
    };
    const hide = () => { fovea.hide_tip(); node.removeAttribute("aria-describedby"); };
    for (const kind of ["pointerenter", "focus", "click"]) node.addEventListener(kind, show);
    for (const kind of ["pointerleave", "blur"]) node.addEventListener(kind, hide);
    return node;
  };
})(window.fovea = window.fovea || {});
