#include "lib/landmark/face_crops.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "lib/core/error.hpp"
#include "lib/files/sha256.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/image/encode.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

CropPoint centre_of(std::span<const Point> points) {
    CropPoint sum;
    for (const Point& point : points) {
        sum.x += point.x;
        sum.y += point.y;
    }
    const auto count = static_cast<double>(points.size());
    return {sum.x / count, sum.y / count};
}

// File systems take names of up to 255 bytes; crops add to them.
constexpr std::size_t longest_name = 200, kept_of_longer = 160;

// A name that any file system takes: without control characters, and not too long.
std::string sensible_name(std::string name) {
    for (char& c : name) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '_';
    }
    if (name.size() <= longest_name) return name;
    std::size_t kept = kept_of_longer;
    while (kept > 0 && (static_cast<unsigned char>(name[kept]) & 0xC0) == 0x80) --kept;
    return name.substr(0, kept) + "~" + sha256_of(name).substr(0, 12);
}

// Only what leads further down.
fs::path safe_path(const std::string& image) {
    fs::path safe;
    for (const fs::path& part : fs::path(image)) {
        if (part.empty() || part == "/" || part == "." || part == "..") continue;
        std::string name = sensible_name(part.string());
        // Other systems would take them for separators.
        if (!is_name_below(name)) std::replace(name.begin(), name.end(), '\\', '_');
        safe /= name;
    }
    return safe.empty() ? fs::path("image") : safe;
}

std::string without_extension(const fs::path& path) {
    return fs::path(path).replace_extension().string();
}

cv::Mat mat_of(const GreyImage& image) {
    return {image.height, image.width, CV_8U, const_cast<std::uint8_t*>(image.pixels.data())};
}

}  // namespace

std::optional<CropEyes> eyes_of_landmarks(std::span<const Point> landmarks) {
    const EyeLandmarks which = eye_landmarks(static_cast<int>(landmarks.size()));
    if (which.count == 0) return std::nullopt;
    const auto centre = [&](int first) {
        return centre_of(
            landmarks.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(which.count)));
    };
    return CropEyes{centre(which.left), centre(which.right)};
}

std::optional<CropEyes> carried_eyes(std::span<const Point> shape, std::span<const Point> landmarks,
                                     const CropEyes& eyes) {
    const CropPoint from = centre_of(shape), to = centre_of(landmarks);
    // Points are complex numbers: a + bi is the sum of conjugate(shape) · landmarks over that of |shape|².
    double a = 0, b = 0, squares = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const double u = shape[i].x - from.x, v = shape[i].y - from.y;
        const double x = landmarks[i].x - to.x, y = landmarks[i].y - to.y;
        a += u * x + v * y;
        b += u * y - v * x;
        squares += u * u + v * v;
    }
    if (!(squares > 0)) return std::nullopt;
    a /= squares;
    b /= squares;
    const auto carried = [&](const CropPoint& eye) {
        const double u = eye.x - from.x, v = eye.y - from.y;
        return CropPoint{to.x + a * u - b * v, to.y + b * u + a * v};
    };
    return CropEyes{carried(eyes.left), carried(eyes.right)};
}

std::optional<CropEyes> fitted_eyes(std::span<const Point> landmarks, std::span<const float> mean_shape) {
    if (mean_shape.size() != 2 * landmarks.size()) return std::nullopt;
    std::vector<Point> shape(landmarks.size());
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = {mean_shape[2 * i], mean_shape[2 * i + 1]};
    const auto eyes = eyes_of_landmarks(shape);
    return eyes ? carried_eyes(shape, landmarks, *eyes) : std::nullopt;
}

std::vector<GreyImage> face_crops(ImageView<const std::uint8_t> image, std::span<const Detection> detections,
                                  const CropGeometry& geometry) {
    check_crop_geometry(geometry);
    std::vector<GreyImage> crops(detections.size());
    for (std::size_t i = 0; i < detections.size(); ++i) {
        const auto eyes = eyes_of_landmarks(detections[i].details->landmarks);
        if (!eyes) continue;
        const CropTask task{0, crop_transform(*eyes, geometry)};
        if (!task.to_image.exists()) continue;
        const Size size = geometry.size;
        crops[i] = {size.width, size.height, {}};
        crops[i].pixels.resize(static_cast<std::size_t>(size.width) * size.height);
        crop_faces(Device::cpu(), &image, &task, 1, size, crops[i].pixels.data());
    }
    return crops;
}

std::string png_of(const GreyImage& image) {
    const std::vector<unsigned char> bytes = encode_png(mat_of(image));
    return {bytes.begin(), bytes.end()};
}

std::string jpeg_of(const GreyImage& image) {
    const std::vector<unsigned char> bytes = encode_jpeg(mat_of(image), 85);
    return {bytes.begin(), bytes.end()};
}

std::vector<std::string> crop_stems(const std::vector<std::string>& images) {
    std::map<std::string, std::size_t> uses;
    for (const std::string& image : images) ++uses[without_extension(safe_path(image))];
    std::set<std::string> taken;
    std::vector<std::string> stems;
    for (const std::string& image : images) {
        const fs::path path = safe_path(image);
        std::string stem = without_extension(path);
        if (uses[stem] > 1) stem = path.string();
        // "a/../b.png" and "b.png", or "c.png.gif" beside "c.png" and "c.jpg": rare, but crops must not be
        // lost.
        while (!taken.insert(stem).second) stem += "_";
        stems.push_back(std::move(stem));
    }
    return stems;
}

}  // namespace fovea
