#include "lib/train/face_net/net_teacher.hpp"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <tbb/parallel_for.h>

#include "kernels/net_training/net_plan.hpp"
#include "lib/detect/face_net_model.hpp"
#include "lib/files/find_model.hpp"
#include "lib/json/field.hpp"
#include "lib/train/face_net/face_crops.hpp"

namespace fovea {
namespace {

/// The least score that counts.
constexpr double min_score = 0.001;
/// The scores of a teacher: the IoU that it expects.
constexpr FaceNetScore score{};

void teach_crop(const std::vector<NetCell>& cells, std::size_t side, float share,
                std::span<CellTarget> targets) {
    for (CellTarget& target : targets) {
        target.taught = 0;
        target.trust = target.kind == CellTarget::Kind::ignored ? 1 : share;
    }
    std::array<std::size_t, head_strides.size()> first{};
    for (std::size_t h = 0; h + 1 < first.size(); ++h)
        first[h + 1] = first[h] + side / head_strides[h] * (side / head_strides[h]);
    for (const NetCell& cell : cells) {
        const auto head = static_cast<std::size_t>(cell.level);
        const std::size_t at = first[head] +
                               static_cast<std::size_t>(cell.row) * (side / head_strides[head]) +
                               static_cast<std::size_t>(cell.column);
        if (at >= targets.size()) throw std::invalid_argument("a crop has as many targets as cells");
        targets[at].taught = static_cast<float>(score.of(double{cell.logit}));
    }
}

}  // namespace

void describe(FieldVisitor& visitor, NetTeacherSettings& teacher) {
    visitor.value({.key = "model", .is_path = true}, &teacher.model);
    visitor.value({.key = "share", .range = from_to(0, 1)}, &teacher.share);
}

NetTeacher::NetTeacher(const NetTeacherSettings& settings, const DetectionDevice& device)
    : share_(static_cast<float>(settings.share)) {
    const FaceNet net = read_face_net_model(find_model(settings.model)).net;
    if (device.is_cuda())
        on_gpu_ = cuda_backend::make_gpu_face_net(net, device.gpus[0]);
    else
        runner_.emplace(net);
}

void NetTeacher::teach(std::span<const TaughtCrop> crops, std::size_t side) {
    const int edge = static_cast<int>(side);
    const auto min_logit = static_cast<float>(score.logit_of(min_score));
    std::vector<std::vector<std::uint8_t>> levels(crops.size());
    std::vector<ImageView<const std::uint8_t>> views(crops.size());
    tbb::parallel_for(std::size_t{0}, crops.size(), [&](std::size_t i) {
        levels[i] = grey_levels({crops[i].pixels, side * side});
        views[i] = {levels[i].data(), edge, edge, edge};
        if (runner_) teach_crop(runner_->run(views[i], min_logit), side, share_, crops[i].targets);
    });
    if (runner_) return;
    const auto cells = on_gpu_->run(ImageBatch(views), min_logit);
    for (std::size_t i = 0; i < crops.size(); ++i)
        teach_crop(cells[i].of_size[0], side, share_, crops[i].targets);
}

}  // namespace fovea
