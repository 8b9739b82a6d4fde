#include <cmath>
#include <random>
#include <type_traits>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/report/detection/detection_plots.hpp"
#include "lib/report/model/names.hpp"
#include "lib/report/plots/figure_script.hpp"
#include "lib/report/plots/gnuplot.hpp"
#include "lib/report/plots/plot_script.hpp"
#include "tests/lib/report/detection/sample_report.hpp"
#include "tests/support/scoped_path.hpp"

using namespace fovea;
using namespace fovea::report;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("gnuplot runs and its errors become sentences", "[report][gnuplot]") {
    CHECK_THAT(run_gnuplot(plot_script("set terminal svg\nplot x\n")), Contains("<svg"));
    CHECK_THROWS_WITH(run_gnuplot(plot_script("set terminal svg\nplot nonsense(\n")),
                      Contains("gnuplot could not draw a plot") && Contains("exit code"));
    CHECK_THROWS_WITH(run_gnuplot(plot_script("set terminal svg\n")), Contains("drew nothing"));
    CHECK_THROWS_WITH(run_gnuplot(plot_script("pause 30\n"), std::chrono::milliseconds(200)),
                      Contains("was not done after 0.2 s"));
}

TEST_CASE("a missing gnuplot names the package", "[report][gnuplot]") {
    CHECK_NOTHROW(require_gnuplot());
    const TempDir empty;
    const ScopedPath path(empty.path().string());
    CHECK_THROWS_AS(run_gnuplot(plot_script("plot x\n")), Error);
    CHECK_THROWS_WITH(run_gnuplot(plot_script("plot x\n")), Contains("gnuplot-nox"));
    CHECK_THROWS_WITH(require_gnuplot(), Contains("gnuplot-nox"));
}

TEST_CASE("nothing in a name is expanded by gnuplot", "[report][gnuplot]") {
    const TempDir folder;
    const std::filesystem::path trap = folder.path() / "trap";
    const std::string name = "it's `touch " + trap.string() + "` @macro \\n \"q\" a_b^{c} <b>&\nnext";
    const std::string svg =
        run_gnuplot(plot_script("set encoding utf8\nset terminal svg noenhanced\nplot x title {}\n", name));
    CHECK_FALSE(std::filesystem::exists(trap));
    CHECK_THAT(svg, Contains("it's `touch"));
    CHECK_THAT(svg, Contains("@macro \\n \"q\" a_b^{c} &lt;b>&amp; next"));
}

namespace {

template <class T>
concept Drawable = requires(const T& script) {
    run_gnuplot(script);
};

static_assert(Drawable<PlotScript>);
static_assert(!Drawable<std::string> && !Drawable<const char*> && !Drawable<std::string_view>);
static_assert(!std::is_constructible_v<PlotScript, std::string>);
static_assert(!std::is_constructible_v<PlotScript, const char*>);
using plot_script_detail::quotes_hold_no_placeholder;
static_assert(quotes_hold_no_placeholder("set title {} font 'Arial,9'\nset format x '%g %%'\n"));
static_assert(!quotes_hold_no_placeholder("set title '{}'\n"));
static_assert(!quotes_hold_no_placeholder("set title \"a {}\"\n"));
static_assert(!quotes_hold_no_placeholder("set title 'open\n"));

// Names of quotes and of all that gnuplot could expand or end a command at.
std::vector<std::string> hostile_texts() {
    std::vector<std::string> texts{"'",
                                   "''",
                                   "'''",
                                   "'quoted'",
                                   "bob's",
                                   "a''b",
                                   "\\",
                                   "a\\",
                                   "\\'",
                                   "'\\",
                                   "`date`",
                                   "'`date`",
                                   "@GPVAL_VERSION",
                                   "'@GPVAL_VERSION",
                                   "#",
                                   "{",
                                   "}",
                                   "\"",
                                   "a\"'\"b",
                                   "%s",
                                   "%d%%",
                                   "!ls",
                                   "$x",
                                   "a'.system('exit').'",
                                   "'.system('exit').'",
                                   "END",
                                   "é'…",
                                   ""};
    std::mt19937 random(1);
    const std::string characters = "'\\\"`@$#{}%!;~&^_ aE.(),";
    for (int i = 0; i < 2000; ++i) {
        std::string text;
        for (std::uint32_t length = random() % 40; length > 0; --length) {
            text += characters[random() % characters.size()];
        }
        texts.push_back(text);
    }
    return texts;
}

}  // namespace

TEST_CASE("gnuplot takes every text as it is", "[report][gnuplot]") {
    PlotScript script = plot_script("set print '-'\n");
    std::string expected;
    for (const std::string& text : hostile_texts()) {
        script += plot_script("print {}\n", text);
        expected += text + "\n";
    }
    CHECK(run_gnuplot(script) == expected);
    // A character that would end the command becomes a blank, one that no SVG may hold U+FFFD.
    CHECK(run_gnuplot(plot_script("set print '-'\nprint {}\n", std::string_view("a\nb\tc\x01\xFF\0d", 9))) ==
          "a b c\uFFFD\uFFFD\uFFFDd\n");
}

TEST_CASE("titles, labels and marks of plots show every text as it is", "[report][gnuplot]") {
    const std::vector<std::string> texts{"'quoted'", "100 % sure",     "%s %d",
                                         "a_b^{c}",  "it's @x `y` #z", "\\n"};
    Tics tics;
    PlotScript labels;
    std::vector<PlotScript> lines;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        tics.add("mark " + texts[i], "under " + texts[i], plot_script("{}", i));
        labels += plot_script("set label {} at {},0\n", "label " + texts[i], i);
        lines.push_back(plot_script("x title {}", "title " + texts[i]));
    }
    const std::string svg =
        run_gnuplot(prelude(texts.size()) + axis_labels("x " + texts[0], "y " + texts[1]) + labels +
                    plot_script("set xrange [0:9]\nset xtics {}\n", tics.script()) + plot_command(lines));
    for (const std::string& text : texts) {
        CAPTURE(text);
        for (const char* where : {"mark ", "under ", "label ", "title "}) {
            CHECK_THAT(svg, Contains(">" + (where + text) + "</text>"));
        }
    }
    CHECK_THAT(svg, Contains(">x 'quoted'</text>") && Contains(">y 100 % sure</text>"));
}

namespace {

/// The plot drawn for a paper.
std::string svg_of(const Plot& plot) {
    return run_gnuplot(prelude(figure_key_rows(plot), PlotFormat::svg, plot.is_wide) + figure_script(plot));
}

/// Those that plots name.
Numbers sample_estimates() {
    return {{{"average_precision", "Average precision", ""}, 0.5, {}}};
}

}  // namespace

TEST_CASE("every plot is drawn, with a key for several detectors only", "[report][gnuplot]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    const std::vector<DetectionEvaluation> evaluations{sample_evaluation(dataset, "first"),
                                                       sample_evaluation(dataset, "second", 6)};
    const std::vector<Plot> plots = detection_plots(evaluations, display_names(evaluations));
    std::vector<std::string> stems;
    for (const Plot& plot : plots) {
        stems.push_back(plot.stem);
        INFO(plot.stem);
        CHECK_THAT(svg_of(plot), Contains(">first") && Contains(">second"));
    }
    CHECK(stems == std::vector<std::string>{"roc", "roc_continuous", "precision_recall", "iou_histogram"});
    for (const DetectionProtocol protocol : {DetectionProtocol::uiuc, DetectionProtocol::uiuc_scale}) {
        std::vector<DetectionEvaluation> of_cars = evaluations;
        of_cars[0].options.protocol = protocol;
        const std::vector<Plot> more = detection_plots(of_cars, display_names(of_cars));
        REQUIRE(more.size() == plots.size() + 1);
        CHECK(more[3].stem == "recall_false_share");
        CHECK_THAT(svg_of(more[3]), Contains("1 - precision") && Contains(">second"));
    }
    const std::vector<DetectionEvaluation> one{evaluations[0]};
    for (const Plot& plot : detection_plots(one, display_names(one))) CHECK(figure_key_rows(plot) == 0);
}

TEST_CASE("plots without detections and with thousands of false positives", "[report][gnuplot]") {
    DetectionEvaluation nothing;
    nothing.images = 1;
    nothing.faces = 1;
    nothing.iou_histogram.assign(20, 0);
    nothing.iou_histogram[0] = 1;
    nothing.estimates = sample_estimates();
    const std::vector<Plot> empty = detection_plots({nothing}, {"nothing"});
    REQUIRE(empty.size() == 4);
    CHECK_THAT(svg_of(empty[0]), Contains("no detections"));
    CHECK_THAT(svg_of(empty[2]), Contains("no detections"));

    DetectionEvaluation many = nothing;
    for (int i = 0; i < 20000; ++i) {
        RocPoint point;
        point.threshold = 20000 - i;
        point.false_positives = i;
        point.true_positives = i > 100 ? 1 : 0;
        point.detection_rate = point.true_positives;
        many.roc.push_back(point);
    }
    const std::vector<Plot> plots = detection_plots({many}, {"many"});
    const std::string svg = svg_of(plots[0]);
    CHECK_THAT(svg, Contains(">10,000</text>") && Contains(">0</text>") && Contains(">10</text>"));
    CHECK(svg.size() < 200'000);
}

TEST_CASE("labels of an axis leave room between one another", "[report]") {
    // 470 pixels from 0 to 3.1: 500 and 1,000 are 46 apart, and half of both take 21 + 14 and the gap.
    LabelRoom room(0, 3.1);
    CHECK(room.take(std::log10(1001), "1,000"));
    CHECK(room.take(std::log10(501), "500"));
    CHECK_FALSE(room.take(std::log10(501), "500"));
    // From 0 to 4.3 they are 33 apart.
    LabelRoom crowded(0, 4.3);
    CHECK(crowded.take(std::log10(1001), "1,000"));
    CHECK_FALSE(crowded.take(std::log10(501), "500"));
    CHECK(crowded.take(std::log10(201), "200"));
    CHECK(label_pixels("≥ 1") == Approx(label_pixels("123")));
}

TEST_CASE("histograms of many detectors stand in rows", "[report][gnuplot]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    std::vector<DetectionEvaluation> evaluations;
    for (const char* name : {"one", "one, calibrated", "two", "three"})
        evaluations.push_back(sample_evaluation(dataset, name, evaluations.empty() ? 0 : 4));
    const std::vector<Plot> plots = detection_plots(evaluations, display_names(evaluations));
    REQUIRE(plots[3].stem == "iou_histogram");
    CHECK_THAT(svg_of(plots[3]), Contains(">one</text>") && Contains(">calibrated</text>") &&
                                     Contains(">two</text>") && Contains(">three</text>"));
    CHECK(figure_key_rows(plots[3]) == 0);
    CHECK_THAT(plots[3].caption, Contains("the tallest bar is 2 faces"));
    CHECK_THAT(plots[0].caption, Contains("Intervals of more than three detectors"));
    // The calibrated curve has its detector's colour; there are three colours for four curves.
    std::set<std::size_t> colours;
    for (const Series& series : plots[0].series) colours.insert(series.style.colour);
    CHECK(colours == std::set<std::size_t>{0, 1, 2});
    const std::vector<DetectionEvaluation> three(evaluations.begin(), evaluations.begin() + 3);
    CHECK(figure_key_rows(detection_plots(three, display_names(three))[3]) == 3);
}

TEST_CASE("the rates' axis begins where several good curves do", "[report][gnuplot]") {
    // One point each: the rate at `false_positives`.
    const auto detector = [](double rate, int false_positives) {
        DetectionEvaluation evaluation;
        evaluation.images = 1;
        evaluation.faces = 100;
        evaluation.iou_histogram.assign(20, 0);
        RocPoint point;
        point.threshold = 1;
        point.false_positives = false_positives;
        point.detection_rate = rate;
        point.continuous_rate = rate;
        evaluation.roc.push_back(point);
        evaluation.estimates = sample_estimates();
        return evaluation;
    };
    const auto caption = [](const std::vector<DetectionEvaluation>& evaluations) {
        return detection_plots(evaluations, {"a", "b", "c"}).at(0).caption;
    };
    const auto good = detector(0.95, 3);
    CHECK_THAT(caption({good, good, detector(0.86, 10)}), Contains("The axis begins at 70\u00A0%."));
    CHECK_THAT(caption({good, detector(0.55, 0), good}), Contains("The axis begins at 40\u00A0%."));
    // One that is poor where the false positives are few, or no crowd: the whole axis.
    CHECK_THAT(caption({good, good, detector(0.3, 0)}), !Contains("begins"));
    CHECK_THAT(caption({good, good, detector(0.95, 11)}), !Contains("begins"));
    CHECK_THAT(caption({good, good}), !Contains("begins"));
    const Plot plot = detection_plots({good, good, detector(0.86, 10)}, {"a", "b", "c"}).at(0);
    CHECK_THAT(svg_of(plot), Contains(">70 %</text>") && !Contains(">60 %</text>"));
}
