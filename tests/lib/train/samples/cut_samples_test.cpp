#include "lib/train/samples/cut_samples.hpp"

#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/support.hpp"
#include "tests/lib/train/samples/support.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

using Pixels = std::vector<std::uint8_t>;

Face boxed(const Box& box, bool ignore = false) {
    Face face;
    face.box = box;
    face.ignore = ignore;
    return face;
}

/// Images of noise with boxes; b.pgm cannot be read.
struct BoxedSet {
    TempDir dir;
    Dataset dataset;

    BoxedSet() {
        dataset.format = "test";
        dataset.name = "test:set";
        for (const char* name : {"a.pgm", "b.pgm", "c.pgm", "d.pgm"}) {
            Sample sample;
            sample.image = name;
            sample.path = dir.write(name, name[0] == 'b' ? "no image" : pgm_of(noise(40, 30, name[0])));
            sample.annotated = true;
            dataset.samples.push_back(sample);
        }
        dataset.samples[0].faces = {boxed({5, 5, 10, 10}), boxed({20, 8, 10, 10}, true),
                                    boxed({22, 9, 12, 12})};
        dataset.samples[1].faces = {boxed({0, 0, 10, 10})};
        dataset.samples[2].faces = {boxed({1, 1, 3, 20}), boxed({0, 0, 0, 5}), boxed({40, 0, 9, 9}),
                                    boxed({30, 20, 10, 10}), boxed({std::nan(""), 0, 9, 9})};
    }
};

CutOptions window_of(int width, int height) {
    CutOptions options;
    options.window = {width, height};
    return options;
}

Pixels pixels_of_sample(const WindowSamples& samples, std::size_t sample) {
    const auto pixels = samples.pixels_of_sample(sample);
    return {pixels.begin(), pixels.end()};
}

}  // namespace

TEST_CASE("Samples: regions of boxes", "[samples][cut]") {
    CHECK(sample_region({10, 20, 10, 10}, {20, 10}, 0, false) == Box{5, 20, 20, 10});
    CHECK(sample_region({10, 20, 10, 10}, {10, 20}, 0, false) == Box{10, 15, 10, 20});
    CHECK(sample_region({10, 20, 10, 10}, {20, 10}, 0, true) == Box{10, 20, 10, 10});
    CHECK(sample_region({10, 20, 20, 10}, {40, 20}, 0.25, false) == Box{5, 17.5, 30, 15});
    CHECK(sample_region({10, 20, 8, 8}, {24, 24}, -0.25, false) == Box{12, 22, 4, 4});
    const Box wide = sample_region({3, 4, 10, 7}, {24, 24}, 0.1, false);
    CHECK(wide.w == Approx(12));
    CHECK(wide.h == Approx(12));
    CHECK(wide.x == Approx(2));
    CHECK(wide.y == Approx(1.5));
}

TEST_CASE("Samples: boxes are cut out of their images", "[samples][cut]") {
    BoxedSet set;
    CutOptions options = window_of(10, 10);
    options.min_box = 5;
    std::vector<std::size_t> done;
    const CutResult result = cut_samples(set.dataset, options, {}, [&](std::size_t images, std::size_t all) {
        CHECK(all == 3);  // d.pgm has no box, and is not read
        done.push_back(images);
    });
    CHECK(done.back() == 3);
    CHECK(result.images == 2);
    CHECK(result.objects == 3);
    CHECK(result.ignored == 1);
    CHECK(result.too_small == 1);
    CHECK(result.unusable == 3);
    REQUIRE(result.unreadable.size() == 1);
    CHECK(result.unreadable[0].image == "b.pgm");
    CHECK(result.samples.sources == std::vector<std::string>{"a.pgm", "c.pgm"});
    CHECK(result.samples.source == std::vector<std::uint32_t>{0, 0, 1});
    const GreyImage image = noise(40, 30, 'a');
    for (int y = 0; y < 10; ++y) {
        for (int x = 0; x < 10; ++x) CHECK(result.samples.view(0)(x, y) == image.view()(x + 5, y + 5));
    }
    CHECK(pixels_of_sample(result.samples, 1) ==
          rounded(resampled(image.view(), {22, 9, 12, 12}, {10, 10}, Resampling::area)));
}

TEST_CASE("Samples: margins, mirrored samples, and the border continued", "[samples][cut]") {
    BoxedSet set;
    set.dataset.samples.resize(1);
    set.dataset.samples[0].faces = {boxed({0, 0, 10, 10})};
    CutOptions options = window_of(20, 20);
    options.margin = 0.5;
    options.mirrored = true;
    const CutResult result = cut_samples(set.dataset, options);
    REQUIRE(result.samples.count() == 2);
    CHECK(result.objects == 1);
    const GreyImage image = noise(40, 30, 'a');
    for (int y = 0; y < 20; ++y) {
        for (int x = 0; x < 20; ++x) {
            CHECK(result.samples.view(0)(x, y) == image.view()(std::max(x - 5, 0), std::max(y - 5, 0)));
            CHECK(result.samples.view(1)(x, y) == result.samples.view(0)(19 - x, y));
        }
    }
}

TEST_CASE("Samples: images without boxes are samples as a whole", "[samples][cut]") {
    const TempDir dir;
    dir.write("1.pgm", pgm_of({4, 2, {0, 10, 20, 30, 40, 50, 60, 70}}));
    dir.write("2.pgm", pgm_of({2, 2, {1, 2, 3, 4}}));
    const Dataset dataset = read_dataset("folder:" + dir.path().string());
    CutOptions options = window_of(2, 2);
    options.margin = 1;  // not for these
    const CutResult result = cut_samples(dataset, options);
    REQUIRE(result.samples.count() == 2);
    // The square about the centre covers rows -1 to 3: the means of 0 10 0 10, 20 30 20 30 and so on.
    CHECK(pixels_of_sample(result.samples, 0) == Pixels{5, 25, 45, 65});
    CHECK(pixels_of_sample(result.samples, 1) == Pixels{1, 2, 3, 4});
    CHECK(result.samples.sources == std::vector<std::string>{"1.pgm", "2.pgm"});
    options.distorted = true;
    CHECK(pixels_of_sample(cut_samples(dataset, options).samples, 0) == Pixels{5, 25, 45, 65});
    options.window = {4, 1};
    CHECK(pixels_of_sample(cut_samples(dataset, options).samples, 0) == Pixels{20, 30, 40, 50});
}

TEST_CASE("Samples: augmented copies, the same on any number of threads", "[samples][cut]") {
    BoxedSet set;
    CutOptions options = window_of(12, 12);
    options.copies = 4;
    options.mirrored = true;
    options.augment.max_angle_z_deg = 20;
    options.augment.max_light = 30;
    options.augment.max_noise = 5;
    options.threads = 1;
    const std::vector<GreyImage> backgrounds{noise(30, 30, 99)};
    const CutResult one = cut_samples(set.dataset, options, backgrounds);
    options.threads = 4;
    const CutResult four = cut_samples(set.dataset, options, backgrounds);
    CHECK(one.samples == four.samples);
    CHECK(one.objects == 4);
    CHECK(one.samples.count() == 4 * (1 + 4) * 2);
    const auto copy =
        augmented_sample({noise(40, 30, 'a').view(), {22, 9, 12, 12}}, {12, 12}, Resampling::area,
                         options.augment, backgrounds, random_of_copy(1, "a.pgm", 2, 3));
    CHECK(pixels_of_sample(one.samples, 10 + 2 * 4) == copy);
    // Other cuts change no copy.
    set.dataset.samples[0].faces[0].ignore = true;
    options.plain = false;
    options.mirrored = false;
    const CutResult fewer = cut_samples(set.dataset, options, backgrounds);
    CHECK(pixels_of_sample(fewer.samples, 3) == copy);
    options.seed = 2;
    CHECK(pixels_of_sample(cut_samples(set.dataset, options, backgrounds).samples, 3) != copy);
}

TEST_CASE("Samples: the frames of a video have one source", "[samples][cut]") {
    Sample sample;
    sample.image = "clips/a.mp4#000012";
    CHECK(source_of(sample) == "clips/a.mp4#000012");  // a file of that name
    sample.frame = VideoFrame{nullptr, 12, 0};
    CHECK(source_of(sample) == "clips/a.mp4");
}

TEST_CASE("Samples: what cannot be cut", "[samples][cut]") {
    BoxedSet set;
    const auto refused = [&](const std::function<void(CutOptions&)>& change) {
        CutOptions options = window_of(10, 10);
        change(options);
        return message_of([&] { cut_samples(set.dataset, options); });
    };
    CHECK_THAT(refused([](CutOptions& options) { options.window = {0, 10}; }), Contains("0x10"));
    CHECK_THAT(refused([](CutOptions& options) { options.margin = -0.5; }), Contains("'margin'"));
    CHECK_THAT(refused([](CutOptions& options) { options.min_box = -1; }), Contains("'min_box'"));
    CHECK_THAT(refused([](CutOptions& options) { options.copies = -1; }), Contains("'copies'"));
    CHECK_THAT(refused([](CutOptions& options) { options.plain = false; }), Contains("'plain'"));
    CHECK_THAT(refused([](CutOptions& options) { options.augment.max_blur = -1; }), Contains("'max_blur'"));
    CHECK_THAT(refused([](CutOptions& options) { options.min_box = 1000; }),
               Contains("gives no sample") && Contains("1 image cannot be read, first: b.pgm") &&
                   Contains("1 box is marked ignore") && Contains("4 boxes are too small") &&
                   Contains("3 boxes have no extent"));
    for (Sample& sample : set.dataset.samples) sample.faces.clear();
    CHECK_THAT(refused([](CutOptions&) {}), Contains("It has no box"));
}

TEST_CASE("Samples: white blood cells of BCCD", "[samples][cut]") {
    const std::string data = fovea_data();
    if (data.empty()) return;
    const Dataset dataset = read_dataset("voc:" + data + "/objects/bccd,class=WBC");
    CutOptions options;
    options.margin = 0.1;
    const CutResult result = cut_samples(dataset, options);
    CHECK(result.objects == 372);
    CHECK(result.samples.count() == 372);
    CHECK(result.unreadable.empty());
}
