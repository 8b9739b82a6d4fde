#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fovea/detect.hpp>
#include <fovea/evaluate.hpp>
#include <fovea/library.hpp>
#include <fovea/track.hpp>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

// fovea._fovea: the library's functions as plain ones. The classes that users of Python see are made of them
// in fovea/__init__.py.

namespace py = pybind11;

namespace {

namespace api = fovea::api;

using Bytes = py::array_t<std::uint8_t>;
using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// An image as Python gives it: an array that is looked at where it lies, or a file that is read without
/// Python's lock.
struct GivenImage {
    py::object holder;  ///< of the pixels
    std::optional<std::filesystem::path> file;
    api::Image read;
    api::ImageView view;
};

std::string text_of(const py::handle& object) {
    return py::str(object);
}

/// The array as it lies; nothing where rows or pixels are not in the order that a view can have.
/// \param is_bgr colours are in the order of OpenCV
std::optional<api::ImageView> view_of(const py::array& array, bool is_bgr) {
    const auto* const pixels = static_cast<const std::uint8_t*>(array.data());
    api::ImageView view{pixels, static_cast<int>(array.shape(1)), static_cast<int>(array.shape(0)),
                        array.strides(0), api::PixelFormat::grey};
    const py::ssize_t channels = array.ndim() == 3 ? array.shape(2) : 1;
    py::ssize_t pixel_bytes = array.strides(1);
    if (view.width == 1) pixel_bytes = channels;
    if (channels == 1) {
        if (pixel_bytes != 1) return std::nullopt;
    } else {
        const py::ssize_t step = array.strides(2);
        if (pixel_bytes != 3 && pixel_bytes != 4) return std::nullopt;
        if (step != 1 && (step != -1 || channels != 3)) return std::nullopt;
        // Colours from the last to the first, as img[..., ::-1] has them.
        if (step == -1) view.pixels -= 2;
        const bool first_is_blue = is_bgr != (step == -1);
        view.format = pixel_bytes == 3 ? (first_is_blue ? api::PixelFormat::bgr : api::PixelFormat::rgb)
                                       : (first_is_blue ? api::PixelFormat::bgra : api::PixelFormat::rgba);
    }
    const py::ssize_t needed = view.width * pixel_bytes;
    if (view.height == 1) view.row_bytes = needed;
    if (std::abs(view.row_bytes) < needed) return std::nullopt;
    return view;
}

bool is_image(const py::array& array) {
    if (!py::isinstance<Bytes>(array)) return false;
    if (array.ndim() == 2) return true;
    return array.ndim() == 3 && (array.shape(2) == 1 || array.shape(2) == 3 || array.shape(2) == 4);
}

GivenImage given_image(const py::handle& object, bool is_bgr) {
    GivenImage given;
    if (py::isinstance<py::str>(object) || py::hasattr(object, "__fspath__")) {
        given.file = object.cast<std::filesystem::path>();
        return given;
    }
    const py::array array = py::array::ensure(object);
    if (!array) {
        PyErr_Clear();
        throw fovea::UsageError("an image is an array or a path, but here is a " +
                                text_of(py::type::of(object).attr("__name__")));
    }
    if (!is_image(array)) {
        throw fovea::UsageError(
            "an image is an array of uint8 of height x width, with 1, 3 or 4 channels behind "
            "or none, but here is one of " +
            text_of(array.dtype()) + " of " + text_of(array.attr("shape")));
    }
    given.holder = array;
    if (array.size() == 0) return given;
    if (const auto view = view_of(array, is_bgr)) {
        given.view = *view;
        return given;
    }
    const py::array copy = py::module_::import("numpy").attr("ascontiguousarray")(array);
    given.holder = copy;
    given.view = view_of(copy, is_bgr).value();
    return given;
}

void read_if_file(GivenImage& given) {
    if (!given.file) return;
    given.read = api::read_image(*given.file);
    given.view = given.read.view();
}

/// \return an array that owns the values
template <class T>
py::array_t<T> array_of(std::vector<T>&& values, std::vector<py::ssize_t> shape) {
    auto kept = std::make_unique<std::vector<T>>(std::move(values));
    const T* const data = kept->data();
    const py::capsule owner(kept.get(), [](void* memory) { delete static_cast<std::vector<T>*>(memory); });
    kept.release();
    return py::array_t<T>(std::move(shape), data, owner);
}

/// The detections of an image: (width, height, boxes N x 4, scores N, landmarks N x P x 2 or None, neighbors
/// N or None, tracks N or None, followed N or None; -1 where a face was detected).
py::tuple found_tuple(int width, int height, const std::vector<api::Detection>& faces) {
    const auto count = static_cast<py::ssize_t>(faces.size());
    std::vector<double> boxes, scores, landmarks;
    std::vector<std::int64_t> neighbors, tracks, followed;
    for (const api::Detection& face : faces) {
        boxes.insert(boxes.end(), {face.box.x, face.box.y, face.box.w, face.box.h});
        scores.push_back(face.score);
        for (const api::Point& point : face.landmarks) landmarks.insert(landmarks.end(), {point.x, point.y});
        if (face.neighbors) neighbors.push_back(*face.neighbors);
        if (face.track) tracks.push_back(*face.track);
        followed.push_back(face.followed.value_or(-1));
    }
    const auto points = static_cast<py::ssize_t>(faces.empty() ? 0 : faces[0].landmarks.size());
    const auto optional = [&](std::vector<std::int64_t>&& values) -> py::object {
        if (values.empty() || values.size() != faces.size()) return py::none();
        return array_of(std::move(values), {count});
    };
    const bool are_tracked = !tracks.empty();
    return py::make_tuple(
        width, height, array_of(std::move(boxes), {count, 4}), array_of(std::move(scores), {count}),
        points > 0 ? py::object(array_of(std::move(landmarks), {count, points, 2})) : py::object(py::none()),
        optional(std::move(neighbors)), optional(std::move(tracks)),
        are_tracked ? optional(std::move(followed)) : py::object(py::none()));
}

void check_shape(const Doubles& values, const char* name, py::ssize_t columns) {
    const bool is_right =
        columns == 0 ? values.ndim() == 1 : values.ndim() == 2 && values.shape(1) == columns;
    if (is_right || values.size() == 0) return;
    throw fovea::UsageError(std::string(name) + " must be an array of " +
                            (columns == 0 ? "one number each" : "N x " + std::to_string(columns)) +
                            ", but it has the shape " + text_of(values.attr("shape")));
}

std::vector<api::Box> boxes_of(const Doubles& values) {
    check_shape(values, "boxes", 4);
    std::vector<api::Box> boxes;
    for (py::ssize_t i = 0; i < values.size() / 4; ++i) {
        const double* const at = values.data() + 4 * i;
        boxes.push_back({at[0], at[1], at[2], at[3]});
    }
    return boxes;
}

/// (name, width, height, boxes, ignore) of each image.
std::vector<api::AnnotatedImage> annotated_images(const py::list& list) {
    std::vector<api::AnnotatedImage> images;
    for (const py::handle& item : list) {
        const auto tuple = item.cast<py::tuple>();
        api::AnnotatedImage& image = images.emplace_back();
        image.name = tuple[0].cast<std::string>();
        image.size = {tuple[1].cast<int>(), tuple[2].cast<int>()};
        const auto ignored = tuple[4].cast<std::vector<bool>>();
        for (const api::Box& box : boxes_of(tuple[3].cast<Doubles>())) {
            const std::size_t i = image.faces.size();
            image.faces.push_back({box, i < ignored.size() && ignored[i], {}});
        }
    }
    return images;
}

/// The reverse of found_tuple, with a name first and the reason of an unreadable image last.
api::ImageResult result_of(const py::tuple& tuple) {
    api::ImageResult result;
    result.image = tuple[0].cast<std::string>();
    result.size = {tuple[1].cast<int>(), tuple[2].cast<int>()};
    const std::vector<api::Box> boxes = boxes_of(tuple[3].cast<Doubles>());
    const auto scores = tuple[4].cast<Doubles>();
    check_shape(scores, "scores", 0);
    if (static_cast<std::size_t>(scores.size()) != boxes.size()) {
        throw fovea::UsageError("the image '" + result.image + "' has " + std::to_string(boxes.size()) +
                                " boxes, but " + std::to_string(scores.size()) + " scores");
    }
    for (std::size_t i = 0; i < boxes.size(); ++i) result.detections.push_back({boxes[i], scores.data()[i]});
    if (!tuple[5].is_none()) {
        const auto landmarks = tuple[5].cast<Doubles>();
        const std::size_t numbers =
            boxes.empty() ? 0 : static_cast<std::size_t>(landmarks.size()) / boxes.size();
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            const double* const at = landmarks.data() + i * numbers;
            for (std::size_t k = 0; k + 1 < numbers; k += 2)
                result.detections[i].landmarks.push_back({at[k], at[k + 1]});
        }
    }
    const auto set = [&](const py::handle& values, auto member) {
        if (values.is_none()) return;
        const auto numbers = values.cast<std::vector<std::int64_t>>();
        for (std::size_t i = 0; i < boxes.size() && i < numbers.size(); ++i)
            if (numbers[i] >= 0) result.detections[i].*member = static_cast<int>(numbers[i]);
    };
    set(tuple[6], &api::Detection::neighbors);
    set(tuple[7], &api::Detection::track);
    set(tuple[8], &api::Detection::followed);
    result.unreadable = tuple[9].cast<std::string>();
    return result;
}

std::vector<api::ImageResult> results_of(const py::list& list) {
    std::vector<api::ImageResult> results;
    for (const py::handle& item : list) results.push_back(result_of(item.cast<py::tuple>()));
    return results;
}

/// \param values in the order that fovea/__init__.py gives them
api::DetectorOptions detector_options(const py::tuple& values) {
    const auto size = [](const py::handle& pair) {
        const auto [width, height] = pair.cast<std::pair<int, int>>();
        return api::Size{width, height};
    };
    return {values[0].cast<std::string>(),
            values[1].cast<std::string>(),
            values[2].cast<int>(),
            values[3].cast<std::string>(),
            values[4].cast<std::optional<double>>(),
            size(values[5]),
            size(values[6]),
            values[7].cast<std::optional<double>>(),
            values[8].cast<std::optional<int>>(),
            values[9].cast<int>()};
}

py::list detect(const api::Detector& detector, const py::list& objects, bool is_bgr) {
    std::vector<GivenImage> images;
    for (const py::handle& object : objects) images.push_back(given_image(object, is_bgr));
    std::vector<std::vector<api::Detection>> found;
    {
        const py::gil_scoped_release unlocked;
        std::vector<api::ImageView> views;
        for (GivenImage& image : images) {
            read_if_file(image);
            views.push_back(image.view);
        }
        found = detector.detect(views);
    }
    py::list list;
    for (std::size_t i = 0; i < images.size(); ++i)
        list.append(found_tuple(images[i].view.width, images[i].view.height, found[i]));
    return list;
}

Bytes read_image(const std::filesystem::path& file) {
    api::Image image;
    {
        const py::gil_scoped_release unlocked;
        image = api::read_image(file);
    }
    return array_of(std::move(image.pixels), {image.height, image.width});
}

py::list frames_list(const std::vector<api::TrackedFrame>& frames) {
    py::list list;
    for (const api::TrackedFrame& frame : frames) {
        list.append(
            py::make_tuple(frame.number, found_tuple(frame.size.width, frame.size.height, frame.faces)));
    }
    return list;
}

py::list add_frame(api::Tracker& tracker, const py::object& object, bool is_bgr) {
    GivenImage image;
    if (!object.is_none()) image = given_image(object, is_bgr);
    std::vector<api::TrackedFrame> frames;
    {
        const py::gil_scoped_release unlocked;
        read_if_file(image);
        frames = tracker.add(image.view);
    }
    return frames_list(frames);
}

py::dict evaluate(const py::object& dataset, const py::object& results, const api::DatasetOptions& part,
                  const api::EvaluationOptions& options) {
    const bool is_file = py::isinstance<py::str>(dataset);
    const std::string specification = is_file ? dataset.cast<std::string>() : std::string();
    const std::vector<api::AnnotatedImage> images =
        is_file ? std::vector<api::AnnotatedImage>{} : annotated_images(dataset.cast<py::list>());
    const bool are_file = py::isinstance<py::str>(results);
    const std::string results_specification = are_file ? results.cast<std::string>() : std::string();
    const std::vector<api::ImageResult> found =
        are_file ? std::vector<api::ImageResult>{} : results_of(results.cast<py::list>());
    api::Evaluation evaluation;
    {
        const py::gil_scoped_release unlocked;
        const api::Dataset truth = is_file ? api::Dataset(specification, part) : api::Dataset(images);
        const api::Results detections =
            are_file ? api::Results(results_specification, truth) : api::Results(found);
        evaluation = api::evaluate(truth, detections, options);
    }
    py::list numbers;
    for (const api::Number& number : evaluation.numbers) {
        numbers.append(py::make_tuple(number.key, number.name, number.definition, number.is_share,
                                      number.is_higher_better, number.value, number.interval));
    }
    std::vector<double> thresholds, recalls, precisions;
    std::vector<std::int64_t> hits, alarms;
    for (const api::CurvePoint& point : evaluation.curve) {
        thresholds.push_back(point.threshold);
        hits.push_back(point.true_positives);
        alarms.push_back(point.false_positives);
        recalls.push_back(point.recall);
        precisions.push_back(point.precision);
    }
    const auto count = static_cast<py::ssize_t>(evaluation.curve.size());
    py::dict curve;
    curve["threshold"] = array_of(std::move(thresholds), {count});
    curve["true_positives"] = array_of(std::move(hits), {count});
    curve["false_positives"] = array_of(std::move(alarms), {count});
    curve["recall"] = array_of(std::move(recalls), {count});
    curve["precision"] = array_of(std::move(precisions), {count});
    py::dict dict;
    dict["protocol"] = evaluation.protocol;
    dict["images"] = evaluation.images;
    dict["images_unreadable"] = evaluation.images_unreadable;
    dict["images_missing"] = evaluation.images_missing;
    dict["faces"] = evaluation.faces;
    dict["detections"] = evaluation.detections;
    dict["true_positives"] = evaluation.true_positives;
    dict["false_positives"] = evaluation.false_positives;
    dict["numbers"] = numbers;
    dict["curve"] = curve;
    dict["warnings"] = evaluation.warnings;
    return dict;
}

/// Messages go to a function of Python, which outlives the library's threads.
void set_log(const py::object& take) {
    // Never freed: a thread may hold it when Python ends.
    const auto* const function = new py::object(take);
    api::set_log([function](api::LogLevel level, std::string_view message) {
        if (Py_IsInitialized() == 0) return;
        const py::gil_scoped_acquire locked;
        try {
            (*function)(static_cast<int>(level), py::str(message.data(), message.size()));
        } catch (py::error_already_set& error) {
            error.discard_as_unraisable("fovea's log");
        }
    });
}

PyObject* usage_error = nullptr;
PyObject* any_error = nullptr;

void add_exceptions(py::module_& module) {
    any_error = PyErr_NewExceptionWithDoc("fovea.Error", "A failure, with a sentence for people.",
                                          PyExc_RuntimeError, nullptr);
    const py::tuple bases = py::make_tuple(py::handle(any_error), py::handle(PyExc_ValueError));
    usage_error = PyErr_NewExceptionWithDoc(
        "fovea.UsageError", "What was asked for cannot be done: an option, a name, a file that is not there.",
        bases.ptr(), nullptr);
    module.attr("Error") = py::handle(any_error);
    module.attr("UsageError") = py::handle(usage_error);
    py::register_exception_translator([](std::exception_ptr failure) {
        try {
            if (failure) std::rethrow_exception(failure);
        } catch (const fovea::UsageError& error) {
            PyErr_SetString(usage_error, error.what());
        } catch (const fovea::Error& error) {
            PyErr_SetString(any_error, error.what());
        }
    });
}

}  // namespace

PYBIND11_MODULE(_fovea, module) {
    add_exceptions(module);
    module.attr("version") = api::version();
    module.def("add_model_folder", &api::add_model_folder);
    module.def("find_model", &api::find_model);
    module.def("model_names", &api::model_names);
    module.def("read_image", &read_image);
    module.def("set_log", &set_log);
    py::module_::import("atexit").attr("register")(py::cpp_function([] { api::set_log({}); }));

    py::class_<api::Detector>(module, "Detector")
        .def(py::init([](const py::tuple& values) {
            const api::DetectorOptions options = detector_options(values);
            const py::gil_scoped_release unlocked;
            return std::make_unique<api::Detector>(options);
        }))
        .def("detect", &detect)
        .def_property_readonly("model_file", &api::Detector::model_file)
        .def_property_readonly("device", &api::Detector::device)
        .def_property_readonly("description", &api::Detector::description);
    py::class_<api::Tracker>(module, "Tracker")
        .def(py::init([](const py::tuple& detector, int redetect, int look_back, bool use_flow,
                         int min_detections, int max_followed, int max_lost) {
            api::TrackerOptions options;
            options.detector = detector_options(detector);
            options.redetect = redetect;
            options.look_back = look_back;
            options.use_flow = use_flow;
            options.min_detections = min_detections;
            options.max_followed = max_followed;
            options.max_lost = max_lost;
            const py::gil_scoped_release unlocked;
            return std::make_unique<api::Tracker>(options);
        }))
        .def("add", &add_frame)
        .def("finish", [](api::Tracker& tracker) {
            std::vector<api::TrackedFrame> frames;
            {
                const py::gil_scoped_release unlocked;
                frames = tracker.finish();
            }
            return frames_list(frames);
        });
    module.def("evaluate",
               [](const py::object& dataset, const py::object& results, const std::string& protocol,
                  const std::string& mode, double iou_threshold, std::vector<int> points, int resamples,
                  std::uint64_t seed, const std::string& pattern, std::size_t limit,
                  const std::filesystem::path& root) {
                   return evaluate(dataset, results, {pattern, limit, root},
                                   {protocol, mode, iou_threshold, std::move(points), resamples, seed});
               });
    module.def("json_line", [](const py::tuple& result) { return api::json_line(result_of(result)); });
    module.def("write_results", [](const std::filesystem::path& file, const py::list& list) {
        const std::vector<api::ImageResult> results = results_of(list);
        const py::gil_scoped_release unlocked;
        api::write_results(file, results);
    });
}
