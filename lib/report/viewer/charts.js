/** A chart: its frame, legend, zoom, and the values of its points under the mouse and by keyboard. */
(function (fovea) {
  "use strict";

  const {element, name, add} = fovea;
  const type_size = 12;
  const print_width = 420, wide_print_width = 800;
  const charts = [];
  const hidden = new Set();

  /** Switches a name off, or on again, in all charts of the page. */
  function toggle(series_name) {
    if (!hidden.delete(series_name)) hidden.add(series_name);
    for (const chart of charts) chart.refresh();
  }

  const flat = lists => lists.filter(Boolean).flat();
  const is_solid = (plot, direction) => (plot.series || []).some(({mark}) =>
    ["bars", "boxes", "rects"].includes(mark) || (mark === "area" && direction === "y"));

  /** Values along an axis: of the series, of reference lines and of labels. */
  function values_along(plot, direction) {
    const [lines, labels] = [plot.lines || [], plot.labels || []];
    const at = direction === "x" ? 0 : 1;
    return flat([
      ...(plot.series || []).flatMap(series => fovea.extent_values(series, direction)),
      lines.flatMap(line => [line[direction], line.from && line.from[at], line.to && line.to[at]]),
      labels.map(label => label[direction]),
    ]).filter(value => value !== null && value !== undefined);
  }

  /** Room around the plot, by what the axes write there. */
  function margins_of(chart, width) {
    const {x, y} = chart, marks = y.spec.marks || [];
    const widest = texts => Math.max(0, ...texts.map(text => fovea.text_width(text, type_size)));
    y.range = [300, 0];
    const label_room = Math.min(widest(y.ticks(false).map(tick => tick.text)), width * 0.36);
    const second_room = Math.min(widest(marks.map(mark => mark.second || "")), width * 0.2);
    const margins = {
      left: label_room + 12 + (y.spec.label ? 20 : 0), right: second_room ? second_room + 14 : 20,
      top: 10, bottom: 24 + (x.spec.label ? 20 : 0), label_room, second_room,
    };
    const x_marks = x.spec.marks || [];
    if (x_marks.length > 0) {
      const spacing = (width - margins.left - margins.right) / Math.max(x_marks.length, 1);
      const longest = widest(x_marks.flatMap(mark => [mark.label || "", mark.second || ""]));
      chart.slanted = Boolean(x.spec.slanted) || (x.is_category && longest + 6 > spacing);
      const joined = widest(x_marks.map(mark => [mark.label, mark.second].filter(Boolean).join(" · ")));
      if (chart.slanted) {
        chart.slant_room = Math.min(joined, 150);
        margins.bottom += chart.slant_room * 0.62;
      } else if (x_marks.some(mark => mark.second)) {
        margins.bottom += 15;
      }
    } else {
      chart.slanted = false;
    }
    return margins;
  }

  function height_of(chart, width, margins) {
    const {plot, y, x} = chart, inner = width - margins.left - margins.right;
    if (plot.square) {
      const ratio = (y.full[1] - y.full[0]) / (x.full[1] - x.full[0]);
      return margins.top + margins.bottom + Math.max(120, Math.min(inner * ratio, 560));
    }
    const rows = y.is_category ? y.spec.marks.length * 24 : 0;
    return margins.top + margins.bottom + Math.max(rows, Math.min(300, Math.max(200, inner * 0.62)));
  }

  /** Equal units on both axes: the plot is made narrower, or its view wider along one axis. */
  function make_square(chart, box) {
    const {x, y} = chart;
    const unit_x = (x.view[1] - x.view[0]) / (box.right - box.left);
    const unit_y = (y.view[1] - y.view[0]) / (box.bottom - box.top);
    const [axis, factor] = unit_x < unit_y ? [x, unit_y / unit_x] : [y, unit_x / unit_y];
    const centre = (axis.view[0] + axis.view[1]) / 2, half = ((axis.view[1] - axis.view[0]) * factor) / 2;
    axis.view = [centre - half, centre + half];
  }

  function drawn_text(parent, kind, x, y, text, room) {
    const node = add(parent, "text", {class: kind, x, y});
    const shown = room ? fovea.fitted(text, room, type_size) : text;
    node.append("tspan").text(shown);
    if (shown !== text) node.append("title").text(text);
    return node;
  }

  function draw_x_axis(chart, frame, box) {
    const ticks = chart.x.ticks(true);
    const spacing = ticks.length > 1 ? Math.abs(ticks[1].pixel - ticks[0].pixel) : Infinity;
    const stride = chart.slanted ? Math.max(1, Math.ceil(13 / spacing)) : 1;
    ticks.forEach((tick, i) => {
      const at = tick.pixel;
      if (!chart.x.is_category) add(frame, "path", {class: "grid", d: `M${at} ${box.top}V${box.bottom}`});
      add(frame, "path", {class: "axis", d: `M${at} ${box.bottom}v4`});
      if (i % stride) return;
      if (chart.slanted) {
        const text = [tick.text, tick.second].filter(Boolean).join(" · ");
        drawn_text(frame, "end", 0, 0, text, Math.min(chart.slant_room, at / 0.79))
          .attr("transform", `translate(${at + 4},${box.bottom + 13}) rotate(-38)`);
        return;
      }
      drawn_text(frame, "middle", at, box.bottom + 17, tick.text);
      if (tick.second) drawn_text(frame, "middle soft", at, box.bottom + 32, tick.second);
    });
    const {label} = chart.x.spec;
    if (label) drawn_text(frame, "middle", box.middle, chart.height - 5, label, box.right - box.left);
  }

  function draw_y_axis(chart, frame, box, margins) {
    for (const tick of chart.y.ticks(false)) {
      const at = tick.pixel, room = margins.second_room + 1;
      if (!chart.y.is_category) add(frame, "path", {class: "grid", d: `M${box.left} ${at}H${box.right}`});
      add(frame, "path", {class: "axis", d: `M${box.left - 4} ${at}h4`});
      drawn_text(frame, "end", box.left - 8, at + 4, tick.text, margins.label_room + 1);
      if (tick.second) drawn_text(frame, "soft", box.right + 8, at + 4, tick.second, room);
    }
    if (chart.y.spec.label) {
      drawn_text(frame, "middle", 0, 0, chart.y.spec.label, chart.height - 12)
        .attr("transform", `translate(13,${(box.top + box.bottom) / 2}) rotate(-90)`);
    }
  }

  function draw_reference_line(chart, layer, line, box) {
    const {x, y} = chart;
    const vertical = line.x !== undefined && line.x !== null, level = line.y !== undefined && line.y !== null;
    const from = line.from || (vertical ? [line.x, null] : [null, line.y]);
    const to = line.to || from;
    if (!line.from && !vertical && !level) return;
    const at = (axis, value, edge) => (value === null ? edge : axis.place(value));
    const [x1, y1] = [at(x, from[0], box.left), at(y, from[1], box.bottom)];
    const [x2, y2] = [at(x, to[0], box.right), at(y, to[1], box.top)];
    if (Number.isNaN(x1 + y1 + x2 + y2)) return;
    add(layer, "path", {class: "guide", d: `M${x1} ${y1}L${x2} ${y2}`});
    if (!line.label) return;
    const at_right = x2 > box.right - 90;
    const kind = at_right ? "end soft" : "soft";
    drawn_text(layer, kind, x2 + (at_right ? -5 : 5), Math.max(box.top + 12, y2 - 5), line.label);
  }

  /** Draws everything at the given width. Whatever zooming or switching changes, the chart is drawn anew. */
  function draw(chart, width) {
    const {plot, node, x, y} = chart;
    const margins = margins_of(chart, width);
    const height = chart.height = Math.round(height_of(chart, width, margins));
    const box = chart.box = {left: margins.left, right: width - margins.right, top: margins.top,
      bottom: height - margins.bottom, middle: (margins.left + width - margins.right) / 2};
    const turned = (axis, range) => (axis.spec.reversed ? [range[1], range[0]] : range);
    x.range = turned(x, [box.left, box.right]);
    y.range = turned(y, [box.bottom, box.top]);
    if (plot.square) make_square(chart, box);
    chart.width = width;
    const root = d3.select(node).attr("viewBox", `0 0 ${width} ${height}`);
    root.attr("width", width).attr("height", height).selectAll("*").remove();
    add(add(root, "clipPath", {id: chart.clip}), "rect", {x: box.left, y: box.top - 5,
      width: Math.max(1, box.right - box.left + 5), height: Math.max(1, box.bottom - box.top + 5)});
    const frame = root.append("g");
    draw_x_axis(chart, frame, box);
    draw_y_axis(chart, frame, box, margins);
    add(frame, "path", {class: "axis", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}`});
    const inside = add(root, "g", {"clip-path": `url(#${chart.clip})`});
    chart.series = (plot.series || []).filter(series => !hidden.has(series.name));
    chart.targets = chart.series.map(series =>
      ({series, ...fovea.draw_series(inside.append("g"), series, chart)}));
    for (const line of plot.lines || []) draw_reference_line(chart, inside, line, box);
    for (const label of plot.labels || []) {
      const [px, py] = [x.place(label.x), y.place(label.y)];
      if (!Number.isNaN(px + py)) drawn_text(inside, "middle", px, py + 4, label.text);
    }
    const half_way = (box.top + box.bottom) / 2;
    if (plot.empty) drawn_text(frame, "middle soft", box.middle, half_way, plot.empty, box.right - box.left);
    chart.operating_layer = inside.append("g");
    chart.cursor = add(root, "g", {class: "cursor"});
    if (fovea.mark_operating) fovea.mark_operating(chart);
  }

  const inside_box = ({left, right, top, bottom}, px, py) =>
    px >= left - 1 && px <= right + 1 && py >= top - 1 && py <= bottom + 1;

  /** Distance from a place to a point, or to the rectangle that stands for it. */
  function distance(target, i, px, py) {
    const rectangle = target.boxes && target.boxes[i];
    if (!rectangle) return Math.hypot(target.xs[i] - px, target.ys[i] - py);
    const [l, t, r, b] = rectangle;
    return Math.hypot(Math.max(l - px, 0, px - r), Math.max(t - py, 0, py - b));
  }

  function nearest(chart, px, py) {
    // Few points stand far apart.
    let found = null, least = d3.sum(chart.targets, target => target.xs.length) < 300 ? 90 : 40;
    for (const target of chart.targets) {
      for (let i = 0; i < target.xs.length; ++i) {
        const away = distance(target, i, px, py);
        if (away < least || (away === least && found)) { least = away; found = {target, i}; }
      }
    }
    return found;
  }

  /** The lines that tell a point: its series, values, interval and note. */
  function point_facts(chart, {target, i}) {
    const {series} = target, {x, y} = chart;
    const at = key => (series[key] ? series[key][i] : undefined);
    const axis_name = (axis, other) => axis.spec.label || other;
    const facts = [];
    const span = (axis, ...ends) =>
      [...new Set(ends.filter(end => end !== undefined).map(axis.text))].join(" – ");
    facts.push([axis_name(x, "x"), span(x, at("x"), at("x2"))]);
    if (series.mark === "boxes") {
      facts.push(["median", y.text(at("median"))], ["quartiles", span(y, at("q1"), at("q3"))]);
      facts.push(["whiskers", span(y, at("low"), at("high"))]);
      if (series.mean) facts.push(["mean", y.text(at("mean"))]);
    } else {
      facts.push([axis_name(y, "y"), span(y, at("y"), y.is_category ? undefined : at("y2"))]);
      if (Number.isFinite(at("low"))) facts.push(["interval", span(y, at("low"), at("high"))]);
    }
    return {facts, note: at("notes")};
  }

  function show_point(chart, point, spoken) {
    chart.point = point;
    chart.cursor.selectAll("*").remove();
    if (!point) {
      fovea.hide_tip();
      return;
    }
    const {target, i} = point, {series} = target;
    const rectangle = target.boxes && target.boxes[i];
    let [px, py] = [target.xs[i], target.ys[i]];
    if (rectangle) {
      const [l, t, r, b] = rectangle;
      [px, py] = [(l + r) / 2, t];
      add(chart.cursor, "rect", {x: l - 1, y: t - 1, width: r - l + 2, height: Math.max(2, b - t + 2)});
    } else {
      add(chart.cursor, "circle", {cx: px, cy: py, r: 6.5});
    }
    const {facts, note} = point_facts(chart, point);
    const outer = chart.node.getBoundingClientRect(), zoom = outer.width / chart.width;
    const place = {left: outer.left + px * zoom, top: outer.top + py * zoom - 6};
    fovea.show_tip([
      element("b", {}, fovea.swatch(series.style || {tone: "muted"}), name(series.name || chart.plot.title)),
      facts.map(([term, text]) => element("span", {}, name(term), ": ", name(text))),
      note && element("span", {}, name(note)),
    ].flat().filter(Boolean), {...place, right: place.left, bottom: place.top + 12});
    if (spoken) {
      const said = [series.name, ...facts.map(fact => fact.join(": ")), note];
      chart.status.textContent = said.filter(Boolean).join("; ");
    }
  }

  function has_place(chart, target, i) {
    const [px, py] = [target.xs[i], target.ys[i]];
    const [l, t, r, b] = target.boxes ? target.boxes[i] : [px, py, px, py];
    const {left, right, top, bottom} = chart.box;
    return r >= left - 1 && l <= right + 1 && b >= top - 1 && t <= bottom + 1;
  }

  /** Left and right walk the points of a series; up and down lead to the next series, near the same place. */
  function walk(chart, along, across) {
    const targets = chart.targets.filter(target => target.xs.some((_, i) => has_place(chart, target, i)));
    if (targets.length === 0) return;
    const now = chart.point && targets.find(target => target.series === chart.point.target.series);
    let target = now || targets[0], i = now ? chart.point.i : -1;
    if (now && across) {
      target = targets[(targets.indexOf(now) + across + targets.length) % targets.length];
      const px = now.xs[Math.min(i, now.xs.length - 1)];
      const order = d3.range(target.xs.length).filter(k => has_place(chart, target, k));
      const away = k => Math.abs(target.xs[k] - px);
      i = order.reduce((best, k) => (away(k) < away(best) ? k : best), order[0]);
    } else {
      const step = along || 1;
      let next = Math.abs(step) === Infinity ? (step < 0 ? 0 : target.xs.length - 1) : i + step;
      const by = Math.abs(step) === Infinity ? -Math.sign(step) : step;
      while (next >= 0 && next < target.xs.length && !has_place(chart, target, next)) next += by;
      if (next < 0 || next >= target.xs.length) next = i;
      i = next;
    }
    if (i >= 0) show_point(chart, {target, i}, true);
  }

  function zoom_axis(axis, pixel, factor) {
    const anchor = axis.unit(pixel), [low, high] = axis.full;
    const span = Math.max((high - low) / 1e5, Math.min(high - low, (axis.view[1] - axis.view[0]) * factor));
    const share = (anchor - axis.view[0]) / (axis.view[1] - axis.view[0]);
    const from = Math.max(low, Math.min(high - span, anchor - share * span));
    axis.view = [from, from + span];
  }

  function zoom(chart, px, py, factor) {
    zoom_axis(chart.x, px, factor);
    zoom_axis(chart.y, py, factor);
    chart.refresh();
  }

  const is_zoomed = ({x, y, plot}) => [x, y].some(axis =>
    axis.view[1] - axis.view[0] < (axis.full[1] - axis.full[0]) * (plot.square ? 0.99 : 0.9999));

  /** The mouse shows values and draws a frame to zoom into; its wheel zooms once the chart was clicked. */
  function listen_to_pointer(chart) {
    const {node} = chart;
    let start = null, frame = null;
    const place = event => {
      const outer = node.getBoundingClientRect(), scale = chart.width / outer.width;
      return [(event.clientX - outer.left) * scale, (event.clientY - outer.top) * scale];
    };
    const clamped = ([px, py]) => [Math.max(chart.box.left, Math.min(chart.box.right, px)),
                                   Math.max(chart.box.top, Math.min(chart.box.bottom, py))];
    node.addEventListener("pointermove", event => {
      const here = place(event);
      if (!start) return show_point(chart, nearest(chart, ...here));
      const [px, py] = clamped(here);
      if (frame) frame.remove();
      const [left, right] = d3.extent([px, start[0]]), [top, bottom] = d3.extent([py, start[1]]);
      frame = add(d3.select(node), "rect",
        {class: "frame", x: left, y: top, width: right - left, height: bottom - top});
    });
    node.addEventListener("pointerdown", event => {
      if (event.pointerType !== "mouse") return show_point(chart, nearest(chart, ...place(event)));
      if (event.button !== 0 || !inside_box(chart.box, ...place(event))) return;
      start = place(event);
      node.setPointerCapture(event.pointerId);
    });
    const end = event => {
      if (!start) return;
      const [from, to] = [start, clamped(place(event))];
      start = null;
      if (frame) frame.remove();
      frame = null;
      if (event.type !== "pointerup" || [0, 1].some(at => Math.abs(to[at] - from[at]) < 8)) return;
      [chart.x, chart.y].forEach((axis, at) => { axis.view = d3.extent([from[at], to[at]].map(axis.unit)); });
      chart.refresh();
    };
    for (const kind of ["pointerup", "pointercancel"]) node.addEventListener(kind, end);
    node.addEventListener("pointerleave", () => {
      if (!start && document.activeElement !== node) show_point(chart, null);
    });
    node.addEventListener("wheel", event => {
      const meant = event.ctrlKey || document.activeElement === node;
      if (!meant || (event.deltaY > 0 && !is_zoomed(chart))) return;
      event.preventDefault();
      zoom(chart, ...place(event), 1.2 ** Math.sign(event.deltaY));
    }, {passive: false});
    node.addEventListener("dblclick", () => chart.reset());
  }

  function listen_to_keys(chart) {
    const centre = () => [chart.box.middle, (chart.box.top + chart.box.bottom) / 2];
    const actions = {
      ArrowLeft: () => walk(chart, -1, 0), ArrowRight: () => walk(chart, 1, 0),
      ArrowUp: () => walk(chart, 0, -1), ArrowDown: () => walk(chart, 0, 1),
      Home: () => walk(chart, -Infinity, 0), End: () => walk(chart, Infinity, 0),
      "+": () => zoom(chart, ...centre(), 1 / 1.4), "-": () => zoom(chart, ...centre(), 1.4),
      0: () => chart.reset(), Escape: () => { show_point(chart, null); chart.node.blur(); },
    };
    chart.node.addEventListener("keydown", event => {
      const action = actions[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
    });
    chart.node.addEventListener("blur", () => show_point(chart, null));
  }

  function legend(plot) {
    const names = [...new Set((plot.series || []).map(series => series.name).filter(Boolean))];
    const of = wanted => (plot.series || []).filter(series => series.name === wanted);
    if (names.length < 2 && !names.some(one => of(one).some(series => series.detail))) return null;
    const keys = names.map(one => {
      const detail = of(one).map(series => series.detail).find(Boolean);
      return element("button", {type: "button", "aria-pressed": "true", title: one, click: () => toggle(one)},
        fovea.key_sample(of(one)[0]), element("span", {class: "key-name"}, name(one)),
        detail && element("span", {class: "key-detail"}, name(detail)));
    });
    const node = element("div", {class: "legend", role: "group", "aria-label": "Series"}, keys);
    const refresh = () =>
      keys.forEach((key, i) => key.setAttribute("aria-pressed", String(!hidden.has(names[i]))));
    return {node, refresh};
  }

  /** Buttons of a chart: other scales, the whole view again, the chart as a file. */
  function tools(chart, values) {
    const node = element("div", {class: "tools"});
    for (const direction of ["x", "y"]) {
      const spec = chart.plot[direction] || {}, given = spec.scale || "linear";
      const other = fovea.other_scale(spec, values[direction], is_solid(chart.plot, direction));
      if (!other || chart.plot.square) continue;
      const curved = given === "linear" ? other : given;
      const button = element("button", {
        type: "button", "aria-pressed": String(given !== "linear"),
        "aria-label": `${curved} scale of the ${direction} axis`,
        click: () => {
          const kind = chart[direction].kind === given ? other : given;
          chart[direction] = fovea.axis(spec, kind, values[direction]);
          button.setAttribute("aria-pressed", String(kind !== "linear"));
          chart.refresh();
        },
      }, `${direction} ${curved === "probit" ? "probit" : "log"}`);
      node.append(button);
    }
    const reset = () => chart.reset();
    chart.reset_button = element("button", {type: "button", hidden: true, click: reset}, "reset zoom");
    node.append(chart.reset_button, element("button", {
      type: "button", "aria-label": `Save ${chart.plot.title || "the chart"} as an SVG file`,
      click: () => fovea.save_chart(chart),
    }, "save SVG"));
    return node;
  }

  fovea.chart = plot => {
    const values = {x: values_along(plot, "x"), y: values_along(plot, "y")};
    const axis = direction => {
      const spec = plot[direction] || {};
      return fovea.axis(spec, spec.scale || "linear", values[direction]);
    };
    const chart = {plot, x: axis("x"), y: axis("y"), clip: fovea.unique("clip"), targets: [], width: 0};
    chart.node = fovea.svg("svg", {
      class: "plot", tabindex: "0", role: "application", "aria-roledescription": "chart",
      "aria-label": `${plot.title || "Chart"}. Arrow keys walk points and series, + and - zoom, 0 resets.`,
    });
    chart.status = element("p", {class: "unseen", role: "status"});
    chart.legend = legend(plot);
    chart.refresh = () => {
      if (chart.legend) chart.legend.refresh();
      if (chart.width === 0) return;
      show_point(chart, null);
      draw(chart, chart.width);
      chart.reset_button.hidden = !is_zoomed(chart);
    };
    chart.reset = () => {
      for (const direction of [chart.x, chart.y]) direction.view = [...direction.full];
      chart.refresh();
    };
    const room = element("div", {class: "drawing"}, chart.node);
    const title = element("h3", {}, name(plot.title || ""));
    const head = element("div", {class: "chart-head"}, title, tools(chart, values));
    listen_to_pointer(chart);
    listen_to_keys(chart);
    chart.resize = () => {
      const width = Math.floor(room.clientWidth);
      if (width > 0 && width !== chart.width) draw(chart, width);
    };
    new ResizeObserver(() => requestAnimationFrame(chart.resize)).observe(room);
    charts.push(chart);
    return element("figure", {class: plot.wide ? "chart wide" : "chart", id: plot.stem},
      head, chart.legend && chart.legend.node, room, chart.status,
      plot.caption && element("figcaption", {}, name(plot.caption)));
  };

  fovea.charts = charts;
  fovea.is_hidden = series_name => hidden.has(series_name);
  // Paper is narrower than most windows: the type keeps its size if the charts are drawn for it.
  addEventListener("beforeprint", () => {
    for (const chart of charts) draw(chart, chart.plot.wide ? wide_print_width : print_width);
  });
  addEventListener("afterprint", () => {
    for (const chart of charts) { chart.width = 0; chart.resize(); }
  });

  const drawn_properties = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray",
    "stroke-linecap", "stroke-linejoin", "font-size", "font-family", "font-weight", "text-anchor"];

  /** Saves a chart with title and legend, in the colours of paper, as a file that needs no style sheet. */
  fovea.save_chart = chart => {
    document.documentElement.classList.add("light");
    const copy = chart.node.cloneNode(true);
    const originals = [...chart.node.querySelectorAll("*")];
    [...copy.querySelectorAll("*")].forEach((node, i) => {
      const style = getComputedStyle(originals[i]);
      node.removeAttribute("style");
      for (const property of drawn_properties) node.setAttribute(property, style.getPropertyValue(property));
    });
    const {color, fontFamily} = getComputedStyle(chart.node);
    const named = chart.series.filter(series => series.name);
    const rows = named.filter((series, i) => named.findIndex(other => other.name === series.name) === i);
    const top = 30 + 18 * rows.length, height = top + chart.height;
    const text = (x, y, content, weight) => fovea.svg("text", {x, y, fill: color, "font-family": fontFamily,
      "font-size": weight ? 15 : 12, "font-weight": weight}, content);
    const keys = rows.flatMap((series, i) => {
      const variable = fovea.colour(series.style).slice("var(".length, -1);
      const stroke = getComputedStyle(document.documentElement).getPropertyValue(variable);
      const dashes = ((series.style && series.style.dashes) || []).join(" ");
      const y = 36 + 18 * i;
      const line = {d: `M14 ${y}h28`, stroke, "stroke-width": 2.5, "stroke-dasharray": dashes || null,
        "stroke-opacity": series.strength ? d3.max(series.strength) : null};
      const label = [series.name, series.detail].filter(Boolean).join("  ");
      return [fovea.svg("path", line), text(50, y + 4, label)];
    });
    const file = fovea.svg("svg", {viewBox: `0 0 ${chart.width} ${height}`, width: chart.width, height},
      fovea.svg("rect", {width: "100%", height: "100%", fill: "#ffffff"}),
      text(14, 20, chart.plot.title || "", 600), keys,
      fovea.svg("g", {transform: `translate(0,${top})`}, ...copy.childNodes));
    document.documentElement.classList.remove("light");
    const bytes = new Blob([new XMLSerializer().serializeToString(file)], {type: "image/svg+xml"});
    const download = `${chart.plot.stem || "chart"}.svg`;
    const link = element("a", {href: URL.createObjectURL(bytes), download});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
})(window.fovea = window.fovea || {});
