#include "kernels/face_crop/face_crop.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>
#include <opencv2/imgproc.hpp>

#include "kernels/core/buffer.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"

using namespace fovea;

namespace {

GreyImage drawn(int width, int height, int (*value)(int x, int y)) {
    GreyImage image{width, height, {}};
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) image.pixels.push_back(static_cast<std::uint8_t>(value(x, y)));
    }
    return image;
}

int column_of(int x, int) {
    return x;
}

int row_of(int, int y) {
    return y;
}

// Crops of faces in several images, all buffers on the device, guard bytes about the crops.
std::vector<std::vector<std::uint8_t>> cropped(const Device& device, const std::vector<GreyImage>& images,
                                               const std::vector<CropTask>& tasks, Size size) {
    constexpr std::uint8_t guard = 0xA5;
    constexpr std::size_t margin = 64;
    std::vector<Buffer<std::uint8_t>> pixels;
    std::vector<ImageView<const std::uint8_t>> views;
    for (const GreyImage& image : images) {
        // Rows with a gap behind them.
        const std::ptrdiff_t stride = image.width + 3;
        std::vector<std::uint8_t> rows(static_cast<std::size_t>(stride * image.height), guard);
        for (int y = 0; y < image.height; ++y) {
            std::copy_n(image.view().row(y), image.width, rows.begin() + y * stride);
        }
        pixels.emplace_back(device, rows.size());
        pixels.back().upload(rows.data(), rows.size());
        views.push_back({pixels.back().data(), image.width, image.height, stride});
    }
    Buffer<ImageView<const std::uint8_t>> device_views(device, views.size());
    device_views.upload(views.data(), views.size());
    Buffer<CropTask> device_tasks(device, tasks.size());
    device_tasks.upload(tasks.data(), tasks.size());
    const std::size_t one = static_cast<std::size_t>(size.width) * size.height;
    std::vector<std::uint8_t> bytes(one * tasks.size() + 2 * margin, guard);
    Buffer<std::uint8_t> crops(device, bytes.size());
    crops.upload(bytes.data(), bytes.size());
    crop_faces(device, device_views.data(), device_tasks.data(), tasks.size(), size, crops.data() + margin);
    crops.download(bytes.data(), bytes.size());
    for (std::size_t i = 0; i < margin; ++i) {
        REQUIRE(bytes[i] == guard);
        REQUIRE(bytes[bytes.size() - 1 - i] == guard);
    }
    std::vector<std::vector<std::uint8_t>> found;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(margin + i * one);
        found.emplace_back(first, first + static_cast<std::ptrdiff_t>(one));
    }
    return found;
}

GreyImage cropped(const GreyImage& image, const CropEyes& eyes, const CropGeometry& geometry = {}) {
    const auto crops = cropped(Device::cpu(), {image}, {{0, crop_transform(eyes, geometry)}}, geometry.size);
    return {geometry.size.width, geometry.size.height, crops[0]};
}

int pixel(const GreyImage& image, int x, int y) {
    return image.view()(x, y);
}

}  // namespace

TEST_CASE("face crop: the transform by hand", "[face-crop]") {
    // Eyes where the crop has them: the identity.
    CHECK(crop_transform({{30, 45}, {100, 45}}, {}) == CropTransform{1, 0, 0, 0});
    // Twice the distance, the middle of the eyes (65, 45) at (200, 90).
    CHECK(crop_transform({{130, 90}, {270, 90}}, {}) == CropTransform{2, 0, 70, 0});
    // The right eye 70 below the left one: turned by a quarter; the middle at (75, 65).
    CHECK(crop_transform({{75, 30}, {75, 100}}, {}) == CropTransform{0, 1, 120, 0});
    // Upside down: turned by a half, not mirrored.
    CHECK(crop_transform({{100, 45}, {30, 45}}, {}) == CropTransform{-1, 0, 130, 90});
    // Other places of the eyes, one higher than the other: (3, 4) in the crop is (6, 8) in the image.
    const CropGeometry slanted{{9, 9}, {{1, 1}, {4, 5}}};
    CHECK(crop_transform({{10, 10}, {16, 18}}, slanted) == CropTransform{2, 0, 8, 8});
}

TEST_CASE("face crop: the eyes land where they should", "[face-crop]") {
    const CropEyes eyes[] = {
        {{30.25, 71.5}, {98.125, 64.75}}, {{12, 100}, {40, 160}}, {{200, 80}, {100, 60}}};
    for (const CropEyes& pair : eyes) {
        for (const CropGeometry& geometry : {CropGeometry{}, CropGeometry{{64, 64}, {{20, 24}, {43, 24}}},
                                             CropGeometry{{50, 40}, {{10, 35}, {30, 5}}}}) {
            const CropTransform t = crop_transform(pair, geometry);
            const auto mapped = [&](const CropPoint& p) {
                return CropPoint{t.a * p.x - t.b * p.y + t.x0, t.b * p.x + t.a * p.y + t.y0};
            };
            CHECK(mapped(geometry.eyes.left).x == Approx(pair.left.x));
            CHECK(mapped(geometry.eyes.left).y == Approx(pair.left.y));
            CHECK(mapped(geometry.eyes.right).x == Approx(pair.right.x));
            CHECK(mapped(geometry.eyes.right).y == Approx(pair.right.y));
        }
    }
}

TEST_CASE("face crop: the identity copies pixels, black outside the image", "[face-crop]") {
    const GreyImage image = test::noise(110, 90, 3);
    const GreyImage crop = cropped(image, {{30, 45}, {100, 45}});
    for (int y = 0; y < 150; ++y) {
        for (int x = 0; x < 130; ++x) {
            REQUIRE(pixel(crop, x, y) == (x < 110 && y < 90 ? pixel(image, x, y) : 0));
        }
    }
}

TEST_CASE("face crop: turned by a quarter, columns become rows", "[face-crop]") {
    const GreyImage image = test::noise(140, 150, 4);
    const GreyImage crop = cropped(image, {{75, 30}, {75, 100}});
    for (int y = 0; y < 150; ++y) {
        for (int x = 0; x < 130; ++x) {
            REQUIRE(pixel(crop, x, y) == (120 - y >= 0 ? pixel(image, 120 - y, x) : 0));
        }
    }
}

TEST_CASE("face crop: values between pixels by hand", "[face-crop]") {
    const GreyImage image{2, 2, {10, 20, 41, 200}};
    const CropGeometry pixel_crop{{1, 1}, {{0, 0}, {1, 0}}};
    const auto at = [&](double x, double y) {
        return pixel(cropped(image, {{x, y}, {x + 1, y}}, pixel_crop), 0, 0);
    };
    CHECK(at(0, 0) == 10);
    CHECK(at(1, 1) == 200);
    CHECK(at(0.5, 0) == 15);
    CHECK(at(0, 0.5) == 26);      // 25.5, half up
    CHECK(at(0.5, 0.5) == 68);    // 271 / 4 = 67.75
    CHECK(at(0.25, 0.75) == 64);  // 0.25 · 12.5 + 0.75 · 80.75 = 63.6875
    CHECK(at(-0.5, 0) == 5);      // half of a pixel that is not there
    CHECK(at(1.75, 1) == 50);
    CHECK(at(-1, 0) == 0);
    CHECK(at(0, 2) == 0);
    CHECK(at(1, -0.25) == 15);
    CHECK(at(1e9, 0) == 0);
    CHECK(at(0, -1e14) == 0);
}

TEST_CASE("face crop: ramps come out as the places that were looked at", "[face-crop]") {
    const GreyImage columns = drawn(256, 250, column_of), rows = drawn(256, 250, row_of);
    for (const CropEyes& eyes :
         {CropEyes{{90.3, 100.7}, {151.9, 93.2}}, CropEyes{{100, 120}, {121.5, 150.25}},
          CropEyes{{140.5, 80.5}, {110.25, 100}}}) {
        const CropTransform t = crop_transform(eyes, {});
        const GreyImage across = cropped(columns, eyes), down = cropped(rows, eyes);
        int inside = 0;
        for (int y = 0; y < 150; ++y) {
            for (int x = 0; x < 130; ++x) {
                const double image_x = t.a * x - t.b * y + t.x0, image_y = t.b * x + t.a * y + t.y0;
                if (!(image_x >= 0 && image_x <= 255 && image_y >= 0 && image_y <= 249)) continue;
                ++inside;
                REQUIRE(std::abs(pixel(across, x, y) - image_x) <= 0.5 + 0.001);
                REQUIRE(std::abs(pixel(down, x, y) - image_y) <= 0.5 + 0.001);
            }
        }
        CHECK(inside > 9000);
        CHECK(std::abs(pixel(across, 30, 45) - eyes.left.x) <= 0.501);
        CHECK(std::abs(pixel(down, 100, 45) - eyes.right.y) <= 0.501);
    }
}

TEST_CASE("face crop: within one grey level of OpenCV's warpAffine", "[face-crop][opencv]") {
    const GreyImage image = test::smooth_noise(220, 200, 12, 5);
    const CropEyes eyes{{80.3, 90.6}, {131.2, 101.8}};
    const CropTransform t = crop_transform(eyes, {});
    const GreyImage crop = cropped(image, eyes);
    const cv::Mat in(200, 220, CV_8U, const_cast<std::uint8_t*>(image.pixels.data()));
    cv::Mat out;
    const cv::Matx23d matrix(t.a, -t.b, t.x0, t.b, t.a, t.y0);
    cv::warpAffine(in, out, matrix, {130, 150}, cv::INTER_LINEAR | cv::WARP_INVERSE_MAP);
    int compared = 0;
    for (int y = 0; y < 150; ++y) {
        for (int x = 0; x < 130; ++x) {
            const double image_x = t.a * x - t.b * y + t.x0, image_y = t.b * x + t.a * y + t.y0;
            // OpenCV's coarser places show where black begins.
            if (image_x < 0.1 || image_x > 218.9 || image_y < 0.1 || image_y > 198.9) continue;
            ++compared;
            REQUIRE(std::abs(pixel(crop, x, y) - out.at<std::uint8_t>(y, x)) <= 1);
        }
    }
    CHECK(compared > 15000);
}

TEST_CASE("face crop: eyes at one place or at none have a black crop", "[face-crop]") {
    const GreyImage image = drawn(40, 40, [](int, int) { return 255; });
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const CropEyes& eyes : {CropEyes{{20, 20}, {20, 20}}, CropEyes{{nan, 20}, {30, 20}},
                                 CropEyes{{10, 20}, {30, -infinity}}, CropEyes{{-1e300, 0}, {1e300, 0}}}) {
        CHECK_FALSE(crop_transform(eyes, {}).exists());
        const GreyImage crop = cropped(image, eyes);
        CHECK(std::count(crop.pixels.begin(), crop.pixels.end(), 0) == 130 * 150);
    }
    // Small, large and far, but there.
    CHECK(crop_transform({{20, 20}, {20.001, 20}}, {}).exists());
    CHECK(crop_transform({{-1e9, 0}, {1e9, 0}}, {}).exists());
    CHECK(pixel(cropped(image, {{20, 20}, {20.001, 20}}), 129, 149) == 255);
}

TEST_CASE("face crop: the eyes of integer landmarks", "[face-crop]") {
    std::vector<std::int32_t> positions(2 * 68, -1000000);
    const auto set = [&](int point, int x, int y) {
        positions[static_cast<std::size_t>(2 * point)] = x;
        positions[static_cast<std::size_t>(2 * point + 1)] = y;
    };
    for (int i = 0; i < 6; ++i) {
        set(36 + i, 60 + i, 80);
        set(42 + i, 200, 90 + 2 * i);
    }
    // In halves of pixels: (60 + ... + 65) / 6 = 62.5.
    CHECK(eyes_of_positions(positions.data(), eye_landmarks(68), 2) == CropEyes{{31.25, 40}, {100, 47.5}});
    // Extreme positions do not overflow.
    for (int i = 0; i < 12; ++i) set(36 + i, i < 6 ? -(1 << 30) : 1 << 30, 1 << 30);
    CHECK(eyes_of_positions(positions.data(), eye_landmarks(68), 1) ==
          CropEyes{{-1073741824, 1073741824}, {1073741824, 1073741824}});
    // dlib's five: the corners of the eye on the image's right, of the other, and the nose.
    const std::vector<std::int32_t> five{90, 20, 70, 22, 10, 30, 30, 34, 50, 60};
    CHECK(eyes_of_positions(five.data(), eye_landmarks(5), 1) == CropEyes{{20, 32}, {80, 21}});
    CHECK(eye_landmarks(194).count == 0);
}

namespace {

std::vector<CropTask> tasks_of(const Device& device, const std::vector<LandmarkTask>& faces,
                               const std::vector<std::int32_t>& positions, int points, int subpixels,
                               const CropGeometry& geometry) {
    Buffer<LandmarkTask> device_faces(device, faces.size());
    device_faces.upload(faces.data(), faces.size());
    Buffer<std::int32_t> device_positions(device, positions.size());
    device_positions.upload(positions.data(), positions.size());
    Buffer<CropTask> device_tasks(device, faces.size());
    make_crop_tasks(device, device_faces.data(), device_positions.data(), faces.size(), points, subpixels,
                    geometry, device_tasks.data());
    std::vector<CropTask> tasks(faces.size());
    device_tasks.download(tasks.data(), tasks.size());
    return tasks;
}

// Faces of random landmarks, the first with both eyes at one place.
struct RandomFaces {
    RandomFaces(std::size_t count, int points, std::uint32_t images) {
        const GreyImage random = test::noise(2 * points, static_cast<int>(count), 21);
        for (std::size_t i = 0; i < count; ++i) {
            faces.push_back({static_cast<std::uint32_t>(i) % images, {}});
            for (int k = 0; k < 2 * points; ++k) {
                positions.push_back(i == 0 ? 40 : 3 * pixel(random, k, static_cast<int>(i)) - 100);
            }
        }
    }
    std::vector<LandmarkTask> faces;
    std::vector<std::int32_t> positions;
};

}  // namespace

TEST_CASE("face crop: tasks are made from landmarks", "[face-crop]") {
    const RandomFaces random(30, 68, 3);
    const auto tasks = tasks_of(Device::cpu(), random.faces, random.positions, 68, 4, {});
    CHECK_FALSE(tasks[0].to_image.exists());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        CHECK(tasks[i].image == i % 3);
        const auto eyes = eyes_of_positions(random.positions.data() + i * 136, {36, 42, 6}, 4);
        CHECK(tasks[i].to_image == crop_transform(eyes, {}));
    }
}

TEST_CASE("face crop: what cannot be cropped is refused", "[face-crop]") {
    const Device cpu = Device::cpu();
    for (const Size size : {Size{0, 1}, Size{1, 0}, Size{4097, 1}, Size{-3, 5}}) {
        CHECK_THROWS_AS(crop_faces(cpu, nullptr, nullptr, 0, size, nullptr), std::invalid_argument);
        CHECK_THROWS_AS(check_crop_geometry({size, {{0, 0}, {1, 0}}}), std::invalid_argument);
    }
    CHECK_NOTHROW(crop_faces(cpu, nullptr, nullptr, 0, {4096, 4096}, nullptr));
    CHECK_THROWS_WITH(check_crop_geometry({{9, 9}, {{3, 3}, {3, 3}}}),
                      Catch::Matchers::Contains("same place"));
    CHECK_THROWS_AS(check_crop_geometry({{9, 9}, {{std::nan(""), 3}, {3, 3}}}), std::invalid_argument);
    CHECK_THROWS_WITH(make_crop_tasks(cpu, nullptr, nullptr, 0, 194, 1, {}, nullptr),
                      Catch::Matchers::Contains("194"));
    CHECK_NOTHROW(make_crop_tasks(cpu, nullptr, nullptr, 0, 5, 1, {}, nullptr));
}

TEST_CASE("face crop: CUDA equals the CPU for all edge sizes", "[face-crop][cuda][cuda-small]") {
    const auto device = test::gpu();
    if (!device) return;
    const std::vector<GreyImage> images{test::noise(1, 1, 1), test::noise(2, 3, 2), test::noise(300, 200, 3),
                                        test::noise(33, 257, 4)};
    const RandomFaces random(67, 68, 4);
    for (const CropGeometry& geometry :
         {CropGeometry{}, CropGeometry{{1, 1}, {{0, 0}, {5, 1}}}, CropGeometry{{33, 8}, {{9, 3}, {22, 4}}},
          CropGeometry{{31, 65}, {{30, 9}, {2, 20}}}, CropGeometry{{32, 16}, {{-5, 40}, {50, 3}}}}) {
        for (const int subpixels : {1, 3, 16}) {
            INFO(geometry.size.width << "x" << geometry.size.height << ", 1/" << subpixels);
            const auto tasks =
                tasks_of(Device::cpu(), random.faces, random.positions, 68, subpixels, geometry);
            REQUIRE(tasks_of(*device, random.faces, random.positions, 68, subpixels, geometry) == tasks);
            REQUIRE(cropped(*device, images, tasks, geometry.size) ==
                    cropped(Device::cpu(), images, tasks, geometry.size));
        }
    }
    const RandomFaces five(9, 5, 4);
    REQUIRE(tasks_of(*device, five.faces, five.positions, 5, 1, {}) ==
            tasks_of(Device::cpu(), five.faces, five.positions, 5, 1, {}));
}
