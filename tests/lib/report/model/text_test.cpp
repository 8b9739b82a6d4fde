#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/report/detection/detection_csv.hpp"
#include "lib/report/detection/detection_plots.hpp"
#include "lib/report/model/names.hpp"
#include "lib/report/model/palette.hpp"
#include "lib/report/model/xml_text.hpp"
#include "lib/report/page/skipped.hpp"
#include "lib/report/viewer/viewer_files.hpp"

using namespace fovea;
using namespace fovea::report;
using Catch::Matchers::Contains;

namespace {

using Triple = std::array<double, 3>;

/// How an eye without one kind of cone sees linear RGB. Source: G. Machado et al., "A
/// physiologically-based model for simulation of color vision deficiency", IEEE TVCG 15, 2009, severity 1.
struct ColourVision {
    const char* name;
    std::array<Triple, 3> matrix;
};
const std::array<ColourVision, 4> colour_visions{{
    {"normal", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protanopia",
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranopia",
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
    {"tritanopia",
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}},
}};

/// The i-th series' colour as the style sheet has it: for light paper first, then for dark.
std::string colour_in_style(std::size_t i, bool dark) {
    const std::string style(viewer_style());
    const std::string key = "--plot-" + std::to_string(i + 1) + ": ";
    std::size_t at = style.find(key);
    if (dark) at = style.find(key, at + 1);
    return style.substr(at + key.size(), 7);
}

/// In OKLab (B. Ottosson, 2020).
Triple seen_as(const std::string& hex, const ColourVision& vision) {
    Triple linear{};
    for (std::size_t c = 0; c < 3; ++c) {
        const double value = std::stoi(hex.substr(1 + 2 * c, 2), nullptr, 16) / 255.0;
        linear[c] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    }
    Triple seen{};
    for (std::size_t c = 0; c < 3; ++c) {
        const Triple& row = vision.matrix[c];
        seen[c] = std::clamp(row[0] * linear[0] + row[1] * linear[1] + row[2] * linear[2], 0.0, 1.0);
    }
    const double l = std::cbrt(0.4122214708 * seen[0] + 0.5363325363 * seen[1] + 0.0514459929 * seen[2]);
    const double m = std::cbrt(0.2119034982 * seen[0] + 0.6806995451 * seen[1] + 0.1073969566 * seen[2]);
    const double s = std::cbrt(0.0883024619 * seen[0] + 0.2817188376 * seen[1] + 0.6299787005 * seen[2]);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double seen_distance(const std::string& a, const std::string& b, const ColourVision& vision) {
    const Triple first = seen_as(a, vision);
    const Triple second = seen_as(b, vision);
    return std::hypot(first[0] - second[0], first[1] - second[1], first[2] - second[2]);
}

}  // namespace

TEST_CASE("numbers read well", "[report]") {
    CHECK(fixed(0.5249, 2) == "0.52");
    CHECK(fixed(-0.001, 2) == "0.00");
    CHECK(fixed(-1.5, 1) == "-1.5");
    CHECK(fixed(std::numeric_limits<double>::quiet_NaN(), 2) == "–");
    CHECK(percent(0.8617) == "86.2\u00A0%");
    CHECK(compact(31) == "31");
    CHECK(compact(0.123456789) == "0.123457");
    CHECK(percent(0.8617, 2) == "86.17\u00A0%");
    CHECK(percent_range({0.85, 0.873}) == "85.0–87.3\u00A0%");
}

TEST_CASE("long names keep both ends", "[report]") {
    CHECK(shortened("abcdef", 6) == "abcdef");
    CHECK(shortened("abcdefgh", 6) == "abc…gh");
    CHECK(shortened("éééééééé", 6) == "ééé…éé");
    CHECK(shortened("abc", 1) == "…");
}

TEST_CASE("display names are there and unique", "[report]") {
    std::vector<DetectionEvaluation> evaluations(4);
    evaluations[0].name = "a";
    evaluations[1].name = "a";
    evaluations[3].name = "a (2)";
    CHECK(display_names(evaluations) == std::vector<std::string>{"a", "a (2)", "detector 3", "a (2) (2)"});
}

TEST_CASE("reports are titled by their dataset", "[report]") {
    CHECK(default_title("Face detection", "mit-cmu:/data/mit-cmu/") == "Face detection on mit-cmu");
    CHECK(default_title("Face landmarks", "fddb") == "Face landmarks on fddb");
    CHECK(default_title("Face verification", "pairs.txt") == "Face verification on pairs.txt");
    CHECK(default_title("Face detection", "") == "Face detection");
    CHECK(default_title("Face detection", "//") == "Face detection");
}

TEST_CASE("HTML is escaped", "[report]") {
    CHECK(escape_html("<b a=\"1\" c='2'>&amp;") == "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
    CHECK(escape_html("a\x01\xFFz") == "a\uFFFD\uFFFDz");
    CHECK(escape_html("tab\tline\n") == "tab\tline\n");
}

TEST_CASE("CSV of the curves", "[report]") {
    DetectionEvaluation evaluation;
    RocPoint point;
    point.threshold = 12.5;
    point.true_positives = 3;
    point.false_positives = 1;
    point.detection_rate = 0.1;
    point.precision = 0.75;
    point.false_positives_per_image = 1.0 / 3;
    point.mean_iou = 1;
    point.continuous_rate = 0.0625;
    evaluation.roc = {point};
    CHECK(curves_csv({evaluation, {}}, {"x,y", "none"}) ==
          "detector,threshold,true_positives,false_positives,detection_rate,precision,false_positives_per_"
          "image,"
          "mean_iou,continuous_rate\n"
          "\"x,y\",12.5,3,1,0.1,0.75,0.3333333333333333,1,0.0625\n");
}

TEST_CASE("names in CSV files are no formulas", "[report][csv]") {
    DetectionEvaluation evaluation;
    RocPoint point;
    point.threshold = -2.5;
    evaluation.roc = {point};
    const std::string curves = curves_csv({evaluation}, {"=cmd|' /C calc'!A0"});
    CHECK(curves.substr(curves.find('\n') + 1) == "\"'=cmd|' /C calc'!A0\",-2.5,0,0,0,0,0,0,0\n");
}

TEST_CASE("colours and dashes repeat out of step", "[report]") {
    CHECK(series_colour(12) == series_colour(0));
    CHECK(series_dashes(12) != series_dashes(0));
    // The page has the same colours on light paper.
    for (std::size_t i = 0; i < colours_of_series; ++i) CHECK(colour_in_style(i, false) == series_colour(i));
}

TEST_CASE("twelve series can be told apart in both schemes, with all common forms of colour blindness",
          "[report]") {
    for (const bool dark : {false, true}) {
        for (const ColourVision& vision : colour_visions) {
            for (std::size_t i = 0; i < colours_of_series; ++i) {
                if (!dark) CHECK(colour_in_style(i, dark) == series_colour(i));
                for (std::size_t k = 0; k < i; ++k) {
                    CAPTURE(dark, vision.name, i, k);
                    CHECK(seen_distance(colour_in_style(i, dark), colour_in_style(k, dark), vision) > 0.069);
                }
            }
        }
    }
}

TEST_CASE("calibrated boxes have their detector's colour, dashed", "[report]") {
    const std::vector<SeriesStyle> styles =
        series_styles({"mct", "mct, calibrated", "alt2", "alt2, calibrated", "lbp"});
    REQUIRE(styles.size() == 5);
    const std::vector<std::size_t> colours{0, 0, 1, 1, 2};
    for (std::size_t i = 0; i < styles.size(); ++i) {
        CAPTURE(i);
        const bool calibrated = i == 1 || i == 3;
        CHECK(styles[i].colour == colours[i]);
        CHECK(styles[i].is_calibrated == calibrated);
        CHECK(styles[i].dashes.empty() != calibrated);
    }
    // Without any, dashes help prints without colour; a calibrated one of nobody is a detector of its own.
    const std::vector<SeriesStyle> plain = series_styles({"mct", "alt2, calibrated"});
    CHECK(plain[1].colour == 1);
    CHECK_FALSE(plain[1].is_calibrated);
    CHECK(plain[1].dashes == series_dashes(1));
}

TEST_CASE("images that no detector could read are said once", "[report]") {
    const std::vector<SkippedImage> skipped{{"a", "unreadable: x", "one"},
                                            {"b", "not in the results", "one"},
                                            {"a", "unreadable: x", "two"},
                                            {"c", "unreadable: y", ""}};
    const std::vector<SkippedGroup> groups = grouped_by_detector(skipped, 2);
    REQUIRE(groups.size() == 3);
    CHECK(groups[0].image == "a");
    CHECK(groups[0].detectors.empty());
    CHECK(groups[1].detectors == std::vector<std::string>{"one"});
    CHECK(groups[2].detectors.empty());
}
