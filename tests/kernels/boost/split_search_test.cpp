#include "kernels/boost/split_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch.hpp>
#include <tbb/global_control.h>

#include "kernels/haar_lbp/window_body.hpp"

using namespace fovea;

namespace {

constexpr Size window{9, 8};

std::vector<std::uint8_t> noise(std::size_t samples, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> pixels(samples * window.width * window.height);
    for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(random() >> 24);
    return pixels;
}

int pixel_of(const std::vector<std::uint8_t>& pixels, std::size_t sample, int x, int y) {
    return pixels[(sample * window.height + static_cast<std::size_t>(y)) * window.width +
                  static_cast<std::size_t>(x)];
}

/// Whether a pixel's centre lies in a rectangle that is turned by 45°, whose top corner is (x, y).
bool is_in_tilted(const Rect& r, int x, int y) {
    const double along = (x + 0.5 - r.x) + (y + 0.5 - r.y), across = (y + 0.5 - r.y) - (x + 0.5 - r.x);
    return along > 0 && along < 2 * r.width && across > 0 && across < 2 * r.height;
}

int sum_under(const std::vector<std::uint8_t>& pixels, std::size_t sample, const Rect& r) {
    int sum = 0;
    for (int y = r.y; y < r.y + r.height; ++y) {
        for (int x = r.x; x < r.x + r.width; ++x) sum += pixel_of(pixels, sample, x, y);
    }
    return sum;
}

float inverse_deviation(const std::vector<std::uint8_t>& pixels, std::size_t sample) {
    std::int32_t sum = 0;
    std::uint32_t squared = 0;
    for (int y = 1; y + 1 < window.height; ++y) {
        for (int x = 1; x + 1 < window.width; ++x) {
            const int pixel = pixel_of(pixels, sample, x, y);
            sum += pixel;
            squared += static_cast<std::uint32_t>(pixel * pixel);
        }
    }
    const WindowContrast contrast =
        window_contrast(sum, squared, (window.width - 2.0) * (window.height - 2.0));
    return contrast.valid ? contrast.inverse_deviation : 0;
}

std::vector<BoostWeight> random_weights(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<BoostWeight> weights;
    for (std::size_t i = 0; i < count; ++i) {
        const auto weight = static_cast<std::int32_t>(random() % 1000);
        weights.push_back({weight, random() % 2 == 0 ? weight : -weight});
    }
    return weights;
}

std::vector<std::uint32_t> every(std::size_t count, std::size_t step) {
    std::vector<std::uint32_t> samples;
    for (std::size_t i = 0; i < count; i += step) samples.push_back(static_cast<std::uint32_t>(i));
    return samples;
}

/// The score of a split, by the definition.
double plain_score(SplitCriterion criterion, const std::vector<BoostWeight>& weights,
                   const std::vector<bool>& goes_left) {
    double score = 0;
    for (const bool side : {true, false}) {
        double weight = 0, response = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (goes_left[i] != side) continue;
            weight += weights[i].weight;
            response += weights[i].response;
        }
        if (weight == 0) return 0;
        const double positive = (weight + response) / 2, negative = (weight - response) / 2;
        switch (criterion) {
            case SplitCriterion::squares:
                score += response * response / weight;
                break;
            case SplitCriterion::gini:
                score += (positive * positive + negative * negative) / weight;
                break;
            case SplitCriterion::error:
                score += std::max(positive, negative);
                break;
        }
    }
    return score;
}

}  // namespace

TEST_CASE("Haar values of many samples are those of each window", "[boost]") {
    const std::size_t count = GENERATE(1, 15, 16, 17, 63, 64, 65, 130);
    std::vector<std::uint8_t> pixels = noise(count, 7);
    // A flat one: no cascade looks at it.
    std::fill_n(pixels.begin(), window.width * window.height, std::uint8_t{90});
    const SampleIntegrals samples(window, pixels, true);
    REQUIRE(samples.count() == count);
    CHECK_FALSE(samples.has_contrast(0));
    const WindowFeatures features = haar_features(window, HaarPool::all);
    std::size_t differ = 0;
    for (std::size_t f = 0; f < features.size(); f += 7) {
        const HaarFeature& feature = features.haar[f];
        std::vector<float> values(count + SampleIntegrals::padding);
        haar_values(samples, feature, 0, count, values.data());
        for (std::size_t i = 0; i < count; ++i) {
            float value = 0;
            for (std::size_t r = 0; r < 3; ++r) {
                if (feature.weights[r] == 0) continue;
                int sum = 0;
                if (feature.tilted) {
                    // Halves of pixels at the edges of a turned rectangle: its sum has whole ones, as OpenCV
                    // defines it, so that only a flat picture can be checked by area.
                    sum = i == 0 ? 2 * feature.rects[r].width * feature.rects[r].height * 90 : 0;
                } else {
                    sum = sum_under(pixels, i, feature.rects[r]);
                }
                const float term = feature.weights[r] * static_cast<float>(sum);
                value = r == 0 ? term : value + term;
            }
            if (feature.tilted && i > 0) continue;
            differ += values[i] != value * inverse_deviation(pixels, i);
        }
    }
    CHECK(differ == 0);
}

TEST_CASE("LBP codes of many samples are those of each window", "[boost]") {
    const std::vector<std::uint8_t> pixels = noise(70, 3);
    const SampleIntegrals samples(window, pixels, false);
    std::size_t differ = 0;
    for (const LbpFeature& feature : lbp_features(window).lbp) {
        std::vector<std::uint8_t> codes(samples.count() + SampleIntegrals::padding);
        lbp_codes(samples, feature, 0, samples.count(), codes.data());
        for (std::size_t i = 0; i < samples.count(); ++i) {
            const auto block = [&](int column, int row) {
                return sum_under(pixels, i,
                                 {feature.cell.x + column * feature.cell.width,
                                  feature.cell.y + row * feature.cell.height, feature.cell.width,
                                  feature.cell.height});
            };
            constexpr int columns[8] = {0, 1, 2, 2, 2, 1, 0, 0}, rows[8] = {0, 0, 0, 1, 2, 2, 2, 1};
            int code = 0;
            for (int bit = 0; bit < 8; ++bit) code = 2 * code + (block(columns[bit], rows[bit]) >= block(1, 1));
            differ += codes[i] != code;
        }
    }
    CHECK(differ == 0);
}

TEST_CASE("Values fall into bins, those beyond the ends into the outer ones", "[boost]") {
    const std::vector<float> values{-100, 0, 0.49F, 0.5F, 1, 127.4F, 127.5F, 128, 1e30F};
    std::vector<float> padded(values);
    padded.resize(values.size() + SampleIntegrals::padding);
    std::vector<std::uint8_t> bins(padded.size());
    bins_of(padded.data(), values.size(), 0, 2, bins.data());
    bins.resize(values.size());
    CHECK(bins == std::vector<std::uint8_t>{0, 0, 0, 1, 2, 254, 255, 255, 255});
}

TEST_CASE("The best threshold is the best of all thresholds", "[boost]") {
    const SplitCriterion criterion =
        GENERATE(SplitCriterion::squares, SplitCriterion::gini, SplitCriterion::error);
    const std::vector<std::uint8_t> pixels = noise(40, 11);
    const SampleIntegrals samples(window, pixels, false);
    const std::vector<std::uint32_t> chosen = every(40, 3);
    const std::vector<BoostWeight> weights = random_weights(chosen.size(), 5);
    const WindowFeatures features = haar_features(window, HaarPool::basic);
    for (std::size_t f = 0; f < features.size(); f += 191) {
        std::vector<float> values(40 + SampleIntegrals::padding);
        haar_values(samples, features.haar[f], 0, 40, values.data());
        double best = 0;
        for (const std::uint32_t at : chosen) {
            std::vector<bool> goes_left;
            for (const std::uint32_t sample : chosen) goes_left.push_back(values[sample] < values[at]);
            best = std::max(best, plain_score(criterion, weights, goes_left));
        }
        const auto found = best_threshold(samples, features.haar[f], chosen, weights, criterion);
        REQUIRE(found);
        CHECK(found->score == Approx(best));
        std::vector<bool> goes_left;
        for (const std::uint32_t sample : chosen) goes_left.push_back(values[sample] < found->threshold);
        CHECK(plain_score(criterion, weights, goes_left) == Approx(best));
    }
}

TEST_CASE("The best splits are the same for every number of threads and all memory", "[boost]") {
    const std::vector<std::uint8_t> pixels = noise(300, 2);
    const bool is_lbp = GENERATE(false, true);
    const WindowFeatures features = is_lbp ? lbp_features(window) : haar_features(window, HaarPool::core);
    const SampleIntegrals samples(window, pixels, features.has_tilted());
    const std::size_t step = GENERATE(1, 2);
    const std::vector<std::uint32_t> chosen = every(300, step);
    const std::vector<BoostWeight> weights = random_weights(chosen.size(), 9);
    const FeatureBins kept(samples, features, std::size_t{1} << 30);
    const FeatureBins made_anew(samples, features, 0);
    REQUIRE(kept.kept() == features.size());
    REQUIRE(made_anew.kept() == 0);
    const auto all = best_splits(kept, chosen, weights, SplitCriterion::squares, 20);
    REQUIRE(all.size() == 20);
    const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
    const auto again = best_splits(made_anew, chosen, weights, SplitCriterion::squares, 20);
    REQUIRE(again.size() == 20);
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(all[i].feature == again[i].feature);
        CHECK(all[i].score == again[i].score);
        CHECK(all[i].subset == again[i].subset);
        // The subset has the score that is told.
        FeatureBins::Scratch scratch;
        const std::uint8_t* const bins = kept.of(all[i].feature, scratch);
        std::vector<bool> goes_left;
        for (const std::uint32_t sample : chosen)
            goes_left.push_back((all[i].subset[bins[sample] / 32] >> (bins[sample] % 32) & 1) != 0);
        CHECK(plain_score(SplitCriterion::squares, weights, goes_left) == Approx(all[i].score));
        if (i > 0) CHECK(all[i].score <= all[i - 1].score);
    }
}

TEST_CASE("No subset of LBP codes splits better than the one that is found", "[boost]") {
    const std::vector<std::uint8_t> pixels = noise(8, 21);
    const WindowFeatures features = lbp_features(window);
    const SampleIntegrals samples(window, pixels, false);
    const FeatureBins bins(samples, features, std::size_t{1} << 20);
    const std::vector<std::uint32_t> chosen = every(8, 1);
    const std::vector<BoostWeight> weights{{5, 2}, {7, -3}, {2, 2}, {9, 1}, {4, -4}, {6, 5}, {3, -1}, {8, 0}};
    for (const FeatureSplit& split :
         best_splits(bins, chosen, weights, SplitCriterion::squares, features.size())) {
        FeatureBins::Scratch scratch;
        const std::uint8_t* const codes = bins.of(split.feature, scratch);
        double best = 0;
        for (unsigned subset = 1; subset + 1 < 256; ++subset) {
            // Samples of one code stay together.
            std::vector<bool> goes_left(8);
            bool is_possible = true;
            for (std::size_t i = 0; i < 8; ++i) {
                goes_left[i] = (subset >> i & 1) != 0;
                for (std::size_t j = 0; j < i; ++j)
                    is_possible = is_possible && (codes[i] != codes[j] || goes_left[i] == goes_left[j]);
            }
            if (is_possible) best = std::max(best, plain_score(SplitCriterion::squares, weights, goes_left));
        }
        CHECK(split.score == Approx(best));
    }
}
