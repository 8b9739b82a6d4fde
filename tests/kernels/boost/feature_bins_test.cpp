#include "kernels/boost/feature_bins.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <catch2/catch.hpp>

#include "tests/kernels/boost/boost_samples.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

constexpr Size window{8, 7};

std::vector<std::uint8_t> row(const FeatureBins& bins, std::size_t feature) {
    FeatureBins::Scratch scratch;
    const std::uint8_t* const of = bins.of(feature, scratch);
    return {of, of + bins.samples().count()};
}

std::vector<std::uint8_t> rows(const FeatureBins& bins) {
    std::vector<std::uint8_t> all;
    for (std::size_t feature = 0; feature < bins.features().size(); ++feature) {
        const std::vector<std::uint8_t> own = row(bins, feature);
        all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

}  // namespace

TEST_CASE("a larger value of a Haar feature never has a lower bin, and bins tell values apart", "[boost]") {
    const std::size_t count = 500;
    const SampleIntegrals samples(window, random_windows(window, count, 1), true);
    const WindowFeatures features = haar_features(window, HaarPool::all);
    const FeatureBins bins(samples, features, std::size_t{1} << 30);
    CHECK(bins.kept() == features.size());
    for (std::size_t feature = 0; feature < features.size(); feature += 37) {
        std::vector<float> values(count + SampleIntegrals::padding);
        haar_values(samples, features.haar[feature], 0, count, values.data());
        const std::vector<std::uint8_t> own = row(bins, feature);
        std::vector<std::size_t> order(count);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
        std::set<std::uint8_t> used;
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) REQUIRE(own[order[i - 1]] <= own[order[i]]);
            used.insert(own[order[i]]);
        }
        CHECK(used.size() > 60);
    }
}

TEST_CASE("bins reach over samples of both kinds, wherever they are", "[boost]") {
    // Positives come first: 400 windows with a dark left half, then 400 with a dark right one.
    std::mt19937 random(5);
    std::vector<std::uint8_t> pixels;
    for (int sample = 0; sample < 800; ++sample) {
        for (int i = 0; i < window.width * window.height; ++i) {
            const bool is_left = i % window.width < window.width / 2;
            pixels.push_back(
                static_cast<std::uint8_t>((is_left == (sample < 400) ? 20 : 160) + random() % 60));
        }
    }
    WindowFeatures features{Cascade::Feature::haar, window, {}, {}};
    features.haar.push_back({{Rect{0, 0, 8, 7}, Rect{4, 0, 4, 7}, Rect{}}, {-1, 2, 0}, false});
    const SampleIntegrals samples(window, pixels, false);
    const FeatureBins bins(samples, features, 0);
    const std::vector<std::uint8_t> own = row(bins, 0);
    const std::set<std::uint8_t> first(own.begin(), own.begin() + 400), second(own.begin() + 400, own.end());
    CHECK(*second.rbegin() < *first.begin());
    CHECK(first.size() > 3);
    CHECK(second.size() > 3);
}

TEST_CASE("bins of LBP features are their codes", "[boost]") {
    const std::size_t count = 70;
    const SampleIntegrals samples(window, random_windows(window, count, 2), false);
    const WindowFeatures features = lbp_features(window);
    const FeatureBins bins(samples, features, std::size_t{1} << 20);
    for (std::size_t feature = 0; feature < features.size(); ++feature) {
        std::vector<std::uint8_t> codes(count + SampleIntegrals::padding);
        lbp_codes(samples, features.lbp[feature], 0, count, codes.data());
        codes.resize(count);
        REQUIRE(row(bins, feature) == codes);
    }
}

TEST_CASE("bins that are not kept are made anew, and threads change nothing", "[boost]") {
    const std::size_t count = 90;
    const SampleIntegrals samples(window, random_windows(window, count, 3), true);
    for (const WindowFeatures& features : {haar_features(window, HaarPool::all), lbp_features(window)}) {
        const FeatureBins all(samples, features, std::size_t{1} << 30);
        const FeatureBins none(samples, features, 0);
        const FeatureBins some(samples, features, 10 * (count + SampleIntegrals::padding));
        CHECK(all.kept() == features.size());
        CHECK(none.kept() == 0);
        CHECK(some.kept() == 10);
        const std::vector<std::uint8_t> expected = rows(all);
        CHECK(rows(none) == expected);
        CHECK(rows(some) == expected);
        for (const int threads : {1, 4}) {
            CHECK(on_threads(threads, [&] {
                      return rows(FeatureBins(samples, features, std::size_t{1} << 30));
                  }) == expected);
        }
    }
}

TEST_CASE("samples that are all alike, and none, have bins", "[boost]") {
    const WindowFeatures features = haar_features(window, HaarPool::basic);
    const std::vector<std::uint8_t> one = random_windows(window, 5, 4);
    std::vector<std::uint8_t> alike;
    for (int i = 0; i < 20; ++i) alike.insert(alike.end(), one.end() - pixels_in(window), one.end());
    const SampleIntegrals samples(window, alike, false);
    const FeatureBins bins(samples, features, 1 << 20);
    for (std::size_t feature = 0; feature < features.size(); feature += 11) {
        const std::vector<std::uint8_t> own = row(bins, feature);
        CHECK(std::set(own.begin(), own.end()).size() == 1);
    }
    const SampleIntegrals nothing(window, {}, false);
    CHECK(row(FeatureBins(nothing, features, 1 << 20), 0).empty());
}
