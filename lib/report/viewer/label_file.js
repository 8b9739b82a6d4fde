/** Files of tracks, as MOTChallenge has them: read into boxes by frame, and written. */
(function (fovea) {
  "use strict";

  const comment = /^#\s*annotated frames\s*:?(.*)$/;
  // The classes of MOTChallenge: faces, and what neither counts as found nor as false.
  const face_class = 1, ignored_classes = [2, 7, 8, 12];

  function range_of(text) {
    const parts = /^(\d+)(?:\s*-\s*(\d+)(?:\s+every\s+(\d+))?)?$/.exec(text.trim());
    if (!parts) return null;
    const first = Number(parts[1]), last = Number(parts[2] ?? first), step = Number(parts[3] ?? 1);
    if (first < 1 || last < first || step < 1 || last > 2e6) return null;
    return Array.from({length: Math.floor((last - first) / step) + 1}, (_, i) => first + i * step);
  }

  /**
   * Reads a file of tracks: {boxes, annotated, others}. `boxes` is a map from frames to lists of {person, x, y, w,
   * h, ignored}; `annotated` lists frames, or is null where the file does not say; `others` are lines of other
   * classes, as they stand. Throws an Error that names the line.
   */
  fovea.read_tracks = text => {
    const boxes = new Map(), others = [];
    let annotated = null;
    text.split(/\r\n|\n|\r/).forEach((whole, index) => {
      const line = whole.trim();
      const fail = expected => { throw new Error(`line ${index + 1}: expected ${expected}`); };
      if (line.startsWith("#")) {
        const list = comment.exec(line);
        if (!list) return;
        const ranges = list[1].split(",").map(range_of);
        if (ranges.includes(null)) fail("numbers of frames, e.g. 1-171 every 5, 300-320, 400");
        annotated = ranges.flat();
        return;
      }
      if (!line) return;
      const columns = line.split(line.includes(",") ? "," : /\s+/).map(Number);
      if (columns.length < 6 || columns.length > 10 || columns.some(Number.isNaN))
        fail("6 to 10 numbers, frame,id,left,top,width,height[,confidence[,class,visibility]]");
      const [frame, person, x, y, w, h, confidence = 1] = columns;
      if (!Number.isInteger(frame) || frame < 1) fail("the number of a frame, 1 or more, first");
      if (!Number.isInteger(person) || person < 0) fail("the number of a person, 0 or more, second");
      if (w < 0 || h < 0) fail("a box whose width and height are 0 or more");
      // Ten columns are 2D MOT15 or results, which have no class.
      const kind = columns.length === 8 || columns.length === 9 ? columns[7] : face_class;
      if (kind !== face_class && !ignored_classes.includes(kind)) {
        others.push(line);
        return;
      }
      if (!boxes.has(frame)) boxes.set(frame, []);
      if (boxes.get(frame).some(box => box.person === person)) fail(`one box of person ${person} in frame ${frame}`);
      boxes.get(frame).push({person, x, y, w, h, ignored: kind !== face_class || confidence === 0});
    });
    return {boxes, annotated, others};
  };

  /** "1-171 every 5, 300-320, 400": rising numbers of frames in few words. */
  fovea.frame_list = frames => {
    const parts = [];
    for (let i = 0; i < frames.length;) {
      const step = frames[i + 1] - frames[i];
      let end = i + 1;
      while (end < frames.length && frames[end] - frames[end - 1] === step) ++end;
      if (end - i < 2 || (end - i === 2 && step > 1)) end = i + 1;
      const range = end - i > 1 ? `${frames[i]}-${frames[end - 1]}` : String(frames[i]);
      parts.push(end - i > 1 && step > 1 ? `${range} every ${step}` : range);
      i = end;
    }
    return parts.join(", ");
  };

  /** The file: the comment that lists the annotated frames, then a line for each box in them. */
  fovea.write_tracks = ({boxes, annotated, others}) => {
    const frames = [...annotated].sort((a, b) => a - b), lines = [`# annotated frames: ${fovea.frame_list(frames)}`];
    for (const frame of frames) {
      for (const {person, x, y, w, h, ignored} of [...boxes.get(frame) || []].sort((a, b) => a.person - b.person))
        lines.push([frame, person, x, y, w, h, ...(ignored ? [0, 8, 1] : [1, 1, 1])].join(","));
    }
    return [...lines, ...others].join("\n") + "\n";
  };
})(window.fovea = window.fovea || {});
