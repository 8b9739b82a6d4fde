/** The marks of a chart: lines, steps, dots, bars, areas, rectangles, boxes; their bands and intervals. */
(function (fovea) {
  "use strict";

  const {add} = fovea;
  // From so many on dots are round and small, and those on the same pixel are drawn once.
  const many = 1500;
  // Opacities are drawn in so many steps, each of them one path.
  const strengths = 20;
  const group_width = 0.76;

  /** Dots differ by shape too: colours alone do not reach every reader. */
  const shapes = [
    (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
    (x, y, r) => `M${x - r * 0.9} ${y - r * 0.9}h${r * 1.8}v${r * 1.8}h${-r * 1.8}z`,
    (x, y, r) => `M${x} ${y - r * 1.25}l${r * 1.15} ${r * 2.1}h${-r * 2.3}z`,
    (x, y, r) => `M${x} ${y - 1.3 * r}L${x + 1.3 * r} ${y}L${x} ${y + 1.3 * r}L${x - 1.3 * r} ${y}z`,
    (x, y, r) => `M${x} ${y + r * 1.25}l${r * 1.15} ${-r * 2.1}h${-r * 2.3}z`,
  ];
  const shape_of = style => shapes[((style && style.colour) || 0) % shapes.length];

  const rectangle = ([left, top, right, bottom]) => `M${left} ${top}H${right}V${bottom}H${left}Z`;

  /** Indices of points that differ from the last kept one by as much as the eye can see. Gaps are kept. */
  function visible_points(xs, ys) {
    const kept = [];
    let last = -1;
    for (let i = 0; i < xs.length; ++i) {
      const gap = Number.isNaN(xs[i]) || Number.isNaN(ys[i]);
      const moved = gap || last < 0 || i + 1 === xs.length ||
        Math.abs(xs[i] - xs[last]) >= 0.5 || Math.abs(ys[i] - ys[last]) >= 0.5;
      if (moved) kept.push(i);
      last = gap ? -1 : moved ? i : last;
    }
    return kept;
  }

  function drawn_line(group, {xs, ys}, series) {
    const line = d3.line().x(i => xs[i]).y(i => ys[i]).defined(i => !Number.isNaN(xs[i] + ys[i]));
    if (series.mark === "steps") line.curve(d3.curveStepAfter);
    add(group, "path", {class: series.reference ? "line reference" : "line", d: line(visible_points(xs, ys)),
      "stroke-dasharray": dashes_of(series)}).style("stroke", colour_of(series));
  }

  const colour_of = ({reference, style}) =>
    fovea.colour(reference && !(style && style.tone) ? {tone: "muted"} : style);
  const dashes_of = series => ((series.style && series.style.dashes) || []).join(" ") || null;

  /** Calls draw(indices, opacity) for the points of each strength. */
  function by_strength(series, count, draw) {
    if (!series.strength) return draw(d3.range(count), null);
    const bins = Array.from({length: strengths + 1}, () => []);
    for (let i = 0; i < count; ++i) {
      bins[Math.round(strengths * Math.max(0, Math.min(1, series.strength[i] ?? 1)))].push(i);
    }
    bins.forEach((indices, bin) => { if (indices.length) draw(indices, bin / strengths); });
  }

  function drawn_dots(group, {xs, ys}, series) {
    const plain = xs.length > many;
    by_strength(series, xs.length, (indices, opacity) => {
      const taken = new Set();
      let d = "";
      for (const i of indices) {
        const [x, y] = [xs[i], ys[i]];
        if (Number.isNaN(x) || Number.isNaN(y)) continue;
        if (plain) {
          const place = Math.round(x) * 65536 + Math.round(y);
          if (taken.has(place)) continue;
          taken.add(place);
          d += `M${x} ${y}h0`;
        } else {
          d += shape_of(series.style)(x, y, xs.length > 200 ? 2.4 : 3.6);
        }
      }
      add(group, "path", {class: plain ? "plain-dots" : "dots", d, opacity})
        .style(plain ? "stroke" : "fill", colour_of(series));
    });
  }

  function drawn_boxes(group, boxes, series) {
    const calibrated = series.style && series.style.calibrated;
    by_strength(series, boxes.length, (indices, opacity) => {
      const drawn = indices.map(i => boxes[i]).filter(box => !box.some(Number.isNaN));
      const d = drawn.map(rectangle).join("");
      add(group, "path", {class: calibrated ? "fill calibrated" : "fill", d, opacity})
        .style("fill", colour_of(series)).style("stroke", calibrated ? colour_of(series) : "none");
    });
  }

  function drawn_whiskers(group, xs, lows, highs, kind, colour) {
    let d = "";
    for (let i = 0; i < xs.length; ++i) {
      if (Number.isNaN(xs[i]) || Number.isNaN(lows[i]) || Number.isNaN(highs[i])) continue;
      d += `M${xs[i]} ${lows[i]}V${highs[i]}`;
    }
    if (d) add(group, "path", {class: kind, d}).style("stroke", colour);
  }

  function drawn_band(group, band, chart, series) {
    const xs = pixels(band.x, chart.x), lows = pixels(band.low, chart.y), highs = pixels(band.high, chart.y);
    const area = d3.area().defined(i => !Number.isNaN(xs[i] + lows[i] + highs[i]))
      .x(i => xs[i]).y0(i => lows[i]).y1(i => highs[i]);
    add(group, "path", {class: "band", d: area(d3.range(xs.length))}).style("fill", colour_of(series));
  }

  /** Pixels of the lower end of bars and areas: of 0, or of the axis's end where it does not hold 0. */
  function ground(axis) {
    const zero = axis.to(0);
    return Number.isFinite(zero) ? axis.place(0) : axis.place(axis.from(axis.full[0]));
  }

  /** The centre of a bar or box and half its width, in units of x. Those without a width share a category. */
  function slot(series, chart, x) {
    if (series.width) return [x, series.width / 2];
    const group = chart.series.filter(({mark, width}) => mark === series.mark && !width);
    const width = group_width / Math.max(group.length, 1);
    return [x + (group.indexOf(series) - (group.length - 1) / 2) * width, (width * 0.94) / 2];
  }

  const pixels = (values, axis) => Float64Array.from(values || [], value => axis.place(value));

  /**
   * Draws a series and tells where its points are: {xs, ys, boxes?}, for the mouse and the keyboard.
   */
  fovea.draw_series = (group, series, chart) => {
    const {x, y} = chart;
    const sorted = (a, b) => (a < b ? [a, b] : [b, a]);
    if (series.band) drawn_band(group, series.band, chart, series);
    const place = {xs: pixels(series.x, x), ys: pixels(series.y, y)};
    const lows = pixels(series.low, y), highs = pixels(series.high, y);
    if (series.mark === "rects") {
      const right = pixels(series.x2, x), bottom = pixels(series.y2, y);
      place.boxes = Array.from(place.xs, (left, i) => {
        const [l, r] = sorted(left, right[i]), [t, b] = sorted(place.ys[i], bottom[i]);
        return [l, t, Math.max(r, l + 0.7), b];  // a single frame of a long video stays visible
      });
      drawn_boxes(group, place.boxes, series);
    } else if (series.mark === "bars" || series.mark === "boxes") {
      const slots = (series.x || []).map(value => slot(series, chart, value));
      place.xs = Float64Array.from(slots, ([centre]) => x.place(centre));
      const sides = slots.map(([centre, half]) => sorted(x.place(centre - half), x.place(centre + half)));
      if (series.mark === "bars") {
        place.boxes = sides.map(([l, r], i) => {
          const [t, b] = sorted(place.ys[i], ground(y));
          return [l, t, r, b];
        });
        drawn_boxes(group, place.boxes, series);
      } else {
        const [q1, q3, median, mean] = ["q1", "q3", "median", "mean"].map(key => pixels(series[key], y));
        const each = (values, d) => Array.from(values, (v, i) => (Number.isNaN(v) ? "" : d(v, i))).join("");
        place.ys = median;
        drawn_whiskers(group, place.xs, lows, highs, "whisker", colour_of(series));
        place.boxes = sides.map(([l, r], i) => [l, q3[i], r, q1[i]]);
        drawn_boxes(group, place.boxes, series);
        const middle = (m, i) => `M${sides[i][0]} ${m}H${sides[i][1]}`;
        add(group, "path", {class: "median", d: each(median, middle)});
        add(group, "path", {class: "mean", d: each(mean, (m, i) => shapes[3](place.xs[i], m, 3))});
      }
    } else if (series.mark === "area") {
      const area = d3.area().x(i => place.xs[i]).y0(ground(y)).y1(i => place.ys[i])
        .defined(i => !Number.isNaN(place.xs[i] + place.ys[i]));
      const d = area(visible_points(place.xs, place.ys));
      add(group, "path", {class: "area", d}).style("fill", colour_of(series));
    }
    if (series.low && series.mark !== "boxes") {
      const on_bar = series.mark === "bars";
      drawn_whiskers(group, place.xs, lows, highs, "whisker", on_bar ? "var(--plot-ink)" : colour_of(series));
    }
    if (["line", "steps", "line_dots", "area"].includes(series.mark)) drawn_line(group, place, series);
    if (["dots", "line_dots"].includes(series.mark)) drawn_dots(group, place, series);
    return place;
  };

  /** A bar of the strengths that a series has, the palest on the left. */
  function drawn_scale(sample, series) {
    const [low, high] = d3.extent(series.strength), parts = 5;
    if (low === high) return drawn_boxes(sample, [[9, 1, 21, 11]], {...series, strength: [low]});
    const strength = d3.range(parts).map(i => low + ((high - low) * i) / (parts - 1));
    const boxes = strength.map((_, i) => [1 + 5.6 * i, 1, 6.6 + 5.6 * i, 11]);
    drawn_boxes(sample, boxes, {...series, strength});
  }

  /** The sample of a series in a legend. */
  fovea.key_sample = series => {
    const line = ["line", "steps", "line_dots"].includes(series.mark);
    const sample = d3.select(fovea.svg("svg", {class: "key", viewBox: "0 0 30 12", "aria-hidden": "true"}));
    const place = {xs: [1, 29], ys: [6, 6]};
    if (line) drawn_line(sample, place, {...series, mark: "line"});
    else if (series.strength) drawn_scale(sample, series);
    else if (series.mark !== "dots") drawn_boxes(sample, [[9, 1, 21, 11]], series);
    if (["dots", "line_dots"].includes(series.mark)) {
      drawn_dots(sample, {xs: [15], ys: [6]}, {...series, strength: null});
    }
    return sample.node();
  };

  /** All values along x and y that a series draws, so that the axes hold them. */
  fovea.extent_values = (series, direction) => {
    const band = series.band || {};
    if (direction === "y") {
      const base = ["bars", "area"].includes(series.mark) ? [0] : [];
      return [series.y, series.y2, series.low, series.high, series.q1, series.median, series.q3, series.mean,
              band.low, band.high, base];
    }
    const half = series.width / 2 || 0;
    const spread = ["bars", "boxes"].includes(series.mark) && half
      ? [(series.x || []).map(v => v - half), (series.x || []).map(v => v + half)] : [];
    return [series.x, series.x2, band.x, ...spread];
  };
})(window.fovea = window.fovea || {});
