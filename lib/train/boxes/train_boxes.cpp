#include "lib/train/boxes/train_boxes.hpp"

#include <algorithm>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/evaluate/landmarks/landmark_points.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/model_file.hpp"
#include "lib/image/prefetch.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/job/job_images.hpp"
#include "lib/job/loaded_detector.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/landmark/box_fit.hpp"
#include "lib/train/data_sources.hpp"

namespace fovea {
namespace {

constexpr const char* tight_boxes = "landmarks";

/// The faces of a sample that can be fitted to.
std::vector<const Face*> usable_faces(const Sample& sample) {
    std::vector<const Face*> faces;
    for (const Face& face : sample.faces) {
        if (!face.ignore && !face.landmarks.empty()) faces.push_back(&face);
    }
    return faces;
}

std::vector<Point> mean_shape_of(const Dataset& dataset) {
    std::vector<const std::vector<Point>*> shapes;
    for (const Sample& sample : dataset.samples) {
        for (const Face* face : usable_faces(sample)) {
            shapes.push_back(&face->landmarks);
            if (face->landmarks.size() == shapes.front()->size()) continue;
            throw UsageError(sample.image + " of the dataset " + dataset.name + " has a face of " +
                             counted(face->landmarks.size(), "landmark") + " where others have " +
                             std::to_string(shapes.front()->size()) + "; give one kind of landmarks");
        }
    }
    if (shapes.empty()) {
        throw UsageError("the dataset " + dataset.name +
                         " has no landmarks; boxes are fitted to faces with landmarks, e.g. pts:DIR");
    }
    return mean_shape(shapes);
}

class BoxTrainer {
  public:
    BoxTrainer(const Dataset& dataset, const std::vector<LoadedDetector>& detectors, int threads,
               const JobHooks& hooks)
        : dataset_(dataset),
          detectors_(detectors),
          hooks_(hooks),
          limit_(threads),
          prefetcher_(places_of(dataset_), {limit_.threads(), std::size_t{256} << 20, decode_options({})}),
          boxed_(detectors_.size() + 1) {}

    BoxTrainingResult run() {
        const std::vector<Point> shape = mean_shape_of(dataset_);
        hooks_.begin_stage("detecting");
        while (fill_batch()) take_batch();
        outcome_.interrupted = outcome_.images < dataset_.samples.size();
        if (outcome_.interrupted) return std::move(outcome_);
        for (std::size_t i = 0; i < boxed_.size(); ++i) {
            const bool is_detector = i < detectors_.size();
            outcome_.conventions.push_back(fit_convention(
                is_detector ? model_name(detectors_[i].model) : tight_boxes, shape, boxed_[i]));
            outcome_.conventions.back().dataset = description();
        }
        return std::move(outcome_);
    }

  private:
    bool fill_batch() {
        batch_.clear();
        const auto most = static_cast<std::size_t>(std::clamp(2 * limit_.threads(), 8, 64));
        while (batch_.size() < most && !hooks_.is_cancelled()) {
            std::optional<LoadedImage> loaded = prefetcher_.next();
            if (!loaded) break;
            ++outcome_.images;
            if (loaded->unreadable.empty()) {
                batch_.push_back(std::move(*loaded));
            } else {
                outcome_.unreadable.push_back({dataset_.samples[loaded->index].image, loaded->unreadable});
            }
        }
        return !batch_.empty();
    }

    void take_batch() {
        std::vector<ImageView<const std::uint8_t>> views;
        for (const LoadedImage& loaded : batch_) {
            views.push_back(loaded.image.view());
            for (const Face* face : usable_faces(dataset_.samples[loaded.index])) {
                boxed_.back().push_back({tight_box(face->landmarks), face->landmarks});
                ++outcome_.faces;
            }
        }
        for (std::size_t d = 0; d < detectors_.size(); ++d) {
            limit_.run([&] {
                const auto found = detectors_[d].detector->detect(views, detectors_[d].config.options);
                for (std::size_t i = 0; i < batch_.size(); ++i) take_found(d, batch_[i], found[i]);
            });
        }
        hooks_.tell({outcome_.images, dataset_.samples.size(), outcome_.unreadable.size()});
    }

    void take_found(std::size_t detector, const LoadedImage& loaded, const std::vector<Detection>& found) {
        for (const Face* face : usable_faces(dataset_.samples[loaded.index])) {
            const int match = detection_of_face(face->landmarks, found);
            if (match < 0) continue;
            boxed_[detector].push_back({found[static_cast<std::size_t>(match)].box, face->landmarks});
        }
    }

    // In words, without the place that the dataset has on this machine.
    std::string description() const {
        const std::filesystem::path path = dataset_.name.substr(dataset_.name.find(':') + 1);
        const std::string name = (path.has_filename() ? path : path.parent_path()).filename().string();
        return name + ": " + counted(outcome_.faces, "face") + " in " + counted(outcome_.images, "image");
    }

    const Dataset& dataset_;
    const std::vector<LoadedDetector>& detectors_;
    const JobHooks& hooks_;
    ThreadLimit limit_;
    ImagePrefetcher prefetcher_;
    std::vector<LoadedImage> batch_;
    std::vector<std::vector<BoxedFace>> boxed_;  // of each detector, and of the tight boxes
    BoxTrainingResult outcome_;
};

// A newer convention takes the place of an older one of the same name.
std::vector<BoxConvention> merged_conventions(std::vector<BoxConvention> older,
                                              const std::vector<BoxConvention>& newer) {
    for (const BoxConvention& convention : newer) {
        const auto same = std::find_if(older.begin(), older.end(), [&](const BoxConvention& other) {
            return other.name == convention.name;
        });
        if (same != older.end()) {
            *same = convention;
        } else {
            older.push_back(convention);
        }
    }
    return older;
}

}  // namespace

void describe(FieldVisitor& visitor, BoxTrainConfig& config) {
    visitor.object("dataset", [&](FieldVisitor& members) {
        describe(members, config.dataset, "Dataset with landmarks, FORMAT:PATH or a path");
    });
    visitor.value({.key = "detectors",
                   .flag = {.name = "--model,-m",
                            .type = "MODEL",
                            .group = "Detector",
                            .help = "Detector, by file or name; several may be given"},
                   .is_path = true},
                  &config.detectors);
}

void validate_box_train_config(const BoxTrainConfig& config) {
    require_dataset(config.dataset, "landmarks");
    if (config.detectors.empty()) throw UsageError("no detector was given: name its model with --model");
    check_config("", config);
}

BoxTrainingResult train_boxes(const BoxTrainJob& job, const JobHooks& hooks) {
    // Read before the work, so that a broken file is known before it.
    std::vector<BoxConvention> older;
    if (job.out != "-" && is_there(job.out)) older = read_conventions(job.out);
    RunConfig config;
    for (const std::string& model : job.config.detectors) config.detectors.push_back({"", model, {}});
    const std::vector<LoadedDetector> detectors = load_detectors(config, job.device, default_min_confidence);
    const Dataset dataset = read_configured_dataset(job.config.dataset);
    InputFiles inputs;
    add_inputs(dataset, inputs);
    for (const LoadedDetector& detector : detectors) inputs.add(detector.model);
    check_training_outputs(job, inputs);
    BoxTrainingResult outcome = BoxTrainer(dataset, detectors, job.threads, hooks).run();
    if (!outcome.interrupted) {
        const Json json = conventions_to_json(merged_conventions(std::move(older), outcome.conventions));
        publish_product(job, indented_text(json) + "\n", inputs);
    }
    return outcome;
}

}  // namespace fovea
