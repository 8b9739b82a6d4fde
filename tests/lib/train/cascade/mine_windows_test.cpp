#include "lib/train/cascade/mine_windows.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "kernels/boost/sample_integrals.hpp"
#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "lib/train/cascade/cascade_trainer.hpp"
#include "tests/kernels/boost/boost_samples.hpp"
#include "tests/lib/train/cascade/crosses.hpp"
#include "tests/support/engines.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

WindowMiningSettings wanted(std::size_t count) {
    WindowMiningSettings settings;
    settings.count = count;
    return settings;
}

/// A cascade of 12x12 whose window has a bright middle column; thresholds as a file has them.
Cascade bright_column() {
    return made_cascade({12, 12}, {{0, {{"<_>0 0 12 12 -1.</_><_>4 0 4 12 3.</_>", 0.4, -1, 1}}}});
}

Cascade codes() {
    Cascade cascade = named_cascade("lbpcascade_frontalface");
    cascade.stages.resize(2);
    return cascade;
}

/// The windows found on a number of threads.
MinedWindows mined(const Cascade& cascade, const std::vector<BackgroundImage>& images,
                   const WindowMiningSettings& settings, int threads = 2) {
    return on_threads(threads, [&] {
        const Cascade read = as_read(cascade);
        const auto engine = make_cpu_engine(read);
        return mine_windows(engine.get(), cascade.window, cascade.feature == Cascade::Feature::haar, images,
                            settings);
    });
}

MinedWindows drawn(const std::vector<BackgroundImage>& images, const WindowMiningSettings& settings,
                   bool needs_contrast = true, int threads = 2) {
    return on_threads(threads,
                      [&] { return mine_windows(nullptr, cross_window, needs_contrast, images, settings); });
}

std::set<std::vector<std::uint8_t>> distinct(const MinedWindows& windows) {
    std::set<std::vector<std::uint8_t>> all;
    const std::size_t bytes = windows.count > 0 ? windows.pixels.size() / windows.count : 0;
    for (std::size_t i = 0; i < windows.count; ++i)
        all.emplace(windows.pixels.begin() + static_cast<std::ptrdiff_t>(i * bytes),
                    windows.pixels.begin() + static_cast<std::ptrdiff_t>((i + 1) * bytes));
    return all;
}

/// A dark image with one bright column, which bright_column() finds.
BackgroundImage one_column(int x, int y) {
    BackgroundImage image{"column", {60, 50, std::vector<std::uint8_t>(3000, 40)}, {}};
    for (int v = y; v < y + 12; ++v) {
        for (int u = x; u < x + 4; ++u) image.image.pixels[static_cast<std::size_t>(v * 60 + u)] = 240;
    }
    return image;
}

BackgroundImage flat(int level) {
    return {"flat", {100, 80, std::vector<std::uint8_t>(8000, static_cast<std::uint8_t>(level))}, {}};
}

}  // namespace

TEST_CASE("windows that are found pass the cascade as samples, too", "[train][cascade][mine]") {
    const std::vector<BackgroundImage> images = textures(12);
    for (const Cascade& cascade : {bright_column(), codes()}) {
        const MinedWindows windows = mined(cascade, images, wanted(1'000'000));
        CAPTURE(static_cast<int>(cascade.feature));
        REQUIRE(windows.count > 100);
        REQUIRE(windows.pixels.size() == windows.count * pixels_in(cascade.window));
        const std::vector<bool> passes = windows_that_pass(cascade, windows.pixels);
        CHECK(std::count(passes.begin(), passes.end(), true) == static_cast<long>(windows.count));
        // More are wanted than there are: all windows are taken, of all images.
        CHECK(windows.ran_dry);
        CHECK(windows.images_searched == 12);
        CHECK(windows.windows_passed == windows.count);
        CHECK(windows.windows_searched > 12 * 1000);
        CHECK(windows.pass_rate() == double(windows.count) / double(windows.windows_searched));
    }
}

TEST_CASE("the windows of an image are those that its scan lists", "[train][cascade][mine]") {
    // At one scale alone: the image is as wide as the window.
    const Cascade cascade = bright_column(), read = as_read(cascade);
    BackgroundImage image{"one", noise(12, 60, 8), {}};
    for (std::size_t i = 0; i < image.image.pixels.size(); ++i) {
        std::uint8_t& pixel = image.image.pixels[i];
        pixel = static_cast<std::uint8_t>((i % 12 / 4 == 1 ? 180 : 40) + pixel / 4);
    }
    const auto engine = make_cpu_engine(read);
    const std::vector<GreyView> views{image.image.view()};
    ScanParameters parameters;
    parameters.scale_factor = 2;
    const std::vector<CascadeWindow> listed = engine->detect(views, {parameters, 0})[0].windows;
    REQUIRE(listed.size() > 10);
    const MinedWindows windows = mined(cascade, {image}, wanted(100));
    REQUIRE(windows.count == listed.size());
    for (std::size_t i = 0; i < listed.size(); ++i) {
        for (int y = 0; y < 12; ++y) {
            const std::uint8_t* const row = image.image.view().row(listed[i].y + y) + listed[i].x;
            REQUIRE(std::equal(row, row + 12,
                               windows.pixels.data() + i * 144 + static_cast<std::size_t>(y) * 12));
        }
    }
}

TEST_CASE("windows on annotated objects are not taken", "[train][cascade][mine]") {
    const Cascade cascade = bright_column();
    BackgroundImage image = one_column(20, 16);
    const MinedWindows all = mined(cascade, {image}, wanted(1000));
    REQUIRE(all.count > 3);
    // The window around the column is at 16 16; all that are found are near it.
    image.objects = {{16, 16, 12, 12}};
    WindowMiningSettings settings = wanted(1000);
    settings.max_object_iou = 0;
    CHECK(mined(cascade, {image}, settings).count == 0);
    settings.max_object_iou = 0.5;
    const std::size_t few = mined(cascade, {image}, settings).count;
    CHECK(few < all.count);
    settings.max_object_iou = 1;
    CHECK(mined(cascade, {image}, settings).count == all.count);
    // Objects elsewhere do not matter.
    image.objects = {{45, 0, 10, 10}};
    settings.max_object_iou = 0;
    CHECK(mined(cascade, {image}, settings).count == all.count);

    // Before there is a cascade: nothing of an image that is an object as a whole.
    BackgroundImage whole = textures(1, 13, 13)[0];
    settings.max_object_iou = 0.3;
    CHECK(drawn({whole}, settings).count > 0);
    whole.objects = {{0, 0, 13, 13}};
    CHECK(drawn({whole}, settings).count == 0);
}

TEST_CASE("windows depend on the seed alone, not on threads", "[train][cascade][mine]") {
    const std::vector<BackgroundImage> images = textures(40);
    const Cascade cascade = bright_column();
    WindowMiningSettings settings = wanted(300);
    const MinedWindows one = mined(cascade, images, settings, 1);
    CHECK(one.count == 300);
    CHECK_FALSE(one.ran_dry);
    CHECK(one.pixels == mined(cascade, images, settings, 4).pixels);
    const MinedWindows first = drawn(images, settings, true, 1);
    CHECK(first.count == 300);
    CHECK_FALSE(first.ran_dry);
    CHECK(first.pixels == drawn(images, settings, true, 4).pixels);
    settings.seed = 2;
    CHECK(one.pixels != mined(cascade, images, settings, 1).pixels);
    CHECK(first.pixels != drawn(images, settings).pixels);
}

TEST_CASE("images share the windows, unless the others have too few", "[train][cascade][mine]") {
    // One image that passes everywhere, of stripes, and five dark ones with one column each.
    std::vector<BackgroundImage> images;
    for (int i = 0; i < 5; ++i) images.push_back(one_column(4 + 7 * i, 2 + 5 * i));
    GreyImage stripes{120, 90, {}};
    for (int i = 0; i < 120 * 90; ++i)
        stripes.pixels.push_back(static_cast<std::uint8_t>(i % 120 % 12 / 4 == 1 ? 220 : 30));
    images.push_back({"stripes", stripes, {}});
    const auto of_stripes = [&](const MinedWindows& windows) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < windows.count; ++i) {
            // Other images are dark but for one column: a window of stripes has a bright pixel in each row.
            const std::uint8_t* const pixels = windows.pixels.data() + i * 144;
            bool all = true;
            for (int y = 0; y < 12; ++y)
                all = all && *std::max_element(pixels + y * 12, pixels + y * 12 + 12) == 220;
            count += all ? 1 : 0;
        }
        return count;
    };
    const Cascade cascade = bright_column();
    WindowMiningSettings settings = wanted(20);
    settings.max_image_share = 0.2;
    const MinedWindows few = mined(cascade, images, settings);
    CHECK(few.count == 20);
    CHECK(of_stripes(few) <= 4);
    settings.count = 3000;
    const MinedWindows many = mined(cascade, images, settings);
    CHECK(many.count == 3000);
    CHECK_FALSE(many.ran_dry);
    CHECK(of_stripes(many) > 600);
}

TEST_CASE("one image gives as many windows as are wanted, none twice", "[train][cascade][mine]") {
    const MinedWindows windows = drawn(textures(1), wanted(700));
    CHECK(windows.count == 700);
    CHECK_FALSE(windows.ran_dry);
    CHECK(distinct(windows).size() == 700);
    CHECK(windows.pass_rate() == 1);
    const MinedWindows passing = mined(bright_column(), {textures(4)[3]}, wanted(100));
    CHECK(passing.count == 100);
    CHECK(distinct(passing).size() == 100);
}

TEST_CASE("windows that are drawn are of all sizes and places", "[train][cascade][mine]") {
    // The columns of a ramp tell the scale: neighbours of a window at scale s differ by s / 2.
    GreyImage ramp{400, 300, {}};
    for (int i = 0; i < 400 * 300; ++i) ramp.pixels.push_back(static_cast<std::uint8_t>(i % 400 / 2));
    const MinedWindows windows = drawn({{"ramp", ramp, {}}}, wanted(2000), false);
    REQUIRE(windows.count == 2000);
    std::map<int, int> by_range;
    for (std::size_t i = 0; i < windows.count; ++i)
        ++by_range[windows.pixels[i * 144 + 11] - windows.pixels[i * 144]];
    CHECK(by_range.begin()->first <= 6);
    CHECK(by_range.rbegin()->first > 20);
    // And at all places.
    CHECK(*std::max_element(windows.pixels.begin(), windows.pixels.end()) > 195);
    CHECK(*std::min_element(windows.pixels.begin(), windows.pixels.end()) < 4);
}

TEST_CASE("flat images, small images and none", "[train][cascade][mine]") {
    const WindowMiningSettings settings = wanted(50);
    const MinedWindows nothing = drawn({flat(0), flat(128), flat(255)}, settings);
    CHECK(nothing.count == 0);
    CHECK(nothing.pixels.empty());
    CHECK(nothing.ran_dry);
    CHECK(nothing.images_searched == 3);
    // LBP cascades look at flat windows, too.
    CHECK(drawn({flat(0), flat(128), flat(255)}, settings, false).count == 50);
    CHECK(mined(bright_column(), {flat(9)}, settings).count == 0);

    const MinedWindows small =
        drawn({{"small", noise(11, 100, 1), {}}, {"dot", noise(1, 1, 1), {}}}, settings);
    CHECK(small.count == 0);
    CHECK(small.windows_searched == 0);
    CHECK(small.images_searched == 2);
    CHECK(small.pass_rate() == 0);
    CHECK(mined(bright_column(), {{"small", noise(11, 100, 1), {}}}, settings).count == 0);
    CHECK(drawn({{"one", noise(12, 12, 1), {}}}, settings).count == 1);

    const MinedWindows none = drawn({}, settings);
    CHECK(none.count == 0);
    CHECK(none.ran_dry);
    CHECK(mined(bright_column(), {}, settings).count == 0);
}

TEST_CASE("an image that is mostly flat gives the windows that are not", "[train][cascade][mine]") {
    BackgroundImage image = flat(90);
    const GreyImage texture = noise(30, 30, 4);
    for (int y = 0; y < 30; ++y)
        std::copy(texture.view().row(y), texture.view().row(y) + 30,
                  image.image.pixels.begin() + (y + 20) * 100 + 40);
    const MinedWindows windows = drawn({image}, wanted(60));
    CHECK(windows.count == 60);
    const SampleIntegrals integrals(cross_window, windows.pixels, false);
    for (std::size_t i = 0; i < windows.count; ++i) REQUIRE(integrals.has_contrast(i));
}

TEST_CASE("the search can be stopped", "[train][cascade][mine]") {
    struct Stop {};
    std::size_t told = 0;
    CHECK_THROWS_AS(mine_windows(nullptr, cross_window, true, textures(3), wanted(10),
                                 [&](std::size_t found, std::size_t wanted) {
                                     CHECK(wanted == 10);
                                     told = found;
                                     throw Stop{};
                                 }),
                    Stop);
    CHECK(told == 10);
}
