#include "lib/detect/cascade_xml.hpp"

#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/detect/cascade_detector.hpp"
#include "lib/detect/opencv_reference.hpp"
#include "lib/files/find_model.hpp"
#include "tests/support/cascade_files.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

const std::string rects = "<_>0 0 6 6 -1.</_><_>0 0 6 3 2.</_>";
const std::string good = test::haar_cascade_xml({6, 6}, {{0.5, {{rects, 0.25, -1, 1}}}});

Cascade parse(const std::string& xml) {
    return parse_cascade(xml, "made.xml");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("cascade XML: every field of a stump cascade", "[cascade_xml]") {
    const Cascade cascade = parse(good);
    CHECK(cascade.feature == Cascade::Feature::haar);
    CHECK(cascade.window == Size{6, 6});
    CHECK(cascade.stumps_only);
    CHECK_FALSE(cascade.has_tilted);
    REQUIRE(cascade.stages.size() == 1);
    CHECK(cascade.stages[0].threshold == 0.5F - 1e-5F);
    REQUIRE(cascade.nodes.size() == 1);
    CHECK(cascade.nodes[0].threshold == 0.25F);
    CHECK(cascade.leaves == std::vector<float>{-1, 1});
    CHECK(cascade.haar_features[0].rects[1] == Rect{0, 0, 6, 3});
    CHECK(cascade.haar_features[0].weights == std::array<float, 3>{-1, 2, 0});
}

TEST_CASE("cascade XML: the cascades of opencv-data have their known sizes", "[cascade_xml]") {
    struct Known {
        const char* name;
        int window, stages, trees;
    };
    for (const Known& known :
         {Known{"haarcascade_frontalface_default", 24, 25, 2913},
          Known{"haarcascade_frontalface_alt", 20, 22, 2135},
          Known{"haarcascade_frontalface_alt2", 20, 20, 1047},
          Known{"haarcascade_frontalface_alt_tree", 20, 47, 8468},
          Known{"haarcascade_profileface", 20, 26, 2609}, Known{"haarcascade_eye", 20, 24, 1066},
          Known{"lbpcascade_frontalface", 24, 20, 139},
          Known{"lbpcascade_frontalface_improved", 45, 19, 149}}) {
        INFO(known.name);
        const Cascade cascade = read_cascade(find_model(known.name));
        CHECK(cascade.window.width == known.window);
        CHECK(static_cast<int>(cascade.stages.size()) == known.stages);
        CHECK(static_cast<int>(cascade.trees.size()) == known.trees);
    }
    CHECK(read_cascade(find_model("haarcascade_frontalcatface_extended")).has_tilted);
    CHECK_FALSE(read_cascade(find_model("haarcascade_frontalface_alt2")).stumps_only);
}

TEST_CASE("cascade XML: the older format gives the same cascade and what OpenCV makes of it",
          "[cascade_xml][opencv]") {
    const std::vector<test::Stage> stages{
        {0.1, {{rects, 0.01, -0.3, 0.7}, {"<_>0 0 6 6 -1.</_><_>2 0 2 6 3.</_>", -0.02, 0.4, -0.2}}},
        {0.2, {{"<_>0 0 4 4 -1.</_><_>0 0 2 2 2.</_><_>2 2 2 2 2.</_>", 0.003, 0.5, 0.1}}}};
    const test::TempDir folder;
    const auto old_path = folder.write("old.xml", test::old_haar_cascade_xml({6, 6}, stages));
    const CascadeDetector old_format(read_cascade(old_path));
    const CascadeDetector new_format(parse(test::haar_cascade_xml({6, 6}, stages)));
    OpenCvReference opencv(old_path);
    const GreyImage image = test::smooth_noise(80, 60, 2, 4);
    const auto view = image.view();
    DetectorOptions options;
    options.raw = true;
    const auto found = old_format.detect(view, options)[0];
    CHECK(found.size() > 50);
    CHECK(compare_detections(found, opencv.raw_windows(view, options), ComparedValues::box_and_stage_sum)
              .empty());
    CHECK(compare_detections(found, new_format.detect(view, options)[0], ComparedValues::box_and_stage_sum)
              .empty());
}

TEST_CASE("cascade XML: what is wrong is said with its place", "[cascade_xml]") {
    const auto message = [](const std::string& xml) -> std::string {
        try {
            parse(xml);
        } catch (const Error& error) {
            return error.what();
        }
        return "accepted";
    };
    CHECK_THAT(message(""), Contains("made.xml") && Contains("not well-formed"));
    CHECK_THAT(message("<a/>"), Contains("<opencv_storage> is missing"));
    CHECK_THAT(message("<opencv_storage><x>1</x></opencv_storage>"), Contains("holds neither"));
    CHECK_THAT(message(replaced(good, "BOOST", "BAG")), Contains("'BAG'") && Contains("BOOST"));
    CHECK_THAT(message(replaced(good, "HAAR", "HOG")), Contains("'HOG'") && Contains("HAAR and LBP"));
    CHECK_THAT(message(replaced(good, "<width>6", "<width>2")), Contains("2x6"));
    CHECK_THAT(message(replaced(good, "<width>6", "<width>100000")), Contains("100000x6"));
    CHECK_THAT(message(replaced(good, "<width>6</width>", "")), Contains("<width> is missing"));
    CHECK_THAT(message(replaced(good, "<maxCatCount>0", "<maxCatCount>256")), Contains("maxCatCount"));
    CHECK_THAT(message(replaced(good, "<stageThreshold>0.5", "<stageThreshold>half")),
               Contains("made.xml: stage 0") && Contains("'half'"));
    CHECK_THAT(message(replaced(good, "<stageThreshold>0.5", "<stageThreshold>nan")), Contains("'nan'"));
    CHECK_THAT(message(replaced(good, "0 -1 0 0.25", "0 -1 1 0.25")),
               Contains("feature 1") && Contains("1 features"));
    CHECK_THAT(message(replaced(good, "0 -1 0 0.25", "0 -1 -1 0.25")), Contains("feature -1"));
    CHECK_THAT(message(replaced(good, "0 -1 0 0.25", "0 -2 0 0.25")),
               Contains("stage 0, tree 0") && Contains("-2"));
    CHECK_THAT(message(replaced(good, "0 -1 0 0.25", "1 -1 0 0.25")), Contains("node 0 leads to 1"));
    CHECK_THAT(message(replaced(good, "0 -1 0 0.25", "0 -1 0")),
               Contains("a node's threshold") && Contains("nothing"));
    CHECK_THAT(message(replaced(good, "-1 1</leafValues>", "-1</leafValues>")),
               Contains("needs 2 leaves, found 1"));
    CHECK_THAT(message(replaced(good, "-1 1</leafValues>", "-1 1x</leafValues>")), Contains("'1x'"));
    CHECK_THAT(message(replaced(good, "0 0 6 3 2.", "0 0 6 7 2.")),
               Contains("feature 0") && Contains("beyond"));
    CHECK_THAT(message(replaced(good, "0 0 6 3 2.", "-1 0 6 3 2.")), Contains("beyond"));
    CHECK_THAT(message(replaced(good, "0 0 6 3 2.", "0 0 2147483647 2147483647 2.")), Contains("beyond"));
    // Sums that wrap around in 32 bits.
    CHECK_THAT(message(replaced(good, "0 0 6 3 2.", "2147483647 0 1 3 2.")), Contains("beyond"));
    CHECK_THAT(message(replaced(good, "0 0 6 3 2.", "0 2147483647 6 1 2.")), Contains("beyond"));
    // Finite as double, not as float.
    CHECK_THAT(message(replaced(good, "0 0 6 3 2.", "0 0 6 3 1e300")), Contains("fits a float"));
    CHECK_THAT(message(replaced(good, "<stageThreshold>0.5", "<stageThreshold>-1e39")),
               Contains("fits a float"));
    CHECK_THAT(message(replaced(good, "-1 1</leafValues>", "-1 4e38</leafValues>")),
               Contains("fits a float"));
    CHECK_THAT(message(replaced(good, "0 0 6 3 2.", "0 0 6 3")), Contains("weight"));
    CHECK_THAT(message(replaced(good, "0 0 6 3 2.", "0 0 6 3 2. 7")), Contains("'7'"));
    // The whole window cannot lie at 45 degrees inside itself.
    CHECK_THAT(message(replaced(good, "<tilted>0", "<tilted>1")), Contains("tilted"));
    const auto begin = good.find("<stages>");
    const auto end = good.find("</stages>");
    CHECK_THAT(message(good.substr(0, begin) + "<stages>" + good.substr(end)), Contains("no stage"));
    CHECK_THROWS_WITH(read_cascade("/nonexistent/cascade.xml"),
                      Contains("There is no cascade '/nonexistent/cascade.xml'"));
}

TEST_CASE("cascade XML: a third rectangle of no weight may lie anywhere", "[cascade_xml]") {
    const std::string unused =
        replaced(good, "0 0 6 3 2.</_>", "0 0 6 3 2.</_><_>2147483647 -5 2147483647 9 0.</_>");
    const CascadeDetector detector(parse(unused));
    const CascadeDetector expected(parse(good));
    const GreyImage image = test::smooth_noise(40, 30, 2, 4);
    const auto view = image.view();
    DetectorOptions options;
    options.raw = true;
    CHECK(compare_detections(detector.detect(view, options)[0], expected.detect(view, options)[0],
                             ComparedValues::box_and_stage_sum)
              .empty());
}

TEST_CASE("cascade XML: every truncation is either refused or a whole cascade", "[cascade_xml]") {
    for (std::size_t length = 0; length < good.size(); ++length) {
        try {
            parse(good.substr(0, length));
            // Only what follows the last closing tag may be missing.
            CHECK(length > good.rfind("</opencv_storage"));
        } catch (const Error&) {
        }
    }
    const std::string lbp = contents(find_model("lbpcascade_frontalface"));
    for (std::size_t length = 0; length < lbp.size() - 20; length += 211) {
        CHECK_THROWS_AS(parse(lbp.substr(0, length)), Error);
    }
}

TEST_CASE("models are found by path and by the name of a shipped cascade", "[detect]") {
    CHECK(find_model("haarcascade_eye") == find_model("haarcascade_eye.xml"));
    CHECK_THROWS_WITH(find_model("no_such_model"), Contains("no_such_model") && Contains("opencv-data"));
    CHECK_THROWS_WITH(find_model("folder/no_such_model.xml"), Contains("check the path"));
    CHECK_THROWS_AS(find_model(""), UsageError);
}

TEST_CASE("detector options out of range are named", "[detect]") {
    DetectorOptions options;
    CHECK_NOTHROW(check_options(options));
    options.scale_factor = 1;
    CHECK_THROWS_WITH(check_options(options), Contains("scale_factor"));
    options.scale_factor = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(check_options(options), UsageError);
    options = {};
    options.min_neighbors = -1;
    CHECK_THROWS_WITH(check_options(options), Contains("min_neighbors"));
    options = {};
    options.min_size = {-1, 5};
    CHECK_THROWS_WITH(check_options(options), Contains("-1x5"));
}
