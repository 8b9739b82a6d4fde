/** The score threshold of each detector: a slider, the numbers at it, and its place in the charts. */
(function (fovea) {
  "use strict";

  const {element, name} = fovea;
  const changed = fovea.event();
  let detectors = [];

  /**
   * The thresholds as they stand now. `listen` is told which detectors' have moved, as a set of places in
   * `operating`; `of` gives that of a detector.
   */
  fovea.threshold = {listen: changed.listen, of: index => detectors[index]?.threshold ?? -Infinity};

  /** How many of the falling thresholds are kept at a threshold. */
  function kept_at(thresholds, threshold) {
    let low = 0, high = thresholds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (thresholds[middle] >= threshold) low = middle + 1; else high = middle;
    }
    return low;
  }

  /** Counts by the number of thresholds kept, of pairs: how far from the last place, how many there. */
  function summed(steps, length) {
    const counts = new Int32Array(length + 1);
    for (let i = 0, place = 1; steps && i < steps.length; i += 2) counts[place += steps[i]] += steps[i + 1];
    for (let i = 1; i <= length; ++i) counts[i] += counts[i - 1];
    return counts;
  }

  /** The counts of a tally at the present threshold: 0 is all, 1 whole images. */
  function counts_of({spec, kept, tallies}, index) {
    if (index === 0) {
      const at = key => (kept > 0 && spec[key] ? spec[key][kept - 1] : 0);
      return {faces: spec.faces, images: spec.images, found: at("true_positives"),
        false_positives: at("false_positives"), true_negatives: 0};
    }
    const given = (spec.tallies || [])[index - 1] || {};
    const [found, alarms] = tallies[index] ||= [given.found, given.false_positives]
      .map(steps => summed(steps, spec.thresholds.length));
    const {faces = 0, images = 0} = given;
    return {faces, images, found: found[kept], false_positives: alarms[kept],
      true_negatives: index === 1 ? images - alarms[kept] : 0};
  }

  const share = (part, whole) => (whole > 0 ? part / whole : null);

  /** Counts and rates of a tally at the present threshold; null where there is no rate. */
  function numbers(detector, index = 0) {
    const counts = counts_of(detector, index);
    const {faces, images, found, false_positives, true_negatives} = counts;
    const missed = faces - found, right = found + true_negatives;
    const recall = share(found, faces);
    return {...counts, threshold: detector.threshold, missed, errors: missed + false_positives, recall,
      accuracy: share(right, right + missed + false_positives),
      precision: share(found, found + false_positives), f1: share(2 * found, faces + found + false_positives),
      fp_per_image: share(false_positives, images)};
  }

  const f1_text = value => (value === null ? "–" : value.toFixed(3));
  const texts = {threshold: value => fovea.number(value, 6), accuracy: fovea.percent, precision: fovea.percent,
    recall: fovea.percent, f1: f1_text, fp_per_image: value => (value === null ? "–" : value.toFixed(2))};

  /** Wilson's score interval of a rate at 95 %. */
  function wilson(found, of) {
    const z = 1.959963984540054, rate = found / of, spread = (z * z) / of;
    const centre = (rate + spread / 2) / (1 + spread);
    const half = (z / (1 + spread)) * Math.sqrt((rate * (1 - rate)) / of + spread / (4 * of));
    return [found === 0 ? 0 : centre - half, found === of ? 1 : centre + half];
  }

  const is_moved = detector => Boolean(detector) && detector.kept !== detector.own_kept;

  /** A cell as it stands at the thresholds: the report's own content, unless its detector's has moved. */
  fovea.followed = cell => {
    const [rival, tally, key] = cell.follows, detector = detectors[rival];
    if (!is_moved(detector)) return cell;
    const now = numbers(detector, tally), text = (texts[key] || fovea.number)(now[key]);
    if (key === "threshold" && cell.notes) return {...cell, notes: [`score of at least ${text}`]};
    const shown = {...cell, text, value: now[key], best: false};
    if (cell.interval !== undefined) {
      const [low, high] = now.faces > 0 && key === "recall" ? wilson(now.found, now.faces) : [];
      shown.interval = low === undefined ? undefined : `${(100 * low).toFixed(1)}–${fovea.percent(high)}`;
    }
    if (cell.bar !== undefined) shown.bar = now[key];
    if (cell.notes) shown.notes = [`${texts.fp_per_image(now.fp_per_image)} FP per image`];
    return shown;
  };

  /** Names those of these detectors whose thresholds have moved, with the thresholds; "" where none has. */
  fovea.moved_points = rivals => [...rivals].map(rival => detectors[rival]).filter(is_moved)
    .map(({spec, threshold}) => `${spec.name} at a score ≥ ${fovea.number(threshold, 6)}`).join(", ");

  /** Rates of a plot's slices at the thresholds. */
  function follow_series(series) {
    const {rival, tallies} = series.follows, detector = detectors[rival];
    series.own ||= {y: series.y, low: series.low, high: series.high};
    if (!is_moved(detector)) return Object.assign(series, series.own);
    const counts = tallies.map(tally => counts_of(detector, tally));
    series.y = counts.map(({found, faces}) => share(found, faces));
    const ends = end => series.own.low && counts.map(({found, faces}) => wilson(found, faces)[end]);
    return Object.assign(series, {low: ends(0), high: ends(1)});
  }

  const columns = [
    ["found", now => fovea.number(now.found)], ["false positives", now => fovea.number(now.false_positives)],
    ["precision", now => fovea.percent(now.precision)], ["recall", now => fovea.percent(now.recall)],
    ["F1", now => f1_text(now.f1)],
  ];

  const waiting = new Set();
  function settle() {
    const rivals = new Set(waiting);
    waiting.clear();
    for (const chart of fovea.charts) {
      const led = (chart.plot.series || []).filter(({follows}) => follows && rivals.has(follows.rival));
      led.forEach(follow_series);
      if (led.length) chart.refresh(); else fovea.mark_operating(chart);
    }
    changed.send(rivals);
  }
  function tell(detector) {
    if (waiting.size === 0) requestAnimationFrame(() => { if (waiting.size > 0) settle(); });
    waiting.add(detectors.indexOf(detector));
  }

  function set_threshold(detector, threshold, field_too = true) {
    detector.threshold = threshold;
    detector.kept = kept_at(detector.spec.thresholds, threshold);
    detector.slider.value = detector.kept;
    if (field_too) detector.field.value = String(Number(threshold.toPrecision(6)));
    const now = numbers(detector);
    const terms = columns.map(([term, value]) => `${term} ${value(now)}`);
    detector.slider.setAttribute("aria-valuetext", `threshold ${fovea.number(threshold, 6)}, ${terms}`);
    detector.outputs.forEach((output, i) => { output.textContent = columns[i][1](now); });
    tell(detector);
  }

  /** Position 0 of the slider keeps nothing: the threshold is above the highest score. */
  function threshold_at(thresholds, position) {
    if (position > 0) return thresholds[position - 1];
    return thresholds.length > 0 ? thresholds[0] + (Math.abs(thresholds[0]) || 1) * 1e-6 : 0;
  }

  function detector_row(spec) {
    const detector = {spec, tallies: [], outputs: columns.map(() => element("output", {}))};
    const label = `Score threshold of ${spec.name}`;
    detector.slider = element("input", {type: "range", min: 0, max: spec.thresholds.length, step: 1,
      "aria-label": `${label}: left is strict, right keeps all`,
      input: event => set_threshold(detector, threshold_at(spec.thresholds, Number(event.target.value)))});
    detector.field = element("input", {type: "number", step: "any", "aria-label": label,
      input: event => {
        const value = event.target.valueAsNumber;
        if (Number.isFinite(value)) set_threshold(detector, value, false);
      }});
    const given = spec.threshold ?? threshold_at(spec.thresholds, 0);
    detector.own_kept = kept_at(spec.thresholds, given);
    detector.reset = () => set_threshold(detector, given);
    detector.node = element("div", {class: "threshold", role: "group", "aria-label": spec.name},
      element("span", {class: "series"}, fovea.swatch(spec.style || {}), name(spec.name)), detector.slider,
      element("label", {}, "score ≥", detector.field),
      columns.map(([term], i) =>
        element("span", {class: "number"}, element("i", {}, term), detector.outputs[i])));
    return detector;
  }

  const has_operating = section => (section.blocks || []).some(block => block.operating) ||
    (section.sections || []).some(has_operating);

  /** Puts the sliders above the first charts that they mark, or into a section of their own. */
  fovea.add_thresholds = (report, parts) => {
    const specs = (report.operating || []).map(spec => ({...spec, thresholds: spec.thresholds || []}));
    if (specs.length === 0) return;
    detectors = specs.map(detector_row);
    const panel = element("details", {class: "thresholds", id: "thresholds", open: specs.length <= 6},
      element("summary", {}, specs.length > 1 ? "Score thresholds" : "Score threshold"),
      detectors.map(detector => detector.node),
      element("div", {class: "controls"}, element("button", {
        type: "button", click: () => detectors.forEach(detector => detector.reset())}, "as at first")));
    detectors.forEach(detector => detector.reset());
    const part = parts.find(({section}) => has_operating(section));
    const section = {id: "thresholds", title: "Thresholds"};
    if (!part) parts.unshift({section, node: element("section", {}, panel)});
    else if (part.node.firstElementChild) part.node.firstElementChild.after(panel);
  };

  // Paper shows the report's own point.
  let before_print = [];
  addEventListener("beforeprint", () => {
    before_print = detectors.map(({threshold}) => threshold);
    detectors.forEach(detector => detector.reset());
    if (waiting.size > 0) settle();
  });
  addEventListener("afterprint", () => {
    before_print.forEach((threshold, i) => set_threshold(detectors[i], threshold));
  });

  /** Rings on a chart at the operating points of the detectors that are not switched off. */
  fovea.mark_operating = chart => {
    const {operating} = chart.plot;
    if (!operating || !chart.operating_layer) return;
    chart.operating_layer.selectAll("*").remove();
    for (const detector of detectors) {
      if (fovea.is_hidden(detector.spec.name)) continue;
      const now = numbers(detector);
      const [x, y] = [chart.x.place(now[operating.x]), chart.y.place(now[operating.y])];
      if (Number.isNaN(x + y)) continue;
      fovea.add(chart.operating_layer, "circle", {class: "operating", cx: x, cy: y, r: 5})
        .style("stroke", fovea.colour(detector.spec.style));
    }
  };
})(window.fovea = window.fovea || {});
