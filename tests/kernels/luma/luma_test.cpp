#include "kernels/luma/luma.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/core/buffer.hpp"
#include "tests/support/gpu.hpp"

namespace fovea::test {
namespace {

std::vector<std::uint8_t> grey_of(const Device& device, LumaPlane luma,
                                  const std::vector<std::uint8_t>& samples, std::ptrdiff_t first = 0) {
    Buffer<std::uint8_t> from(device, samples.size());
    from.upload(samples.data(), samples.size());
    const std::size_t pixels = static_cast<std::size_t>(luma.width) * static_cast<std::size_t>(luma.height);
    Buffer<std::uint8_t> to(device, pixels);
    luma.data = from.data() + first;
    const LumaTask task{luma, {to.data(), luma.width, luma.height, luma.width}};
    luma_to_grey(device, {&task, 1});
    std::vector<std::uint8_t> grey(pixels);
    to.download(grey.data(), pixels);
    return grey;
}

std::vector<std::uint8_t> grey_of(const LumaPlane& luma, const std::vector<std::uint8_t>& samples) {
    return grey_of(Device::cpu(), luma, samples);
}

LumaPlane row_of(int width, int bits, bool is_full_range) {
    LumaPlane luma;
    luma.width = width;
    luma.height = 1;
    luma.bits = bits;
    luma.step_bytes = bits == 8 ? 1 : 2;
    luma.stride_bytes = std::ptrdiff_t{width} * luma.step_bytes;
    luma.is_full_range = is_full_range;
    return luma;
}

}  // namespace

TEST_CASE("Limited range is expanded by the nearest integer", "[luma]") {
    std::vector<std::uint8_t> samples(256);
    for (int v = 0; v < 256; ++v) samples[static_cast<std::size_t>(v)] = static_cast<std::uint8_t>(v);
    const std::vector<std::uint8_t> grey = grey_of(row_of(256, 8, false), samples);
    // 16 is black, 235 is white, 126 is 110 * 255 / 219 = 128.08.
    CHECK(grey[0] == 0);
    CHECK(grey[16] == 0);
    CHECK(grey[17] == 1);
    CHECK(grey[126] == 128);
    CHECK(grey[235] == 255);
    CHECK(grey[255] == 255);
    for (int v = 16; v <= 235; ++v) {
        CHECK(grey[static_cast<std::size_t>(v)] == std::lround((v - 16) * 255.0 / 219));
    }
}

TEST_CASE("Full range stays as it is", "[luma]") {
    CHECK(grey_of(row_of(5, 8, true), {0, 15, 16, 236, 255}) ==
          std::vector<std::uint8_t>{0, 15, 16, 236, 255});
}

TEST_CASE("Ten bits are rounded to eight before they are expanded", "[luma]") {
    // 64 = 16 * 4 is black, 940 = 235 * 4 white; 66 rounds up to 17, 65 down to 16; 1023 does not overflow.
    const auto words = [](std::vector<int> values, int shift) {
        std::vector<std::uint8_t> bytes;
        for (const int value : values) {
            bytes.push_back(static_cast<std::uint8_t>((value << shift) & 255));
            bytes.push_back(static_cast<std::uint8_t>((value << shift) >> 8));
        }
        return bytes;
    };
    const std::vector<int> values{0, 64, 65, 66, 940, 1023};
    const std::vector<std::uint8_t> wanted{0, 0, 0, 1, 255, 255};
    LumaPlane luma = row_of(6, 10, false);
    CHECK(grey_of(luma, words(values, 0)) == wanted);
    luma.shift = 6;  // as NVDEC's P016 has them
    CHECK(grey_of(luma, words(values, 6)) == wanted);
    luma.is_full_range = true;
    CHECK(grey_of(luma, words(values, 6)) == std::vector<std::uint8_t>{0, 16, 16, 17, 235, 255});
}

TEST_CASE("Rows may be packed, padded, or stored from the last one on", "[luma]") {
    LumaPlane luma;
    luma.width = 2;
    luma.height = 2;
    luma.is_full_range = true;
    luma.step_bytes = 2;  // YUYV
    luma.stride_bytes = 5;
    CHECK(grey_of(luma, {1, 90, 2, 91, 99, 3, 92, 4, 93, 99}) == std::vector<std::uint8_t>{1, 2, 3, 4});
    luma.step_bytes = 1;
    luma.stride_bytes = -3;
    CHECK(grey_of(Device::cpu(), luma, {3, 4, 99, 1, 2, 99}, 3) == std::vector<std::uint8_t>{1, 2, 3, 4});
    luma.height = 0;
    CHECK(grey_of(luma, {7}).empty());
}

TEST_CASE("Luma that cannot be is refused", "[luma]") {
    std::vector<std::uint8_t> pixels(4);
    LumaTask task{row_of(4, 8, false), {pixels.data(), 4, 1, 4}};
    task.luma.data = pixels.data();
    task.luma.bits = 7;
    CHECK_THROWS_AS(luma_to_grey(Device::cpu(), {&task, 1}), std::invalid_argument);
    task.luma.bits = 12;
    task.luma.shift = 5;
    CHECK_THROWS_AS(luma_to_grey(Device::cpu(), {&task, 1}), std::invalid_argument);
    task.luma.bits = 8;
    task.luma.shift = 0;
    task.grey.width = 3;
    CHECK_THROWS_AS(luma_to_grey(Device::cpu(), {&task, 1}), std::invalid_argument);
}

TEST_CASE("Luma becomes the same grey image on the GPU", "[luma][gpu]") {
    const std::optional<Device> device = gpu();
    if (!device) return;
    std::mt19937 random(1);
    for (const int bits : {8, 10, 12}) {
        for (const int width : {1, 3, 4, 1023, 1025, 1920}) {
            LumaPlane luma = row_of(width, bits, bits == 12);
            luma.height = 3;
            luma.shift = bits == 8 ? 0 : 16 - bits;
            luma.stride_bytes += 6;
            std::vector<std::uint8_t> samples(static_cast<std::size_t>(luma.stride_bytes) * 3);
            for (std::uint8_t& sample : samples) sample = static_cast<std::uint8_t>(random());
            CHECK(grey_of(*device, luma, samples) == grey_of(luma, samples));
        }
    }
}

}  // namespace fovea::test
