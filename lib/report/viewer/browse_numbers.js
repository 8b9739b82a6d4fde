/** Numbers of the archive, with histograms; and the images that could not be read. */
(function (fovea) {
  "use strict";

  const {element, svg, archive} = fovea;
  const {head, people, columns, photos} = archive;

  /** Bars with their numbers. \param small without a frame, for the head of a list. */
  fovea.bars = (title, labels, counts, {small = false} = {}) => {
    const bar = small ? 14 : 26, high = small ? 30 : 120, most = Math.max(1, ...counts);
    const shown_every = Math.ceil(labels.length / 8);
    const told = labels.map((label, i) => `${label}: ${counts[i]}`).join("; ");
    const drawing = svg("svg", {class: "bars", role: "img", "aria-label": `${title}. ${told}`,
      viewBox: `0 0 ${bar * labels.length} ${high + 16}`, style: `max-width:${bar * labels.length}px`},
      labels.map((label, i) => {
        const tall = counts[i] ? Math.max(1, high * counts[i] / most) : 0;
        return svg("g", {}, svg("title", {}, `${label}: ${fovea.number(counts[i])}`),
          svg("rect", {x: i * bar, y: 0, width: bar, height: high, class: "room"}),
          svg("rect", {x: i * bar + 1, y: high - tall, width: bar - 2, height: tall}),
          (small ? i === 0 || i === labels.length - 1 : i % shown_every === 0) &&
            svg("text", {x: (small && i ? i + 1 : i) * bar, y: high + 12, class: small && i ? "end" : ""}, label));
      }));
    return small ? drawing : element("figure", {class: "chart"}, element("h3", {}, title), drawing);
  };

  /** Labels and counts of all years between the first and the last one. \param years counts by year. */
  fovea.year_bars = years => {
    const first = Math.min(...years.keys()), last = Math.max(...years.keys());
    const length = Math.min(200, last - first + 1);  // a clock may have been wrong
    const labels = Array.from({length}, (_, i) => last - length + 1 + i);
    return [labels.map(String), labels.map(year => years.get(year) || 0)];
  };

  function by_size() {
    const edges = [0, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];
    const counts = edges.map(() => 0);
    for (let face = 0; face < head.faces; ++face) {
      ++counts[edges.findLastIndex(edge => archive.size_of(face) >= edge)];
    }
    return fovea.bars("Faces by the shorter side of their box, pixels from", edges.map(String), counts);
  }
  function by_score() {
    const bins = 20;
    let low = Infinity, high = -Infinity;
    for (const score of columns.score) {
      low = Math.min(low, score);
      high = Math.max(high, score);
    }
    const wide = (high - low) / bins || 1, counts = new Array(bins).fill(0);
    for (const score of columns.score) ++counts[Math.min(bins - 1, Math.floor((score - low) / wide))];
    return fovea.bars("Faces by score, from", counts.map((_, i) => fovea.number(low + i * wide, 2)), counts);
  }
  function by_year() {
    const years = new Map();
    for (let image = 0; image < head.images; ++image) {
      const year = archive.year_of(image);
      if (year) years.set(year, (years.get(year) || 0) + 1);
    }
    return years.size ? fovea.bars("Images by year", ...fovea.year_bars(years)) : null;
  }

  const body = element("div", {class: "scroller", tabindex: "-1"}, element("p", {}, "Reading the data…"));
  let is_drawn = false;
  async function open_numbers() {
    if (is_drawn) return;
    await archive.ready;
    is_drawn = true;
    const with_person = archive.starts[people.length];
    const tile = (label, value) => element("div", {class: "tile"}, element("span", {class: "label"}, label),
      element("span", {class: "value"}, fovea.number(value)));
    const exif = photos.exif.reduce((sum, one) => sum + one, 0);
    body.replaceChildren(
      element("div", {class: "tiles"}, tile("images", head.images), tile("faces", head.faces),
        tile("people", people.length), tile("faces with a person", with_person),
        tile("could not be read", head.unreadable.length)),
      element("p", {class: "note"}, `Dates of ${fovea.number(exif)} images are the camera's, the others the files'.`),
      element("div", {class: "columns charts"}, head.faces ? [by_size(), by_score()] : [], by_year() || []));
  }
  fovea.numbers_view = {node: element("section", {class: "view", "aria-label": "Numbers"}, body), open: open_numbers};

  const list = fovea.grid({label: "Images that could not be read", width: 100000, height: () => 64,
    cell: i => element("div", {class: "fault"}, element("b", {}, fovea.name(head.unreadable[i].image)),
      element("span", {}, head.unreadable[i].reason))});
  fovea.unreadable_view = {
    node: element("section", {class: "view", "aria-label": "Could not be read"}, list.node),
    open: () => list.show(head.unreadable.map((_, i) => i), {stay: true}),
  };
})(window.fovea = window.fovea || {});
