#include "tests/lab/boxes/box_jitter_study.hpp"

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/landmarks/landmark_points.hpp"
#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/image/prefetch.hpp"

namespace fovea {
namespace {

constexpr std::size_t prefetched_bytes = std::size_t{256} << 20;

// The annotated images with faces that count, and the number of the first of these in the dataset.
struct StudiedImages {
    std::vector<const Sample*> samples;
    std::vector<std::size_t> first_faces;
    std::size_t points = 0;
    bool eyes = true;
};

StudiedImages studied_images(const Dataset& dataset, std::size_t points) {
    StudiedImages images;
    images.points = points;
    std::size_t faces = 0;
    for (const Sample& sample : dataset.samples) {
        if (!sample.annotated) continue;
        const std::size_t first = faces;
        for (const Face& face : sample.faces) {
            if (!counts_for_landmarks(face)) continue;
            ++faces;
            images.eyes = images.eyes && face.eyes.has_value();
            if (face.landmarks.size() == points) continue;
            throw Error("A face of '" + excerpt(sample.image) + "' has " +
                        counted(face.landmarks.size(), "landmark") + ", the landmark model has " +
                        std::to_string(points) + "; use a model of the dataset's points.");
        }
        if (faces == first) continue;
        images.samples.push_back(&sample);
        images.first_faces.push_back(first);
    }
    return images;
}

double mean_error(const std::vector<Point>& found, const Face& face, double length) {
    double sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i) sum += distance(found[i], face.landmarks[i]);
    return sum / static_cast<double>(found.size()) / length;
}

class Study {
  public:
    Study(const Dataset& dataset, const LandmarkStage& stage, const BoxJitterStudyOptions& options)
        : stage_(stage),
          options_(options),
          images_(studied_images(dataset, static_cast<std::size_t>(stage.landmarker->model().points))),
          normaliser_(options.normaliser.value_or(normalisers_for(images_.points, images_.eyes).front())),
          errors_(options.jitter.shifts.size() + options.jitter.scales.size()) {}

    std::optional<BoxSensitivity> run() {
        std::vector<ImageLocation> places;
        for (const Sample* sample : images_.samples) places.push_back(sample->place());
        ImagePrefetcher prefetcher(std::move(places), {options_.threads, prefetched_bytes, options_.decode});
        while (const std::optional<LoadedImage> loaded = prefetcher.next()) {
            if (loaded->unreadable.empty())
                measure(*loaded);
            else
                unreadable_.push_back({images_.samples[loaded->index]->image, loaded->unreadable});
            const std::size_t done = loaded->index + 1;
            if (options_.progress && !options_.progress(done, images_.samples.size())) return std::nullopt;
        }
        BoxSensitivity found = box_sensitivity(options_.jitter, normaliser_, faces_, std::move(errors_),
                                               options_.bootstrap_resamples, options_.bootstrap_seed);
        found.unreadable = std::move(unreadable_);
        return found;
    }

  private:
    // All boxes of all faces of an image at once.
    void measure(const LoadedImage& loaded) {
        struct Trial {
            const Face* face;
            double length;
            std::size_t level;
        };
        std::size_t faces = 0;
        std::vector<Trial> trials;
        std::vector<std::vector<Detection>> detections(1);
        std::size_t number = images_.first_faces[loaded.index];
        for (const Face& face : images_.samples[loaded.index]->faces) {
            if (!counts_for_landmarks(face)) continue;
            const double length = normaliser_length(normaliser_, face);
            for (const JitteredBox& jittered : jittered_boxes(face.box, options_.jitter, number++)) {
                if (!(length > 0)) continue;
                trials.push_back({&face, length, jittered.level});
                detections[0].emplace_back().box = jittered.box;
            }
            faces += length > 0 ? 1 : 0;
        }
        const std::vector<ImageView<const std::uint8_t>> views{loaded.image.view()};
        add_landmarks(stage_, views, detections);
        faces_ += faces;
        for (std::size_t i = 0; i < trials.size(); ++i) {
            const Trial& trial = trials[i];
            errors_[trial.level].push_back(
                {mean_error(detections[0][i].details->landmarks, *trial.face, trial.length), units_});
        }
        ++units_;
    }

    const LandmarkStage& stage_;
    const BoxJitterStudyOptions& options_;
    StudiedImages images_;
    LandmarkNormaliser normaliser_;
    std::vector<std::vector<UnitError>> errors_;  // by level
    std::vector<UnreadableImage> unreadable_;
    std::size_t faces_ = 0;
    std::uint32_t units_ = 0;
};

}  // namespace

std::optional<BoxSensitivity> study_box_jitter(const Dataset& dataset, const LandmarkStage& stage,
                                               const BoxJitterStudyOptions& options) {
    return Study(dataset, stage, options).run();
}

}  // namespace fovea
