#include "lib/landmark/face_quality.hpp"

#include <cmath>
#include <numbers>

#include "lib/image/face_sharpness.hpp"
#include "lib/landmark/face_crops.hpp"

namespace fovea {
namespace {

constexpr std::size_t points_with_nose = 68;
constexpr std::size_t tip_of_nose = 30;

double rounded(double value) {
    constexpr double tenths = 10;
    return std::round(value * tenths) / tenths;
}

}  // namespace

std::optional<double> yaw_of_landmarks(std::span<const Point> landmarks) {
    if (landmarks.size() != points_with_nose) return std::nullopt;
    const std::optional<CropEyes> eyes = eyes_of_landmarks(landmarks);
    if (!eyes) return std::nullopt;
    const double x = eyes->right.x - eyes->left.x, y = eyes->right.y - eyes->left.y;
    const double square = x * x + y * y;
    if (square == 0) return std::nullopt;
    const Point& nose = landmarks[tip_of_nose];
    const double along =
        (nose.x - (eyes->left.x + eyes->right.x) / 2) * x + (nose.y - (eyes->left.y + eyes->right.y) / 2) * y;
    constexpr double nose_before_eyes = 1.15;
    return std::atan2(2 * along, nose_before_eyes * square) * 180 / std::numbers::pi;
}

void FaceMeter::measure(std::span<const ImageView<const std::uint8_t>> images,
                        std::span<std::vector<Detection>> faces) {
    std::vector<SharpnessTask> tasks;
    std::vector<Detection*> measured;  // parallel to the tasks
    for (std::size_t i = 0; i < faces.size(); ++i) {
        for (Detection& face : faces[i]) {
            const std::optional<double> yaw = yaw_of_landmarks(face.details->landmarks);
            if (yaw) face.details.edit().yaw = rounded(*yaw);
            const auto pixels = pixels_of(face.box, {images[i].width, images[i].height});
            if (!pixels) continue;
            tasks.push_back({static_cast<std::uint32_t>(i), *pixels});
            measured.push_back(&face);
        }
    }
    if (tasks.empty()) return;
    const auto* const images_at = images_.of_size(device_, images.size());
    images_.buffer().upload(images.data(), images.size());
    const auto* const tasks_at = tasks_.of_size(device_, tasks.size());
    tasks_.buffer().upload(tasks.data(), tasks.size());
    sum_laplacians(device_, images_at, tasks_at, tasks.size(), sums_.of_size(device_, tasks.size()));
    std::vector<LaplacianSums> sums(tasks.size());
    sums_.buffer().download(sums.data(), sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i)
        measured[i]->details.edit().sharpness = rounded(laplacian_variance(sums[i]));
}

}  // namespace fovea
