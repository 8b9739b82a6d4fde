#include <cstdlib>
#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "lib/report/comparison/trend_report.hpp"
#include "lib/report/detection/detection_report.hpp"
#include "lib/run/track/track_page.hpp"
#include "tests/lib/report/detection/sample_report.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;

namespace fs = std::filesystem;

namespace {

/// The page of 60 tracks in an hour, each with three faces.
std::string many_tracks() {
    TrackGatherer gatherer("clip.mp4");
    for (int i = 0; i < 3600; ++i) {
        ImageResult frame;
        frame.image = "clip.mp4#" + std::to_string(i);
        frame.frame = FrameTime{i, static_cast<double>(i)};
        Detection face{{0, 0, 10, 10}, 0.5};
        const int track = i / 60 + 1;
        face.details.edit().track = track;
        if (i % 60 > 40) face.details.edit().followed = 1;
        frame.detections.push_back(face);
        if (i % 20 == 0)
            gatherer.strip_of(track).add(
                {frame.image, frame.frame, {8, 8, std::vector<std::uint8_t>(64, 90)}});
        gatherer.add(frame);
    }
    ShownSequence sequence{"clip.mp4", 3600, gatherer.take(), 0, 3599};
    sequence.tracks[3].identity = "Ann <i>Lee</i> & <script>alert(1)</script>";
    return track_job_page("Faces", {sequence});
}

}  // namespace

TEST_CASE("a page works in a browser", "[browser][report][gnuplot]") {
    // Only where both are installed: neither is needed to build or to use the program.
    const char* const given = std::getenv("CHROMIUM");
    const fs::path browser = given != nullptr ? given : "/usr/bin/chromium";
    const fs::path node = "/usr/bin/node";
    if (!fs::exists(browser) || !fs::exists(node)) {
        WARN("not run: Chromium and Node are not installed");
        return;
    }
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    std::vector<DetectionEvaluation> evaluations;
    for (int i = 0; i < 9; ++i)
        evaluations.push_back(sample_evaluation(dataset, "d" + std::to_string(i), 3.0 * i));
    evaluations[1].name =
        "O'Brien </script><script>document.title = 'taken'</script> \"q\"\n" + std::string(200, 'W');
    evaluations[2].name = "\u202Eright to left";
    const fs::path several = write_detection_report(folder.path() / "several", dataset, evaluations, {});
    const fs::path one = write_detection_report(folder.path() / "one", dataset, {evaluations[0]}, {});
    const std::string hostile = evaluations[1].name;
    Trend trend{{"day 1", hostile}, {"day 1", "day 2"}, {{hostile, {"detection.f1", "F1", hostile}}}};
    for (const std::size_t run : {0, 1}) trend.lines[0].points.push_back({run, 0.5, Interval{0.4, 0.6}});
    trend.left_out.push_back({hostile, hostile});
    const fs::path runs = write_trend_report(folder.path() / "trend", trend, "", Json::object());
    const fs::path tracks = folder.write("tracks.html", many_tracks());
    const ProgramResult result =
        run_program({node.string(), std::string(FOVEA_SOURCE_DIR) + "/tests/browser/page_test.mjs",
                     several.string(), one.string(), runs.string(), tracks.string()});
    INFO(result.out + result.err);
    CHECK(result.exit_code == 0);
}
