// Boxes of results that are not x y width height.
#include <functional>

#include "tests/apps/detection_runs.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

/// Twelve images, the i-th with a face of 40 × 50 at (100 + i, 20).
struct Faces : DetectionRuns {
    static constexpr int images = 12;

    Faces() {
        std::string list;
        for (int i = 0; i < images; ++i) {
            list += std::string(i > 0 ? ",\n" : "\n") + R"({"image": ")" + std::to_string(i) +
                    R"(.jpg", "annotated": true, "faces": [{"box": [)" + std::to_string(100 + i) +
                    ", 20, 40, 50]}]}";
        }
        dataset = "fovea:" +
                  write("set.json",
                        R"({"format": "fovea-dataset", "version": 1, "name": "s", "root": ".", "images": [)" +
                            list + "]}");
    }
    /// \param numbers_of the i-th image's line behind the name
    std::string results(const std::function<std::string(int)>& numbers_of) {
        std::string lines;
        for (int i = 0; i < images; ++i) lines += std::to_string(i) + ".jpg " + numbers_of(i) + "\n";
        return write("found.txt", lines);
    }
    std::string dataset;
};

}  // namespace

TEST_CASE("boxes that are corners are recognised, and read as such on demand", "[cli][evaluate]") {
    Faces f;
    const std::string corners = f.results(
        [](int i) { return std::to_string(100 + i) + " 20 " + std::to_string(140 + i) + " 70 0.9"; });
    const ProgramResult doubt = f.run(f.dataset, corners, {});
    CAPTURE(doubt.err, doubt.out);
    CHECK(doubt.exit_code == 0);
    CHECK_THAT(doubt.err,
               Contains("As x1 y1 x2 y2 the boxes hit 100.0 % of the faces, as x y width height 0.0 %") &&
                   Contains("Then give --box-format xyxy."));
    const ProgramResult read = f.run(f.dataset, corners, {"--box-format", "xyxy", "--require", "ap>=1"});
    CHECK(read.exit_code == 0);
    CHECK_THAT(read.err, !Contains("x1 y1"));
    // The protocol's numbers alone say so, too.
    CHECK_THAT(f.run(f.dataset, corners, {"--protocol", "voc2010", "--only", "voc2010"}).err,
               Contains("--box-format xyxy"));
}

TEST_CASE("boxes in the usual order raise no doubt, and are no corners", "[cli][evaluate]") {
    Faces f;
    const std::string usual = f.results([](int i) { return std::to_string(100 + i) + " 20 40 50 0.9"; });
    const ProgramResult result = f.run(f.dataset, usual, {});
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.err, !Contains("warning"));
    const ProgramResult wrong = f.run(f.dataset, usual, {"--box-format", "xyxy"});
    CHECK(wrong.exit_code == 1);
    CHECK_THAT(wrong.err,
               Contains("a box of the image '0.jpg' has the corners 100 20 and 40 50: the second lies before "
                        "the first; is it x y width height? Then leave out --box-format, which holds for all "
                        "--results"));
    const ProgramResult unknown = f.run(f.dataset, usual, {"--box-format", "cxcywh"});
    CHECK(unknown.exit_code == 2);
    CHECK_THAT(unknown.err, Contains("--box-format is xywh or xyxy, but is 'cxcywh'"));
}

TEST_CASE("a score before the box, and boxes in shares of the image, are recognised", "[cli][evaluate]") {
    Faces f;
    const std::string score_first =
        f.results([](int i) { return "0.9 " + std::to_string(100 + i) + " 20 40 50"; });
    CHECK_THAT(
        f.run(f.dataset, score_first, {}).err,
        Contains("If the score stood before the box, the boxes would hit 100.0 % of the faces, as they were "
                 "read 0.0 %: write the score last, as NAME X Y WIDTH HEIGHT SCORE."));
    const std::string shares = f.results([](int) { return "0.5 0.1 0.2 0.2 0.9"; });
    CHECK_THAT(f.run(f.dataset, shares, {}).err, Contains("All boxes are smaller than a pixel"));
}

TEST_CASE("boxes of images of another size are recognised", "[cli][evaluate]") {
    Faces f;
    const std::string halves =
        f.results([](int i) { return std::to_string((100 + i) / 2.0) + " 10 20 25 0.9"; });
    CHECK_THAT(f.run(f.dataset, halves, {}).err,
               Contains("Multiplied by 2 the boxes would hit 100.0 % of the faces, as they were read 0.0 %: "
                        "were they found in images of another size?"));
    // Calibrated or not, it is said once, before the table.
    const std::string err = f.run(f.dataset, halves, {"--calibrate-boxes"}).err;
    const std::size_t first = err.find("Multiplied by");
    REQUIRE(first != std::string::npos);
    CHECK(err.find("Multiplied by", first + 1) == std::string::npos);
    // Named with its size in JSON Lines.
    std::string lines;
    for (int i = 0; i < Faces::images; ++i) {
        lines +=
            R"({"image":")" + std::to_string(i) + R"(.jpg","width":200,"height":50,"detections":[]})" + "\n";
    }
    CHECK_THAT(f.run(f.dataset, f.write("sized.jsonl", lines), {}).err,
               Contains("The results hold no detection at all, so every face counts as missed."));
}

TEST_CASE("results for a part of the images, and none at all, are said", "[cli][evaluate]") {
    Faces f;
    std::string lines;
    for (int i = 0; i < 5; ++i) {
        lines += std::to_string(i) + ".jpg " + std::to_string(100 + i) + " 20 40 50 0.9\n";
    }
    const ProgramResult part = f.run(f.dataset, f.write("part.txt", lines), {});
    CHECK(part.exit_code == 0);
    CHECK_THAT(part.err,
               Contains("The results name 5 of the 12 images with faces; all faces of the other 7 count as "
                        "missed."));
    const ProgramResult none = f.run(f.dataset, f.write("none.json", "[]"), {});
    CHECK_THAT(none.err, Contains("The results hold no detection at all"));
    CHECK_THAT(none.err, !Contains("The results name"));
}

TEST_CASE("tables of pandas are evaluated, corners by their names", "[cli][evaluate]") {
    Faces f;
    std::string sizes = ",image,x,y,width,height,score\n", corners = "file;xmin;ymin;xmax;ymax;prob\n";
    for (int i = 0; i < Faces::images; ++i) {
        const std::string name = std::to_string(i), x = std::to_string(100 + i);
        sizes += name + "," + name + ".jpg," + x + ",20,40,50,0.9\n";
        corners += name + ".jpg;" + x + ";20;" + std::to_string(140 + i) + ";70;0,9\n";
    }
    for (const std::string& table : {sizes, corners}) {
        const std::string file = f.write("found.csv", table);
        const ProgramResult result = f.run(f.dataset, file, {"--require", "ap>=1"});
        CAPTURE(result.err);
        CHECK(result.exit_code == 0);
        CHECK_THAT(result.err, !Contains("warning"));
    }
    // Corners that are named so are not taken for corners twice.
    CHECK(f.run(f.dataset, f.write("found.csv", corners), {"--box-format", "xyxy", "--require", "ap>=1"})
              .exit_code == 0);
    const ProgramResult headless = f.run(f.dataset, f.write("found.csv", "0.jpg,100,20,40,50,0.9\n"), {});
    CHECK(headless.exit_code == 1);
    CHECK_THAT(headless.err, Contains("expected a first line that names the columns"));
}
