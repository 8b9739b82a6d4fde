"""Faces found in images, evaluated and followed: the library of the program fovea.

    import fovea

    faces = fovea.detect("photo.jpg")
    for face in faces:
        print(face.box, face.score)

Boxes are (x, y, w, h) in pixels: the half-open ranges [x, x + w) and [y, y + h). Failures are fovea.Error, and wrong
options or names are fovea.UsageError, with a sentence for people. Messages go to logging.getLogger("fovea").
"""

import os as _os
from functools import lru_cache as _lru_cache


def _explained(error):
    """The import's failure with the name of the package that is missing."""
    import json

    folder = _os.path.dirname(_os.path.abspath(__file__))
    try:
        with open(_os.path.join(folder, "system.json"), encoding="utf-8") as file:
            system = json.load(file)
    except OSError:
        return error
    library = str(error).split(":", 1)[0]
    package = system["libraries"].get(library)
    if package is None:
        return ImportError(f"fovea was built for {system['system']} and cannot be loaded here: {error}")
    return ImportError(
        f"fovea needs the library {library}, which is not installed: it is in the package {package} of "
        f"{system['system']} (apt install {package})"
    )


try:
    from . import _fovea
except ImportError as _error:
    raise _explained(_error) from _error

__version__ = _fovea.version
Error = _fovea.Error
UsageError = _fovea.UsageError

__all__ = [
    "Detection",
    "Detections",
    "Detector",
    "Error",
    "Evaluation",
    "Number",
    "Tracker",
    "UsageError",
    "detect",
    "evaluate",
    "model_names",
    "read_image",
    "to_dataframe",
    "track",
    "write_results",
]

_fovea.add_model_folder(_os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "models"))


def _log(level, message):
    import logging

    levels = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)
    logging.getLogger("fovea").log(levels[level], message)


_fovea.set_log(_log)


class Detection:
    """A face: box (x, y, w, h), score, and, where there are any, landmarks (P x 2), neighbors, track, followed."""

    __slots__ = ("box", "score", "landmarks", "neighbors", "track", "followed")

    def __init__(self, box, score, landmarks=None, neighbors=None, track=None, followed=None):
        self.box = box
        self.score = score
        self.landmarks = landmarks
        self.neighbors = neighbors
        self.track = track
        self.followed = followed

    def __repr__(self):
        x, y, w, h = self.box
        track = "" if self.track is None else f", track={self.track}"
        return f"Detection(box=({x:g}, {y:g}, {w:g}, {h:g}), score={self.score:.3g}{track})"


def _at(values, index):
    return None if values is None else values[index]


class Detections:
    """The faces of one image, by falling score; those of a tracker by rising track.

    image      its name: the path that it was read from, else None; may be set
    frame      its number in a sequence, from 0; else None
    width, height   of the image, pixels
    boxes      N x 4: x, y, w, h
    scores     N
    landmarks  N x P x 2, or None
    neighbors  N windows that were grouped (cascades alone), or None
    tracks     N numbers of faces (trackers alone), or None
    followed   N frames since a face was detected, -1: in this one (trackers alone), or None
    """

    def __init__(self, width, height, boxes, scores, landmarks=None, neighbors=None, tracks=None, followed=None,
                 image=None, frame=None):
        self.image = image
        self.frame = frame
        self.width = width
        self.height = height
        self.boxes = boxes
        self.scores = scores
        self.landmarks = landmarks
        self.neighbors = neighbors
        self.tracks = tracks
        self.followed = followed

    def __len__(self):
        return len(self.scores)

    def __getitem__(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no face {index} among {len(self)}")
        number = lambda values: None if values is None else int(values[index])
        followed = number(self.followed)
        return Detection(
            tuple(float(value) for value in self.boxes[index]),
            float(self.scores[index]),
            _at(self.landmarks, index),
            number(self.neighbors),
            number(self.tracks),
            None if followed == -1 else followed,
        )

    def __repr__(self):
        faces = "1 face" if len(self) == 1 else f"{len(self)} faces"
        name = "" if self.image is None else f" of {self.image!r}"
        return f"<{faces}{name}, {self.width} x {self.height}>"

    def json_line(self):
        """The line that the program writes of this image, without the newline. An image must be named."""
        return _fovea.json_line(_result_tuple(self.image, self))

    def to_dataframe(self):
        """A row for each face: image, frame and track where there are any, x, y, w, h, score. Needs pandas."""
        return to_dataframe([self])


def to_dataframe(images):
    """A row for each face of all images, as Detections.to_dataframe()."""
    import numpy
    import pandas

    images = list(images)
    columns = {}
    if any(found.image is not None for found in images):
        columns["image"] = [found.image for found in images for _ in range(len(found))]
    if any(found.frame is not None for found in images):
        columns["frame"] = [found.frame for found in images for _ in range(len(found))]
    if any(found.tracks is not None for found in images):
        columns["track"] = [int(track) for found in images if found.tracks is not None for track in found.tracks]
    boxes = numpy.concatenate([found.boxes for found in images]) if images else numpy.zeros((0, 4))
    for place, name in enumerate("xywh"):
        columns[name] = boxes[:, place]
    columns["score"] = numpy.concatenate([found.scores for found in images]) if images else numpy.zeros(0)
    return pandas.DataFrame(columns)


def _size(value):
    return (int(value), int(value)) if isinstance(value, int) else (int(value[0]), int(value[1]))


def _is_bgr(colors):
    if colors not in ("rgb", "bgr"):
        raise UsageError(f"there are no colors '{colors}': use rgb, or bgr for the images of OpenCV")
    return colors == "bgr"


def _is_path(image):
    return isinstance(image, (str, _os.PathLike))


def _name_of(image):
    return _os.fspath(image) if _is_path(image) else None


def _detector_values(model="wild", device="auto", *, landmarks=None, min_score=None, min_size=0, max_size=0,
                     scale_factor=None, min_neighbors=None, border=0, threads=0):
    return (_os.fspath(model), device, threads, "" if landmarks is None else _os.fspath(landmarks), min_score,
            _size(min_size), _size(max_size), scale_factor, min_neighbors, border)


class Detector:
    """A detector with its model in memory, for many images. Threads may share it.

    model          a name ("wild", "mct", "haarcascade_frontalface_alt2") or a path
    device         "auto", "cpu", "cuda", "cuda:N", "cuda:N,M" or "cuda:all"; results are equal on all of them
    landmarks      a landmark model ("helen") or a path; None: faces get no landmarks
    min_score      detections of a lower score are dropped; None: 0.5 where the score is a confidence, else none
    min_size, max_size   of a face, pixels: a number or (width, height); 0: no limit
    scale_factor, min_neighbors, border   of cascades alone; None: the model's own
    threads        on the CPU; 0: one for each core
    """

    def __init__(self, model="wild", device="auto", **options):
        self._detector = _fovea.Detector(_detector_values(model, device, **options))

    def detect(self, image, colors="rgb"):
        """The faces of an image: Detections.

        image    a path, or an array of uint8: height x width (grey), or height x width x 3 or 4. Grey arrays are
                 looked at where they lie; colours become grey as those of PNG files do.
        colors   the order of an array's colours: "rgb", or "bgr" as OpenCV has them
        """
        return self.detect_batch([image], colors)[0]

    __call__ = detect

    def detect_batch(self, images, colors="rgb"):
        """A list of Detections, one for each image: equal to those of detect(), and faster on a GPU."""
        images = list(images)
        found = self._detector.detect(images, _is_bgr(colors))
        return [Detections(*values, image=_name_of(image)) for image, values in zip(images, found)]

    def detect_many(self, images, batch=16, readers=4, colors="rgb"):
        """Detections of each image in order, one at a time. Files are read ahead by threads.

        images   paths and arrays, of any iterable
        batch    images that are worked on together, at least 1
        readers  threads that read files, at least 1
        """
        if batch < 1 or readers < 1:
            raise UsageError("batch and readers must be at least 1")
        from concurrent.futures import ThreadPoolExecutor

        def load(image):
            return _fovea.read_image(image) if _is_path(image) else image

        def detected(waiting):
            pixels = [future.result() for _, future in waiting]
            for (name, _), found in zip(waiting, self.detect_batch(pixels, colors)):
                found.image = name
                yield found

        with ThreadPoolExecutor(readers) as pool:
            waiting = []
            for image in images:
                waiting.append((_name_of(image), pool.submit(load, image)))
                if len(waiting) == 2 * batch:
                    yield from detected(waiting[:batch])
                    del waiting[:batch]
            for first in range(0, len(waiting), batch):
                yield from detected(waiting[first:first + batch])

    @property
    def model_file(self):
        """The path of its model."""
        return str(self._detector.model_file)

    @property
    def device(self):
        """The device that it runs on: "cpu", "cuda:0" or "cuda:0,1"."""
        return self._detector.device

    def __repr__(self):
        return f"<fovea.Detector {self._detector.description} on {self.device}>"


@_lru_cache(maxsize=4)
def _detector(values):
    detector = Detector.__new__(Detector)
    detector._detector = _fovea.Detector(values)
    return detector


def detect(image, model="wild", device="auto", *, colors="rgb", **options):
    """The faces of an image, with the options of Detector. Detectors of the last calls stay in memory."""
    return _detector(_detector_values(model, device, **options)).detect(image, colors)


class Tracker:
    """Follows the faces of one sequence of frames. For one thread at a time.

    Options are those of Detector, where landmarks is "helen" ("none": none), and those of `fovea track`:
    redetect        the detector runs in every so-many-th frame
    look_back       frames that a face is followed back, and by which results are late
    follow          "flow", or "detections": boxes are joined, and none is between detections
    min_detections  of a track that counts
    max_followed    frames without a detection, after which a track is lost
    max_lost        frames after which a lost track ends
    """

    def __init__(self, model="wild", device="auto", *, landmarks="helen", redetect=10, look_back=60, follow="flow",
                 min_detections=2, max_followed=40, max_lost=60, **options):
        if follow not in ("flow", "detections"):
            raise UsageError(f"there is no follow '{follow}': use flow or detections")
        values = _detector_values(model, device, landmarks=None if landmarks == "none" else landmarks, **options)
        self._tracker = _fovea.Tracker(values, redetect, look_back, follow == "flow", min_detections, max_followed,
                                       max_lost)
        self._names = {}
        self._count = 0

    def add(self, frame, colors="rgb"):
        """The next frame, as Detector.detect() takes it; None: it could not be read.

        Returns the frames whose faces became final, in order: a list of Detections, often empty.
        """
        if _is_path(frame):
            self._names[self._count] = _name_of(frame)
        frames = self._tracker.add(frame, _is_bgr(colors))
        self._count += 1
        return self._named(frames)

    def finish(self):
        """No frame follows: all that are left."""
        return self._named(self._tracker.finish())

    def _named(self, frames):
        return [Detections(*values, image=self._names.pop(number, None), frame=number) for number, values in frames]


def track(frames, model="wild", device="auto", *, colors="rgb", **options):
    """Detections of each frame in order, whose tracks number the faces. Options are those of Tracker."""
    tracker = Tracker(model, device, **options)
    for frame in frames:
        yield from tracker.add(frame, colors)
    yield from tracker.finish()


class Number:
    """A number of an evaluation.

    value       a float; None where it is undefined
    low, high   its 95 % interval by a bootstrap over images; None without one
    name, definition   for people
    higher_is_better   None where neither is
    is_share    people read it in percent
    """

    __slots__ = ("key", "name", "definition", "is_share", "higher_is_better", "value", "low", "high")

    def __init__(self, key, name, definition, is_share, higher_is_better, value, interval):
        self.key = key
        self.name = name
        self.definition = definition
        self.is_share = is_share
        self.higher_is_better = higher_is_better
        self.value = value
        self.low, self.high = (None, None) if interval is None else interval

    def __float__(self):
        return float("nan") if self.value is None else self.value

    def __repr__(self):
        if self.value is None:
            return "Number(undefined)"
        interval = "" if self.low is None else f", {self.low:.4g} to {self.high:.4g}"
        return f"Number({self.value:.4g}{interval})"


class Evaluation(dict):
    """The numbers of a detector on a dataset, by their keys in report.json: {"average_precision": Number, ...}.

    protocol, images, images_unreadable, images_missing, faces, detections, true_positives, false_positives
    curve      arrays by name: threshold, true_positives, false_positives, recall, precision
    warnings   sentences
    """

    def __init__(self, values):
        super().__init__((number[0], Number(*number)) for number in values.pop("numbers"))
        self.__dict__.update(values)

    def to_dataframe(self):
        """A row for each number: key (the index), name, value, low, high. Needs pandas."""
        import pandas

        rows = [(number.key, number.name, number.value, number.low, number.high) for number in self.values()]
        return pandas.DataFrame(rows, columns=["key", "name", "value", "low", "high"]).set_index("key")


def _dataset_tuple(name, image):
    if isinstance(image, dict):
        unknown = set(image) - {"boxes", "ignore", "width", "height"}
        if unknown:
            raise UsageError(f"the image '{name}' of the dataset has '{min(unknown)}'; it may have boxes, ignore, "
                             "width and height")
        return (name, image.get("width", 0), image.get("height", 0), image["boxes"], list(image.get("ignore", ())))
    return (name, 0, 0, image, [])


def _result_tuple(name, found):
    if name is None:
        raise UsageError("an image of the results has no name; set its attribute `image`")
    if not isinstance(found, Detections):
        boxes, scores = found
        found = Detections(0, 0, boxes, scores)
    return (name, found.width, found.height, found.boxes, found.scores, found.landmarks, found.neighbors,
            found.tracks, found.followed, "")


def _result_tuples(results):
    if isinstance(results, dict):
        return [_result_tuple(name, found) for name, found in results.items()]
    return [_result_tuple(found.image, found) for found in results]


def evaluate(dataset, results, protocol="auto", *, mode="strict", iou_threshold=0.5,
             false_positive_points=(5, 16, 32), resamples=1000, seed=1, pattern="", limit=0, root=""):
    """Holds results against a dataset: Evaluation.

    dataset    "FORMAT:PATH" or a path, as the program takes it (pattern, limit and root choose images of it); or
               {image: boxes}, where boxes are N x 4, or {image: {"boxes": ..., "ignore": ..., "width": ...,
               "height": ...}}
    results    a path or "FORMAT:PATH"; or {image: Detections}, {image: (boxes, scores)}, or Detections with names
    protocol   "iou", "mit-cmu", "fddb", "wider", "voc2007", "voc2010", "coco", ...; "auto": the dataset's own
    mode       "strict": as the official program computes; "corrected": without its quirks; "port"
    resamples  for the intervals; 0: none
    """
    dataset = _os.fspath(dataset) if _is_path(dataset) else [_dataset_tuple(*item) for item in dataset.items()]
    results = _os.fspath(results) if _is_path(results) else _result_tuples(results)
    return Evaluation(_fovea.evaluate(dataset, results, protocol, mode, iou_threshold, list(false_positive_points),
                                      resamples, seed, pattern, limit, _os.fspath(root)))


def write_results(file, results):
    """Writes results as the program does (JSON Lines), whole or not at all. They are as evaluate() takes them."""
    _fovea.write_results(_os.fspath(file), _result_tuples(results))


def read_image(file):
    """An image as the program sees it: an array of uint8, height x width, grey."""
    return _fovea.read_image(file)


def model_names():
    """The names of the detectors that are there."""
    return _fovea.model_names()
