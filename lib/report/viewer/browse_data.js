/** What the page of `fovea browse` knows: its head, and the columns that scripts beside the page bring. */
(function (fovea) {
  "use strict";

  const head = JSON.parse(document.getElementById("report").textContent);
  const {faces, images, chunk} = head;
  const people = head.people || [];
  const columns = {
    image: new Int32Array(faces), place: new Int32Array(faces), x: new Int32Array(faces), y: new Int32Array(faces),
    width: new Int32Array(faces), height: new Int32Array(faces), score: new Float32Array(faces),
    apart: new Uint8Array(faces), from: new Float32Array(faces).fill(-1), to: new Float32Array(faces).fill(-1),
  };
  const photos = {
    name: new Array(images), date: new Float64Array(images), exif: new Uint8Array(images),
    width: new Int32Array(images), height: new Int32Array(images), file: new Array(images), time: new Array(images),
  };

  // The faces of a person follow each other: those of person p begin at starts[p].
  const starts = new Int32Array(people.length + 1);
  people.forEach((person, p) => { starts[p + 1] = starts[p] + person.faces; });

  function take(target, number, part) {
    for (const [key, values] of Object.entries(part)) {
      const column = target[key], begin = number * chunk;
      if (column) values.forEach((value, i) => { column[begin + i] = value; });
    }
  }
  const landmarks = new Map();  // by the number of the file
  window.foveaFaces = (number, part) => take(columns, number, part);
  window.foveaImages = (number, part) => take(photos, number, part);
  window.foveaLandmarks = (number, part) => landmarks.set(number, part);

  function script(folder, number) {
    return new Promise((end, fail) => {
      const src = `${folder}/${String(number).padStart(4, "0")}.js`;
      const node = fovea.element("script", {
        src, load: () => { node.remove(); end(); },
        error: () => fail(new Error(`${src} is missing: the page needs the files beside it.`)),
      });
      document.head.append(node);
    });
  }

  let faces_of_image = null;
  const ready = (async () => {
    for (let n = 0; n * chunk < images; ++n) await script("images", n);
    for (let n = 0; n * chunk < faces; ++n) await script("data", n);
    const start = new Int32Array(images + 1), order = new Int32Array(faces);
    for (const image of columns.image) ++start[image + 1];
    for (let i = 0; i < images; ++i) start[i + 1] += start[i];
    const next = start.slice();
    columns.image.forEach((image, face) => { order[next[image]++] = face; });
    faces_of_image = image => order.subarray(start[image], start[image + 1]);
  })();

  /** The place of a face's person in `people`; -1 if the face is with nobody. */
  function person_of(face) {
    if (face >= starts[people.length]) return -1;
    let low = 0, high = people.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= face) low = middle; else high = middle - 1;
    }
    return low;
  }

  /** The address of a photograph; null if the browser has no file to show. */
  function address_of(image) {
    const file = photos.file[image];
    if (file === "") return null;
    const parts = photos.name[image].split("/").map(encodeURIComponent).join("/");
    return fovea.safe_address(file || `${head.root || "."}/${parts}`);
  }

  async function landmarks_of(face) {
    if (!head.landmarks) return [];
    const image = columns.image[face], number = Math.floor(image / head.landmarks);
    if (!landmarks.has(number)) await script("landmarks", number);
    return ((landmarks.get(number)[image % head.landmarks] || [])[columns.place[face]]) || [];
  }

  const two = value => String(value).padStart(2, "0");
  /** 2019-03-31, as the camera's clock or that of the file system (UTC) had it; "" if it is not known. */
  function day_of(image) {
    const date = new Date(photos.date[image] * 1000);
    return photos.date[image] ? date.toISOString().slice(0, 10) : "";
  }
  function clock(seconds) {
    const whole = Math.floor(seconds);
    return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  }
  /** When a face's track is on screen: "0:00:01 – 0:00:05"; "" for faces of photographs. */
  function on_screen(face) {
    return columns.from[face] < 0 ? "" : `${clock(columns.from[face])} – ${clock(columns.to[face])}`;
  }
  /** The name of a photograph, or of the video whose frame an image is. */
  function file_of(image) {
    const name = photos.name[image];
    return typeof photos.time[image] === "number" ? name.replace(/#\d+$/, "") : name;
  }

  fovea.archive = {
    head, people, columns, photos, starts, ready, person_of, address_of, landmarks_of, day_of, clock, on_screen,
    file_of,
    faces_of_image: image => (faces_of_image ? faces_of_image(image) : []),
    is_ready: () => faces_of_image !== null,
    size_of: face => Math.min(columns.width[face], columns.height[face]),
    year_of: image => Number(day_of(image).slice(0, 4)) || null,
  };
})(window.fovea = window.fovea || {});
