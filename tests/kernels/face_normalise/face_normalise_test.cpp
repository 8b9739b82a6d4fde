#include "kernels/face_normalise/face_normalise.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>
#include <opencv2/imgproc.hpp>

#include "kernels/core/buffer.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"

using namespace fovea;

namespace {

using Pixels = std::vector<std::uint8_t>;

constexpr Size csu{130, 150};
constexpr FaceNormalisation only_equalise{false, {}, true, false};

Pixels normalised(const Device& device, const Pixels& faces, Size size,
                  const FaceNormalisation& normalisation) {
    constexpr std::uint8_t guard = 0xA5;
    constexpr std::size_t margin = 5;
    Pixels bytes(margin, guard);
    bytes.insert(bytes.end(), faces.begin(), faces.end());
    bytes.insert(bytes.end(), margin, guard);
    Buffer<std::uint8_t> buffer(device, bytes.size());
    buffer.upload(bytes.data(), bytes.size());
    const std::size_t pixels = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
    normalise_faces(device, buffer.data() + margin, faces.size() / pixels, size, normalisation);
    buffer.download(bytes.data(), bytes.size());
    for (std::size_t i = 0; i < margin; ++i) {
        REQUIRE(bytes[i] == guard);
        REQUIRE(bytes[bytes.size() - 1 - i] == guard);
    }
    return {bytes.begin() + margin, bytes.end() - margin};
}

Pixels normalised(const Pixels& faces, Size size, const FaceNormalisation& normalisation) {
    return normalised(Device::cpu(), faces, size, normalisation);
}

Pixels make_faces(Size size, std::size_t count) {
    Pixels faces;
    for (std::size_t i = 0; i < count; ++i) {
        GreyImage image = test::smooth_noise(size.width, size.height, 1 + static_cast<int>(i % 3),
                                             3 + static_cast<std::uint32_t>(i));
        // Few values, and one alone.
        for (std::uint8_t& pixel : image.pixels) {
            if (i % 4 == 2) pixel = static_cast<std::uint8_t>(40 + pixel / 32);
            if (i % 4 == 3) pixel = 77;
        }
        faces.insert(faces.end(), image.pixels.begin(), image.pixels.end());
    }
    return faces;
}

}  // namespace

TEST_CASE("face normalisation: equalisation by hand", "[face-normalise]") {
    // 255 · (at most - 2) / (4 - 2): 0, 127.5, 255.
    CHECK(normalised({10, 20, 10, 30}, {2, 2}, only_equalise) == Pixels{0, 128, 0, 255});
    // One value stays as it is.
    CHECK(normalised({9, 9, 9}, {3, 1}, only_equalise) == Pixels{9, 9, 9});
    CHECK(normalised({255, 0, 0, 0}, {4, 1}, only_equalise) == Pixels{255, 0, 0, 0});
    // Every face for itself.
    CHECK(normalised({1, 2, 200, 100}, {2, 1}, only_equalise) == Pixels{0, 255, 255, 0});
}

TEST_CASE("face normalisation: mask and mean by hand", "[face-normalise]") {
    // The ellipse about (1, 0) with radii 1.5 and 1 holds the middle three of the first row alone.
    const FaceEllipse ellipse{1, 0, 1.5, 1};
    const Pixels face{10, 20, 13, 99, 99, 99, 99, 99};
    CHECK(normalised(face, {4, 2}, {true, ellipse, false, false}) == Pixels{10, 20, 13, 0, 0, 0, 0, 0});
    // 43 / 3 = 14.33.
    CHECK(normalised(face, {4, 2}, {true, ellipse, false, true}) == Pixels{10, 20, 13, 14, 14, 14, 14, 14});
    // Equalised over the ellipse alone: 0, 255 and 127.5, of which the mean is 127.67.
    CHECK(normalised(face, {4, 2}, {true, ellipse, true, true}) ==
          Pixels{0, 255, 128, 128, 128, 128, 128, 128});
    // The mean of 1 and 2, half up.
    CHECK(normalised({1, 2, 9}, {3, 1}, {true, {0.5, 0, 1, 1}, false, true}) == Pixels{1, 2, 2});
    // Without a mask nothing is outside.
    CHECK(normalised(face, {4, 2}, {false, ellipse, false, true}) == face);
    // A mask that leaves nothing.
    CHECK(normalised(face, {4, 2}, {true, {-50, 0, 3, 3}, true, true}) == Pixels(8, 0));
}

TEST_CASE("face normalisation: CSU's ellipse", "[face-normalise]") {
    const FaceEllipse ellipse;
    // In the row of its centre the radius of 64 ends before columns 1 and 129; it is 118 high.
    CHECK_FALSE(ellipse.holds(1, 50));
    CHECK(ellipse.holds(2, 50));
    CHECK(ellipse.holds(128, 50));
    CHECK_FALSE(ellipse.holds(129, 50));
    CHECK(ellipse.holds(65, 0));
    CHECK(ellipse.holds(65, 149));
    const Pixels face(130 * 150, 200);
    const Pixels masked = normalised(face, csu, {true, ellipse, false, false});
    for (int y = 0; y < 150; ++y) {
        for (int x = 0; x < 130; ++x) {
            const double u = (x - 65) / 64.0, v = (y - 50) / 118.0;
            REQUIRE(masked[static_cast<std::size_t>(y * 130 + x)] == (1 - (u * u + v * v) > 1e-12 ? 200 : 0));
        }
    }
}

TEST_CASE("face normalisation: the columns of a row are those that the ellipse holds", "[face-normalise]") {
    const double places[] = {-40, -0.5, 0, 0.25, 7, 12.5, 19, 33.3, 1e9, 1e200};
    const double radii[] = {1e-200, 0.3, 1, 5.5, 16, 40, 1e200};
    int held = 0;
    for (const double x : places) {
        for (const double a : radii) {
            for (const double y : {-3.0, 4.5, 6.0}) {
                for (const double b : radii) {
                    const FaceEllipse ellipse{x, y, a, b};
                    for (const int width : {1, 2, 20, 33}) {
                        const int row = 6;
                        const FaceSpan span = span_of_row(ellipse, width, row);
                        CAPTURE(x, y, a, b, width, span.begin, span.end);
                        bool same = true;
                        for (int column = 0; column < width; ++column) {
                            const bool inside = column >= span.begin && column < span.end;
                            same = same && inside == ellipse.holds(column, row);
                            held += inside ? 1 : 0;
                        }
                        REQUIRE(same);
                    }
                }
            }
        }
    }
    CHECK(held > 1000);
}

TEST_CASE("face normalisation: within one grey value of OpenCV's equalizeHist", "[face-normalise][opencv]") {
    int equal = 0;
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
        const GreyImage image = test::smooth_noise(130, 150, 4, seed);
        const Pixels ours = normalised(image.pixels, csu, only_equalise);
        const cv::Mat in(150, 130, CV_8U, const_cast<std::uint8_t*>(image.pixels.data()));
        cv::Mat out;
        cv::equalizeHist(in, out);
        for (std::size_t i = 0; i < ours.size(); ++i) {
            REQUIRE(std::abs(int{ours[i]} - int{out.data[i]}) <= 1);
            equal += ours[i] == out.data[i] ? 1 : 0;
        }
    }
    CHECK(equal > 8 * 130 * 150 * 99 / 100);
}

TEST_CASE("face normalisation: what cannot be normalised is refused", "[face-normalise]") {
    const Device cpu = Device::cpu();
    for (const Size size : {Size{0, 1}, Size{1, 0}, Size{4097, 1}, Size{1, 4097}}) {
        CHECK_THROWS_AS(normalise_faces(cpu, nullptr, 0, size, {}), std::invalid_argument);
    }
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const FaceEllipse& ellipse : {FaceEllipse{1, 1, 0, 1}, FaceEllipse{1, 1, 1, -2},
                                       FaceEllipse{1, 1, nan, 1}, FaceEllipse{1, 1, 1, infinity}}) {
        CHECK_THROWS_WITH(check_face_normalisation({true, ellipse, true, true}, csu),
                          Catch::Matchers::Contains("radius"));
    }
    CHECK_THROWS_WITH(check_face_normalisation({true, {nan, 1, 1, 1}, true, true}, csu),
                      Catch::Matchers::Contains("centre"));
    CHECK_NOTHROW(normalise_faces(cpu, nullptr, 0, {4096, 4096}, {}));
}

TEST_CASE("face normalisation: CUDA equals the CPU", "[face-normalise][cuda][cuda-small]") {
    const auto device = test::gpu();
    if (!device) return;
    for (const Size size :
         {csu, Size{1, 1}, Size{3, 2}, Size{33, 31}, Size{256, 8}, Size{4096, 3}, Size{3, 4096}}) {
        const Pixels faces = make_faces(size, 9);
        for (const FaceEllipse& ellipse :
             {FaceEllipse{},
              FaceEllipse{size.width / 2.0, size.height / 2.0, size.width / 2.0, size.height / 2.0},
              FaceEllipse{0.3, size.height * 0.8, size.width * 0.6, 2.5}, FaceEllipse{-500, 0, 10, 10}}) {
            for (int steps = 0; steps < 8; ++steps) {
                const FaceNormalisation normalisation{(steps & 1) != 0, ellipse, (steps & 2) != 0,
                                                      (steps & 4) != 0};
                INFO(size.width << "x" << size.height << ", steps " << steps);
                REQUIRE(normalised(*device, faces, size, normalisation) ==
                        normalised(faces, size, normalisation));
            }
        }
    }
    // More faces than blocks.
    const Pixels many = make_faces({9, 7}, 5000);
    REQUIRE(normalised(*device, many, {9, 7}, {true, {4, 3, 4, 3}, true, true}) ==
            normalised(many, {9, 7}, {true, {4, 3, 4, 3}, true, true}));
}
