#include "lib/report/stored/report_threshold.hpp"

#include <sstream>

#include <catch2/catch.hpp>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

// Collects warnings while it lives.
class Warnings {
  public:
    Warnings() : before_(spdlog::default_logger()) {
        spdlog::set_default_logger(std::make_shared<spdlog::logger>(
            "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_)));
    }
    ~Warnings() { spdlog::set_default_logger(before_); }
    std::string take() {
        std::string text = text_.str();
        text_.str("");
        return text;
    }

  private:
    std::shared_ptr<spdlog::logger> before_;
    std::ostringstream text_;
};

}  // namespace

TEST_CASE("a report of one recogniser gives its threshold to any, with a warning",
          "[evaluate][verification]") {
    const TempDir folder;
    const std::string report =
        folder
            .write("dev/report.json",
                   R"({"verification": {"name": "dev", "scores": "distance", "threshold_at_eer": 0.5,
                                        "threshold_at_far_0.01": 0.25}})")
            .string();
    Warnings warnings;
    CHECK(threshold_from(report, "dev", true).value == 0.5);
    CHECK(threshold_from(report + ":threshold_at_far_0.01", "dev", true).value == 0.25);
    CHECK(threshold_from((folder.path() / "dev").string(), "dev", true).value == 0.5);
    CHECK_THAT(threshold_from(report, "dev", true).origin, Contains("report.json, threshold_at_eer"));
    CHECK(warnings.take().empty());
    CHECK(threshold_from(report, "test", true).value == 0.5);
    CHECK_THAT(warnings.take(), Contains("the threshold of 'dev'") && Contains("is applied to 'test'"));
    CHECK_THROWS_WITH(threshold_from(report, "dev", false), Contains("--distance was not given"));
    CHECK_THROWS_WITH(threshold_from(report + ":threshold_at_far_0.1", "dev", true),
                      Contains("did you mean 'threshold_at_far_0.01'") &&
                          Contains("it has threshold_at_eer, threshold_at_far_0.01"));
    CHECK_THROWS_WITH(threshold_from(report + ":scores", "dev", true), Contains("has no 'scores'"));
    CHECK_THROWS_AS(threshold_from("/nowhere.json", "dev", true), UsageError);
}

TEST_CASE("a report of several recognisers gives each its own threshold and others none",
          "[evaluate][verification]") {
    const TempDir folder;
    const std::string report =
        folder
            .write("report.json",
                   R"({"verification": {"name": "a", "scores": "similarity", "threshold_at_eer": 0.5},
                       "recognisers": [{"name": "a", "verification": {"scores": "similarity", "threshold_at_eer": 0.5}},
                                       {"name": "b", "verification": {"scores": "similarity", "threshold_at_eer": 3}}]})")
            .string();
    Warnings warnings;
    CHECK(threshold_from(report, "a", false).value == 0.5);
    CHECK(threshold_from(report, "b", false).value == 3);
    CHECK_THROWS_AS(threshold_from(report, "c", false), UsageError);
    CHECK_THROWS_WITH(threshold_from(report, "c", false),
                      Contains("has no recogniser 'c'") && Contains("it has a, b"));
    CHECK(threshold_from(report + ":b", "a", false).value == 3);
    CHECK(threshold_from(report + ":b:threshold_at_eer", "c", false).value == 3);
    CHECK_THROWS_WITH(
        threshold_from(report + ":treshold_at_eer", "a", false),
        Contains("has no 'treshold_at_eer' (did you mean 'threshold_at_eer'?)") && Contains("it has a, b"));
    CHECK_THROWS_WITH(threshold_from(report + ":d:threshold_at_eer", "a", false), Contains("has no 'd'"));
    CHECK(warnings.take().empty());
}

TEST_CASE("a report of several detectors gives each its own threshold and others none",
          "[evaluate][report]") {
    const TempDir folder;
    const std::string two = folder
                                .write("two.json",
                                       R"({"detection": {"name": "a", "best_f1_threshold": 1},
                       "detectors": [{"name": "a", "detection": {"best_f1_threshold": 1}},
                                     {"name": "b", "detection": {"best_f1_threshold": 2, "rate_at_false_positives":
                                      [{"false_positives": 4, "detection_rate": 0.5, "threshold": 7}]}}]})")
                                .string();
    Warnings warnings;
    CHECK(threshold_for(parse_threshold_source(two), "b").value == 2);
    CHECK(threshold_for(parse_threshold_source(two + ":4fp"), "b").value == 7);
    CHECK_THROWS_WITH(threshold_for(parse_threshold_source(two), "c"),
                      Contains("has no detector 'c'") && Contains("it has a, b"));
    CHECK_THROWS_WITH(parse_threshold_source(two + ":4"), Contains("no operating point"));
    // A name in the flag is that one, whatever is evaluated, and must be there.
    CHECK(threshold_for(parse_threshold_source(two + ":b"), "a").value == 2);
    CHECK(threshold_for(parse_threshold_source(two + ":b:4fp"), "c").value == 7);
    CHECK(threshold_for(parse_threshold_source(two + ":a:best_f1"), "b").value == 1);
    CHECK_THROWS_WITH(parse_threshold_source(two + ":best_f2"),
                      Contains("has no 'best_f2' (did you mean 'best-f1'?)") && Contains("it has a, b"));
    CHECK_THROWS_WITH(parse_threshold_source(two + ":c:4fp"),
                      Contains("has no 'c'") && Contains("it has a, b"));
    CHECK(warnings.take().empty());
    const std::string one =
        folder.write("one.json", R"({"detection": {"name": "a", "best_f1_threshold": 1}})").string();
    CHECK(threshold_for(parse_threshold_source(one), "b").value == 1);
    CHECK_THAT(warnings.take(), Contains("the threshold of 'a'") && Contains("is applied to 'b'"));
}

TEST_CASE("a report that was edited or is another program's is refused with its name and the place",
          "[evaluate][report][verification]") {
    struct Case {
        const char* report;
        const char* place;
    };
    const TempDir folder;
    for (const auto& [report, place] :
         {Case{"[1]", "report.json must be an object, but is a list of 1"},
          Case{"{", "report.json:1: cannot read"}, Case{"{\n\"a\": nul}", "report.json:2: cannot read"},
          Case{"\"text\"", "report.json must be an object, but is the string"},
          Case{R"({"format": "fovea-comparison"})", "'format' must be \"fovea-report\""},
          Case{R"({"verification": 1})", "'verification' must be an object, but is 1"},
          Case{R"({"recognisers": {}})", "'recognisers' must be a list, but is an object"},
          Case{R"({"recognisers": [1]})", "'recognisers[0]' must be an object with \"name\", but is 1"},
          Case{R"({"recognisers": [{"name": 1}]})", "'recognisers[0].name' must be a string, but is 1"},
          Case{R"({"recognisers": [{"name": "a", "verification": []}]})", "'recognisers[0].verification'"},
          Case{R"({"verification": {"scores": 1}})", "'verification.scores'"},
          Case{R"({"detection": {"name": []}})", "'detection.name'"},
          Case{R"({"detectors": [{"name": "a", "detection": {"best_f1_threshold": "x"}}]})",
               "'detectors[0].detection.best_f1_threshold' must be a number, but is the string \"x\""},
          Case{R"({"detection": {"rate_at_false_positives": [{"detection_rate": 1}]}})",
               "'detection.rate_at_false_positives[0]'"},
          Case{R"({"detection": {"roc": [1]}})", "'detection.roc[0]'"},
          Case{R"({"detection": {"roc": [{"false_positives": 1e300}]}})",
               "'detection.roc[0].false_positives'"},
          Case{R"({"detection": {"roc_thresholds": "3"}})", "'detection.roc_thresholds'"},
          Case{R"({"evaluated": {"file": 1}})", "'evaluated.file'"}}) {
        const std::string file = folder.write("report.json", report).string();
        CAPTURE(report);
        CHECK_THROWS_WITH(threshold_from(file, "a", true), StartsWith(file) && Contains(place));
        CHECK_THROWS_WITH(parse_threshold_source(file), StartsWith(file) && Contains(place));
        CHECK_THROWS_WITH(read_report(file, true), StartsWith(file) && Contains(place));
        CompareRequest request;
        request.first = request.second = file;
        CHECK_THROWS_WITH(compare_reports(request), StartsWith(file) && Contains(place));
    }
    // A whole report, but of something else.
    const std::string other = folder.write("report.json", R"({"identification": {"rank1": 1}})").string();
    CHECK_THROWS_WITH(threshold_from(other, "a", true), Contains(other + " is no report of a verification"));
    CHECK_THROWS_WITH(threshold_for(parse_threshold_source(other), "a"),
                      Contains(other + " is no report of a detection"));
    CHECK_THROWS_WITH(read_report(other + ":a", false),
                      Contains("has no recogniser 'a'; it has none at all"));
}
