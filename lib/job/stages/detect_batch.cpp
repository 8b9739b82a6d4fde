#include "lib/job/stages/detect_batch.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/job/stages/crop_writer.hpp"
#include "lib/job/stages/image_source.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/recognise/face_place.hpp"

namespace fovea {
namespace {

using Views = std::vector<ImageView<const std::uint8_t>>;

bool is_readable(const LoadedImage& image) {
    return image.unreadable.empty();
}

ImageView<const std::uint8_t> view_of(const Batch& batch, std::size_t i) {
    return batch.resident != nullptr ? batch.resident->views()[i] : batch.images[i].image.view();
}

// The options for an image at 1/scale of its size.
DetectorOptions reduced(DetectorOptions options, int scale) {
    const auto up = [&](int length) { return (length + scale - 1) / scale; };
    options.min_size = {up(options.min_size.width), up(options.min_size.height)};
    options.max_size = {up(options.max_size.width), up(options.max_size.height)};
    options.border = up(options.border);
    return options;
}

// From a reduced image to the picture. The centre of its top left pixel is that of scale x scale pixels.
void enlarge(Detection& detection, const LoadedImage& loaded) {
    const int scale = loaded.scale;
    Box& box = detection.box;
    const double right = std::min<double>((box.x + box.w) * scale - loaded.left, loaded.size.width);
    const double bottom = std::min<double>((box.y + box.h) * scale - loaded.top, loaded.size.height);
    box.x = std::max(0.0, box.x * scale - loaded.left);
    box.y = std::max(0.0, box.y * scale - loaded.top);
    box.w = right - box.x;
    box.h = bottom - box.y;
    if (!detection.details.is_set()) return;
    for (Point& point : detection.details.edit().landmarks) {
        point.x = (point.x + 0.5) * scale - 0.5 - loaded.left;
        point.y = (point.y + 0.5) * scale - 0.5 - loaded.top;
    }
}

std::vector<Detection> annotated_detections(const Sample& sample) {
    std::vector<Detection> detections;
    for (const Face& face : sample.faces) {
        if (face.ignore || face.crowd) continue;
        Detection& detection = detections.emplace_back();
        detection.box = face.box;
        detection.score = 1;
    }
    return detections;
}

}  // namespace

BatchDetector::BatchDetector(const ImageList& images, const std::vector<DetectorTask>& tasks,
                             const Dataset* truth, ThreadLimit& limit, const Device* gpu)
    : images_(images), tasks_(tasks), truth_(truth), limit_(limit), gpu_(gpu) {
    if (gpu != nullptr) gpu_meter_.emplace(*gpu);
    for (const DetectorTask& task : tasks) {
        Worker& worker = workers_.emplace_back();
        if (gpu != nullptr) worker.detector = task.detector->copy_for(*gpu);
        if (!task.features) continue;
        DetectionDevice device;
        if (gpu != nullptr) device.gpus = {gpu->index()};
        worker.recogniser = std::make_unique<Recogniser>(task.features->recogniser, device,
                                                         gpu != nullptr ? gpu->share() : GpuShare::all);
    }
}

std::optional<EngineCounters> BatchDetector::counters(std::size_t task) const {
    const Worker& worker = workers_.at(task);
    return worker.detector == nullptr ? std::nullopt : std::optional(worker.detector->counters());
}

void BatchDetector::run(Batch& batch, BusySeconds& detecting, BusySeconds& describing) {
    batch.outputs.assign(tasks_.size(), {});
    std::vector<Found> found(tasks_.size());
    {
        const BusyScope busy(detecting);
        // Nothing is formatted before all detectors are done: an image that one of them cannot scan is
        // unreadable in every results file, so that detectors are compared on the same images.
        for (std::size_t t = 0; t < tasks_.size(); ++t) {
            const Stopwatch watch;
            detect(t, batch, found[t]);
            batch.outputs[t].detect_seconds = watch.seconds();
        }
    }
    const BusyScope busy(describing);
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
        if (tasks_[t].features) describe(t, batch, found[t], batch.outputs[t]);
        format(tasks_[t], batch, found[t], batch.outputs[t]);
    }
}

void BatchDetector::detect(std::size_t task, Batch& batch, Found& found) {
    found.assign(batch.images.size(), {});
    std::set<int> scales;
    for (const LoadedImage& image : batch.images) {
        if (is_readable(image)) scales.insert(image.scale);
    }
    for (const int scale : scales) detect_at_scale(task, batch, scale, found);
}

void BatchDetector::detect_at_scale(std::size_t task, Batch& batch, int scale, Found& found) {
    std::vector<std::size_t> readable;
    for (std::size_t i = 0; i < batch.images.size(); ++i) {
        if (is_readable(batch.images[i]) && batch.images[i].scale == scale) readable.push_back(i);
    }
    std::string why;
    if (detect_in(task, batch, readable, scale, found, why)) return;
    // One image is too large for a scan: each by itself tells which.
    for (const std::size_t i : readable) {
        if (readable.size() == 1 || !detect_in(task, batch, {i}, scale, found, why)) {
            batch.images[i].unreadable = why;
        }
    }
}

// False with the reason if an image is larger than a scan can be. A lack of memory is no property of an
// image.
bool BatchDetector::detect_in(std::size_t task, const Batch& batch, const std::vector<std::size_t>& indices,
                              int scale, Found& found, std::string& why) {
    Views views;
    for (const std::size_t i : indices) views.push_back(view_of(batch, i));
    try {
        const DetectorTask& with = tasks_[task];
        const auto detect = [&] {
            Found here = with.detector == nullptr ? annotated_faces(with, batch, indices, views)
                                                  : detections_of(task, views, reduced(with.options, scale),
                                                                  batch.resident != nullptr);
            if (with.measures_faces)
                (batch.resident != nullptr ? *gpu_meter_ : host_meter_).measure(views, here);
            for (std::size_t n = 0; n < indices.size(); ++n) found[indices[n]] = std::move(here[n]);
        };
        // A GPU's workers do not wait for the CPU's cores.
        if (gpu_ != nullptr) {
            detect();
        } else {
            limit_.run(detect);
        }
        return true;
    } catch (const std::length_error& error) {
        why = std::string("cannot be scanned: ") + error.what();
    }
    return false;
}

BatchDetector::Found BatchDetector::detections_of(std::size_t task, const Views& views,
                                                  const DetectorOptions& options, bool resident) const {
    const DetectorTask& with = tasks_[task];
    const LandmarkStage* const landmarks = with.landmarks ? &*with.landmarks : nullptr;
    return resident ? workers_[task].detector->detect({views, gpu_->index()}, options, landmarks)
                    : with.detector->detect(views, options, landmarks);
}

BatchDetector::Found BatchDetector::annotated_faces(const DetectorTask& task, const Batch& batch,
                                                    const std::vector<std::size_t>& indices,
                                                    const Views& views) const {
    Found faces;
    for (const std::size_t i : indices) {
        faces.push_back(annotated_detections(truth_->samples.at(images_.position(batch.images[i].index))));
    }
    if (task.landmarks) add_landmarks(*task.landmarks, views, faces);
    return faces;
}

void BatchDetector::describe(std::size_t task, const Batch& batch, const Found& found, BatchOutput& output) {
    const Recogniser& recogniser = *workers_[task].recogniser;
    const LandmarkModel& model = tasks_[task].landmarks->landmarker->model();
    Views views;
    std::vector<CropTask> faces;
    std::vector<std::size_t> rows;  // of the faces
    std::size_t detections = 0;
    for (std::size_t i = 0; i < batch.images.size(); ++i) {
        views.push_back(is_readable(batch.images[i]) ? view_of(batch, i) : ImageView<const std::uint8_t>{});
        if (!is_readable(batch.images[i])) continue;
        for (const Detection& detection : found[i]) {
            const auto eyes =
                eyes_for(recogniser.config(), detection.details->landmarks, model.initial_shape);
            if (eyes) {
                const CropTransform transform = crop_transform(*eyes, recogniser.config().geometry);
                if (transform.exists()) {
                    faces.push_back({static_cast<std::uint32_t>(i), transform});
                    rows.push_back(detections);
                }
            }
            ++detections;
        }
    }
    FaceFeatures features;
    if (batch.resident != nullptr) {
        features = recogniser.features({views, gpu_->index()}, faces);
    } else {
        limit_.run([&] { features = recogniser.features(views, faces); });
    }
    // A face whose eyes coincide has no crop; its features are zero.
    const std::size_t length = recogniser.metric().length;
    output.features.assign(detections * length, 0);
    for (std::size_t n = 0; n < rows.size(); ++n) {
        std::copy_n(features.of(n), length,
                    output.features.begin() + static_cast<std::ptrdiff_t>(rows[n] * length));
    }
}

std::vector<std::string> BatchDetector::write_aligned(const CropWriter& crops, const Batch& batch,
                                                      std::size_t i,
                                                      const std::vector<Detection>& faces) const {
    const std::size_t number = batch.images[i].index;
    if (batch.resident == nullptr) return crops.write_aligned(number, batch.images[i].image.view(), faces);
    const GreyImage image = batch.resident->to_host(*gpu_, i);
    return crops.write_aligned(number, image.view(), faces);
}

// In colours, where the image has a file with some that is kept; else what the detectors saw.
cv::Mat BatchDetector::picture_of(const CropWriter& crops, const Batch& batch, std::size_t i) const {
    const LoadedImage& loaded = batch.images[i];
    const std::vector<std::uint8_t>& file = loaded.jpeg ? loaded.jpeg->bytes : loaded.file;
    if (!file.empty()) {
        try {
            return crops.picture_of(file);
        } catch (const ImageError&) {
            // A GPU's decoder is not as strict: its picture is shown.
        }
    }
    if (loaded.scale > 1) return {};
    const GreyImage copy = batch.resident != nullptr ? batch.resident->to_host(*gpu_, i) : GreyImage{};
    const GreyImage& image = batch.resident != nullptr ? copy : loaded.image;
    // A header over the pixels, cloned before they go.
    return cv::Mat(image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.pixels.data()))
        .clone();
}

void BatchDetector::write_boxes(const CropWriter& crops, const Batch& batch,
                                std::vector<ImageResult>& results) const {
    limit_.run([&] {
        tbb::parallel_for(std::size_t{0}, results.size(), [&](std::size_t i) {
            ImageResult& result = results[i];
            if (result.detections.empty()) return;
            result.crops =
                crops.write_boxes(batch.images[i].index, picture_of(crops, batch, i), result.detections);
        });
    });
}

ImageResult BatchDetector::result_of(const DetectorTask& task, const Batch& batch, std::size_t i,
                                     std::vector<Detection>&& faces) const {
    const LoadedImage& loaded = batch.images[i];
    ImageResult result = result_without_faces(images_, loaded);
    if (!result.ok()) return result;
    const bool are_aligned = task.crops != nullptr && !task.crops->takes_files() && !faces.empty();
    if (are_aligned) result.crops = write_aligned(*task.crops, batch, i, faces);
    result.detections = std::move(faces);
    if (loaded.scale > 1) {
        for (Detection& detection : result.detections) enlarge(detection, loaded);
    }
    for (Detection& detection : result.detections) detection.box = moved_box(detection.box, task.box_offsets);
    return result;
}

void BatchDetector::format(const DetectorTask& task, const Batch& batch, Found& found,
                           BatchOutput& output) const {
    std::vector<ImageResult> results;
    for (std::size_t i = 0; i < batch.images.size(); ++i) {
        results.push_back(result_of(task, batch, i, std::move(found[i])));
    }
    if (task.crops != nullptr && task.crops->takes_files()) write_boxes(*task.crops, batch, results);
    for (const ImageResult& result : results) {
        output.detections += result.detections.size();
        for (const std::string& crop : result.crops) output.crops += crop.empty() ? 0 : 1;
        output.lines += to_json_line(result);
        output.lines += '\n';
    }
}

}  // namespace fovea
