#include "lib/detect/face_net_detector.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_for.h>

#include "kernels/face_net/gpu_face_net.hpp"
#include "kernels/resize/halve.hpp"
#include "lib/detect/detections.hpp"
#include "lib/detect/face_net_cells.hpp"
#include "lib/detect/idle_pool.hpp"
#include "lib/landmark/add_landmarks.hpp"

namespace fovea {
namespace {

constexpr double logit_margin = 1e-3;

}  // namespace

class FaceNetDetector::GpuPool {
  public:
    using Cells = std::vector<std::vector<std::vector<NetCell>>>;  // [image][size]

    /// \param net must outlive it
    GpuPool(const FaceNet& net, std::span<const int> gpus, GpuShare share)
        : net_(net), gpus_(gpus.begin(), gpus.end()), share_(share), idle_(gpus.size()) {
        for (std::size_t i = 0; i < gpus_.size(); ++i) idle_[i].give_back(take(i));
    }

    const std::vector<int>& gpus() const { return gpus_; }

    /// Images in the memory of a GPU are worked on there, others by all.
    Cells run(const ImageBatch& images, float min_logit) {
        if (images.is_on_gpu()) {
            const auto found = std::find(gpus_.begin(), gpus_.end(), images.gpu);
            if (found == gpus_.end())
                throw std::logic_error("the images are on a GPU that the network is not on");
            return run_on(static_cast<std::size_t>(found - gpus_.begin()), images, min_logit);
        }
        const std::size_t parts = std::min(gpus_.size(), std::max<std::size_t>(images.size(), 1));
        std::vector<Cells> found(parts);
        tbb::parallel_for(std::size_t{0}, parts, [&](std::size_t p) {
            const std::size_t first = images.size() * p / parts, end = images.size() * (p + 1) / parts;
            found[p] = run_on(p, ImageBatch(images.views.subspan(first, end - first)), min_logit);
        });
        Cells cells = std::move(found[0]);
        for (std::size_t p = 1; p < parts; ++p)
            std::move(found[p].begin(), found[p].end(), std::back_inserter(cells));
        return cells;
    }

  private:
    Cells run_on(std::size_t i, const ImageBatch& images, float min_logit) {
        std::unique_ptr<GpuFaceNet> net = take(i);
        Cells cells = net->run(images, min_logit);
        idle_[i].give_back(std::move(net));
        return cells;
    }
    std::unique_ptr<GpuFaceNet> take(std::size_t i) {
        return idle_[i].take([&] { return cuda_backend::make_gpu_face_net(net_, gpus_[i], share_); });
    }

    const FaceNet& net_;
    const std::vector<int> gpus_;
    const GpuShare share_;
    // One for each GPU; a deque, as pools do not move.
    std::deque<IdlePool<GpuFaceNet>> idle_;
};

FaceNetDetector::FaceNetDetector(FaceNetModel model) : model_(std::move(model)), runner_(model_.net) {}

FaceNetDetector::FaceNetDetector(FaceNetModel model, std::span<const int> gpus, GpuShare share)
    : model_(std::move(model)), gpus_(std::make_unique<GpuPool>(model_.net, gpus, share)) {}

FaceNetDetector::~FaceNetDetector() = default;

DetectorTraits FaceNetDetector::traits_of_kind() {
    return network_traits("Face networks", min_score);
}

std::string FaceNetDetector::description() const {
    return fmt::format("8-bit quantised network, {}, {} and {} channels", model_.net.stem_channels,
                       model_.net.quarter_channels, model_.net.channels);
}

std::string FaceNetDetector::device_name() const {
    if (gpus_ == nullptr) return "cpu";
    return fmt::format("cuda:{}", fmt::join(gpus_->gpus(), ","));
}

std::unique_ptr<Detector> FaceNetDetector::copy_for_gpus(std::span<const int> gpus, GpuShare share) const {
    return std::make_unique<FaceNetDetector>(model_, gpus, share);
}

EngineCounters FaceNetDetector::counters() const {
    EngineCounters counters;
    counters.images = images_;
    return counters;
}

std::vector<std::vector<Detection>> FaceNetDetector::detect_resolved(const ImageBatch& images,
                                                                     const DetectorOptions& options,
                                                                     const LandmarkStage* landmarks) const {
    if (images.is_on_gpu() && gpus_ == nullptr)
        throw std::logic_error("the network runs on the CPU, and the images are on a GPU");
    // A little below: rounding must not lose a face that drop_below() would keep.
    const auto min_logit = static_cast<float>(
        model_.score.logit_of(std::clamp(*options.min_score, 1e-6, 1 - 1e-6)) - logit_margin);
    GpuPool::Cells cells;
    if (gpus_ != nullptr) cells = gpus_->run(images, min_logit);
    std::vector<std::vector<Detection>> results(images.size());
    tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
        const ImageBatch::View& image = images.views[i];
        results[i] = faces_of(gpus_ != nullptr ? cells[i] : cells_of(image, min_logit),
                              {image.width, image.height}, options);
    });
    images_ += images.size();
    if (landmarks != nullptr) add_landmarks(*landmarks, images, results);
    return results;
}

std::vector<std::vector<NetCell>> FaceNetDetector::cells_of(const ImageBatch::View& image,
                                                            float min_logit) const {
    std::vector<std::vector<NetCell>> cells;
    ImageBatch::View view = image;
    GreyBuffer reduced;
    const std::size_t sizes = face_net_sizes({image.width, image.height}).size();
    while (true) {
        cells.push_back(runner_->run(view, min_logit));
        if (cells.size() == sizes) return cells;
        for (int octave = 0; octave < 2; ++octave) {
            reduced = halve_simd(view);
            view = reduced.view();
        }
    }
}

std::vector<Detection> FaceNetDetector::faces_of(const std::vector<std::vector<NetCell>>& cells, Size image,
                                                 const DetectorOptions& options) const {
    std::vector<Detection> found;
    double scale = 1;
    for (const std::vector<NetCell>& of_size : cells) {
        for (Detection face : faces_of_cells(of_size, model_.score)) {
            face.box = {face.box.x * scale, face.box.y * scale, face.box.w * scale, face.box.h * scale};
            found.push_back(std::move(face));
        }
        scale *= 4;
    }
    suppress_overlaps(found, face_net_max_iou);
    drop_below(*options.min_score, found);
    return wanted_inside(found, image, options);
}

}  // namespace fovea
