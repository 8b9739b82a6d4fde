#include "lib/train/landmarks/landmark_data.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/detect/detector.hpp"
#include "lib/evaluate/landmarks/landmark_points.hpp"
#include "lib/files/find_model.hpp"
#include "lib/files/model_file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/read_grey.hpp"
#include "lib/json/json.hpp"
#include "lib/landmark/box_convention.hpp"
#include "lib/landmark/box_fit.hpp"
#include "lib/train/counter_random.hpp"
#include "lib/train/data_sources.hpp"

namespace fovea {
namespace {

constexpr std::size_t detected_at_once = 32;
constexpr std::size_t ibug_points = 68;

/// A face as read, before anything is known of the mean face.
struct ReadFace {
    LandmarkTrainingFace face;
    std::vector<Box> boxes;  // by source; of no extent where a detector misses it
    bool validates = false;
};

class Reader {
  public:
    Reader(const LandmarkTrainConfig& config, const CountProgress& progress)
        : config_(config), progress_(progress) {
        for (const std::string& name : config.boxes.detectors) {
            const std::filesystem::path file = find_model(name);
            detectors_.push_back(load_detector(file, DetectionDevice::cpu()));
            data_.inputs.add(file);
            data_.sources.push_back({model_name(file), {}});
            detector_manifest_.push_back({{"model", model_name(file)}, {"sha256", sha256_of_file(file)}});
        }
        data_.sources.push_back({"tight", {}});
        std::set<std::string> names;
        for (const BoxErrorSource& source : data_.sources) {
            if (names.insert(source.name).second) continue;
            throw UsageError("'boxes.detectors' has two models of the name '" + source.name +
                             "', or one of the name 'tight'; name each once, and rename that file");
        }
    }

    LandmarkTrainingData read() {
        std::vector<Dataset> datasets;
        for (const std::string& name : config_.datasets) datasets.push_back(read_dataset(name));
        Json dataset_list = Json::array();
        for (const Dataset& dataset : datasets) {
            add_inputs(dataset, data_.inputs);
            total_ += dataset.samples.size();
            dataset_list.push_back(dataset_manifest(dataset));
        }
        choose_validation();
        for (const Dataset& dataset : datasets) read_faces(dataset);
        fit_boxes();
        data_.manifest = {{"datasets", dataset_list},
                          {"faces", data_.faces.size()},
                          {"validation_faces", data_.validation_faces.size()},
                          {"unreadable_images", data_.unreadable},
                          {"normaliser", normaliser_name(normaliser())},
                          {"detectors", detector_manifest_},
                          {"boxes", box_manifest_}};
        return std::move(data_);
    }

  private:
    // The first images of a random order.
    void choose_validation() {
        std::vector<std::size_t> order(total_);
        for (std::size_t i = 0; i < total_; ++i) order[i] = i;
        const auto rank = [&](std::size_t i) { return CounterRandom(config_.seed, 'v', i).next(); };
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
        order.resize(static_cast<std::size_t>(std::lround(config_.holdout * static_cast<double>(total_))));
        validates_.assign(total_, 0);
        for (const std::size_t i : order) validates_[i] = 1;
    }

    void read_faces(const Dataset& dataset) {
        for (std::size_t first = 0; first < dataset.samples.size(); first += detected_at_once) {
            const std::size_t end = std::min(first + detected_at_once, dataset.samples.size());
            std::vector<GreyImage> images;
            std::vector<const Sample*> samples;
            std::vector<char> validates;
            for (std::size_t i = first; i < end; ++i) {
                const Sample& sample = dataset.samples[i];
                const bool validation = validates_[done_++] != 0;
                try {
                    images.push_back(read_grey_image(sample.place()));
                    samples.push_back(&sample);
                    validates.push_back(validation);
                } catch (const ImageError& error) {
                    ++data_.unreadable;
                    spdlog::warn("{} is left out: {}", sample.path.string(), error.what());
                }
            }
            add_images(images, samples, validates);
            if (progress_) progress_(done_, total_);
        }
    }

    void add_images(const std::vector<GreyImage>& images, const std::vector<const Sample*>& samples,
                    const std::vector<char>& validates) {
        std::vector<ImageView<const std::uint8_t>> views;
        for (const GreyImage& image : images) views.push_back(image.view());
        std::vector<std::vector<std::vector<Detection>>> found;
        for (const auto& detector : detectors_) found.push_back(detector->detect(views, {}));
        for (std::size_t i = 0; i < images.size(); ++i) {
            for (const Face& face : samples[i]->faces) {
                const Box tight = tight_box(face.landmarks);
                if (face.ignore || !(tight.area() > 0)) continue;
                check_points(face.landmarks.size(), samples[i]->path.string());
                ReadFace read;
                read.validates = validates[i] != 0;
                read.face.normaliser = normaliser_length(normaliser(), face);
                if (!(read.face.normaliser > 0)) continue;
                read.face.landmarks = face.landmarks;
                for (const auto& lists : found) {
                    const int index = detection_of_face(face.landmarks, lists[i]);
                    read.boxes.push_back(index < 0 ? Box{} : lists[i][static_cast<std::size_t>(index)].box);
                }
                read.boxes.push_back(tight);
                add_face(images[i], tight, std::move(read));
            }
        }
    }

    // One for all faces, whatever else is known of some.
    LandmarkNormaliser normaliser() const { return normalisers_for(points_, false).front(); }

    void check_points(std::size_t points, const std::string& image) {
        if (points_ == 0) points_ = points;
        if (points == points_) return;
        throw Error(image + ": a face has " + counted(points, "landmark") + ", where the faces before have " +
                    std::to_string(points_) + "; train on faces of one kind.");
    }

    // Large images are kept as far as a model can look: no box reaches so far beyond the face.
    void add_face(const GreyImage& image, const Box& tight, ReadFace read) {
        const double side = 1.5 * std::max(tight.w, tight.h);
        const auto limited = [](double value, int most) {
            return static_cast<int>(std::clamp(value, 0.0, static_cast<double>(most)));
        };
        const int left = limited(std::floor(tight.x - side), image.width - 1);
        const int top = limited(std::floor(tight.y - side), image.height - 1);
        const int right = limited(std::ceil(tight.x + tight.w + side), image.width - 1);
        const int bottom = limited(std::ceil(tight.y + tight.h + side), image.height - 1);
        GreyImage part{right - left + 1, bottom - top + 1, {}};
        for (int y = top; y <= bottom; ++y) {
            const std::uint8_t* const row = image.view().row(y);
            part.pixels.insert(part.pixels.end(), row + left, row + right + 1);
        }
        for (Point& point : read.face.landmarks) point = {point.x - left, point.y - top};
        for (Box& box : read.boxes) box = {box.x - left, box.y - top, box.w, box.h};
        read.face.image = data_.images.size();
        data_.images.push_back(std::move(part));
        faces_.push_back(std::move(read));
    }

    std::vector<Point> mean_face() const {
        std::vector<std::vector<Point>> mirrored;
        std::vector<const std::vector<Point>*> shapes;
        for (const ReadFace& read : faces_) {
            if (!read.validates) shapes.push_back(&read.face.landmarks);
        }
        constexpr std::size_t min_faces = 10;
        if (shapes.size() < min_faces) {
            throw Error("There are too few faces to train on: " + counted(shapes.size(), "face") +
                        " with landmarks, where at least " + std::to_string(min_faces) +
                        " are needed; add datasets.");
        }
        if (config_.copies.mirrored && points_ == ibug_points) {
            const std::size_t count = shapes.size();
            mirrored.reserve(count);
            for (std::size_t i = 0; i < count; ++i) {
                std::vector<Point>& shape = mirrored.emplace_back();
                for (const std::size_t from : mirrored_landmarks()) {
                    shape.push_back({-(*shapes[i])[from].x, (*shapes[i])[from].y});
                }
                shapes.push_back(&shape);
            }
        }
        return mean_shape(shapes);
    }

    // The model's box is a square around the mean face, so that what turns a face turns its shape.
    void make_initial_shape(const std::vector<Point>& mean) {
        const Box tight = tight_box(mean);
        const double side = std::max(tight.w, tight.h) * (1 + 2 * config_.boxes.margin);
        for (const Point& point : mean) {
            data_.initial_shape.push_back(static_cast<float>((point.x - tight.centre().x) / side + 0.5));
            data_.initial_shape.push_back(static_cast<float>((point.y - tight.centre().y) / side + 0.5));
        }
    }

    void fit_boxes() {
        const std::vector<Point> mean = mean_face();
        make_initial_shape(mean);
        LandmarkModel model;
        model.points = static_cast<int>(points_);
        model.initial_shape = data_.initial_shape;
        box_manifest_ = Json::array();
        for (std::size_t s = 0; s < data_.sources.size(); ++s) fit_source(mean, model, s);
        for (ReadFace& read : faces_) {
            (read.validates ? data_.validation_faces : data_.faces).push_back(std::move(read.face));
        }
    }

    // The convention of a source is fitted to training faces only, and so are the errors that it leaves.
    void fit_source(const std::vector<Point>& mean, const LandmarkModel& model, std::size_t source) {
        std::vector<BoxedFace> boxed;
        for (const ReadFace& read : faces_) {
            if (!read.validates) boxed.push_back({read.boxes[source], read.face.landmarks});
        }
        BoxErrorSource& boxes = data_.sources[source];
        const BoxConvention convention = fit_convention(boxes.name, mean, boxed);
        const BoxTransform& edges = convention.landmarks;
        for (const BoxedFace& face : boxed) {
            const Box best = fitted_box(mean, face.landmarks);
            if (!(best.area() > 0 && face.box.area() > 0)) continue;
            const double across = face.box.w - 1, down = face.box.h - 1;
            boxes.errors.push_back(
                box_error(best, {face.box.x + edges.left * across, face.box.y + edges.top * down,
                                 (edges.right - edges.left) * across, (edges.bottom - edges.top) * down}));
        }
        const BoxTransform of_model = model_edges(convention, model);
        for (ReadFace& read : faces_) {
            const Box& box = read.boxes[source];
            if (read.validates) {
                read.face.boxes.push_back(
                    box.area() > 0 ? rect_of_edges({box.x, box.y, box.w, box.h}, of_model) : Rect{});
            }
        }
        describe_source(boxes);
    }

    void describe_source(const BoxErrorSource& source) {
        const auto deviation = [&](double BoxError::*part) {
            double squares = 0;
            for (const BoxError& error : source.errors) squares += error.*part * (error.*part);
            return std::sqrt(squares / static_cast<double>(source.errors.size()));
        };
        box_manifest_.push_back({{"source", source.name},
                                 {"faces", source.errors.size()},
                                 {"rms_dx", deviation(&BoxError::dx)},
                                 {"rms_dy", deviation(&BoxError::dy)},
                                 {"rms_log_width", deviation(&BoxError::dw)},
                                 {"rms_log_height", deviation(&BoxError::dh)}});
    }

    const LandmarkTrainConfig& config_;
    const CountProgress& progress_;
    std::vector<std::unique_ptr<Detector>> detectors_;
    Json detector_manifest_ = Json::array();
    Json box_manifest_;
    std::vector<char> validates_;  // by image
    std::size_t total_ = 0;
    std::size_t done_ = 0;
    std::size_t points_ = 0;
    std::vector<ReadFace> faces_;
    LandmarkTrainingData data_;
};

}  // namespace

const std::vector<std::size_t>& mirrored_landmarks() {
    static const std::vector<std::size_t> table{
        16, 15, 14, 13, 12, 11, 10, 9,  8,  7,  6,  5,  4, 3, 2, 1, 0,  // jaw
        26, 25, 24, 23, 22, 21, 20, 19, 18, 17,                         // brows
        27, 28, 29, 30, 35, 34, 33, 32, 31,                             // nose
        45, 44, 43, 42, 47, 46, 39, 38, 37, 36, 41, 40,                 // eyes
        54, 53, 52, 51, 50, 49, 48, 59, 58, 57, 56, 55,                 // outer mouth
        64, 63, 62, 61, 60, 67, 66, 65};                                // inner mouth
    return table;
}

Box displaced_box(const Box& best, const BoxError& error, double widening) {
    const double width = best.w * std::exp(widening * error.dw);
    const double height = best.h * std::exp(widening * error.dh);
    const Point centre{best.centre().x + widening * error.dx * best.w,
                       best.centre().y + widening * error.dy * best.h};
    return {centre.x - width / 2, centre.y - height / 2, width, height};
}

BoxError box_error(const Box& best, const Box& box) {
    return {(box.centre().x - best.centre().x) / best.w, (box.centre().y - best.centre().y) / best.h,
            std::log(box.w / best.w), std::log(box.h / best.h)};
}

Rect model_box(const LandmarkModel& model, const Box& tight) {
    // A convention counts from the first pixel's centre to the last one's.
    const BoxConvention itself{"tight", {0, 0, 1, 1}, {}, 0};
    return rect_of_edges({tight.x, tight.y, tight.w + 1, tight.h + 1}, model_edges(itself, model));
}

LandmarkTrainingData load_landmark_training_data(const LandmarkTrainConfig& config,
                                                 const CountProgress& progress) {
    return Reader(config, progress).read();
}

}  // namespace fovea
