// CpuEngine::measure and what it is made of.

#include <stdexcept>

#include <catch2/catch.hpp>

#include "kernels/engine/engine.hpp"
#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "kernels/haar_lbp/scan.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/files/find_model.hpp"
#include "tests/support/images.hpp"

using namespace fovea;

TEST_CASE("the CPU's parts add up to its total", "[engine]") {
    const Cascade cascade = read_cascade(find_model("lbpcascade_frontalface"));
    const auto engine = make_cpu_engine(cascade);
    const GreyImage first = test::smooth_noise(160, 120, 4, 1);
    const GreyImage second = test::smooth_noise(90, 130, 4, 2);
    const std::vector<ImageView<const std::uint8_t>> images{first.view(), second.view()};
    const EngineTimes times = engine->measure(images, {{1.2, {}, {}}, 2}, 3);
    REQUIRE(times.total_ms.size() == 3);
    REQUIRE(times.preprocessing_ms.size() == 3);
    REQUIRE(times.scan_ms.size() == 3);
    REQUIRE(times.grouping_ms.size() == 3);
    CHECK(times.upload_ms.empty());
    CHECK(times.download_ms.empty());
    CHECK(times.resident_ms == times.total_ms);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(times.preprocessing_ms[i] > 0);
        CHECK(times.scan_ms[i] >= 0);
        const double parts = times.preprocessing_ms[i] + times.scan_ms[i] + times.grouping_ms[i];
        CHECK(parts >= Approx(times.total_ms[i]));
        if (times.scan_ms[i] > 0) CHECK(parts == Approx(times.total_ms[i]));
    }
    // A warm-up and three repetitions of two images.
    CHECK(engine->counters().images == 8);

    const EngineTimes ungrouped = engine->measure(images, {{1.2, {}, {}}, 0}, 1);
    CHECK(ungrouped.grouping_ms.empty());
    CHECK(ungrouped.scan_ms.size() == 1);
    CHECK(engine->measure({}, {}, 2).total_ms.size() == 2);
}

TEST_CASE("integrating alone refuses the rows that a scan refuses", "[scan]") {
    const Cascade cascade = read_cascade(find_model("haarcascade_frontalface_alt"));
    const std::uint8_t pixel = 0;
    PyramidLevel level;
    level.size = {50'000'000, 40};
    level.columns = 1;
    level.rows = 1;
    // Refused before a pixel is read.
    const ImageView<const std::uint8_t> image{&pixel, level.size.width, level.size.height, level.size.width};
    CHECK_THROWS_AS(scan_cascade(cascade, merged_patterns(cascade), image, {&level, 1}), std::length_error);
    CHECK_THROWS_AS(integrate_levels(cascade, image, {&level, 1}), std::length_error);
}
