#include "lib/train/samples/augment.hpp"

#include <catch2/catch.hpp>

#include "lib/core/threads.hpp"
#include "lib/train/samples/sample_warp.hpp"
#include "tests/lib/train/samples/support.hpp"
#include "tests/support/images.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

using Pixels = std::vector<std::uint8_t>;

GreyImage constant_image(int width, int height, int level) {
    return {width, height,
            Pixels(static_cast<std::size_t>(width * height), static_cast<std::uint8_t>(level))};
}

Box whole(const GreyImage& image) {
    return {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)};
}

Pixels copy_of(const GreyImage& image, const Box& box, Size window, const AugmentOptions& options,
               std::size_t copy = 0, std::span<const GreyImage> backgrounds = {}) {
    return augmented_sample({image.view(), box}, window, Resampling::area, options, backgrounds,
                            random_of_copy(1, "image.png", 0, copy));
}

Pixels seen_pixels(const GreyImage& image, Size window, const SamplePose& pose) {
    const SampleProjection projection(whole(image), window, pose);
    return rounded(seen_object(image.view(), projection, window, {}).levels);
}

AugmentOptions everything() {
    AugmentOptions options;
    options.max_angle_x_deg = options.max_angle_y_deg = 20;
    options.max_angle_z_deg = 15;
    options.max_scale = 0.1;
    options.max_shift = 0.05;
    options.max_light = 40;
    options.max_contrast = 0.3;
    options.max_blur = 1;
    options.max_noise = 10;
    options.mirrored = true;
    options.background_colour = 0;
    options.background_threshold = 10;
    return options;
}

}  // namespace

TEST_CASE("Augmentation: without limits nothing changes", "[samples][augment]") {
    const GreyImage image = noise(60, 50, 7);
    for (const Box& box :
         {Box{10, 12, 20, 20}, Box{3.3, 4.7, 41.2, 37.9}, Box{-9, 20, 24, 45}, Box{5, 5, 8, 9}}) {
        for (const Resampling resampling : {Resampling::area, Resampling::linear}) {
            const Pixels plain = rounded(resampled(image.view(), box, {20, 20}, resampling));
            for (std::size_t copy = 0; copy < 3; ++copy) {
                CHECK(augmented_sample({image.view(), box}, {20, 20}, resampling, {}, {},
                                       random_of_copy(9, "a", 1, copy)) == plain);
            }
        }
    }
    // A background does not show through a region that lies in its image.
    const std::vector<GreyImage> backgrounds{constant_image(30, 30, 99)};
    CHECK(copy_of(image, {10, 12, 20, 20}, {20, 20}, {}, 0, backgrounds) ==
          copy_of(image, {10, 12, 20, 20}, {20, 20}, {}));
}

TEST_CASE("Augmentation: quarter turns move pixels", "[samples][augment]") {
    constexpr int side = 9;
    const GreyImage image = noise(side, side, 3);
    const Pixels quarter = seen_pixels(image, {side, side}, {0, 0, 90, 1, 0, 0});
    const Pixels half = seen_pixels(image, {side, side}, {0, 0, 180, 1, 0, 0});
    const Pixels back = seen_pixels(image, {side, side}, {0, 0, -90, 1, 0, 0});
    const auto view = image.view();
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            const auto at = static_cast<std::size_t>(y * side + x);
            CHECK(quarter[at] == view(y, side - 1 - x));  // clockwise
            CHECK(half[at] == view(side - 1 - x, side - 1 - y));
            CHECK(back[at] == view(side - 1 - y, x));
        }
    }
}

TEST_CASE("Augmentation: shifts and scales", "[samples][augment]") {
    const GreyImage image = noise(8, 8, 5);
    const Pixels shifted = seen_pixels(image, {8, 8}, {0, 0, 0, 1, 0.25, -0.125});
    const Pixels enlarged = seen_pixels(image, {8, 8}, {0, 0, 0, 2, 0, 0});
    const Pixels reduced = seen_pixels(image, {8, 8}, {0, 0, 0, 0.5, 0, 0});
    const auto view = image.view();
    for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 8; ++x) {
            const auto at = static_cast<std::size_t>(y * 8 + x);
            CHECK(shifted[at] == view(std::clamp(x - 2, 0, 7), std::clamp(y + 1, 0, 7)));
        }
    }
    // The window's pixel 4 covers 4 to 4.5 of the image: its centre is a quarter before the one of pixel 4.
    const double above = 0.25 * view(3, 3) + 0.75 * view(4, 3), below = 0.25 * view(3, 4) + 0.75 * view(4, 4);
    CHECK(enlarged[4 * 8 + 4] == std::floor(0.25 * above + 0.75 * below + 0.5));
    // The pixel 2 covers 0 to 2: four samples at the centres of pixels.
    CHECK(reduced[2 * 8 + 2] == (view(0, 0) + view(1, 0) + view(0, 1) + view(1, 1) + 2) / 4);
}

TEST_CASE("Augmentation: a turned object is seen in perspective", "[samples][augment]") {
    // At 60° an edge lies 20 · cos 60° = 10 from the centre, and 20 · sin 60° = 17.32 nearer or farther than
    // 160, so it is seen at 10 · 160 / 142.68 = 11.21 or 10 · 160 / 177.32 = 9.02.
    const GreyImage image = constant_image(40, 40, 200);
    const SampleProjection turned({0, 0, 40, 40}, {40, 40}, {0, 60, 0, 1, 0, 0});
    const SeenObject seen = seen_object(image.view(), turned, {40, 40}, {std::nullopt, 0, true});
    double across = 0;
    for (int x = 0; x < 40; ++x) across += seen.cover[20 * 40 + static_cast<std::size_t>(x)];
    CHECK(across == Approx(20.24).margin(1));
    const SampleProjection nodding({0, 0, 40, 40}, {40, 40}, {60, 0, 0, 1, 0, 0});
    CHECK(nodding.image_place(20, 20 + 9.0237).y == Approx(40).margin(0.01));
    CHECK(nodding.image_place(20, 20 - 11.2142).y == Approx(0).margin(0.01));
    CHECK(turned.image_place(20 + 11.2142, 20).x == Approx(40).margin(0.01));
    CHECK(turned.image_place(20 - 9.0237, 20).x == Approx(0).margin(0.01));
    CHECK(turned.image_place(20, 20).y == Approx(20));
    // Behind the horizon nothing is undefined.
    const SampleProjection steep({0, 0, 40, 40}, {40, 40}, {75, 75, 180, 0.5, 0.5, 0.5});
    for (const double x : {-1000.0, 0.0, 40.0, 1000.0}) {
        CHECK(std::abs(steep.image_place(x, x).x) <= 1e8);
        CHECK(std::abs(steep.image_place(x, -x).y) <= 1e8);
    }
    CHECK(seen_object(image.view(), steep, {40, 40}, {}).levels.size() == 1600);
}

TEST_CASE("Augmentation: large images are reduced before they are seen", "[samples][augment]") {
    // A ramp keeps its levels, however it is reduced.
    GreyImage image{600, 400, {}};
    for (int y = 0; y < 400; ++y) {
        for (int x = 0; x < 600; ++x) image.pixels.push_back(static_cast<std::uint8_t>(x / 3));
    }
    const Box box{150, 50, 300, 300};  // 15 pixels in one
    const SampleProjection projection(box, {20, 20}, {0, 0, 0, 1.0001, 0, 0});
    const Pixels seen = rounded(seen_object(image.view(), projection, {20, 20}, {}).levels);
    const Pixels plain = rounded(resampled(image.view(), box, {20, 20}, Resampling::area));
    for (std::size_t i = 0; i < seen.size(); ++i) CHECK(std::abs(seen[i] - plain[i]) <= 1);
}

TEST_CASE("Augmentation: light and contrast", "[samples][augment]") {
    GreyImage image{20, 20, {}};
    for (int i = 0; i < 400; ++i) image.pixels.push_back(i % 2 == 0 ? 90 : 110);
    AugmentOptions light;
    light.max_light = 40;
    AugmentOptions contrast;
    contrast.max_contrast = 0.5;
    std::set<int> levels;
    for (std::size_t copy = 0; copy < 20; ++copy) {
        const Pixels lit = copy_of(image, whole(image), {20, 20}, light, copy);
        CHECK(lit[1] - lit[0] == 20);
        CHECK(std::abs(lit[0] - 90) <= 40);
        CHECK(std::equal(lit.begin() + 2, lit.end(), lit.begin()));
        levels.insert(lit[0]);
        const Pixels contrasting = copy_of(image, whole(image), {20, 20}, contrast, copy);
        CHECK(std::abs(contrasting[0] + contrasting[1] - 200) <= 1);  // about the mean
        CHECK(contrasting[1] - contrasting[0] >= 9);
        CHECK(contrasting[1] - contrasting[0] <= 31);
    }
    CHECK(levels.size() > 10);
    CHECK(*levels.begin() < 75);
    CHECK(*levels.rbegin() > 105);
}

TEST_CASE("Augmentation: half of the copies are mirrored", "[samples][augment]") {
    const GreyImage image = noise(12, 10, 1);
    Pixels mirrored = image.pixels;
    mirror(mirrored, {12, 10});
    AugmentOptions options;
    options.mirrored = true;
    int count = 0;
    for (std::size_t copy = 0; copy < 200; ++copy) {
        const Pixels pixels = copy_of(image, whole(image), {12, 10}, options, copy);
        REQUIRE((pixels == image.pixels || pixels == mirrored));
        count += pixels == mirrored ? 1 : 0;
    }
    CHECK(count > 70);
    CHECK(count < 130);
}

TEST_CASE("Augmentation: backgrounds show through", "[samples][augment]") {
    GreyImage image = constant_image(10, 10, 255);
    for (int y = 3; y < 7; ++y) {
        for (int x = 2; x < 8; ++x) image.pixels[static_cast<std::size_t>(10 * y + x)] = 100;
    }
    image.pixels[0] = 175;  // 80 from 255
    image.pixels[9] = 174;
    const std::vector<GreyImage> backgrounds{constant_image(30, 20, 77)};
    AugmentOptions options;
    options.background_colour = 255;
    const Pixels pasted = copy_of(image, whole(image), {10, 10}, options, 0, backgrounds);
    for (std::size_t i = 0; i < pasted.size(); ++i) {
        CHECK(pasted[i] == (image.pixels[i] >= 175 ? 77 : image.pixels[i]));
    }
    CHECK(copy_of(image, whole(image), {10, 10}, options) == image.pixels);
    // Light falls on the object, not on its background.
    options.max_light = 60;
    const Pixels lit = copy_of(image, whole(image), {10, 10}, options, 3, backgrounds);
    CHECK(lit[11] == 77);
    CHECK(lit[35] != 100);
}

TEST_CASE("Augmentation: backgrounds show beyond the image", "[samples][augment]") {
    const GreyImage image = constant_image(10, 10, 200);
    const std::vector<GreyImage> backgrounds{constant_image(30, 20, 20)};
    const Pixels pasted = copy_of(image, {-5, 0, 10, 10}, {10, 10}, {}, 0, backgrounds);
    for (std::size_t i = 0; i < pasted.size(); ++i) CHECK(pasted[i] == (i % 10 < 5 ? 20 : 200));
    CHECK(copy_of(image, {-5, 0, 10, 10}, {10, 10}, {}) == image.pixels);
    AugmentOptions turned;
    turned.max_angle_z_deg = 45;
    std::size_t backgrounds_seen = 0;
    for (std::size_t copy = 0; copy < 10; ++copy) {
        const Pixels pixels = copy_of(image, whole(image), {10, 10}, turned, copy, backgrounds);
        CHECK(pixels[55] == 200);
        backgrounds_seen += pixels[0] < 200 ? 1 : 0;
        CHECK(copy_of(image, whole(image), {10, 10}, turned, copy) == image.pixels);
    }
    CHECK(backgrounds_seen >= 8);
}

TEST_CASE("Augmentation: copies depend on nothing but seed, source, object and number",
          "[samples][augment]") {
    const GreyImage image = smooth_noise(80, 60, 2, 4);
    const std::vector<GreyImage> backgrounds{noise(40, 50, 1), noise(100, 30, 2)};
    const auto made = [&](std::uint64_t seed, const char* source, std::size_t object, std::size_t copy) {
        return augmented_sample({image.view(), {20, 10, 30, 30}}, {20, 20}, Resampling::area, everything(),
                                backgrounds, random_of_copy(seed, source, object, copy));
    };
    const Pixels first = made(1, "a", 0, 0);
    CHECK(made(1, "a", 0, 0) == first);
    CHECK(made(2, "a", 0, 0) != first);
    CHECK(made(1, "b", 0, 0) != first);
    CHECK(made(1, "a", 1, 0) != first);
    CHECK(made(1, "a", 0, 1) != first);
    // One limit does not change what is drawn for another.
    AugmentOptions light;
    light.max_light = 30;
    AugmentOptions both = light;
    both.max_shift = 0.2;
    const GreyImage grey = constant_image(20, 20, 100);
    CHECK(copy_of(grey, whole(grey), {20, 20}, light, 5) == copy_of(grey, whole(grey), {20, 20}, both, 5));
}

TEST_CASE("Augmentation: copies of samples, the same on any number of threads", "[samples][augment]") {
    WindowSamples samples{{16, 12}, noise(16, 12 * 20, 9).pixels, {}, {"a", "b"}};
    for (std::uint32_t i = 0; i < 20; ++i) samples.source.push_back(i % 2);
    const std::vector<GreyImage> backgrounds{noise(40, 50, 1)};
    WindowSamples results[2];
    for (int i = 0; i < 2; ++i) {
        ThreadLimit limit(i == 0 ? 1 : 4);
        limit.run([&] { results[i] = augmented_samples(samples, 5, everything(), backgrounds, 3); });
    }
    CHECK(results[0] == results[1]);
    CHECK(results[0].count() == 100);
    CHECK(results[0].sources == samples.sources);
    CHECK(results[0].source[4] == 0);
    CHECK(results[0].source[5] == 1);
    // The sample 2 is the second one of source "a".
    const auto copy = augmented_sample({samples.view(2), {0, 0, 16, 12}}, {16, 12}, Resampling::area,
                                       everything(), backgrounds, random_of_copy(3, "a", 1, 4));
    const auto in_list = results[0].pixels_of_sample(14);
    CHECK(std::equal(in_list.begin(), in_list.end(), copy.begin()));
    CHECK(augmented_samples(samples, 1, {}, {}, 3) == samples);
    CHECK(augmented_samples(samples, 0, {}, {}, 3).count() == 0);
}

TEST_CASE("Augmentation: options out of range", "[samples][augment]") {
    const auto refused = [](const std::function<void(AugmentOptions&)>& change) {
        AugmentOptions options;
        change(options);
        return message_of([&] { check_augment_options(options); });
    };
    CHECK(refused([](AugmentOptions& options) { options = everything(); }) == "done");
    CHECK_THAT(refused([](AugmentOptions& o) { o.max_angle_x_deg = 76; }), Contains("'max_angle_x_deg'"));
    CHECK_THAT(refused([](AugmentOptions& o) { o.max_angle_y_deg = -1; }), Contains("'max_angle_y_deg'"));
    CHECK_THAT(refused([](AugmentOptions& o) { o.max_angle_z_deg = 181; }), Contains("'max_angle_z_deg'"));
    CHECK_THAT(refused([](AugmentOptions& o) { o.max_scale = 1.1; }), Contains("'max_scale'"));
    CHECK_THAT(refused([](AugmentOptions& o) { o.max_shift = 0.6; }), Contains("'max_shift'"));
    CHECK_THAT(refused([](AugmentOptions& o) { o.max_light = 256; }), Contains("'max_light'"));
    CHECK_THAT(refused([](AugmentOptions& o) { o.max_contrast = std::nan(""); }), Contains("'max_contrast'"));
    CHECK_THAT(refused([](AugmentOptions& o) { o.max_blur = 21; }), Contains("'max_blur'"));
    CHECK_THAT(refused([](AugmentOptions& o) { o.max_noise = 129; }), Contains("'max_noise'"));
    CHECK_THAT(refused([](AugmentOptions& o) { o.background_colour = 256; }),
               Contains("'background_colour'"));
    CHECK_THAT(refused([](AugmentOptions& o) { o.background_threshold = -1; }),
               Contains("'background_threshold'"));
}
