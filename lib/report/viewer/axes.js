/** Axes: places of values on a linear, log, log1p or probit axis, and the marks that stand along it. */
(function (fovea) {
  "use strict";

  const type_size = 12;

  /** Acklam's rational approximation of the normal quantile; its error is below 1.2e-9. */
  function probit(p) {
    if (p <= 0) return -Infinity;
    if (p >= 1) return Infinity;
    const a = [-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269,
               -30.66479806614716, 2.506628277459239];
    const b = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972,
               -13.28068155288572, 1];
    const c = [-0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734,
               4.374664141464968, 2.938163982698783];
    const d = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1];
    const sum = (factors, x) => factors.reduce((total, factor) => total * x + factor, 0);
    const tail = q => sum(c, q) / sum(d, q);
    if (p < 0.02425) return tail(Math.sqrt(-2 * Math.log(p)));
    if (p > 0.97575) return -tail(Math.sqrt(-2 * Math.log(1 - p)));
    const q = p - 0.5;
    return (sum(a, q * q) * q) / sum(b, q * q);
  }

  /** The share below t, by bisection: it is asked for at single places only. */
  function normal_share(t) {
    let low = 0, high = 1;
    for (let i = 0; i < 60; ++i) {
      const middle = (low + high) / 2;
      if (probit(middle) < t) low = middle; else high = middle;
    }
    return (low + high) / 2;
  }

  const kinds = {
    linear: {to: v => v, from: t => t},
    log: {to: v => (v > 0 ? Math.log10(v) : -Infinity), from: t => 10 ** t},
    log1p: {to: v => (v > -1 ? Math.log10(1 + v) : -Infinity), from: t => 10 ** t - 1},
    probit: {to: probit, from: normal_share},
  };

  /** The next of 1, 2, 5, 10, 20, ... at or below (above) a positive value. */
  function round_number(value, up) {
    const decade = 10 ** Math.floor(Math.log10(value) + 1e-12);
    const [one, two, five, ten] = [1, 2, 5, 10].map(step => step * decade);
    if (up) return [one, two, five, ten].find(step => step >= value * (1 - 1e-9));
    return [ten, five, two, one].find(step => step <= value * (1 + 1e-9));
  }

  function nice_ends(kind, low, high) {
    if (kind === "linear") return d3.nice(low, high, 6);
    if (kind === "log") return [round_number(low, false), round_number(high, true)];
    if (kind === "log1p") return [low >= 0 ? 0 : low, high > 0 ? round_number(high, true) : high];
    return [low, high];
  }

  /** Marks that number rows or columns of a chart: half a row stands before the first and behind the last. */
  const is_category = ({marks = [], scale = "linear"}) => marks.length > 0 && scale === "linear" &&
    marks.every(({at}, i) => Number.isInteger(at) && (i === 0 || at - marks[i - 1].at === 1));

  function full_view(spec, kind, values) {
    const {to} = kinds[kind];
    let low = Infinity, high = -Infinity;
    for (const value of values) {
      if (value === null || value === undefined || !Number.isFinite(to(value))) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (is_category(spec)) {
      low = Math.min(low, spec.marks[0].at - 0.5);
      high = Math.max(high, spec.marks[spec.marks.length - 1].at + 0.5);
    } else if (low > high) {
      [low, high] = kind === "log" ? [1, 10] : kind === "probit" ? [0.01, 0.5] : [0, 1];
    } else if (low === high && kind !== "probit") {
      const room = Math.abs(low) / 10 || 0.5;
      const below = low >= 0 ? Math.max(0, low - room) : low - room;
      [low, high] = kind === "log" ? [low / 2, low * 2] : [below, high + room];
    }
    const has = end => Number.isFinite(end) && Number.isFinite(to(end));
    const nice = is_category(spec) ? [low, high] : nice_ends(kind, low, high);
    const view = [to(has(spec.min) ? spec.min : nice[0]), to(has(spec.max) ? spec.max : nice[1])];
    return view[1] > view[0] ? view : [view[0] - 0.5, view[0] + 0.5];
  }

  function log_candidates(view, from) {
    const places = [];
    const [first, last] = [Math.floor(Math.log10(Math.max(from(view[0]), 1e-12))), Math.ceil(view[1]) + 1];
    const steps = view[1] - view[0] > 4 ? [1] : [1, 2, 5];
    for (let e = first; e <= last; ++e) for (const step of steps) places.push(step * 10 ** e);
    return places;
  }

  function candidates(kind, view, count) {
    const {from, to} = kinds[kind];
    const ends = view.map(from);
    const inside = place => to(place) >= view[0] - 1e-9 && to(place) <= view[1] + 1e-9;
    let places = [];
    if (kind === "log") places = log_candidates(view, from).filter(inside);
    if (kind === "log1p") places = [0, ...log_candidates(view, from).filter(at => at >= 1)].filter(inside);
    if (kind === "probit") {
      const half = [1e-5, 1e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4];
      places = [...half, ...half.map(p => 1 - p).reverse()].filter(inside);
    }
    return places.length >= 3 ? places : d3.ticks(ends[0], ends[1], count);
  }

  const moved = (place, [a, b], [c, d]) => c + ((place - a) / (b - a)) * (d - c);

  /**
   * An axis of a chart. `values` are the data along it. Its view, in the units of its scale, is what zooming
   * moves; `range` are the pixels of its ends.
   */
  fovea.axis = (spec, kind, values) => {
    const {to, from} = kinds[kind];
    const full = full_view(spec, kind, values);
    const has_min = Number.isFinite(spec.min), has_max = Number.isFinite(spec.max);
    const axis = {
      spec, kind, full, view: [...full], range: [0, 1], is_category: is_category(spec),
      to, from,
      pixel: t => moved(t, axis.view, axis.range),
      unit: pixel => moved(pixel, axis.range, axis.view),
      /** The pixel of a value, not a number where it has no place. */
      place(value) {
        if (value === null || value === undefined) return NaN;
        let t = to(value);
        if (t === -Infinity) t = has_min ? full[0] : NaN;
        if (t === Infinity) t = has_max ? full[1] : NaN;
        return Math.max(-1e5, Math.min(1e5, Math.round(axis.pixel(t) * 10) / 10));
      },
      text(value) {
        if (axis.is_category) {
          const mark = spec.marks.find(({at}) => at === Math.round(value));
          if (mark) return mark.label;
        }
        if (!spec.share || !Number.isFinite(value)) return fovea.number(value);
        return `${fovea.number(Number((100 * value).toPrecision(4)))}\u00a0%`;
      },
      ticks,
    };

    function tick_texts(places) {
      const shown = places.map(place => (spec.share ? Number((100 * place).toPrecision(10)) : place));
      const unit = spec.share ? "\u00a0%" : "";
      if (kind !== "linear") return shown.map(value => fovea.number(Number(value.toPrecision(6)), 6) + unit);
      const step = shown.length > 1 ? Math.abs(shown[1] - shown[0]) : 1;
      const digits = Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)));
      return shown.map(value => (Math.abs(value) >= 1e9 || digits > 6 ? String(Number(value.toPrecision(6)))
        : fovea.grouped(value.toFixed(digits))) + unit);
    }

    /** Marks in view that leave each other room: {pixel, text, second}. */
    function ticks(horizontal) {
      const length = Math.abs(axis.range[1] - axis.range[0]);
      const count = Math.max(2, Math.floor(length / (horizontal ? 75 : 48)));
      const places = spec.marks ? [] : candidates(kind, axis.view, count);
      const texts = tick_texts(places);
      const [first, last] = d3.extent(axis.range);
      const all = (spec.marks || places.map((at, i) => ({at, label: texts[i]})))
        .map(({at, label, second}) => ({pixel: axis.pixel(to(at)), text: label ?? "", second: second ?? ""}))
        .filter(({pixel}) => pixel >= first - 0.6 && pixel <= last + 0.6);
      if (axis.is_category) return all;
      const need = tick => (horizontal ? fovea.text_width(tick.text, type_size) / 2 + 6 : 9);
      const kept = [];
      for (const tick of all) {
        const before = kept[kept.length - 1];
        if (!before || Math.abs(tick.pixel - before.pixel) >= need(tick) + need(before)) kept.push(tick);
      }
      return kept;
    }
    return axis;
  };

  /** The other scale that an axis makes sense with, or null. Bars and areas of `solid` axes start at 0. */
  fovea.other_scale = (spec, values, solid) => {
    const kind = spec.scale || "linear";
    if (kind !== "linear") return "linear";
    if (spec.marks || spec.share || solid || spec.min < 0) return null;
    let low = Infinity, high = 0, whole = true;
    for (const value of values) {
      if (value < 0) return null;
      if (value > high) high = value;
      if (value > 0 && value < low) low = value;
      whole = whole && Number.isInteger(value);
    }
    if (!(high >= 30 * low)) return null;
    return whole ? "log1p" : "log";
  };
})(window.fovea = window.fovea || {});
