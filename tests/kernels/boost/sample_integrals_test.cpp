#include "kernels/boost/sample_integrals.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <catch2/catch.hpp>

#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "kernels/haar_lbp/window_body.hpp"
#include "tests/kernels/boost/boost_samples.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

/// Sums over one window by its definition, pixel by pixel.
class PlainWindow {
  public:
    PlainWindow(const std::uint8_t* pixels, Size window) : pixels_(pixels), window_(window) {}

    std::int64_t sum(const Rect& r) const {
        return of_pixels(
            [&](int x, int y) { return x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height; });
    }

    /// Corner (x, y) of the tilted integral image: all pixels above that lie within its right angle (R.
    /// Lienhart, J. Maydt, 2002).
    std::int64_t tilted_corner(int x, int y) const {
        return of_pixels([&](int px, int py) { return py < y && std::abs(px - x + 1) <= y - py - 1; });
    }
    std::int64_t tilted_sum(const Rect& r) const {
        return tilted_corner(r.x, r.y) - tilted_corner(r.x - r.height, r.y + r.height) -
               tilted_corner(r.x + r.width, r.y + r.width) +
               tilted_corner(r.x + r.width - r.height, r.y + r.width + r.height);
    }

    /// 1/σ of the inner rectangle, or 0 for σ <= 10.
    float inverse_deviation() const {
        const Rect inner{1, 1, window_.width - 2, window_.height - 2};
        std::int64_t sum = 0, squares = 0;
        for (int y = inner.y; y < inner.y + inner.height; ++y) {
            for (int x = inner.x; x < inner.x + inner.width; ++x) {
                sum += at(x, y);
                squares += std::int64_t{at(x, y)} * at(x, y);
            }
        }
        const std::int64_t area = std::int64_t{inner.width} * inner.height;
        const std::int64_t variance = area * squares - sum * sum;  // area² σ²
        if (variance <= 100 * area * area) return 0;
        return static_cast<float>(1 / std::sqrt(static_cast<double>(variance)));
    }

    float value(const HaarFeature& feature) const {
        float value = 0;
        for (std::size_t r = 0; r < 3; ++r) {
            if (feature.weights[r] == 0) continue;
            const std::int64_t pixels = feature.tilted ? tilted_sum(feature.rects[r]) : sum(feature.rects[r]);
            value += feature.weights[r] * static_cast<float>(pixels);
        }
        return value * inverse_deviation();
    }

    int code(const LbpFeature& feature) const {
        const auto cell = [&](int column, int row) {
            const Rect& c = feature.cell;
            return sum({c.x + column * c.width, c.y + row * c.height, c.width, c.height});
        };
        constexpr int columns[] = {0, 1, 2, 2, 2, 1, 0, 0}, rows[] = {0, 0, 0, 1, 2, 2, 2, 1};
        int code = 0;
        for (int i = 0; i < 8; ++i) code = 2 * code + (cell(columns[i], rows[i]) >= cell(1, 1) ? 1 : 0);
        return code;
    }

  private:
    int at(int x, int y) const { return pixels_[y * window_.width + x]; }
    template <class Inside>
    std::int64_t of_pixels(const Inside& inside) const {
        std::int64_t sum = 0;
        for (int y = 0; y < window_.height; ++y) {
            for (int x = 0; x < window_.width; ++x) sum += inside(x, y) ? at(x, y) : 0;
        }
        return sum;
    }

    const std::uint8_t* pixels_;
    Size window_;
};

std::vector<float> values_of(const SampleIntegrals& samples, const HaarFeature& feature, std::size_t first,
                             std::size_t count) {
    std::vector<float> values(count + SampleIntegrals::padding);
    haar_values(samples, feature, first, count, values.data());
    values.resize(count);
    return values;
}

std::vector<std::uint8_t> codes_of(const SampleIntegrals& samples, const LbpFeature& feature,
                                   std::size_t first, std::size_t count) {
    std::vector<std::uint8_t> codes(count + SampleIntegrals::padding);
    lbp_codes(samples, feature, first, count, codes.data());
    codes.resize(count);
    return codes;
}

std::vector<std::uint8_t> bins(const std::vector<float>& values, float least, float scale) {
    std::vector<float> padded(values);
    padded.resize(values.size() + SampleIntegrals::padding, 0);
    std::vector<std::uint8_t> bins(padded.size());
    bins_of(padded.data(), values.size(), least, scale, bins.data());
    bins.resize(values.size());
    return bins;
}

/// A cascade of one stump: its left leaf passes, its right one does not.
Cascade one_stump(Cascade::Feature kind, Size window, const CascadeNode& node) {
    Cascade cascade;
    cascade.feature = kind;
    cascade.window = window;
    cascade.stages = {{0, 1, 0.0F}};
    cascade.trees = {{0, 1, 0}};
    cascade.nodes = {node};
    cascade.nodes[0].right = -1;
    cascade.leaves = {1, -1};
    return cascade;
}

/// Whether the engine finds the object in an image that is one window.
bool passes(const Cascade& cascade, const std::uint8_t* pixels) {
    const auto engine = make_cpu_engine(cascade);
    const ImageView<const std::uint8_t> image{pixels, cascade.window.width, cascade.window.height,
                                              cascade.window.width};
    const std::vector<ImageView<const std::uint8_t>> images{image};
    return !engine->detect(images, {{}, 0})[0].windows.empty();
}

}  // namespace

TEST_CASE("values of Haar features are those of their definition, in every bit", "[boost][simd]") {
    const Size window = GENERATE(Size{12, 12}, Size{9, 15}, Size{4, 3});
    const std::size_t count = 67;
    const std::vector<std::uint8_t> pixels = random_windows(window, count, 5);
    const WindowFeatures features = haar_features(window, HaarPool::all);
    for (const std::string& target : all_simd_targets()) {
        CAPTURE(target, window.width);
        const ForcedSimdTarget forced(target);
        const SampleIntegrals samples(window, pixels, true);
        REQUIRE(samples.count() == count);
        std::size_t flat = 0;
        for (std::size_t f = 0; f < features.size(); f += 1 + features.size() / 60) {
            const std::vector<float> values = values_of(samples, features.haar[f], 0, count);
            flat = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const PlainWindow plain(pixels.data() + i * pixels_in(window), window);
                const float expected = plain.value(features.haar[f]);
                if (std::memcmp(&expected, &values[i], sizeof expected) != 0)
                    FAIL("feature " << f << ", sample " << i << ": " << expected << ", not " << values[i]);
                if (samples.has_contrast(i) != (plain.inverse_deviation() > 0)) FAIL("contrast of " << i);
                flat += samples.has_contrast(i) ? 0 : 1;
            }
        }
        CHECK(flat > 0);
        CHECK(flat < count);
    }
}

TEST_CASE("LBP codes are those of their definition", "[boost][simd]") {
    const Size window{11, 9};
    const std::size_t count = 67;
    const std::vector<std::uint8_t> pixels = random_windows(window, count, 6);
    const WindowFeatures features = lbp_features(window);
    for (const std::string& target : all_simd_targets()) {
        CAPTURE(target);
        const ForcedSimdTarget forced(target);
        const SampleIntegrals samples(window, pixels, false);
        for (std::size_t f = 0; f < features.size(); f += 5) {
            const std::vector<std::uint8_t> codes = codes_of(samples, features.lbp[f], 0, count);
            for (std::size_t i = 0; i < count; ++i) {
                const int expected =
                    PlainWindow(pixels.data() + i * pixels_in(window), window).code(features.lbp[f]);
                if (codes[i] != expected) FAIL("feature " << f << ", sample " << i);
            }
        }
    }
}

TEST_CASE("an engine compares the same values of Haar features, in every bit", "[boost]") {
    const Size window{10, 12};
    const std::size_t count = 24;
    const std::vector<std::uint8_t> pixels = random_windows(window, count, 7);
    const SampleIntegrals samples(window, pixels, true);
    const WindowFeatures features = haar_features(window, HaarPool::all);
    int looked_at = 0;
    for (std::size_t f = 3; f < features.size(); f += 1 + features.size() / 80) {
        const std::vector<float> values = values_of(samples, features.haar[f], 0, count);
        for (std::size_t i = f % 3; i < count; i += 3) {
            CascadeNode node;
            node.threshold = std::nextafter(values[i], std::numeric_limits<float>::infinity());
            Cascade cascade = one_stump(Cascade::Feature::haar, window, node);
            cascade.haar_features = {features.haar[f]};
            cascade.has_tilted = features.haar[f].tilted;
            const std::uint8_t* const sample = pixels.data() + i * pixels_in(window);
            CAPTURE(f, i, values[i]);
            REQUIRE(passes(cascade, sample) == samples.has_contrast(i));
            cascade.nodes[0].threshold = values[i];
            REQUIRE_FALSE(passes(cascade, sample));
            looked_at += samples.has_contrast(i) ? 1 : 0;
        }
    }
    CHECK(looked_at > 300);
}

TEST_CASE("an engine looks the same LBP codes up", "[boost]") {
    const Size window{10, 12};
    const std::size_t count = 24;
    const std::vector<std::uint8_t> pixels = random_windows(window, count, 8);
    const SampleIntegrals samples(window, pixels, false);
    const WindowFeatures features = lbp_features(window);
    for (std::size_t f = 0; f < features.size(); f += 1 + features.size() / 40) {
        const std::vector<std::uint8_t> codes = codes_of(samples, features.lbp[f], 0, count);
        for (std::size_t i = f % 3; i < count; i += 3) {
            CascadeNode node;
            node.subset[codes[i] / 32] = 1U << (codes[i] % 32);
            Cascade cascade = one_stump(Cascade::Feature::lbp, window, node);
            cascade.lbp_features = {features.lbp[f]};
            CAPTURE(f, i);
            REQUIRE(passes(cascade, pixels.data() + i * pixels_in(window)));
            for (std::uint32_t& word : cascade.nodes[0].subset) word = ~word;
            REQUIRE_FALSE(passes(cascade, pixels.data() + i * pixels_in(window)));
        }
    }
}

TEST_CASE("values of a part of the samples are those of all", "[boost][simd]") {
    const Size window{7, 6};
    const WindowFeatures features = haar_features(window, HaarPool::all);
    const WindowFeatures blocks = lbp_features(window);
    const std::vector<std::uint8_t> pixels = random_windows(window, 65, 9);
    const SampleIntegrals all(window, pixels, true);
    const HaarFeature& feature = features.haar[features.size() - 20];
    const std::vector<float> values = values_of(all, feature, 0, 65);
    const std::vector<std::uint8_t> codes = codes_of(all, blocks.lbp[3], 0, 65);
    for (const std::size_t count : {0, 1, 15, 16, 17, 63, 64, 65}) {
        CAPTURE(count);
        const SampleIntegrals some(window, std::span(pixels).first(count * pixels_in(window)), true);
        REQUIRE(some.count() == count);
        CHECK(values_of(some, feature, 0, count) == std::vector(values.begin(), values.begin() + count));
        CHECK(codes_of(some, blocks.lbp[3], 0, count) == std::vector(codes.begin(), codes.begin() + count));
        // The last ones, from a place that is no multiple of anything.
        CHECK(values_of(all, feature, 65 - count, count) == std::vector(values.end() - count, values.end()));
        CHECK(codes_of(all, blocks.lbp[3], 65 - count, count) ==
              std::vector(codes.end() - count, codes.end()));
    }
}

TEST_CASE("integrals of samples do not depend on threads", "[boost]") {
    const Size window{8, 8};
    const std::vector<std::uint8_t> pixels = random_windows(window, 300, 10);
    const auto corner = [&](int threads) {
        return on_threads(threads, [&] {
            const SampleIntegrals samples(window, pixels, true);
            std::vector<std::int32_t> sums(samples.sums(8, 8), samples.sums(8, 8) + 300);
            sums.insert(sums.end(), samples.tilted(4, 8), samples.tilted(4, 8) + 300);
            return sums;
        });
    };
    CHECK(corner(1) == corner(4));
}

TEST_CASE("samples must be whole windows of 3x3 pixels or more", "[boost]") {
    const std::vector<std::uint8_t> pixels(100);
    CHECK_THROWS_AS(SampleIntegrals({3, 3}, pixels, false), std::invalid_argument);
    CHECK_THROWS_AS(SampleIntegrals({2, 50}, pixels, false), std::invalid_argument);
    CHECK_THROWS_AS(SampleIntegrals({50, 2}, pixels, false), std::invalid_argument);
    CHECK(SampleIntegrals({5, 20}, pixels, true).count() == 1);
}

TEST_CASE("the squares of large windows wrap as OpenCV's do", "[boost]") {
    // The inner sum of squares, 290 · 290 · 255², is beyond 2^32: OpenCV sees another deviation.
    const Size window{292, 292};
    const std::vector<std::uint8_t> pixels(pixels_in(window), 255);
    const SampleIntegrals samples(window, pixels, false);
    const std::uint64_t squares = std::uint64_t{290} * 290 * 255 * 255;
    const WindowContrast expected =
        window_contrast(290 * 290 * 255, static_cast<std::uint32_t>(squares), 290. * 290.);
    CHECK(samples.has_contrast(0) == expected.valid);
}

TEST_CASE("bins are rounded down and end at 0 and 255", "[boost][simd]") {
    for (const std::string& target : all_simd_targets()) {
        CAPTURE(target);
        const ForcedSimdTarget forced(target);
        const float above = std::nextafter(1.0F, 2.0F), below = std::nextafter(1.0F, 0.0F);
        const std::vector<float> values{-1e30F,  -1,  -0.0F,    0,   below, 1,    above,
                                        254.99F, 255, 255.999F, 256, 1e30F, 17.5F};
        CHECK(bins(values, 0, 1) ==
              std::vector<std::uint8_t>{0, 0, 0, 0, 0, 1, 1, 254, 255, 255, 255, 255, 17});
        CHECK(bins({-3, -2.5F, -2, 0, 125, 126}, -3, 2) == std::vector<std::uint8_t>{0, 1, 2, 6, 255, 255});
        // Features that are the same in all samples have no scale.
        CHECK(bins({-7, 0, 7}, 0, 0) == std::vector<std::uint8_t>{0, 0, 0});
        // Larger than any value that a 32-bit integer holds.
        CHECK(bins({3e38F, -3e38F}, -1e38F, 1) == std::vector<std::uint8_t>{255, 0});
    }
}
