#include "lib/detect/face_net_detector.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_for.h>

#include "kernels/core/share_work.hpp"
#include "kernels/resize/halve.hpp"
#include "lib/detect/detections.hpp"
#include "lib/detect/face_net_cells.hpp"
#include "lib/landmark/add_landmarks.hpp"

namespace fovea {
namespace {

constexpr double logit_margin = 1e-3;

}  // namespace

FaceNetDetector::FaceNetDetector(FaceNetModel model) : model_(std::move(model)), runner_(model_.net) {}

FaceNetDetector::FaceNetDetector(FaceNetModel model, std::span<const int> gpus, GpuShare share)
    : model_(std::move(model)), gpus_(gpus.begin(), gpus.end()), share_(share), idle_(gpus.size()) {
    for (std::size_t i = 0; i < idle_.size(); ++i) idle_[i].give_back(take(i));
}

DetectorTraits FaceNetDetector::traits_of_kind() {
    return network_traits("Face networks", min_score);
}

std::string FaceNetDetector::description() const {
    return fmt::format("8-bit quantised network, {}, {} and {} channels", model_.net.stem_channels,
                       model_.net.quarter_channels, model_.net.channels);
}

std::unique_ptr<Detector> FaceNetDetector::copy_for_gpus(std::span<const int> gpus,
                                                         const EngineOptions& variant) const {
    return std::make_unique<FaceNetDetector>(model_, gpus, variant.share);
}

EngineCounters FaceNetDetector::counters() const {
    EngineCounters counters;
    counters.images = images_;
    return counters;
}

std::vector<std::vector<Detection>> FaceNetDetector::detect_resolved(const ImageBatch& images,
                                                                     const DetectorOptions& options,
                                                                     const LandmarkStage* landmarks) const {
    // A little below: rounding must not lose a face that drop_below() would keep.
    const auto min_logit = static_cast<float>(
        model_.score.logit_of(std::clamp(*options.min_score, 1e-6, 1 - 1e-6)) - logit_margin);
    std::vector<ImageCells> cells;
    if (!runner_ || images.is_on_gpu()) cells = cells_on_gpus(images, min_logit);
    std::vector<std::vector<Detection>> results(images.size());
    tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
        const ImageBatch::View& image = images.views[i];
        results[i] =
            faces_of(runner_ ? cells_of(image, min_logit) : cells[i], {image.width, image.height}, options);
    });
    images_ += images.size();
    if (landmarks != nullptr) add_landmarks(*landmarks, images, results);
    return results;
}

std::unique_ptr<GpuFaceNet> FaceNetDetector::take(std::size_t i) const {
    return idle_[i].take([&] { return cuda_backend::make_gpu_face_net(model_.net, gpus_[i], share_); });
}

// Images in the memory of a GPU are worked on there, others by all.
std::vector<ImageCells> FaceNetDetector::cells_on_gpus(const ImageBatch& images, float min_logit) const {
    std::vector<ImageCells> cells(images.size());
    const NetSuppression suppression{face_net_max_iou, model_.score.slope, model_.score.offset};
    const auto run = [&](std::size_t i, IndexRange part) {
        std::unique_ptr<GpuFaceNet> net = take(i);
        std::vector<ImageCells> found = net->run(
            ImageBatch(images.views.subspan(part.first, part.count), images.gpu), min_logit, suppression);
        idle_[i].give_back(std::move(net));
        std::move(found.begin(), found.end(), cells.begin() + static_cast<std::ptrdiff_t>(part.first));
    };
    if (images.is_on_gpu()) {
        const auto here = std::find(gpus_.begin(), gpus_.end(), images.gpu);
        if (here == gpus_.end())
            throw std::logic_error(
                "the network on " + device_name() +
                " does not detect in images that lie in the memory of cuda:" + std::to_string(images.gpu));
        run(static_cast<std::size_t>(here - gpus_.begin()), {0, images.size()});
    } else {
        const auto pixels = [&](std::size_t i) {
            return std::int64_t{images.views[i].width} * images.views[i].height;
        };
        const std::vector<IndexRange> parts = divide_by_weight(images.size(), gpus_.size(), pixels);
        // Tasks instead of threads: the host's part of the work stays in the caller's TBB arena.
        tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) {
            if (parts[i].count > 0) run(i, parts[i]);
        });
    }
    return cells;
}

ImageCells FaceNetDetector::cells_of(const ImageBatch::View& image, float min_logit) const {
    ImageCells cells;
    ImageBatch::View view = image;
    GreyBuffer reduced;
    const std::size_t sizes = face_net_sizes({image.width, image.height}).size();
    while (true) {
        cells.of_size.push_back(runner_->run(view, min_logit));
        if (cells.of_size.size() == sizes) return cells;
        for (int octave = 0; octave < 2; ++octave) {
            reduced = halve_simd(view);
            view = reduced.view();
        }
    }
}

std::vector<Detection> FaceNetDetector::faces_of(const ImageCells& cells, Size image,
                                                 const DetectorOptions& options) const {
    std::vector<Detection> found;
    double scale = 1;
    for (const std::vector<NetCell>& of_size : cells.of_size) {
        // Without a copy of the cells that are suppressed already.
        if (cells.are_suppressed) {
            add_faces(of_size, model_.score, scale, found);
        } else {
            add_faces(strongest_cells(of_size), model_.score, scale, found);
        }
        scale *= 4;
    }
    if (!cells.are_suppressed) suppress_overlaps(found, face_net_max_iou);
    drop_below(*options.min_score, found);
    return wanted_inside(found, image, options);
}

}  // namespace fovea
