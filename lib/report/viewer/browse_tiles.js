/** Pictures of faces: cut from sprites of 16 x 16 faces, of which only those last used stay in memory. */
(function (fovea) {
  "use strict";

  const side = 64, per_row = 16, per_sprite = per_row * per_row;
  const most_kept = 12, at_once = 3;  // 4 MB each
  const kept = new Map();      // bitmaps by their files, the last used one last
  const waiting = new Map();   // canvases by the files of their sprites
  const loading = new Set();
  let is_planned = false;

  function draw({canvas, place}, sprite) {
    canvas.getContext("2d").drawImage(sprite, side * (place % per_row), side * Math.floor(place / per_row), side, side,
      0, 0, side, side);
  }

  function finish(file, sprite) {
    loading.delete(file);
    const wanted = waiting.get(file) || [];
    waiting.delete(file);
    if (sprite) {
      for (const one of wanted) draw(one, sprite);
      kept.set(file, sprite);
      if (kept.size > most_kept) {
        const [oldest, bitmap] = kept.entries().next().value;
        bitmap.close();
        kept.delete(oldest);
      }
    }
    load();
  }

  function load() {
    is_planned = false;
    // Those that were asked for last are in sight.
    for (const file of [...waiting.keys()].reverse()) {
      if (loading.size >= at_once) return;
      if (loading.has(file)) continue;
      if (!waiting.get(file).some(({canvas}) => canvas.isConnected)) {
        waiting.delete(file);
        continue;
      }
      loading.add(file);
      const image = new Image();
      // Bitmaps give their memory back at once; images are kept by the browser.
      image.onload = () => createImageBitmap(image).then(bitmap => {
        image.onerror = null;
        image.src = "";
        finish(file, bitmap);
      }, () => finish(file, null));
      image.onerror = () => finish(file, null);
      image.src = file;
    }
  }

  fovea.sprites_waiting = () => waiting.size;

  /** A canvas with a picture of the sprites in a folder, which comes when its sprite is there. */
  fovea.face_picture = (number, folder = "tiles") => {
    const canvas = fovea.element("canvas", {width: side, height: side, "aria-hidden": "true"});
    const file = `${folder}/${String(Math.floor(number / per_sprite)).padStart(4, "0")}.jpg`;
    const one = {canvas, place: number % per_sprite}, sprite = kept.get(file);
    if (sprite) {
      kept.delete(file);
      kept.set(file, sprite);
      draw(one, sprite);
      return canvas;
    }
    if (!waiting.has(file)) waiting.set(file, []);
    waiting.get(file).push(one);
    if (!is_planned) setTimeout(load);  // when the canvases are in the page
    is_planned = true;
    return canvas;
  };
})(window.fovea = window.fovea || {});
