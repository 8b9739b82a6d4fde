// The model that ships, as users get it.

#include <catch2/catch.hpp>

#include "kernels/mct/pyramid.hpp"
#include "kernels/mct/scan_mct.hpp"
#include "lib/detect/mct_detector.hpp"
#include "lib/files/find_model.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/images.hpp"

using namespace fovea;

namespace {

MctModel shipped() {
    return read_mct_model(find_model(shipped_cascade));
}

std::vector<GreyImage> photographs() {
    std::vector<GreyImage> images;
    for (const auto& path : test::debian_photographs()) images.push_back(read_grey_image(path));
    if (images.empty()) WARN("not run: the photographs of libdlib19.1 are not installed");
    return images;
}

}  // namespace

TEST_CASE("shipped model: is complete and calibrated", "[mct][shipped]") {
    const MctModel model = shipped();
    CHECK(model.name == "mct");
    CHECK(model.cascade.coarse_lookups() == 24);
    CHECK(model.cascade.lookups.size() > 500);
    CHECK(model.confidence.size() >= 2);
    CHECK(model.training.contains("validation"));
    CHECK(model.training.contains("data"));
    // 24 / 1.1, centred.
    CHECK(model.face.w == Approx(24 / 1.1));
    CHECK(model.face.x == Approx((24 - 24 / 1.1) / 2));
}

TEST_CASE("shipped model: vectors and single windows agree on photographs", "[mct][shipped]") {
    const MctModel model = shipped();
    int passed = 0;
    for (const GreyImage& image : photographs()) {
        ScanParameters parameters;
        parameters.scale_factor = 1.5;
        const auto levels = mct_levels({image.width, image.height}, parameters);
        std::vector<CascadeWindow> expected;
        const WindowTrace trace = trace_mct(model.cascade, image.view(), levels);
        const int lookups = static_cast<int>(model.cascade.lookups.size());
        for (std::size_t l = 0; l < levels.size(); ++l) {
            for (std::size_t i = 0; i < trace.levels[l].stages_passed.size(); ++i) {
                if (trace.levels[l].stages_passed[i] != lookups) continue;
                const int column = static_cast<int>(i) % trace.levels[l].windows_per_row;
                const int row = static_cast<int>(i) / trace.levels[l].windows_per_row;
                expected.push_back(
                    {static_cast<int>(l), column, row,
                     model.cascade.lookups.back().reject_above - trace.levels[l].last_sums[i]});
            }
        }
        CHECK(scan_mct(model.cascade, image.view(), levels) == expected);
        passed += static_cast<int>(expected.size());
        if (passed > 200) return;  // a few photographs are enough
    }
    if (!test::debian_photographs().empty()) CHECK(passed > 200);
}

TEST_CASE("shipped model: finds the faces of the example photographs", "[mct][shipped]") {
    const MctDetector detector(shipped());
    std::size_t found = 0;
    const std::vector<GreyImage> images = photographs();
    if (images.empty()) return;
    for (const GreyImage& image : images) {
        DetectorOptions options;
        options.min_score = 0.5;
        for (const auto& detections : detector.detect(std::vector{image.view()}, options))
            found += detections.size();
    }
    // 66, most of them faces that the package does not annotate; none in the photograph of dogs.
    CHECK(found >= 60);
    CHECK(found <= 72);
}
