/** A timeline: rows of bars under one axis of time, each with a strip of pictures; zoom, search, times under the mouse. */
(function (fovea) {
  "use strict";

  const {element, svg, name} = fovea;
  const clock_steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];
  const tick_room = 84, most_zoom = 4096, shortest_view = 0.4;
  const rows_with_search = 8, rows_with_open_strips = 40;

  /** 0:03, 61:05.5 or 1:02:03: as many decimals as `step` needs. */
  fovea.clock = (seconds, step = 1) => {
    const units = step < 1 ? 10 : 1, all = Math.round(Math.abs(seconds) * units);
    const whole = Math.floor(all / units), hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
    const two = value => String(value).padStart(2, "0");
    const text = `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(whole % 60)}`;
    return `${seconds < 0 && all > 0 ? "\u2212" : ""}${text}${units > 1 ? `.${all % units}` : ""}`;
  };

  /** A word of digits is a track's number, and any other a part of its name. */
  const matches = (text, words) => words.every(word =>
    (/^\d+$/.test(word) ? text.split(/[^\d]+/).includes(String(Number(word))) : text.includes(word)));

  fovea.timeline = block => {
    const {from = 0, to = 1} = block, length = to > from ? to - from : 1;
    const text_at = (value, step) => (block.clock ? fovea.clock(value, step) : fovea.number(Math.round(value)));
    const share = value => (value - from) / length;
    let zoom = 1;

    const axis = element("div", {class: "time-axis"});
    const inner = element("div", {class: "time-inner"},
      element("div", {class: "time-row time-head"}, element("div", {class: "time-name"}), axis));
    const box = element("div", {
      class: "timeline", tabindex: "0", role: "region", "aria-label": `Timeline of ${block.title || "all rows"}`,
    }, inner);

    const bars_width = () => axis.clientWidth;
    const label_width = () => inner.clientWidth - bars_width();
    const view_width = () => Math.max(1, box.clientWidth - label_width());

    function draw_axis() {
      const wanted = (tick_room * length) / Math.max(1, bars_width());
      const step = block.clock ? clock_steps.find(each => each >= wanted) || 86400 * Math.ceil(wanted / 86400)
                               : Math.max(1, d3.tickStep(0, wanted * 2, 2));
      const visible = at => from + (length * at) / Math.max(1, bars_width());
      const first = Math.ceil(Math.max(from, visible(box.scrollLeft - tick_room)) / step);
      const last = Math.floor(Math.min(to, visible(box.scrollLeft + view_width() + tick_room)) / step);
      axis.replaceChildren(...d3.range(first, last + 1).map(i => {
        const has_room = (1 - share(i * step)) * bars_width() > tick_room * 0.7;
        const place = has_room ? `left:${100 * share(i * step)}%` : `right:${100 * (1 - share(i * step))}%`;
        return element("span", {style: place, class: has_room ? null : "before"}, text_at(i * step, step));
      }));
    }

    /** \param at pixel of the view that keeps its time */
    function set_zoom(wanted, at = view_width() / 2) {
      const middle = (box.scrollLeft + at) / Math.max(1, bars_width());
      zoom = Math.max(1, Math.min(most_zoom, length / shortest_view, wanted));
      box.style.setProperty("--zoom", zoom);
      box.scrollLeft = middle * bars_width() - at;
      draw_axis();
    }
    function go_to(value) {
      box.scrollTo({left: share(value) * bars_width() - view_width() * 0.1});
    }

    /** The bar under a place of a row. */
    function tell(row, bars, event) {
      const place = bars.getBoundingClientRect();
      const at = from + (length * (event.clientX - place.left)) / place.width;
      const near = (4 * length) / place.width;
      const holds = span => at >= span[0] - near && at <= span[1] + near;
      const span = (row.spans || []).find(holds), step = length / place.width;
      const found = (row.strong || []).some(holds);
      const state = span && (found ? block.strong_name : block.weak_name);
      fovea.show_tip([element("b", {}, name(row.name)), element("span", {}, [text_at(at, step), state]
        .filter(Boolean).join(", ")), span && element("span", {},
        `from ${text_at(span[0], step)} to ${text_at(span[1], step)}`)].filter(Boolean),
      {left: event.clientX, right: event.clientX, top: place.top, bottom: place.bottom});
    }

    function drawn_bars(row) {
      const d = spans => (spans || []).map(([a, b]) => `M${share(a)} 0H${share(b)}V1H${share(a)}Z`).join("");
      const style = `fill:${fovea.colour(row)};stroke:${fovea.colour(row)}`;
      const bars = svg("svg", {class: "time-bars", viewBox: "0 0 1 1", preserveAspectRatio: "none", role: "img"},
        svg("title", {}, `${row.name}: ${row.note || ""}`),
        svg("path", {class: "weak", d: d(row.spans), style}), svg("path", {class: "strong", d: d(row.strong), style}));
      bars.addEventListener("pointermove", event => tell(row, bars, event));
      bars.addEventListener("pointerleave", fovea.hide_tip);
      return bars;
    }

    /** Strips are made when they come near the view: a page may hold thousands of pictures. */
    function fill(strip, pictures) {
      if (strip.childElementCount > 0) return;
      const list = fovea.picture_list(pictures);
      strip.append(...pictures.map((_, i) => fovea.picture_figure(list, i)));
    }
    const strips = new Map();
    const observer = new IntersectionObserver(entries => {
      for (const {target, isIntersecting} of entries) {
        if (!isIntersecting) continue;
        fill(target, strips.get(target));
        observer.unobserve(target);
      }
    }, {root: box, rootMargin: "600px"});

    const records = (block.rows || []).map(row => {
      const first = (row.spans || [[from, from]])[0][0];
      const head = element("div", {class: "time-name"},
        element("button", {type: "button", click: () => go_to(first)}, fovea.swatch(row), name(row.name)),
        row.note && element("span", {class: "small"}, name(row.note)));
      const pictures = row.pictures || [];
      const strip = pictures.length > 0 &&
        element("div", {class: "time-strip", tabindex: "0", role: "group", "aria-label": `Faces of ${row.name}`});
      if (strip) {
        strips.set(strip, pictures);
        observer.observe(strip);
      }
      const node = element("div", {class: "time-row"}, head, drawn_bars(row), strip);
      return {node, first, text: `${row.name} ${row.note || ""}`.toLocaleLowerCase(), name: row.name.toLocaleLowerCase()};
    });
    inner.append(...records.map(({node}) => node));

    const count = element("span", {role: "status"});
    const field = element("input", {
      type: "search", placeholder: "Number or name", "aria-label": "Show the rows of a number or name",
      input: () => {
        const words = field.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
        let shown = 0;
        for (const record of records) {
          record.node.hidden = !matches(record.name, words);
          shown += !record.node.hidden;
        }
        count.textContent = words.length ? `${fovea.number(shown)} of ${fovea.number(records.length)}` : "";
      },
      keydown: event => {
        const first = event.key === "Enter" && records.find(({node}) => !node.hidden);
        if (first) go_to(first.first);
      },
    });
    const faces = element("input", {type: "checkbox", checked: records.length <= rows_with_open_strips,
      change: () => box.classList.toggle("bare", !faces.checked)});
    box.classList.toggle("bare", !faces.checked);
    const button = (text, label, click) => element("button", {type: "button", "aria-label": label, click}, text);
    const controls = element("div", {class: "controls"},
      records.length > rows_with_search && [field, count],
      element("span", {class: "buttons"}, button("−", "Zoom out", () => set_zoom(zoom / 2)),
        button("+", "Zoom in", () => set_zoom(zoom * 2)), button("whole", "Show the whole time", () => set_zoom(1))),
      strips.size > 0 && element("label", {}, faces, " faces"));

    box.addEventListener("wheel", event => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const at = event.clientX - box.getBoundingClientRect().left - label_width();
      set_zoom(zoom * 2 ** (-event.deltaY / 200), Math.max(0, at));
    }, {passive: false});
    box.addEventListener("keydown", event => {
      if (event.target !== box) return;
      const wanted = {"+": zoom * 2, "=": zoom * 2, "-": zoom / 2, "0": 1}[event.key];
      if (wanted !== undefined) set_zoom(wanted);
    });
    box.addEventListener("scroll", () => requestAnimationFrame(draw_axis), {passive: true});
    new ResizeObserver(() => {
      box.style.setProperty("--room", `${box.clientWidth}px`);
      draw_axis();
    }).observe(box);
    addEventListener("beforeprint", () => {
      set_zoom(1);
      for (const [strip, pictures] of strips) fill(strip, pictures);
    });
    return element("div", {class: "time", id: block.id}, controls, box,
      block.note && element("p", {class: "note below"}, name(block.note)));
  };
})(window.fovea = window.fovea || {});
