// Every cascade of opencv-data × images × parameters: raw windows with their last stage sums, and grouped
// boxes with their neighbours, equal to the linked OpenCV as multisets.

#include <cmath>
#include <cstdlib>
#include <iostream>

#include <catch2/catch.hpp>
#include <tbb/task_arena.h>

#include "kernels/haar_lbp/scan.hpp"
#include "lib/detect/cascade_detector.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/detect/opencv_reference.hpp"
#include "lib/files/find_model.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/cascade_files.hpp"
#include "tests/support/images.hpp"
#include "tests/support/parity_images.hpp"
#include "tests/support/simd_targets.hpp"

using namespace fovea;

namespace {

struct Counts {
    long runs = 0;
    long raw = 0;
    long grouped = 0;
};

void compare(const CascadeDetector& detector, OpenCvReference& opencv, const test::NamedImage& image,
             DetectorOptions options, Counts& counts) {
    const ImageView<const std::uint8_t> view = image.image.view();
    INFO(image.name << ", factor " << options.scale_factor.value_or(0) << ", min " << options.min_size.width
                    << "x" << options.min_size.height << ", max " << options.max_size.width << "x"
                    << options.max_size.height);
    options.raw = true;
    const auto raw = detector.detect(view, options)[0];
    const auto raw_difference =
        compare_detections(raw, opencv.raw_windows(view, options), ComparedValues::box_and_stage_sum);
    REQUIRE(raw_difference.empty());
    options.raw = false;
    const auto grouped = detector.detect(view, options)[0];
    const auto difference =
        compare_detections(grouped, opencv.grouped(view, options), ComparedValues::box_and_score);
    REQUIRE(difference.empty());
    ++counts.runs;
    counts.raw += static_cast<long>(raw.size());
    counts.grouped += static_cast<long>(grouped.size());
}

}  // namespace

TEST_CASE("cascades equal OpenCV on every image and parameter", "[detect][opencv][parity]") {
    const auto cascades = test::debian_cascades();
    REQUIRE_FALSE(cascades.empty());
    const auto images = test::parity_images();
    Counts total;
    for (const auto& path : cascades) {
        INFO(path.string());
        const CascadeDetector detector(read_cascade(path));
        OpenCvReference opencv(path);
        for (const test::NamedImage& image : images) {
            for (const double factor : {1.1, 1.15, std::sqrt(2.0), 2.0}) {
                DetectorOptions options;
                options.scale_factor = factor;
                options.min_neighbors = factor > 1.2 ? 1 : 2;
                compare(detector, opencv, image, options, total);
            }
        }
        // The finest factor and the limits on sizes, on the images where they matter.
        for (const std::size_t index : {std::size_t{0}, images.size() - 1}) {
            DetectorOptions options;
            options.scale_factor = 1.05;
            compare(detector, opencv, images[index], options, total);
            options.scale_factor = 1.2;
            options.min_size = {30, 30};
            options.max_size = {90, 80};
            compare(detector, opencv, images[index], options, total);
            options.min_size = options.max_size = {61, 61};
            compare(detector, opencv, images[index], options, total);
        }
    }
    std::cout << "parity with OpenCV: " << cascades.size() << " cascades, " << total.runs << " runs, "
              << total.raw << " raw windows, " << total.grouped << " groups, 0 differences\n";
    // The comparison means something only where there is something to compare.
    CHECK(total.raw > 5000);
    CHECK(total.grouped > 500);
}

TEST_CASE("cascades equal OpenCV on MIT+CMU", "[detect][opencv][parity][data]") {
    const char* data = std::getenv("FOVEA_DATA");
    if (data == nullptr) {
        WARN("not run: FOVEA_DATA is not set");
        return;
    }
    Counts total;
    for (const char* name : {"haarcascade_frontalface_alt2.xml", "lbpcascade_frontalface.xml"}) {
        const auto path = find_model(name);
        const CascadeDetector detector(read_cascade(path));
        OpenCvReference opencv(path);
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(data) /
                                                                     "benchmark/mit-cmu/test-low")) {
            if (entry.path().extension() == ".png") files.push_back(entry.path());
        }
        std::sort(files.begin(), files.end());
        for (const auto& file : files) {
            compare(detector, opencv, {file.string(), read_grey_image(file)}, DetectorOptions{}, total);
        }
    }
    CHECK(total.raw > 1000);
}

TEST_CASE("cascades give the same windows on every instruction set, thread count and batch",
          "[detect][simd]") {
    std::vector<GreyImage> images;
    for (const int width : {24, 47, 130, 231}) images.push_back(test::smooth_noise(width, 120, 4, width));
    std::vector<ImageView<const std::uint8_t>> views;
    for (const GreyImage& image : images) views.push_back(image.view());
    for (const char* name : {"haarcascade_eye.xml", "haarcascade_frontalface_alt2.xml",
                             "haarcascade_smile.xml", "lbpcascade_frontalface.xml"}) {
        const CascadeDetector detector(read_cascade(find_model(name)));
        DetectorOptions options;
        options.raw = true;
        const auto boxes = [&](const std::vector<std::vector<Detection>>& results) {
            std::vector<std::tuple<double, double, double, double, double>> keys;
            for (const auto& result : results) {
                for (const Detection& d : result) {
                    keys.emplace_back(d.box.x, d.box.y, d.box.w, d.box.h, d.details->stage_sum.value());
                }
                keys.emplace_back(-1, -1, -1, -1, -1);
            }
            return keys;
        };
        const auto expected = boxes(detector.detect(views, options));
        CHECK(expected.size() > images.size());
        for (const std::string& target : test::all_simd_targets()) {
            INFO(name << " with " << target);
            const test::ForcedSimdTarget forced(target);
            if (!target.empty()) CHECK(simd_target() == target);
            CHECK(boxes(detector.detect(views, options)) == expected);
        }
        tbb::task_arena one_thread(1);
        one_thread.execute([&] { CHECK(boxes(detector.detect(views, options)) == expected); });
        std::vector<std::vector<Detection>> one_by_one;
        for (const auto& view : views) one_by_one.push_back(detector.detect(view, options)[0]);
        CHECK(boxes(one_by_one) == expected);
    }
    CHECK_THROWS_AS(test::ForcedSimdTarget("NONE"), std::invalid_argument);
}
