// Which file of a training is for what: no file is in two parts.
#include "lib/train/cascade/cascade_data.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/lib/train/cascade/crosses.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

/// Crops of one grey level each, which says their number, and backgrounds.
struct Files {
    explicit Files(int crops = 20, int grounds = 10) {
        for (int i = 0; i < crops; ++i) {
            GreyImage crop{12, 12, std::vector<std::uint8_t>(144, static_cast<std::uint8_t>(i))};
            folder.write("crops/c" + std::to_string(i) + ".pgm", pgm_of(crop));
        }
        for (int i = 0; i < grounds; ++i) {
            folder.write("grounds/g" + std::to_string(i) + ".pgm",
                         pgm_of(smooth_noise(40, 30, 2, static_cast<std::uint32_t>(i))));
        }
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    CascadeTrainConfig config() const {
        CascadeTrainConfig config;
        config.width = config.height = 12;
        config.positives = {"folder:" + path("crops")};
        config.backgrounds = {"folder:" + path("grounds")};
        return config;
    }

    TempDir folder;
};

std::set<std::string> names_of(const std::vector<BackgroundImage>& images) {
    std::set<std::string> names;
    for (const BackgroundImage& image : images) names.insert(image.name);
    return names;
}

std::set<std::string> sources_of(const WindowSamples& samples) {
    return {samples.sources.begin(), samples.sources.end()};
}

template <class T>
bool have_common(const std::set<T>& a, const std::set<T>& b) {
    return std::any_of(a.begin(), a.end(), [&](const T& value) { return b.count(value) > 0; });
}

std::string refusal_of(const CascadeTrainConfig& config) {
    try {
        load_cascade_data(config, 1);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("a share of the files is kept for the test", "[train-cascade]") {
    const Files files;
    CascadeTrainConfig config = files.config();
    const CascadeData whole = load_cascade_data(config, 1);
    CHECK(whole.positives.count() + whole.held_out.count() == 20);
    CHECK(whole.backgrounds.size() == 10);
    CHECK(whole.test_positives.count() == 0);
    CHECK(whole.test_backgrounds.empty());
    CHECK_FALSE(whole.manifest.contains("test"));

    config.test.share = 0.3;
    config.samples.copies = 2;
    config.samples.augment.max_light = 0;
    const CascadeData data = load_cascade_data(config, 1);
    // Three samples of each: plain and two copies. A tenth of the other 14 files decides.
    CHECK(data.test_positives.count() == 18);
    CHECK(data.held_out.count() == 3);
    CHECK(data.positives.count() == 39);
    CHECK(data.test_backgrounds.size() == 3);
    CHECK(data.backgrounds.size() == 7);
    CHECK_FALSE(have_common(sources_of(data.test_positives), sources_of(data.positives)));
    CHECK_FALSE(have_common(sources_of(data.test_positives), sources_of(data.held_out)));
    CHECK_FALSE(have_common(names_of(data.test_backgrounds), names_of(data.backgrounds)));
    CHECK(data.manifest["test"]["samples"] == 18);
    CHECK(data.manifest["test"]["background_images"] == 3);
    // The pixels are those of the files that are named.
    for (std::size_t i = 0; i < data.test_positives.count(); ++i) {
        const std::string name = "c" + std::to_string(data.test_positives.pixels_of_sample(i)[0]) + ".pgm";
        CHECK(data.test_positives.sources[data.test_positives.source[i]] == name);
    }
    config.seed = 2;
    CHECK(sources_of(load_cascade_data(config, 1).test_positives) != sources_of(data.test_positives));

    config.test.copies = 0;
    config.test.max_positives = 4;
    CHECK(load_cascade_data(config, 1).test_positives.count() == 4);
    config.test.max_positives = 0;
    CHECK(load_cascade_data(config, 1).test_positives.count() == 6);
}

TEST_CASE("some of many files, and some of many samples", "[train-cascade]") {
    const Files files;
    CascadeTrainConfig config = files.config();
    config.stages.held_out = 0;
    config.samples.max_sources = 8;
    CHECK(sources_of(load_cascade_data(config, 1).positives).size() == 8);
    config.test.share = 0.25;
    config.samples.copies = 4;
    config.samples.max_count = 25;
    const CascadeData data = load_cascade_data(config, 1);
    CHECK(data.positives.count() == 25);
    CHECK(sources_of(data.positives).size() == 6);
    CHECK(sources_of(data.test_positives).size() == 2);
    CHECK(data.test_positives.count() == 10);
}

TEST_CASE("an image with positives goes with them if it is a background, too", "[train-cascade]") {
    const Files files(30, 0);
    CascadeTrainConfig config = files.config();
    config.backgrounds = config.positives;
    config.test.share = 0.3;
    const CascadeData data = load_cascade_data(config, 1);
    CHECK(names_of(data.test_backgrounds) == sources_of(data.test_positives));
    CHECK(data.test_backgrounds.size() == 9);
    // Images of positives that are not used are free.
    config.samples.max_sources = 10;
    const CascadeData some = load_cascade_data(config, 1);
    CHECK(some.test_backgrounds.size() == 9);
    for (const std::string& name : sources_of(some.test_positives))
        CHECK(names_of(some.test_backgrounds).count(name) == 1);
    for (const std::string& name : sources_of(some.positives))
        CHECK(names_of(some.test_backgrounds).count(name) == 0);
}

TEST_CASE("positives and backgrounds of a test can be named", "[train-cascade]") {
    const Files files, others(12, 3);
    CascadeTrainConfig config = files.config();
    config.test.positives = {"folder:" + others.path("crops")};
    config.test.backgrounds = {"folder:" + others.path("grounds")};
    config.samples.max_sources = 15;
    const CascadeData data = load_cascade_data(config, 1);
    CHECK(data.positives.count() + data.held_out.count() == 15);
    CHECK(data.test_positives.count() == 12);
    CHECK(data.backgrounds.size() == 10);
    CHECK(data.test_backgrounds.size() == 3);
    CHECK(data.manifest["test"]["positives"][0]["images"] == 12);
    CHECK(data.manifest["test"]["backgrounds"][0]["images"] == 3);
    // One is named, and a share is kept of the other.
    config.test.positives.clear();
    config.test.share = 0.2;
    const CascadeData share = load_cascade_data(config, 1);
    CHECK(share.test_positives.count() == 3);
    CHECK(share.backgrounds.size() == 10);
}

TEST_CASE("a test on files that are trained on is refused", "[train-cascade]") {
    const Files files;
    CascadeTrainConfig config = files.config();
    config.test.share = 0.2;
    config.test.positives = config.positives;
    CHECK_THAT(refusal_of(config), Contains("among the positives") && Contains("--test-positives"));
    config.test.positives.clear();
    config.test.backgrounds = config.backgrounds;
    CHECK_THAT(refusal_of(config), Contains("among the backgrounds") && Contains("--test-backgrounds"));
    // A link to them is refused, too.
    std::filesystem::create_directory_symlink(files.path("grounds"), files.path("link"));
    config.test.backgrounds = {"folder:" + files.path("link")};
    CHECK_THAT(refusal_of(config), Contains("among the backgrounds"));
    config.test.backgrounds.clear();
    config.test.share = 0.01;
    CHECK_THAT(refusal_of(config), Contains("positives come from 20 sources, too few") && Contains("0.01") &&
                                       Contains("--test-share"));
    const Files few(20, 2);
    config = few.config();
    config.test.share = 0.2;
    CHECK_THAT(refusal_of(config),
               Contains("backgrounds come from 2 images, too few") && Contains("--test-backgrounds"));
}

TEST_CASE("a strip says where in its tiles the window lies", "[train-cascade]") {
    const Files files;
    // Two tiles of 24x24: a bright square of 12x12 whose corner is (8, 4), on dark ground.
    GreyImage strip{24, 48, std::vector<std::uint8_t>(24 * 48, 10)};
    for (int tile = 0; tile < 2; ++tile) {
        for (int y = 4; y < 16; ++y) {
            for (int x = 8; x < 20; ++x)
                strip.pixels[static_cast<std::size_t>((tile * 24 + y) * 24 + x)] = 200;
        }
    }
    files.folder.write("strip.pgm", pgm_of(strip));
    CascadeTrainConfig config = files.config();
    config.positives.clear();
    config.stages.held_out = 0;

    // The whole tile at half its size: the square's corner is (4, 2).
    config.strips = {{files.path("strip.pgm"), 24, {}, {}, {}}};
    const CascadeData whole = load_cascade_data(config, 1);
    REQUIRE(whole.positives.count() == 2);
    std::vector<std::uint8_t> halves;
    for (int i = 0; i < 2 * 144; ++i) {
        const int x = i % 12, y = i / 12 % 12;
        halves.push_back(x >= 4 && x < 10 && y >= 2 && y < 8 ? 200 : 10);
    }
    CHECK(whole.positives.pixels == halves);

    // Centre (14, 10), twelve pixels wide: the square alone.
    config.strips = {{files.path("strip.pgm"), 24, 14, 10, 12}};
    CHECK(load_cascade_data(config, 1).positives.pixels == std::vector<std::uint8_t>(288, 200));

    // A window of 12x8 on a region of its size, four rows of which lie above the tile: the border is
    // continued.
    config.height = 8;
    config.strips = {{files.path("strip.pgm"), 24, 14, 0, 12}};
    CHECK(load_cascade_data(config, 1).positives.pixels == std::vector<std::uint8_t>(192, 10));
}
