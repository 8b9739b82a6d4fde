#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "lib/train/cascade/cascade_data.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

/// A picture of one grey level.
std::string plain_pgm(int width, int height, int level) {
    return "P5\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n" +
           std::string(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                       static_cast<char>(level));
}

/// Grey crops that are shifted by up to half a window.
CascadeTrainConfig shifted_crops(const TempDir& folder) {
    for (int i = 0; i < 6; ++i) folder.write("crops/" + std::to_string(i) + ".pgm", plain_pgm(12, 12, 100));
    folder.write("grounds/white.pgm", plain_pgm(40, 30, 255));
    folder.write("grounds/black.pgm", plain_pgm(40, 30, 0));
    CascadeTrainConfig config;
    config.width = config.height = 12;
    config.positives = {"folder:" + (folder.path() / "crops").string()};
    config.samples.copies = 10;
    config.samples.augment.max_shift = 0.5;
    config.stages.held_out = 0;
    return config;
}

}  // namespace

TEST_CASE("Copies get backgrounds without an annotated object behind them alone", "[train-cascade]") {
    const TempDir folder;
    CascadeTrainConfig config = shifted_crops(folder);
    // The object of the white picture could be what is pasted.
    const auto list = folder.write("grounds/info.dat", "white.pgm 1 2 2 20 20\nblack.pgm 0\n");
    config.backgrounds = {"opencv:" + list.string()};
    const CascadeData mixed = load_cascade_data(config, 2);
    CHECK(mixed.positives.count() == 66);
    CHECK(mixed.backgrounds.size() == 2);
    const auto [darkest, brightest] =
        std::minmax_element(mixed.positives.pixels.begin(), mixed.positives.pixels.end());
    CHECK(*darkest == 0);
    CHECK(*brightest == 100);
}

TEST_CASE("Copies continue their border where every background shows the object", "[train-cascade]") {
    const TempDir folder;
    CascadeTrainConfig config = shifted_crops(folder);
    const auto list = folder.write("grounds/info.dat", "white.pgm 1 2 2 20 20\nblack.pgm 1 2 2 20 20\n");
    config.backgrounds = {"opencv:" + list.string()};
    const CascadeData data = load_cascade_data(config, 2);
    CHECK(data.backgrounds.size() == 2);
    CHECK(std::all_of(data.positives.pixels.begin(), data.positives.pixels.end(),
                      [](std::uint8_t pixel) { return pixel == 100; }));
}
