/** The score threshold of each detector: a slider, the numbers at it, and its place in the charts. */
(function (fovea) {
  "use strict";

  const {element, name} = fovea;
  const changed = fovea.event();
  let detectors = [];

  /**
   * The thresholds as they stand now. `listen` is told when one has moved; `of` gives that of a detector, by
   * its place in `operating`.
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

  /** Counts and rates at the present threshold; null where there is no rate. */
  function numbers({spec, kept, threshold}) {
    const at = key => (kept > 0 && spec[key] ? spec[key][kept - 1] : 0);
    const found = at("true_positives"), false_positives = at("false_positives");
    const precision = found + false_positives > 0 ? found / (found + false_positives) : null;
    const recall = spec.faces > 0 ? found / spec.faces : null;
    const f1 = spec.faces > 0 ? (2 * found) / (found + false_positives + spec.faces) : null;
    const iou_recall = recall === null || !spec.iou ? null : recall * at("iou");
    return {threshold, found, false_positives, precision, recall, f1, iou_recall};
  }

  const columns = [
    ["found", now => fovea.number(now.found)], ["false positives", now => fovea.number(now.false_positives)],
    ["precision", now => fovea.percent(now.precision)], ["recall", now => fovea.percent(now.recall)],
    ["F1", now => (now.f1 === null ? "–" : now.f1.toFixed(3))],
  ];

  let waiting = false;
  function tell() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      for (const chart of fovea.charts) fovea.mark_operating(chart);
      changed.send();
    });
  }

  function set_threshold(detector, threshold, field_too = true) {
    detector.threshold = threshold;
    detector.kept = kept_at(detector.spec.thresholds, threshold);
    detector.slider.value = detector.kept;
    if (field_too) detector.field.value = String(Number(threshold.toPrecision(6)));
    const now = numbers(detector);
    const texts = columns.map(([term, value]) => `${term} ${value(now)}`);
    detector.slider.setAttribute("aria-valuetext", `threshold ${fovea.number(threshold, 6)}, ${texts}`);
    detector.outputs.forEach((output, i) => { output.textContent = columns[i][1](now); });
    tell();
  }

  /** Position 0 of the slider keeps nothing: the threshold is above the highest score. */
  function threshold_at(thresholds, position) {
    if (position > 0) return thresholds[position - 1];
    return thresholds.length > 0 ? thresholds[0] + (Math.abs(thresholds[0]) || 1) * 1e-6 : 0;
  }

  function detector_row(spec) {
    const detector = {spec, outputs: columns.map(() => element("output", {}))};
    const label = `Score threshold of ${spec.name}`;
    detector.slider = element("input", {type: "range", min: 0, max: spec.thresholds.length, step: 1,
      "aria-label": `${label}: left is strict, right keeps all`,
      input: event => set_threshold(detector, threshold_at(spec.thresholds, Number(event.target.value)))});
    detector.field = element("input", {type: "number", step: "any", "aria-label": label,
      input: event => {
        const value = event.target.valueAsNumber;
        if (Number.isFinite(value)) set_threshold(detector, value, false);
      }});
    const given = spec.threshold ?? threshold_at(spec.thresholds, spec.thresholds.length);
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
