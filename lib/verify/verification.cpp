#include "lib/verify/verification.hpp"

#include <stdexcept>

#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/threads.hpp"
#include "lib/detect/engine_detector.hpp"

namespace fovea {
namespace {

// Compares images one by one and adds up what it finds.
class Verifier {
  public:
    virtual ~Verifier() = default;
    virtual void compare(const std::string& name, const GreyImage& image, VerificationResult& outcome) = 0;
};

class OpenCvVerifier : public Verifier {
  public:
    explicit OpenCvVerifier(const LoadedDetector& loaded)
        : detector_(*loaded.detector), reference_(loaded.model), grouped_options_(loaded.config.options) {
        grouped_options_.raw = false;
        // Every face found is compared, however weak. OpenCV continues no image.
        grouped_options_.min_score.reset();
        grouped_options_.border = 0;
        raw_options_ = grouped_options_;
        raw_options_.raw = true;
        raw_options_.score = ScoreKind::neighbors;
    }

    void compare(const std::string& name, const GreyImage& image, VerificationResult& outcome) override {
        const ImageView<const std::uint8_t> view = image.view();
        const std::vector<Detection> raw = detector_.detect(view, raw_options_).at(0);
        const std::vector<Detection> grouped = detector_.detect(view, grouped_options_).at(0);
        DifferingImage difference{name,
                                  compare_detections(raw, reference_.raw_windows(view, raw_options_),
                                                     ComparedValues::box_and_stage_sum),
                                  compare_detections(grouped, reference_.grouped(view, grouped_options_),
                                                     ComparedValues::box_and_score),
                                  {}};
        ++outcome.images;
        outcome.raw_windows += raw.size();
        outcome.grouped_boxes += grouped.size();
        const bool equal = difference.raw.empty() && difference.grouped.empty();
        if (!equal) outcome.differing.push_back(std::move(difference));
    }

  private:
    const Detector& detector_;
    OpenCvReference reference_;
    DetectorOptions grouped_options_;
    DetectorOptions raw_options_;
};

class BackendVerifier : public Verifier {
  public:
    BackendVerifier(const LoadedDetector& loaded, const EngineDetector& detector,
                    const EngineDetector& reference)
        : detector_(detector), reference_(reference), grouped_options_(loaded.config.options) {
        check_options(grouped_options_);
        grouped_options_.raw = false;
        // A group's neighbors are compared beside its score: with its largest sum, that is all there is.
        grouped_options_.score = ScoreKind::stage_sum;
        grouped_options_.min_score.reset();
        // Traces are of the image as it is.
        grouped_options_.border = 0;
        raw_options_ = grouped_options_;
        raw_options_.raw = true;
    }

    void compare(const std::string& name, const GreyImage& image, VerificationResult& outcome) override {
        const ImageView<const std::uint8_t> view = image.view();
        const std::vector<Detection> raw = found(detector_, view, raw_options_);
        const std::vector<Detection> grouped = found(detector_, view, grouped_options_);
        DifferingImage difference{
            name,
            compare_detections(raw, found(reference_, view, raw_options_), ComparedValues::box_and_stage_sum),
            compare_detections(grouped, found(reference_, view, grouped_options_),
                               ComparedValues::box_score_and_neighbors),
            compare_traces_of(view)};
        ++outcome.images;
        outcome.raw_windows += raw.size();
        outcome.grouped_boxes += grouped.size();
        outcome.traced_windows += difference.trace.windows;
        outcome.evaluated_windows += difference.trace.evaluated;
        outcome.differing_windows += difference.trace.differing;
        const bool equal = difference.raw.empty() && difference.grouped.empty() && difference.trace.equal();
        if (!equal) outcome.differing.push_back(std::move(difference));
    }

  private:
    static std::vector<Detection> found(const Detector& detector, ImageView<const std::uint8_t> view,
                                        const DetectorOptions& options) {
        return detector.detect(view, options).at(0);
    }

    TraceComparison compare_traces_of(ImageView<const std::uint8_t> view) const {
        // Enough to see what they have in common; all of them would fill gigabytes if everything differs.
        constexpr std::size_t max_listed = 100;
        const ScanParameters parameters = detector_.scan_of(raw_options_).parameters;
        const auto levels = detector_.engine().levels({view.width, view.height}, parameters);
        return compare_traces(detector_.engine().trace(view, parameters),
                              reference_.engine().trace(view, parameters), levels, max_listed);
    }

    const EngineDetector& detector_;
    const EngineDetector& reference_;
    DetectorOptions grouped_options_;
    DetectorOptions raw_options_;
};

/// Compares what two detectors that are no cascades find.
class FaceVerifier : public Verifier {
  public:
    FaceVerifier(const LoadedDetector& loaded, const Detector& reference)
        : detector_(*loaded.detector), reference_(reference), options_(loaded.config.options) {
        // Every face found is compared, however weak.
        options_.min_score = min_compared_score;
    }

    void compare(const std::string& name, const GreyImage& image, VerificationResult& outcome) override {
        const std::vector<Detection> found = detector_.detect(image.view(), options_).at(0);
        DifferingImage difference{name,
                                  {},
                                  compare_detections(found, reference_.detect(image.view(), options_).at(0),
                                                     ComparedValues::box_and_score),
                                  {}};
        ++outcome.images;
        outcome.grouped_boxes += found.size();
        if (!difference.grouped.empty()) outcome.differing.push_back(std::move(difference));
    }

  private:
    static constexpr double min_compared_score = 0.001;

    const Detector& detector_;
    const Detector& reference_;
    DetectorOptions options_;
};

VerificationResult verify_images(const Dataset& dataset, Verifier& verifier, ThreadLimit& limit,
                                 const JobHooks& hooks) {
    ImagePrefetcher prefetcher(places_of(dataset), {1, std::size_t{64} << 20, {}});
    VerificationResult outcome;
    hooks.begin_stage("comparing");
    std::size_t done = 0;
    while (done < dataset.samples.size()) {
        if (hooks.is_cancelled()) {
            outcome.interrupted = true;
            break;
        }
        const std::optional<LoadedImage> loaded = prefetcher.next();
        if (!loaded) break;
        const std::string& name = dataset.samples[loaded->index].image;
        std::string why = loaded->unreadable;
        if (why.empty()) {
            try {
                limit.run([&] { verifier.compare(name, loaded->image, outcome); });
            } catch (const std::length_error& error) {
                why = std::string("cannot be scanned: ") + error.what();
            }
        }
        if (!why.empty()) outcome.unreadable.push_back({name, why});
        ++done;
        hooks.tell({done, dataset.samples.size(), outcome.unreadable.size()});
    }
    return outcome;
}

}  // namespace

VerificationResult run_verification(const Dataset& dataset, const LoadedDetector& detector, int threads,
                                    const JobHooks& hooks) {
    const DetectorTraits traits = detector.detector->traits();
    require_cascade(*detector.detector, detector.model, "cascades are compared with OpenCV's");
    if (!traits.in_opencv) {
        throw UsageError("OpenCV has no " + traits.kind + " to compare " + detector.model.string() +
                         " with: hold the CPU against a GPU with --reference cuda");
    }
    ThreadLimit limit(threads);
    OpenCvVerifier verifier(detector);
    return verify_images(dataset, verifier, limit, hooks);
}

VerificationResult run_backend_verification(const Dataset& dataset, const LoadedDetector& detector,
                                            const Detector& reference, int threads, const JobHooks& hooks) {
    const std::string work = "windows are compared";
    ThreadLimit limit(threads);
    if (!detector.detector->traits().is_cascade) {
        FaceVerifier verifier(detector, reference);
        return verify_images(dataset, verifier, limit, hooks);
    }
    BackendVerifier verifier(detector, require_cascade(*detector.detector, detector.model, work),
                             require_cascade(reference, detector.model, work));
    return verify_images(dataset, verifier, limit, hooks);
}

}  // namespace fovea
