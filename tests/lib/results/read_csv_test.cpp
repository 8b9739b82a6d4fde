// Results as pandas and spreadsheets write them.
#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/results.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/text_encodings.hpp"

using namespace fovea;
using Catch::Contains;

namespace {

DetectionResults read(const std::string& bytes, const std::string& format = "") {
    const test::TempDir folder;
    return read_results(format + folder.write("r.csv", bytes).string());
}

std::string failure(const std::string& bytes) {
    try {
        read(bytes);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

// The one detection of a file of one image.
Detection only(const std::string& bytes) {
    const DetectionResults results = read(bytes);
    REQUIRE(results.images.size() == 1);
    REQUIRE(results.images[0].detections.size() == 1);
    return results.images[0].detections[0];
}

}  // namespace

TEST_CASE("CSV results are recognised by their heading", "[results][csv]") {
    // DataFrame.to_csv() writes it so, with its index.
    const DetectionResults results = read(
        ",image,x,y,w,h,score\n"
        "0,a.jpg,1,2,3,4,0.5\n"
        "1,\"b, \"\"c\"\"\nd.jpg\",5.5,6,7,8,1e-3\n"
        "2,a.jpg,9,10,11,12,-2\n"
        "3,none.jpg,,,,,\n");
    REQUIRE(results.images.size() == 3);
    CHECK(results.images[0].image == "a.jpg");
    REQUIRE(results.images[0].detections.size() == 2);
    CHECK(results.images[0].detections[0].box == Box{1, 2, 3, 4});
    CHECK(results.images[0].detections[0].score == 0.5);
    CHECK(results.images[0].detections[1].score == -2);
    CHECK(results.images[0].places == std::vector<std::uint32_t>{0, 2});
    CHECK(results.images[1].image == "b, \"c\"\nd.jpg");
    CHECK(results.images[1].detections.at(0).box == Box{5.5, 6, 7, 8});
    CHECK(results.images[2].detections.empty());
    CHECK_FALSE(results.records_every_image);
    CHECK_FALSE(results.has_corner_columns);
    CHECK(results.warnings.empty());
}

TEST_CASE("columns of CSV results have the usual names", "[results][csv]") {
    CHECK(only("filename,Left,Top,Right,Bottom,Confidence\na,1,2,4,6,0.5\n").box == Box{1, 2, 3, 4});
    CHECK(only("path;x_min;y_min;x_max;y_max;prob\na;1;2;4;6;0,5\n").score == 0.5);
    CHECK(only("x1,y1,x2,y2,conf,file\n1,2,4,6,0.5,a\n").box == Box{1, 2, 3, 4});
    CHECK(only("file\tx0\ty0\tx1\ty1\tscore\na\t1\t2\t4\t6\t0.5\n").box == Box{1, 2, 3, 4});
    CHECK(only("image,bbox_x,bbox_y,bbox_w,bbox_h,score\na,1,2,3,4,0.5\n").box == Box{1, 2, 3, 4});
    CHECK(only("image,left,top,width,height,probability\r\na,1,2,3,4,0.5\r\n").box == Box{1, 2, 3, 4});
    // TensorFlow's: the width and height are the image's.
    CHECK(only("filename,width,height,class,xmin,ymin,xmax,ymax,score\na,640,480,face,1,2,4,6,1\n").box ==
          Box{1, 2, 3, 4});
    // A byte order mark, as Excel writes it.
    CHECK(only("\xEF\xBB\xBFimage,x,y,w,h,score\na,1,2,3,4,0.5\n").box == Box{1, 2, 3, 4});
    CHECK(read("image,x1,y1,x2,y2,score\na,1,2,4,6,1\n").has_corner_columns);
}

TEST_CASE("CSV results without scores count with 1, and it is said", "[results][csv]") {
    const DetectionResults results = read("image,x,y,w,h\na,1,2,3,4\n");
    CHECK(results.images.at(0).detections.at(0).score == 1);
    REQUIRE(results.warnings.size() == 1);
    CHECK_THAT(results.warnings[0], Contains("no column of scores") && Contains("score 1"));
}

TEST_CASE("CSV results that cannot be understood say what was looked for", "[results][csv]") {
    CHECK_THAT(failure("a.jpg,1,2,3,4,0.5\nb.jpg,1,2,3,4,0.5\n"),
               Contains("r.csv:1: expected a first line that names the columns") && Contains("filename") &&
                   Contains("x1, y1, x2, y2") && Contains("confidence"));
    CHECK_THAT(
        failure("image,x,y,score\na,1,2,3\n"),
        Contains("no column is named as the box's width or right edge, the box's height or lower edge") &&
            Contains("the line is 'image,x,y,score'"));
    CHECK_THAT(failure("id,x,y,w,h,score\n1,1,2,3,4,5\n"),
               Contains("no column is named as the image's name"));
    CHECK_THAT(failure("image,x,y,w,h,score\na,1,2,3\n"),
               Contains("r.csv:2: the first line names 6 columns, and here are 4 cells"));
    CHECK_THAT(failure("image,x,y,w,h,score\na,1,2,3,4,high\n"),
               Contains("the score is 'high', expected a finite number"));
    CHECK_THAT(failure("image,x,y,w,h,score\na,1,,3,4,1\n"), Contains("the upper edge is ''"));
    CHECK_THAT(failure("image,x1,y1,x2,y2,score\na,9,2,3,4,1\n"), Contains("lies before its opposite"));
    CHECK_THAT(failure("image,x,y,w,h,score\n,1,2,3,4,1\n"), Contains("the image's name is empty"));
    CHECK_THAT(failure("image,x,y,w,h,score\n\"a,1,2,3,4,1\n"), Contains("a quote is not closed"));
}

TEST_CASE("lines of the other formats are no CSV", "[results][csv]") {
    // Names may hold commas.
    CHECK(read("a,b,c,d,e.jpg 1 2 3 4 0.5\n").images.at(0).image == "a,b,c,d,e.jpg");
    CHECK(read("a.jpg\t1\t2\t3\t4\t0.5\n").images.at(0).image == "a.jpg");
    CHECK(read("a.jpg 1 2 3 4 0.5\n", "text:").images.size() == 1);
    CHECK(read("image,x,y,w,h,score\n", "csv:").images.empty());
}

TEST_CASE("spellings: CSV", "[results][csv][spelling]") {
    const std::string heading = "image,x,y,w,h,score\n";
    for (const char* const row :
         {"a.jpg,1,2,3,4,0.5", "a.jpg,1.0,+2,3e0,4.,5e-1", "a.jpg,1,2,3,4,0.5,", "a.jpg,1,2,3,4,0.5,,,",
          "\"a.jpg\", \"1\" ,2,3,4, 0.5", "a.jpg,1,2,3,4,0.5\r"}) {
        CAPTURE(row);
        const Detection found = only(heading + row + "\n");
        CHECK(found.box == Box{1, 2, 3, 4});
        CHECK(found.score == 0.5);
    }
    // Rows of a spreadsheet that are empty, and headings that end with empty cells.
    CHECK(only("image,x,y,w,h,score,,\na.jpg,1,2,3,4,0.5,,\n,,,,,,,\n\n").box == Box{1, 2, 3, 4});
    // Cells at the end that nothing needs may be absent.
    CHECK(only("image,x,y,w,h,score,comment,by\na.jpg,1,2,3,4,0.5\n").score == 0.5);
    CHECK_THAT(failure("image,x,y,w,h,score,comment\na.jpg,1,2,3,4\n"), Contains("here are 5 cells"));
    CHECK_THAT(failure(heading + "a.jpg,1,2,3,4,0.5,6\n"), Contains("here are 7 cells"));
    for (const char* const blank : {"", "NaN", "nan", "NA", "N/A", "null", "NULL", "None", "<NA>"}) {
        CAPTURE(blank);
        const std::string cell(blank);
        CHECK(read(heading + "a.jpg," + cell + "," + cell + "," + cell + "," + cell + ",\n")
                  .images.at(0)
                  .detections.empty());
    }
    // Excel's first line, decimal commas.
    CHECK(only("sep=;\r\nimage;x;y;w;h;score\r\na.jpg;1,0;2;3;4;0,5\r\n").box == Box{1, 2, 3, 4});
    CHECK(only("image\tx\ty\tw\th\tscore\na.jpg\t1,0\t2\t3\t4\t0,5\n").score == 0.5);
    CHECK(only("sep=\t\nimage\tx\ty\tw\th\tscore\na.jpg\t1\t2\t3\t4\t0.5\n").score == 0.5);
    CHECK_THAT(failure("sep=;\nimage;x;y;w;h;score\na.jpg;1;2;3;4;high\n"), Contains("r.csv:3:"));
    CHECK(only("image,x,y,w,h,score\ra.jpg,1,2,3,4,0.5\r").score == 0.5);
    const DetectionResults negative = read(heading + "a.jpg,1,2,-3,4,0.5\n");
    CHECK(negative.images.at(0).detections.at(0).box == Box{1, 2, -3, 4});
    REQUIRE(negative.warnings.size() == 1);
    CHECK_THAT(negative.warnings[0], Contains("1 box has a width or height below 0"));
    for (const test::Encoded& encoded : test::encodings_of(heading + "\u00E9.jpg,1,2,3,4,0.5\n", true)) {
        INFO(encoded.name);
        CHECK(read(encoded.bytes).images.at(0).image == "\u00E9.jpg");
    }
}
