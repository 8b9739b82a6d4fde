#include "lib/pipeline/verification.hpp"

#include <new>
#include <stdexcept>

#include "lib/pipeline/threads.hpp"

namespace fovea {
namespace {

class Verifier {
  public:
    explicit Verifier(const LoadedDetector& loaded)
        : detector_(*loaded.detector), reference_(loaded.model), grouped_options_(loaded.config.options) {
        grouped_options_.raw = false;
        raw_options_ = grouped_options_;
        raw_options_.raw = true;
        raw_options_.score = ScoreKind::neighbors;
    }

    void compare(const std::string& name, const GreyImage& image, VerificationOutcome& outcome) {
        const ImageView<const std::uint8_t> view = image.view();
        const std::vector<Detection> raw = detector_.detect({&view, 1}, raw_options_).at(0);
        const std::vector<Detection> grouped = detector_.detect({&view, 1}, grouped_options_).at(0);
        DifferingImage difference{name,
                                  compare_detections(raw, reference_.raw_windows(view, raw_options_),
                                                     ComparedValues::box_and_stage_sum),
                                  compare_detections(grouped, reference_.grouped(view, grouped_options_),
                                                     ComparedValues::box_and_score)};
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

}  // namespace

VerificationOutcome run_verification(const Dataset& dataset, const LoadedDetector& detector, int threads,
                                     const RunHooks& hooks) {
    ThreadLimit limit(threads);
    Verifier verifier(detector);
    std::vector<std::filesystem::path> paths;
    for (const Sample& sample : dataset.samples) paths.push_back(sample.path);
    ImagePrefetcher prefetcher(std::move(paths), {1, std::size_t{64} << 20, {}});
    VerificationOutcome outcome;
    if (hooks.stage) hooks.stage("comparing");
    std::size_t done = 0;
    while (done < dataset.samples.size()) {
        if (hooks.cancel != nullptr && hooks.cancel->load()) {
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
            } catch (const std::bad_alloc&) {
                why = "cannot be scanned: out of memory";
            } catch (const std::length_error& error) {
                why = std::string("cannot be scanned: ") + error.what();
            }
        }
        if (!why.empty()) outcome.unreadable.push_back({name, why});
        ++done;
        if (hooks.progress) hooks.progress({done, dataset.samples.size(), outcome.unreadable.size()});
    }
    return outcome;
}

}  // namespace fovea
