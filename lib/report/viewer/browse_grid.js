/** A grid of any number of cells, of which only those in sight are in the page. */
(function (fovea) {
  "use strict";

  const {element} = fovea;
  const gap = 6, beyond = 300;  // pixels that are made above and below the window

  /**
   * \param label what the cells are, for readers of the screen. \param width the least of a cell in pixels.
   * \param height of a cell by its width. \param cell makes the cell of an item; its first button or field takes
   * the keys.
   */
  fovea.grid = ({label, width, height, cell}) => {
    const inner = element("div", {class: "cells", role: "list", "aria-label": label});
    const node = element("div", {class: "scroller", tabindex: "-1"}, inner);
    const cells = new Map();  // by their place
    let items = [], columns = 1, wide = width, high = 1, at = 0, top = 0, is_planned = false;

    const target = place => cells.get(place)?.querySelector("button, input");

    function place_cell(place) {
      const made = cell(items[place], place);
      made.classList.add("cell");
      made.setAttribute("role", "listitem");
      made.setAttribute("aria-setsize", items.length);
      made.setAttribute("aria-posinset", place + 1);
      made.style.cssText = `left:${(place % columns) * (wide + gap)}px;` +
        `top:${Math.floor(place / columns) * (high + gap)}px;width:${wide}px;height:${high}px`;
      cells.set(place, made);
      const button = target(place);
      if (button) {
        button.tabIndex = place === at ? 0 : -1;
        button.addEventListener("focus", () => {
          const before = target(at);
          if (before) before.tabIndex = -1;
          button.tabIndex = 0;
          at = place;
        });
      }
      return made;
    }

    function draw() {
      is_planned = false;
      if (!node.clientHeight) return;
      top = node.scrollTop;
      const first = Math.max(0, Math.floor((top - beyond) / (high + gap)) * columns);
      const last = Math.min(items.length, Math.ceil((top + node.clientHeight + beyond) / (high + gap)) * columns);
      for (const [place, made] of cells) {
        if ((place >= first && place < last) || made.contains(document.activeElement)) continue;
        made.remove();
        cells.delete(place);
      }
      const fresh = [];
      for (let place = first; place < last; ++place) if (!cells.has(place)) fresh.push(place_cell(place));
      inner.append(...fresh);
      // The tab key finds one cell: one that is in sight.
      if (items.length && !cells.has(at)) {
        at = Math.min(items.length - 1, Math.ceil(top / (high + gap)) * columns);
        if (target(at)) target(at).tabIndex = 0;
      }
    }
    function plan() {
      if (!is_planned) requestAnimationFrame(draw);
      is_planned = true;
    }

    function lay_out() {
      if (!node.clientWidth) return;
      const room = inner.clientWidth;
      columns = Math.max(1, Math.floor((room + gap) / (width + gap)));
      wide = Math.max(1, Math.floor((room + gap) / columns) - gap);
      high = height(wide);
      inner.style.height = `${Math.ceil(items.length / columns) * (high + gap)}px`;
      node.scrollTop = top;  // lost while the grid was hidden
      const has_focus = inner.contains(document.activeElement);
      inner.replaceChildren();
      cells.clear();
      draw();
      if (has_focus) target(at)?.focus({preventScroll: true});
    }

    function go(place) {
      at = Math.max(0, Math.min(items.length - 1, place));
      const from = Math.floor(at / columns) * (high + gap);
      if (from < node.scrollTop) node.scrollTop = from;
      if (from + high > node.scrollTop + node.clientHeight) node.scrollTop = from + high + gap - node.clientHeight;
      draw();
      target(at)?.focus({preventScroll: true});
    }

    node.addEventListener("scroll", plan, {passive: true});
    node.addEventListener("keydown", event => {
      if (event.target.tagName === "INPUT" || event.ctrlKey || event.metaKey || event.altKey || !items.length) return;
      const page = columns * Math.max(1, Math.floor(node.clientHeight / (high + gap)) - 1);
      const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, PageUp: -page, PageDown: page,
        Home: -at, End: items.length - 1 - at}[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const is_row = Math.abs(step) === columns;
      if (!is_row || (at + step >= 0 && at + step < items.length)) go(at + step);
    });
    let seen = 0;
    new ResizeObserver(() => {
      if (node.clientWidth !== seen) {
        seen = node.clientWidth;
        lay_out();
      }
      plan();
    }).observe(node);

    return {
      node,
      /** Shows other items (a list, or a typed array) from the first one on, or stays where it is. */
      show(shown, {stay = false} = {}) {
        items = shown;
        if (!stay) at = top = node.scrollTop = 0;
        lay_out();
      },
      focus: () => go(at),
      items: () => items,
    };
  };
})(window.fovea = window.fovea || {});
