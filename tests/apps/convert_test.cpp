#include <algorithm>
#include <filesystem>

#include <catch2/catch.hpp>
#include <turbojpeg.h>

#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;

namespace {

/// Two images, the first with a face; results for both.
struct Files {
    Files() {
        folder.write("set/a.pgm", edge_pgm(40, 30));
        folder.write("set/b.pgm", noise_pgm(60, 60, 1));
        folder.write(
            "set/faces.xml",
            "<dataset><images><image file='a.pgm'><box top='0' left='10' width='20' height='15'/></image>"
            "<image file='b.pgm'/></images></dataset>");
        dataset = "dlib:" + path("set/faces.xml");
        results = folder.write("found.txt", "b.pgm 0 0 5 5 2\na.pgm 10 0 20 20 9\n").string();
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }

    TempDir folder;
    std::string dataset;
    std::string results;
};

}  // namespace

TEST_CASE("convert writes YOLO labels from sizes that the images tell", "[convert]") {
    const Files f;
    const ProgramResult result =
        run_fovea({"convert", f.dataset, "--to", "yolo", "--out", f.path("yolo"), "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["format"] == "yolo");
    CHECK(json["files"] == 3);
    CHECK(json["faces"] == 1);
    CHECK(json["losses"].empty());
    // In 40x30: centre (20, 7.5), 20x15.
    CHECK(read_file(f.path("yolo/labels/a.txt")) == "0 0.5 0.25 0.5 0.5\n");
    CHECK(read_file(f.path("yolo/labels/b.txt")).empty());

    f.folder.write("set/b.pgm", "no image");
    const ProgramResult skipped = run_fovea({"convert", f.dataset, "--to", "yolo", "--out", f.path("again")});
    CHECK(skipped.exit_code == 3);
    CHECK_THAT(skipped.err, Contains("1 of 2 images could not be read: b.pgm") &&
                                Contains("1 image has no label file because the size is not known"));
    CHECK_FALSE(std::filesystem::exists(f.path("again/labels/b.txt")));
}

TEST_CASE("convert writes shares of the displayed picture", "[convert]") {
    const TempDir folder;
    // Stored with 40 columns and 20 rows, displayed turned clockwise. The set states the stored size.
    const ByteVector jpeg = with_exif(encode_jpeg(colour_picture(40, 20), TJSAMP_420), make_exif(6, true));
    folder.write("images/a.jpg", {jpeg.begin(), jpeg.end()});
    const auto labels_of = [&](const std::string& box) {
        const auto set = folder.write(
            "set.json", R"({"images":[{"id":1,"file_name":"a.jpg","width":40,"height":20}],"annotations":[)"
                        R"({"id":1,"image_id":1,"category_id":1,"bbox":)" +
                            box + R"(,"area":40,"iscrowd":0}],"categories":[{"id":1,"name":"face"}]})");
        const std::string out = (folder.path() / "yolo").string();
        const ProgramResult result =
            run_fovea({"convert", "coco:" + set.string(), "--to", "yolo", "--out", out, "--overwrite"});
        CAPTURE(result.err);
        CHECK(result.exit_code == 0);
        CHECK_THAT(result.err, Contains("EXIF turns for display"));
        return read_file(out + "/labels/a.txt");
    };
    // On stored pixels: displayed at (7, 30), 5 wide and 8 high, in 20 x 40.
    CHECK(labels_of("[30,8,8,5]") == "0 0.475 0.85 0.25 0.2\n");
    // The displayed box itself.
    CHECK(labels_of("[7,30,5,8]") == "0 0.475 0.85 0.25 0.2\n");
}

TEST_CASE("convert writes results for other programs", "[convert]") {
    const Files f;
    const ProgramResult fddb = run_fovea({"convert", f.dataset, "--results", f.results, "--to", "fddb"});
    CAPTURE(fddb.err);
    REQUIRE(fddb.exit_code == 0);
    CHECK(fddb.out == "a\n1\n10 0 20 20 9\nb\n1\n0 0 5 5 2\n");
    CHECK_THAT(fddb.err, Contains("2 images, 2 detections"));
    const ProgramResult lines =
        run_fovea({"convert", "--results", f.results, "--out", f.path("found.jsonl"), "--json"});
    CHECK(lines.exit_code == 0);
    CHECK(Json::parse(lines.out)["detections"] == 2);
    CHECK(Json::parse(lines.out)["format"] == "jsonl");
    const ProgramResult back = run_fovea({"convert", "--results", f.path("found.jsonl"), "--to", "text"});
    CHECK(back.out == read_file(f.results));
    const ProgramResult wider =
        run_fovea({"convert", "--results", f.results, "--to", "wider", "--out", f.path("w")});
    CHECK(wider.exit_code == 0);
    CHECK(read_file(f.path("w/a.txt")) == "a.pgm\n1\n10 0 20 20 9\n");
}

TEST_CASE("convert: wrong usage is one sentence, and no input is lost", "[convert]") {
    const Files f;
    const auto usage_error = [](const std::vector<std::string>& arguments) {
        const ProgramResult result = run_fovea(arguments);
        CAPTURE(arguments, result.out);
        CHECK(result.exit_code == 2);
        CHECK(result.out.empty());
        return result.err;
    };
    CHECK_THAT(usage_error({"convert"}), Contains("nothing to convert"));
    CHECK_THAT(usage_error({"convert", f.dataset, "--to", "voc"}), Contains("voc is a folder"));
    CHECK_THAT(usage_error({"convert", f.dataset, "--to", "jsonl"}),
               Contains("--to is one of mit-cmu-boxes, dlib") && Contains("named with --results"));
    CHECK_THAT(usage_error({"convert", "--results", f.results, "--to", "dlib"}),
               Contains("jsonl, coco, text"));
    // Formats that are read alone: the reason is said, and help and completion do not offer them.
    CHECK_THAT(
        usage_error({"convert", f.dataset, "--to", "face-eval"}),
        Contains("a dataset cannot be written as face-eval: it is a file of MATLAB's; --to is one of"));
    CHECK_THAT(usage_error({"convert", "--results", f.results, "--to", "face-eval"}),
               Contains("results cannot be written as face-eval: voc has the same lines"));
    CHECK_THAT(usage_error({"convert", f.dataset, "--to", "fbdb"}), Contains("did you mean 'fddb'?"));
    CHECK_THAT(usage_error({"convert", "--results", f.results, "--to", "fddb"}),
               Contains("name it as DATASET"));
    CHECK_THAT(usage_error({"convert", f.dataset, "--to", "feather", "--out", f.path("x")}),
               Contains("feather"));
    for (const std::string& results : {f.results, "text:" + f.results}) {
        CHECK_THAT(usage_error({"convert", "--results", results, "--to", "coco", "--out", f.results}),
                   Contains("is also an input"));
    }
    CHECK(read_file(f.results).starts_with("b.pgm"));
    const ProgramResult pairs =
        run_fovea({"convert", f.dataset, "--to", "lfw", "--out", f.path("pairs.txt")});
    CHECK(pairs.exit_code == 1);
    CHECK_THAT(pairs.err, Contains("has no list of pairs"));
    CHECK_FALSE(std::filesystem::exists(f.path("pairs.txt")));
}

TEST_CASE("convert writes tables of faces, whatever the names", "[convert]") {
    const Files f;
    const std::string lines =
        R"({"image":"a\nb, \"c\".jpg","width":9,"height":8,"status":"ok","detections":[{"box":[1,2,3,4],"score":0.5}]})"
        "\n"
        R"({"image":"empty.jpg","width":9,"height":8,"status":"ok","detections":[]})"
        "\n"
        R"({"image":"broken.jpg","status":"unreadable: no JPEG","detections":[]})"
        "\n";
    const std::string file = f.folder.write("r.jsonl", lines).string();
    const ProgramResult csv =
        run_fovea({"convert", "--results", file, "--to", "csv", "--out", f.path("r.csv"), "--json"});
    CAPTURE(csv.err);
    REQUIRE(csv.exit_code == 0);
    CHECK(Json::parse(csv.out)["images"] == 3);
    CHECK(Json::parse(csv.out)["detections"] == 1);
    CHECK(Json::parse(csv.out)["files"] == 1);
    CHECK(run_fovea({"convert", "--results", file, "--to", "csv"}).out == read_file(f.path("r.csv")));
    // Back again, and through a file that is read as a whole.
    CHECK(run_fovea({"convert", "--results", f.path("r.csv"), "--to", "jsonl"}).out == lines);
    CHECK(run_fovea({"convert", "--results", f.path("r.csv"), "--to", "csv"}).out ==
          read_file(f.path("r.csv")));

    const ProgramResult sqlite =
        run_fovea({"convert", "--results", file, "--to", "sqlite", "--out", f.path("r.sqlite")});
    CAPTURE(sqlite.err);
    CHECK(sqlite.exit_code == 0);
    CHECK(read_file(f.path("r.sqlite")).starts_with("SQLite format 3"));
    CHECK(run_fovea({"convert", "--results", file, "--to", "sqlite"}).exit_code == 2);
    // A dataset gives its images and no others.
    const ProgramResult of_set =
        run_fovea({"convert", f.dataset, "--results", f.results, "--to", "csv", "--limit", "1"});
    CHECK_THAT(of_set.out, Contains("\na.pgm,,,") && !Contains("b.pgm"));
}

TEST_CASE("convert names the image that a format cannot hold, and those that can", "[convert]") {
    const Files f;
    const auto to_text = [&](const std::string& detections) {
        const std::string line = R"({"image":"a\nb.jpg","status":"ok","detections":[)" + detections + "]}\n";
        return run_fovea({"convert", "--results", f.folder.write("n.jsonl", line).string(), "--to", "text"});
    };
    const ProgramResult refused = to_text(R"({"box":[1,2,3,4],"score":1})");
    CHECK(refused.exit_code == 1);
    CHECK_THAT(refused.err, Contains("cannot be named in the format text") && Contains("csv, sqlite"));
    // An image without detections is not named.
    CHECK(to_text("").exit_code == 0);
    CHECK(to_text("").out.empty());
}

TEST_CASE("convert writes nothing outside of its output folder, whatever the images are called",
          "[convert]") {
    const TempDir folder;
    const auto path = [&](const std::string& name) { return (folder.path() / name).string(); };
    folder.write("victim/gt/gt.txt", "kept");
    folder.write("victim/seqinfo.ini", "kept");
    const auto files_outside = [&] {
        std::vector<std::string> files;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
            const std::string file = entry.path().lexically_relative(folder.path()).string();
            if (!file.starts_with("out")) files.push_back(file);
        }
        std::sort(files.begin(), files.end());
        return files;
    };
    for (const std::string& image :
         {std::string("../victim/x.jpg"), path("victim/x.jpg"), std::string("a/../../victim/x.jpg"),
          std::string("..\\victim\\x.jpg"), std::string("../../victim/x.jpg")}) {
        CAPTURE(image);
        const Json set{
            {"images", {{{"id", 1}, {"file_name", image}, {"width", 40}, {"height", 30}}}},
            {"annotations", {{{"id", 1}, {"image_id", 1}, {"category_id", 1}, {"bbox", {1, 2, 3, 4}}}}},
            {"categories", {{{"id", 1}, {"name", "face"}}}}};
        const Json line{{"image", image},
                        {"status", "ok"},
                        {"detections", {{{"box", {1, 2, 3, 4}}, {"score", 1}, {"track", 1}}}}};
        const std::string dataset = "coco:" + folder.write("set.json", set.dump()).string();
        const std::string results = folder.write("r.jsonl", line.dump() + "\n").string();
        const std::vector<std::string> before = files_outside();
        // Those that write a folder; others have a file that the user names.
        for (const char* format : {"mot", "voc", "yolo"}) {
            CAPTURE(format);
            const ProgramResult of_set =
                run_fovea({"convert", dataset, "--to", format, "--out", path("out"), "--overwrite"});
            CAPTURE(of_set.err);
            CHECK((of_set.exit_code == 0 || of_set.err.find("outside of") != std::string::npos));
            CHECK(files_outside() == before);
        }
        if (image.find('\\') != std::string::npos) continue;  // a file of that name in the dataset's folder
        for (const char* format : {"mot", "wider", "yolo"}) {
            CAPTURE(format);
            const ProgramResult of_results = run_fovea({"convert", dataset, "--results", results, "--to",
                                                        format, "--out", path("out"), "--overwrite"});
            CHECK(of_results.exit_code == 1);
            CHECK_THAT(of_results.err, Contains("outside of the"));
            CHECK(files_outside() == before);
        }
        const ProgramResult mot = run_fovea({"convert", dataset, "--to", "mot", "--out", path("out")});
        CHECK(mot.exit_code == 1);
        CHECK_THAT(mot.err, Contains("would lie outside of the output folder"));
        CHECK(read_file(path("victim/gt/gt.txt")) == "kept");
        CHECK(read_file(path("victim/seqinfo.ini")) == "kept");
    }
}
