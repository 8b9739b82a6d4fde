// Images that are continued beyond their border before they are scanned. An engine that finds what it is told
// shows what it was given.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/detect/cascade_detector.hpp"
#include "lib/image/formats/image.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

/// The images that the engine was given, and its findings in each of them.
struct Scans {
    std::vector<GreyImage> images;
    std::vector<RectGroup> groups;
    std::vector<CascadeWindow> windows;
};

class ToldEngine : public CascadeEngine {
  public:
    explicit ToldEngine(Scans& scans) : scans_(scans) {}

    std::vector<CascadeResult> detect(const ImageBatch& images, const CascadeScan&,
                                      const GroupLandmarks*) override {
        for (const auto& view : images.views) {
            GreyImage image{view.width, view.height, {}};
            for (int y = 0; y < view.height; ++y)
                image.pixels.insert(image.pixels.end(), view.row(y), view.row(y) + view.width);
            scans_.images.push_back(std::move(image));
        }
        return std::vector<CascadeResult>(images.size(), {scans_.windows, scans_.groups, {}});
    }
    WindowTrace trace(ImageView<const std::uint8_t>, const ScanParameters&) override { return {}; }
    EngineTimes measure(std::span<const ImageView<const std::uint8_t>>, const CascadeScan&, int) override {
        return {};
    }
    std::vector<PyramidLevel> levels(Size image, const ScanParameters& parameters) const override {
        return cascade_levels(image, {4, 4}, parameters);
    }
    EngineCounters counters() const override { return {}; }

  private:
    Scans& scans_;
};

CascadeDetector detector_of(Scans& scans) {
    Cascade cascade;
    cascade.window = {4, 4};
    return {cascade, [&](const Cascade&) { return std::make_unique<ToldEngine>(scans); }};
}

DetectorOptions with_border(int border) {
    DetectorOptions options;
    options.border = border;
    return options;
}

std::vector<Box> boxes_of(const std::vector<Detection>& detections) {
    std::vector<Box> boxes;
    for (const Detection& detection : detections) boxes.push_back(detection.box);
    return boxes;
}

const GreyImage two_rows{3, 2, {1, 2, 3, 4, 5, 6}};

}  // namespace

TEST_CASE("A border continues the outermost pixels on each side", "[detect][border]") {
    Scans scans;
    const CascadeDetector detector = detector_of(scans);
    // The third column is no part of the image, and must not be continued.
    const ImageView<const std::uint8_t> part{two_rows.pixels.data(), 2, 2, 3};
    detector.detect(part, with_border(2));
    REQUIRE(scans.images.size() == 1);
    CHECK(scans.images[0].width == 6);
    CHECK(scans.images[0].height == 6);
    CHECK(scans.images[0].pixels == std::vector<std::uint8_t>{1, 1, 1, 2, 2, 2,  //
                                                              1, 1, 1, 2, 2, 2,  //
                                                              1, 1, 1, 2, 2, 2,  //
                                                              4, 4, 4, 5, 5, 5,  //
                                                              4, 4, 4, 5, 5, 5,  //
                                                              4, 4, 4, 5, 5, 5});
    detector.detect(two_rows.view(), with_border(0));
    CHECK(scans.images[1].pixels == two_rows.pixels);
    const std::vector<ImageView<const std::uint8_t>> two{two_rows.view(), part};
    detector.detect(two, with_border(3));
    CHECK(scans.images[2].width == 9);
    CHECK(scans.images[3].width == 8);
}

TEST_CASE("Boxes are those of the image without its border, and end at its edges", "[detect][border]") {
    Scans scans;
    const GreyImage image{20, 10, std::vector<std::uint8_t>(200, 7)};
    // The last one lies beyond the image.
    scans.groups = {{{6, 7, 8, 8}, 9, 0}, {{0, 0, 8, 8}, 5, 0}, {{22, 12, 8, 8}, 4, 0}, {{0, 0, 5, 5}, 3, 0}};
    const CascadeDetector detector = detector_of(scans);
    CHECK(boxes_of(detector.detect(image.view(), with_border(5)).at(0)) ==
          std::vector<Box>{{1, 2, 8, 8}, {0, 0, 3, 3}, {17, 7, 3, 3}});

    // Level 0 has the scale 1. A border of 5 makes 30 x 20 pixels.
    scans.windows = {{0, 24, 14, 1.5}, {0, 10, 6, 0.5}};
    DetectorOptions raw = with_border(5);
    raw.raw = true;
    CHECK(boxes_of(detector.detect(image.view(), raw).at(0)) ==
          std::vector<Box>{{19, 9, 1, 1}, {5, 1, 4, 4}});
}

TEST_CASE("A border that cannot be is refused", "[detect][border]") {
    Scans scans;
    const CascadeDetector detector = detector_of(scans);
    CHECK_THROWS_WITH(detector.detect(two_rows.view(), with_border(-1)),
                      Contains("'border' must be between 0 and 4096 pixels, but is -1"));
    CHECK_THROWS_WITH(detector.detect(two_rows.view(), with_border(4097)), Contains("but is 4097"));
    const std::vector<ImageView<const std::uint8_t>> views{two_rows.view()};
    CHECK_THROWS_WITH(detector.detect({views, 0}, with_border(1)), Contains("--device cpu"));
    CHECK(scans.images.empty());
    // An image without pixels stays one.
    detector.detect(ImageView<const std::uint8_t>{}, with_border(2));
    CHECK(scans.images.at(0).pixels.empty());
}
