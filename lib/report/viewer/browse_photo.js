/** A photograph with boxes, names and landmarks of its faces over it. */
(function (fovea) {
  "use strict";

  const {element, svg, archive} = fovea;
  const {head, columns, photos} = archive;
  let shown = -1, chosen = -1;
  let walk = [];  // the images of the list of faces, each once

  const title = element("h2", {}), facts = element("p", {class: "note"});
  const picture = element("img", {alt: "", draggable: "false", error: () => tell_why()});
  if (head.as_stored) picture.style.imageOrientation = "none";
  const over = svg("svg", {class: "over", role: "img"});
  const trouble = element("p", {class: "trouble", role: "status", hidden: true});
  const stage = element("div", {class: "stage"}, picture, over);
  const faces = element("div", {class: "strip", role: "list", "aria-label": "Faces of this photograph"});
  const button = (text, label, click) =>
    element("button", {type: "button", "aria-label": label, title: label, click}, text);
  const place = element("span", {class: "count", role: "status"});
  const check = (text, is_on) => {
    const box = element("input", {type: "checkbox", change: () => draw()});
    box.checked = is_on;
    return {box, label: element("label", {}, box, ` ${text}`)};
  };
  const boxes = check("boxes", true), points = check("landmarks", false);

  function tell_why() {
    if (shown < 0) return;
    const name = photos.name[shown], time = photos.time[shown];
    const is_kind = /\.(heic|heif|avif|tiff?|dng|cr2|cr3|nef|arw|orf|rw2|pef|raf|jp2|jxl|p[gbnp]m)$/i.test(name);
    const why = typeof time === "number" ? `It is the frame at ${archive.clock(time)} of a video.` :
      archive.address_of(shown) === null ? "It lies in an archive, which browsers do not open." :
        is_kind ? "Browsers do not show this kind of file." :
          "The file is not where it was when the page was made, or is damaged.";
    trouble.textContent = `The photograph cannot be shown here. ${why} These are its faces:`;
    trouble.hidden = false;
    stage.hidden = true;
  }

  async function draw() {
    const image = shown, [width, height] = [photos.width[image], photos.height[image]];
    const found = [...archive.faces_of_image(image)], size = Math.max(width, height);
    over.setAttribute("viewBox", `0 0 ${width || 1} ${height || 1}`);
    over.setAttribute("aria-label", `${found.length} faces`);
    over.replaceChildren(...(boxes.box.checked ? found : []).map(face => {
      const p = archive.person_of(face);
      const edges = {x: columns.x[face], y: columns.y[face], width: columns.width[face], height: columns.height[face]};
      const subject = face === chosen ? " subject" : "";
      return svg("g", {}, svg("rect", {class: `rim${subject}`, ...edges}),
        svg("rect", {class: `${p < 0 ? "found" : "truth"}${subject}`, ...edges}),
        p >= 0 && svg("text", {x: edges.x, y: Math.max(size / 45, edges.y - size / 150), "font-size": size / 45,
          "stroke-width": size / 220}, fovea.label_of(p)));
    }));
    if (!points.box.checked) return;
    try {
      for (const face of found) {
        const flat = await archive.landmarks_of(face);
        if (image !== shown || !points.box.checked) return;
        let path = "";
        for (let i = 0; i + 1 < flat.length; i += 2) path += `M${flat[i]} ${flat[i + 1]}h0`;
        over.append(svg("path", {class: "dots rim", d: path}), svg("path", {class: "dots found", d: path}));
      }
    } catch (error) {
      trouble.textContent = error.message;
      trouble.hidden = false;
    }
  }

  function chip(face) {
    const p = archive.person_of(face), name = p < 0 ? "nobody known" : fovea.label_of(p);
    const reason = (head.reasons || [])[columns.apart[face]];
    const text = [archive.on_screen(face), `score ${fovea.number(columns.score[face], 3)}`,
      `${archive.size_of(face)} px`, reason].filter(Boolean).join(", ");
    const is_chosen = face === chosen ? " chosen" : "";
    return element("div", {role: "listitem"},
      element("button", {type: "button", class: `face${is_chosen}`, "aria-label": `${name}, ${text}`, disabled: p < 0,
        click: () => fovea.go(`person/${p}`)}, fovea.face_picture(face)),
      element("span", {class: "under"}, fovea.name(name)), element("span", {class: "under soft", title: text}, text));
  }

  function step(by) {
    const at = walk.indexOf(shown) + by;
    if (at >= 0 && at < walk.length) fovea.go(`photo/${walk[at]}`, true);
  }
  const back = button("←", "Photograph before", () => step(-1));
  const on = button("→", "Next photograph", () => step(1));

  async function open(image, face) {
    if (!archive.is_ready()) await archive.ready;
    const items = fovea.faces_view.items();
    // A step through the list keeps the walk; it begins at a face of it.
    if (face !== undefined || !walk.length) walk = [...new Set(Array.from(items, item => columns.image[item]))];
    shown = Number(image);
    if (!(shown >= 0 && shown < head.images)) return;
    if (!walk.includes(shown)) walk = [...photos.name.keys()];
    chosen = face === undefined ? -1 : Number(face);
    const at = walk.indexOf(shown), address = archive.address_of(shown), time = photos.time[shown];
    title.replaceChildren(fovea.name(photos.name[shown]));
    const day = archive.day_of(shown), whose = photos.exif[shown] ? "the camera's date" : "the file's date";
    facts.textContent = [photos.width[shown] && `${photos.width[shown]} × ${photos.height[shown]} pixels`,
      day && `${day} (${whose})`, typeof time === "number" && `at ${archive.clock(time)}`].filter(Boolean).join(", ");
    place.textContent = `${fovea.number(at + 1)} of ${fovea.number(walk.length)}`;
    back.disabled = at <= 0;
    on.disabled = at + 1 >= walk.length;
    trouble.hidden = true;
    stage.hidden = false;
    stage.style.aspectRatio = `${photos.width[shown] || 4} / ${photos.height[shown] || 3}`;
    picture.alt = `Photograph ${photos.name[shown]}`;
    if (address) {
      picture.src = address;
    } else {
      picture.removeAttribute("src");
      tell_why();
    }
    faces.replaceChildren(...[...archive.faces_of_image(shown)].map(chip));
    draw();
  }

  fovea.photo_view = {
    node: element("section", {class: "view photo", "aria-label": "Photograph"},
      element("div", {class: "desk"}, button("× Close", "Back to the faces", () => fovea.back()), back, on, place,
        boxes.label, head.landmarks ? points.label : null),
      element("div", {class: "scroller", tabindex: "-1"}, title, facts, trouble, stage, faces)),
    open, step,
  };
})(window.fovea = window.fovea || {});
