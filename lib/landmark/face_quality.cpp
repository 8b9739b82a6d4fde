#include "lib/landmark/face_quality.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lib/landmark/face_crops.hpp"

namespace fovea {
namespace {

constexpr std::size_t points_with_nose = 68;
constexpr std::size_t tip_of_nose = 30;

double rounded(double value) {
    constexpr double tenths = 10;
    return std::round(value * tenths) / tenths;
}

/// Makes room for `count` elements.
template <class T>
void reserve(const Device& device, std::size_t count, Buffer<T>& buffer) {
    if (buffer.size() < count) buffer = Buffer<T>(device, count + count / 2);
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

std::optional<PixelRect> pixels_of(const Box& box, Size image) {
    const auto within = [](double edge, int extent) {
        return static_cast<int>(std::clamp(std::round(edge), 0.0, static_cast<double>(extent)));
    };
    const int left = within(box.x, image.width), right = within(box.x + box.w, image.width);
    const int top = within(box.y, image.height), bottom = within(box.y + box.h, image.height);
    if (right <= left || bottom <= top) return std::nullopt;
    return PixelRect{left, top, right - left, bottom - top};
}

std::optional<double> face_sharpness(const ImageView<const std::uint8_t>& image, const Box& box) {
    const std::optional<PixelRect> pixels = pixels_of(box, {image.width, image.height});
    if (!pixels) return std::nullopt;
    const SharpnessTask task{0, *pixels};
    LaplacianSums sums;
    sum_laplacians(Device::cpu(), &image, &task, 1, &sums);
    return laplacian_variance(sums);
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
    reserve(device_, images.size(), images_);
    reserve(device_, tasks.size(), tasks_);
    reserve(device_, tasks.size(), sums_);
    images_.upload(images.data(), images.size());
    tasks_.upload(tasks.data(), tasks.size());
    sum_laplacians(device_, images_.data(), tasks_.data(), tasks.size(), sums_.data());
    std::vector<LaplacianSums> sums(tasks.size());
    sums_.download(sums.data(), sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i)
        measured[i]->details.edit().sharpness = rounded(laplacian_variance(sums[i]));
}

}  // namespace fovea
