#include "lib/detect/face_net_detector.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_for.h>

#include "kernels/mct/pyramid.hpp"
#include "lib/detect/detections.hpp"
#include "lib/detect/face_net_cells.hpp"
#include "lib/landmark/add_landmarks.hpp"

namespace fovea {
namespace {

/// Sides, pixels, from which an image is seen at a quarter of its size, too: below it no face is too large.
constexpr int min_reduced_side = 256;
/// Halvings from one size to the next.
constexpr int octaves_apart = 2;
constexpr double logit_margin = 1e-3;

}  // namespace

FaceNetDetector::FaceNetDetector(FaceNetModel model) : model_(std::move(model)), runner_(model_.net) {}

DetectorTraits FaceNetDetector::traits_of_kind() {
    return network_traits("Face networks", min_score);
}

std::string FaceNetDetector::description() const {
    return fmt::format("network of 8-bit numbers, {} and {} channels", model_.net.stem_channels,
                       model_.net.channels);
}

EngineCounters FaceNetDetector::counters() const {
    EngineCounters counters;
    counters.images = images_;
    return counters;
}

std::vector<std::vector<Detection>> FaceNetDetector::detect_resolved(const ImageBatch& images,
                                                                     const DetectorOptions& options,
                                                                     const LandmarkStage* landmarks) const {
    if (images.is_on_gpu())
        throw std::logic_error("the network runs on the CPU, and the images are on a GPU");
    std::vector<std::vector<Detection>> results(images.size());
    tbb::parallel_for(std::size_t{0}, images.size(),
                      [&](std::size_t i) { results[i] = detect_one(images.views[i], options); });
    images_ += images.size();
    if (landmarks != nullptr) add_landmarks(*landmarks, images, results);
    return results;
}

std::vector<Detection> FaceNetDetector::detect_one(const ImageBatch::View& image,
                                                   const DetectorOptions& options) const {
    // A little below: rounding must not lose a face that drop_below() would keep.
    const auto min_logit = static_cast<float>(
        model_.score.logit_of(std::clamp(*options.min_score, 1e-6, 1 - 1e-6)) - logit_margin);
    std::vector<Detection> found;
    ImageView<const std::uint8_t> view = image;
    GreyBuffer reduced;
    for (double scale = 1;; scale *= 1 << octaves_apart) {
        for (Detection face : faces_of_cells(runner_.run(view, min_logit), model_.score)) {
            face.box = {face.box.x * scale, face.box.y * scale, face.box.w * scale, face.box.h * scale};
            found.push_back(std::move(face));
        }
        if (std::max(view.width, view.height) < min_reduced_side ||
            std::min(view.width, view.height) < 1 << octaves_apart)
            break;
        for (int octave = 0; octave < octaves_apart; ++octave) {
            reduced = halve(view);
            view = reduced.view();
        }
    }
    suppress_overlaps(found, face_net_max_iou);
    drop_below(*options.min_score, found);
    return wanted_inside(found, {image.width, image.height}, options);
}

}  // namespace fovea
