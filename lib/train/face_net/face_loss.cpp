#include "lib/train/face_net/face_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fovea {
namespace {

/// Faces that are smaller are not learned, √(w·h) in pixels.
constexpr double min_learned = 9;
/// Sizes of each head, from and below.
constexpr std::array<std::array<double, 2>, 3> head_sizes{
    {{0, 40}, {28, 110}, {80, std::numeric_limits<double>::infinity()}}};
/// A cell learns a face if its centre is as near to the face's, in widths and heights or in strides.
constexpr double near_share = 0.18, near_strides = 0.75;
constexpr double ignored_ring = 1.8;  // times as far
constexpr double ignored_margin = 2;  // pixels about ignored boxes
constexpr double surroundings = 0.5;  // widths and heights about a face

bool is_inside(double x, double y, const Box& box, double margin_x, double margin_y) {
    return x > box.x - margin_x && y > box.y - margin_y && x < box.x + box.w + margin_x &&
           y < box.y + box.h + margin_y;
}

double size_of(const Box& box) {
    return std::sqrt(std::max(box.w * box.h, 1e-3));
}

}  // namespace

std::vector<CellTarget> cell_targets(const CropTruth& truth, std::size_t head, std::size_t side) {
    const std::size_t cells = side / head_strides[head];
    const auto stride = static_cast<double>(head_strides[head]);
    std::vector<CellTarget> targets(cells * cells);
    for (std::size_t cell = 0; cell < targets.size(); ++cell) {
        const double x = (static_cast<double>(cell % cells) + 0.5) * stride;
        const double y = (static_cast<double>(cell / cells) + 0.5) * stride;
        CellTarget& target = targets[cell];
        bool is_left_out = std::any_of(truth.ignored.begin(), truth.ignored.end(), [&](const Box& box) {
            return is_inside(x, y, box, ignored_margin, ignored_margin);
        });
        bool is_near = truth.is_complete;
        double learned = std::numeric_limits<double>::infinity();  // size
        for (const Box& face : truth.faces) {
            const double size = size_of(face);
            if (size < min_learned) {
                is_left_out = is_left_out || is_inside(x, y, face, ignored_margin, ignored_margin);
                continue;
            }
            is_near = is_near || is_inside(x, y, face, surroundings * face.w, surroundings * face.h);
            if (size < head_sizes[head][0] || size >= head_sizes[head][1]) continue;
            const double dx =
                std::abs(x - face.x - face.w / 2) / std::max(near_share * face.w, near_strides * stride);
            const double dy =
                std::abs(y - face.y - face.h / 2) / std::max(near_share * face.h, near_strides * stride);
            const double distance = std::max(dx, dy);
            is_left_out = is_left_out || distance < ignored_ring;
            if (distance >= 1 || learned <= size) continue;
            learned = size;
            target = {CellTarget::Kind::face, {face.x, face.y, face.w, face.h}};
        }
        if (target.kind != CellTarget::Kind::face && (is_left_out || !is_near))
            target.kind = CellTarget::Kind::ignored;
    }
    return targets;
}

NetLosses head_loss(std::span<const CellTarget> targets, const float* numbers, std::size_t head,
                    std::size_t side, float* gradient) {
    const std::size_t cells = side / head_strides[head];
    std::fill_n(gradient, targets.size() * head_channels, 0.0F);
    NetLosses sums;
    for (std::size_t cell = 0; cell < targets.size(); ++cell) {
        const float* here = numbers + cell * head_channels;
        const CellLoss loss = cell_loss(
            targets[cell], {static_cast<int>(head), static_cast<int>(cell / cells),
                            static_cast<int>(cell % cells), here[0], here[1], here[2], here[3], here[4]});
        sums.odds += loss.odds;
        sums.boxes += loss.boxes;
        std::copy_n(loss.gradient, head_numbers, gradient + cell * head_channels);
    }
    return sums;
}

}  // namespace fovea
