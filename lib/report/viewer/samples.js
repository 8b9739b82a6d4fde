/** The sample browser: all images with faces and detections, filtered by what the detectors made of them. */
(function (fovea) {
  "use strict";

  const {element, name} = fovea;
  const tile_width = 180, gap = 12, caption_height = 64;
  // Ungrouped windows come by the thousand.
  const most_boxes = 80;
  // An attribute of more values is no choice.
  const most_values = 60;
  const [hit, false_alarm, duplicate, badly_placed, ignored] = [0, 1, 2, 3, 4];

  /** What can be shown. Detections have an outcome; the others are faces or whole images. */
  const kinds = [
    {key: "all", title: "all images", noun: "images"},
    {key: "missed", title: "faces missed by", noun: "faces", short: "missed"},
    {key: "found", title: "faces found by", noun: "faces", short: "found"},
    {key: "alarm", title: "false positives of", noun: "detections", short: "false positives", outcome: false_alarm},
    {key: "placed", title: "badly placed by", noun: "detections", short: "misplaced", outcome: badly_placed},
    {key: "duplicate", title: "duplicates of", noun: "detections", short: "duplicates", outcome: duplicate},
    {key: "disagree", title: "faces found by", noun: "faces", short: "found by one", pair: true},
  ];

  /** The rows of each image: those of image i stand in `order` from start[i] to start[i + 1]. */
  function by_image(image_of, images) {
    const start = new Int32Array(images + 1), order = new Int32Array(image_of.length);
    for (const image of image_of) ++start[image + 1];
    for (let i = 0; i < images; ++i) start[i + 1] += start[i];
    const next = start.slice();
    image_of.forEach((image, row) => { order[next[image]++] = row; });
    return {each: image => order.subarray(start[image], start[image + 1])};
  }

  /** Joins data and indices; match[d][face] is the detection of detector d that hits the face, or -1. */
  function indexed(data) {
    const count = data.images.name.length, faces = data.faces || {image: []};
    const detections = data.detections || [];
    return {
      count, faces, detections, images: data.images,
      faces_of: by_image(faces.image, count),
      detections_of: detections.map(one => by_image(one.image, count)),
      match: detections.map(one => {
        const match = new Int32Array(faces.image.length).fill(-1);
        one.face.forEach((face, i) => { if (one.outcome[i] === hit && face >= 0) match[face] = i; });
        return match;
      }),
    };
  }

  const is_within = (value, [low, high]) => !(value < low) && !(value > high);

  /** The questions that a filter asks of faces and detections, at the present thresholds. */
  function questions(index, filter) {
    const {faces, detections, match} = index;
    const kept = (d, i) => detections[d].score[i] >= fovea.threshold.of(d);
    const found = (d, face) => match[d] && match[d][face] >= 0 && kept(d, match[d][face]);
    const counts = face => !(faces.ignored && faces.ignored[face]);
    const wanted = Object.entries(filter.attributes).filter(([, value]) => value !== "");
    const has = ([key, value], face) => String(faces.attributes[key][face]) === value;
    const has_attributes = face => wanted.every(one => has(one, face));
    const face_passes = face => is_within(faces.width[face], filter.size) && has_attributes(face);
    const {kind, first, second} = filter, chosen = detections[first];
    const scored = i => is_within(chosen.score[i], filter.score);
    return {
      kept, found, counts,
      asks_faces: wanted.length > 0 || filter.size.some(Number.isFinite),
      asks_scores: filter.score.some(Number.isFinite),
      scored,
      face_base: face => counts(face) && face_passes(face),
      face: face => {
        if (kind.key === "missed") return !found(first, face);
        return found(first, face) && scored(match[first][face]) && (!kind.pair || !found(second, face));
      },
      detection_base: i => kept(first, i) && chosen.outcome[i] !== ignored && scored(i) &&
        is_within(chosen.width[i], filter.size) &&
        (wanted.length === 0 || (chosen.face[i] >= 0 && has_attributes(chosen.face[i]))),
      detection: i => chosen.outcome[i] === kind.outcome,
    };
  }

  /**
   * The images that hold what is asked for, the largest faces and highest scores first; how many faces or
   * detections these are, and out of how many.
   */
  function filtered(index, filter) {
    const ask = questions(index, filter), {kind, first} = filter;
    const weight = new Float64Array(index.count).fill(-Infinity);
    let count = 0, total = 0;
    const note = (image, value) => { ++count; if (value > weight[image]) weight[image] = value; };
    if (kind.key === "all") {
      const in_range = i => ask.kept(first, i) && ask.scored(i);
      for (let image = 0; image < index.count; ++image) {
        const face = !ask.asks_faces || index.faces_of.each(image).some(ask.face_base);
        const score = !ask.asks_scores || index.detections_of[first].each(image).some(in_range);
        ++total;
        if (face && score) note(image, -image);
      }
    } else if (kind.noun === "faces") {
      const {faces} = index;
      for (let face = 0; face < faces.image.length; ++face) {
        if (!ask.face_base(face)) continue;
        ++total;
        if (ask.face(face)) note(faces.image[face], faces.width[face] * faces.height[face]);
      }
    } else {
      const {image, score} = index.detections[first];
      for (let i = 0; i < image.length; ++i) {
        if (!ask.detection_base(i)) continue;
        ++total;
        if (ask.detection(i)) note(image[i], score[i]);
      }
    }
    const images = Array.from(weight.keys()).filter(image => weight[image] > -Infinity)
      .sort((a, b) => weight[b] - weight[a] || a - b);
    return {images, count, total, ask};
  }

  /** A view of the picture around its subjects, so that small faces can be seen. */
  function close_up(boxes, width, height) {
    const subjects = boxes.filter(box => box.subject);
    if (subjects.length === 0) return undefined;
    const [left, right] = d3.extent(subjects.flatMap(box => [box.x, box.x + box.width]));
    const [top, bottom] = d3.extent(subjects.flatMap(box => [box.y, box.y + box.height]));
    const side = Math.min(Math.max(64, 2 * (right - left), 2 * (bottom - top)), Math.max(width, height));
    const begin = (centre, room) =>
      (side < room ? Math.max(0, Math.min(room - side, centre - side / 2)) : (room - side) / 2);
    return [begin((left + right) / 2, width), begin((top + bottom) / 2, height), side, side];
  }

  function picture_of(index, filter, ask, image) {
    const {faces, detections} = index, {kind, first, second} = filter, names = fovea.detector_names;
    const rectangle = ({x, y, width, height}, i) => ({x: x[i], y: y[i], width: width[i], height: height[i]});
    const truths = Array.from(index.faces_of.each(image));
    const is_subject = face => kind.noun === "faces" && ask.face_base(face) && ask.face(face);
    const size = face => `face ${Math.round(faces.width[face])} × ${Math.round(faces.height[face])} px`;
    const boxes = truths.map(face => ({...rectangle(faces, face), kind: ask.counts(face) ? "face" : "ignored",
      subject: is_subject(face), note: size(face)}));
    for (const d of kind.pair ? [first, second] : [first]) {
      const rows = detections[d];
      if (!rows) continue;
      for (const i of index.detections_of[d].each(image)) {
        if (!ask.kept(d, i)) continue;
        const alarm = rows.outcome[i] !== hit && rows.outcome[i] !== ignored;
        boxes.push({...rectangle(rows, i), class: d !== first ? "other" : alarm ? "alarm" : "found",
          subject: kind.noun === "detections" && ask.detection_base(i) && ask.detection(i),
          note: `${names[d]}, score ${fovea.number(rows.score[i], 6)}, IoU ${fovea.number(rows.iou[i], 2)}`});
      }
    }
    boxes.sort((a, b) => Boolean(a.subject) - Boolean(b.subject));
    const subjects = boxes.filter(box => box.subject).length;
    const counted = truths.filter(ask.counts);
    const facts = kind.key === "all" ? [] : [`${subjects} ${kind.short}`];
    const found = counted.filter(face => ask.found(first, face)).length;
    facts.push(`${counted.length} ${counted.length === 1 ? "face" : "faces"}, ${found} found`);
    const details = counted.slice(0, 12).map(face => {
      const by = names.filter((_, d) => ask.found(d, face));
      return `${size(face)}: ${by.length ? `found by ${by.join(", ")}` : "found by none"}`;
    });
    const {width, height, picture} = index.images;
    const address = picture && picture[image] &&
      fovea.safe_address(picture[image], ["file:", "http:", "https:", "data:"]);
    const view = filter.close ? close_up(boxes, width[image], height[image]) : undefined;
    return {name: index.images.name[image], width: width[image], height: height[image], view, address, facts,
      details, boxes: boxes.slice(-most_boxes)};
  }

  /** A grid that holds only the pictures in sight, however long the list is. */
  function grid() {
    const inner = element("div", {class: "browser-inner"});
    const region = {tabindex: "0", role: "region", "aria-label": "Images"};
    const node = element("div", {class: "browser", ...region}, inner);
    const shown = new Map();
    let list = {length: 0}, columns = 1, width = tile_width, row_height = 1;

    function layout() {
      const room = inner.clientWidth + gap;
      columns = Math.max(1, Math.floor(room / Math.min(tile_width + gap, room / 2)));
      width = room / columns - gap;
      row_height = width + caption_height + gap;
      inner.style.height = `${Math.ceil(list.length / columns) * row_height}px`;
      clear();
      fill();
    }
    function clear() {
      for (const figure of shown.values()) figure.remove();
      shown.clear();
    }
    function fill() {
      const {scrollTop, clientHeight} = node;
      const first = Math.max(0, Math.floor(scrollTop / row_height) - 1) * columns;
      const last = Math.min(list.length, (Math.ceil((scrollTop + clientHeight) / row_height) + 1) * columns);
      for (const [i, figure] of shown) {
        if ((i >= first && i < last) || figure.contains(document.activeElement)) continue;
        figure.remove();
        shown.delete(i);
      }
      for (let i = first; i < last; ++i) {
        if (shown.has(i)) continue;
        const figure = fovea.picture_figure(list, i);
        figure.style.cssText = `width:${width}px;height:${row_height - gap}px;` +
          `left:${(i % columns) * (width + gap)}px;top:${Math.floor(i / columns) * row_height}px`;
        shown.set(i, figure);
        inner.append(figure);
      }
    }
    /** The arrow keys lead from picture to picture, into rows that are not there yet too. */
    function move(event) {
      const by = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns}[event.key];
      const now = [...shown].find(([, figure]) => figure.contains(event.target));
      if (!by || !now) return;
      event.preventDefault();
      const next = Math.max(0, Math.min(list.length - 1, now[0] + by));
      const top = Math.floor(next / columns) * row_height;
      node.scrollTop = Math.max(top + row_height - node.clientHeight, Math.min(top, node.scrollTop));
      fill();
      shown.get(next).querySelector("button").focus({preventScroll: true});
    }
    node.addEventListener("scroll", () => requestAnimationFrame(fill), {passive: true});
    node.addEventListener("keydown", move);
    new ResizeObserver(() => requestAnimationFrame(layout)).observe(node);
    return {node, show: next => { list = next; node.scrollTop = 0; layout(); }};
  }

  const chooser = (label, options, change) => element("select",
    {"aria-label": label, change: event => change(Number(event.target.value))},
    options.map((option, i) => element("option", {value: i}, option)));

  const range = (label, target, change) => element("span", {class: "range"}, label, [0, 1].map(end =>
    element("input", {type: "number", step: "any", placeholder: end ? "to" : "from",
      "aria-label": `${label}, ${end ? "at most" : "at least"}`,
      input: event => { target[end] = event.target.valueAsNumber; change(); }})));

  function attribute_choices(index, filter, change) {
    return Object.entries(index.faces.attributes || {}).map(([key, values]) => {
      const distinct = [...new Set(values.map(String))].sort(fovea.compare_texts);
      if (distinct.length < 2 || distinct.length > most_values) return null;
      filter.attributes[key] = "";
      return element("label", {}, name(key), element("select", {
        change: event => { filter.attributes[key] = event.target.value; change(); },
      }, element("option", {value: ""}, "any"), distinct.map(value => element("option", {value}, value))));
    });
  }

  /** How many faces each detector finds that another misses; a click shows them. */
  function disagreements(index, choose) {
    const names = fovea.detector_names;
    const region = {tabindex: "0", role: "region", "aria-label": "Disagreements"};
    const place = element("div", {class: "scroll", ...region});
    const summary = element("summary", {}, "Where detectors disagree");
    const node = element("details", {class: "choice wide-choice"}, summary, place);
    function update() {
      if (!node.open) return;
      const {found, counts} = questions(index, {attributes: {}, size: [], score: [], kind: kinds[0]});
      const table = names.map(() => new Int32Array(names.length));
      let total = 0;
      for (let face = 0; face < index.faces.image.length; ++face) {
        if (!counts(face)) continue;
        ++total;
        const by = names.map((_, d) => Boolean(found(d, face)));
        by.forEach((a, i) => { if (a) by.forEach((b, j) => { if (!b) ++table[i][j]; }); });
      }
      place.replaceChildren(element("table", {}, element("thead", {}, element("tr", {},
        element("th", {scope: "col"}, "found by \\ missed by"),
        names.map(one => element("th", {scope: "col", class: "num"}, name(one))))),
      element("tbody", {}, names.map((one, i) => element("tr", {}, element("th", {scope: "row"}, name(one)),
        names.map((other, j) => element("td", {class: "num"}, i !== j && element("button", {
          type: "button", class: "link",
          "aria-label": `${table[i][j]} faces found by ${one}, missed by ${other}`,
          click: () => choose(i, j),
        }, `${fovea.number(table[i][j])} (${fovea.percent(table[i][j] / total)})`))))))));
    }
    node.addEventListener("toggle", update);
    return {node, update};
  }

  const looks = {truth: "face", "truth ignored": "does not count", found: "hit", alarm: "false positive",
    other: "of the other detector"};

  function browser(data, place) {
    const index = indexed(data), names = fovea.detector_names;
    const filter = {kind: kinds[0], first: 0, second: Math.min(1, names.length - 1), size: [NaN, NaN],
      score: [NaN, NaN], attributes: {}, close: false};
    const pictures = grid(), result = element("p", {class: "note", role: "status"});
    const usable = kinds.filter((one, i) => names.length > (one.pair ? 1 : i > 0 ? 0 : -1));
    const titles = usable.map(one => one.title + (one.pair ? " …, missed by …" : ""));
    const kind = chooser("What is shown", titles, i => { filter.kind = usable[i]; update(); });
    const first = chooser("Detector", names, i => { filter.first = i; update(); });
    const second = chooser("Detector that missed them", names, i => { filter.second = i; update(); });
    second.value = filter.second;
    const missed_by = element("label", {}, "missed by", second);
    const matrix = disagreements(index, (i, j) => {
      Object.assign(filter, {kind: kinds.find(one => one.pair), first: i, second: j});
      [kind.value, first.value, second.value] = [usable.indexOf(filter.kind), i, j];
      update();
    });

    function update() {
      const {images, count, total, ask} = filtered(index, filter);
      missed_by.hidden = !filter.kind.pair;
      const share = total > 0 ? ` (${fovea.percent(count / total)})` : "";
      const {noun} = filter.kind;
      result.textContent = `${fovea.number(count)} of ${fovea.number(total)} ${noun}${share}` +
        (noun === "images" ? "." : `, in ${fovea.number(images.length)} images.`);
      pictures.show({length: images.length, at: i => picture_of(index, filter, ask, images[i])});
    }
    fovea.threshold.listen(() => { update(); matrix.update(); });
    const close = element("input",
      {type: "checkbox", change: () => { filter.close = close.checked; update(); }});
    const legend = Object.entries(looks).map(([look, text]) => element("span", {},
      fovea.svg("svg", {class: "box-key", viewBox: "0 0 20 14"},
        fovea.svg("rect", {class: look, x: 2, y: 2, width: 16, height: 10})), text));
    const filters = element("div", {class: "filters"}, element("label", {}, "Show", kind),
      names.length > 0 && first, missed_by, range("size, px", filter.size, update),
      names.length > 0 && range("score", filter.score, update), attribute_choices(index, filter, update),
      element("label", {}, close, "close-up"));
    place.replaceChildren(filters, ...(names.length > 1 ? [matrix.node] : []), result, pictures.node,
      element("p", {class: "note boxes"}, legend));
    update();
  }

  /** Adds the section of all images. Its data are read when the reader comes near: they may be large. */
  fovea.add_samples = (report, parts) => {
    if (!report.samples) return;
    fovea.detector_names = (report.operating || []).map(detector => detector.name);
    const place = element("div", {}, element("p", {class: "note"}, "The images are being read."));
    const title = element("h2", {}, "All images");
    const node = element("section", {id: "samples", class: "samples"}, title, place);
    parts.push({section: {id: "samples", title: "All images"}, node});
    const fail = () => place.replaceChildren(element("p", {class: "note"},
      "The file of the images is not there. It belongs beside this page: ", name(report.samples.address)));
    window.foveaSamples = data => { browser(data, place); };
    const observer = new IntersectionObserver(entries => {
      if (!entries.some(entry => entry.isIntersecting)) return;
      observer.disconnect();
      if (report.samples.data) return window.foveaSamples(report.samples.data);
      const address = fovea.safe_address(report.samples.address || "");
      if (!report.samples.address || !address) return fail();
      document.head.append(element("script", {src: address, error: fail}));
    }, {rootMargin: "600px"});
    observer.observe(node);
  };
})(window.fovea = window.fovea || {});
