#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/core/align.hpp"
#include "kernels/engine/gather_body.hpp"
#include "tests/support/images.hpp"

using namespace fovea;
using namespace fovea::cuda_backend;

namespace {

// An image's rows in memory that begins so far from a multiple of 16, with a gap behind each but the last:
// what lies behind that one is not there.
class Placed {
  public:
    Placed(const GreyImage& image, int shift, int gap)
        : memory_(static_cast<std::size_t>(image.width + gap) * std::max(image.height, 1) + 32) {
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
        std::uint8_t* const data = memory_.data() + (align_up(address, 16) - address) + shift;
        std::fill(memory_.begin(), memory_.end(), std::uint8_t{0xA5});
        for (int y = 0; y < image.height; ++y) {
            std::copy_n(image.view().row(y), image.width, data + y * (image.width + gap));
        }
        view_ = {data, image.width, image.height, image.width + gap};
    }
    const ImageView<const std::uint8_t>& view() const { return view_; }

  private:
    std::vector<std::uint8_t> memory_;
    ImageView<const std::uint8_t> view_;
};

// The pixels of images one behind the other, each from a multiple of 16 on, zeros between.
std::vector<std::uint8_t> expected_bytes(const std::vector<GreyImage>& images) {
    std::vector<std::uint8_t> bytes;
    for (const GreyImage& image : images) {
        bytes.insert(bytes.end(), image.pixels.begin(), image.pixels.end());
        bytes.resize(align_up(bytes.size(), 16));
    }
    return bytes;
}

}  // namespace

TEST_CASE("gather: what can be loaded at once", "[gather]") {
    alignas(16) static const std::uint8_t memory[64] = {};
    const auto unit = [](int shift, int width, int stride) {
        return gather_source({memory + shift, width, 1, stride}, 0).unit;
    };
    CHECK(unit(0, 32, 48) == 16);
    CHECK(unit(16, 32, 48) == 16);
    // Without gaps rows may have any width.
    CHECK(unit(0, 33, 33) == 16);
    CHECK(unit(4, 33, 33) == 4);
    CHECK(unit(2, 33, 33) == 1);
    CHECK(unit(0, 20, 32) == 4);
    CHECK(unit(0, 32, 36) == 4);
    CHECK(unit(12, 32, 48) == 4);
    CHECK(unit(0, 33, 48) == 1);
    CHECK(unit(0, 32, 33) == 1);
    CHECK(unit(3, 32, 48) == 1);
    CHECK(gather_source({memory, 4, 4, 4}, 160).first_word == 10);
}

TEST_CASE("gather: the source of a word", "[gather]") {
    // Images of 1, 0, 3 and 2 words, and one of none behind them.
    std::vector<GatherSource> sources(5);
    const std::uint32_t firsts[] = {0, 1, 1, 4, 6};
    for (std::size_t i = 0; i < sources.size(); ++i) sources[i].first_word = firsts[i];
    std::vector<int> found;
    for (std::uint32_t word = 0; word < 6; ++word) found.push_back(gather_source_of(sources.data(), 5, word));
    CHECK(found == std::vector<int>{0, 2, 2, 2, 3, 3});
    CHECK(gather_source_of(sources.data(), 1, 7) == 0);
}

TEST_CASE("gather: images of all sizes, gaps and places", "[gather]") {
    std::vector<GreyImage> images;
    for (const Size size : {Size{1, 1}, Size{16, 1}, Size{17, 5}, Size{0, 0}, Size{1, 40}, Size{15, 3},
                            Size{4, 9}, Size{36, 11}, Size{100, 7}, Size{48, 6}, Size{333, 5}, Size{0, 0}}) {
        images.push_back(test::noise(size.width, size.height, static_cast<std::uint32_t>(images.size())));
    }
    const std::vector<std::uint8_t> expected = expected_bytes(images);
    for (const int shift : {0, 1, 4, 8, 15}) {
        for (const int gap : {0, 1, 4, 12, 16}) {
            INFO("shift " << shift << ", gap " << gap);
            std::vector<Placed> placed;
            placed.reserve(images.size());
            std::vector<GatherSource> sources;
            std::size_t offset = 0;
            for (const GreyImage& image : images) {
                placed.emplace_back(image, shift, gap);
                sources.push_back(gather_source(placed.back().view(), offset));
                offset += align_up(image.pixels.size(), 16);
            }
            REQUIRE(offset == expected.size());
            std::vector<std::uint8_t> found(expected.size());
            for (std::uint32_t word = 0; word < expected.size() / 16; ++word) {
                const GatherWord one = gathered(sources.data(), static_cast<int>(sources.size()), word);
                std::copy_n(one.pixels, 16, found.begin() + 16 * static_cast<std::ptrdiff_t>(word));
            }
            REQUIRE(found == expected);
        }
    }
}
