#include <cstring>
#include <map>

#include "lib/core/error.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/files/file.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/results.hpp"
#include "tests/lib/dataset/readers/mat_files.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

const std::vector<const char*> fields{"imgname", "objects"};

// Columns: x1 y1 x2 y2, something, ignore.
std::filesystem::path write_annotations(const TempDir& dir) {
    return write_mat(
        dir.path() / "afw.mat",
        {mat_structs("Annotations", fields,
                     {{mat_text("1.jpg"), mat_matrix(6, {10, 100, 20, 0, 40, 150, 60, 50, 0, 0, 0, 1})},
                      {mat_text("2"), mat_matrix(4, {1, 2, 3.5, 4})},
                      {mat_text("3.png"), mat_matrix(6, {})}})});
}

}  // namespace

TEST_CASE("face-eval: the annotation of AFW and PASCAL faces", "[dataset][face-eval]") {
    const TempDir dir;
    const auto file = write_annotations(dir);
    const Dataset dataset = read_dataset("face-eval:" + file.string());
    CHECK(dataset.format == "face-eval");
    CHECK(read_dataset(file.string()).format == "face-eval");
    CHECK(images_of(dataset) == std::vector<std::string>{"1.jpg", "2.jpg", "3.png"});
    REQUIRE(dataset.samples[0].faces.size() == 2);
    CHECK(dataset.samples[0].faces[0].box == Box{10, 20, 30, 40});
    CHECK_FALSE(dataset.samples[0].faces[0].ignore);
    CHECK(dataset.samples[0].faces[1].box == Box{100, 0, 50, 50});
    CHECK(dataset.samples[0].faces[1].ignore);
    CHECK(dataset.samples[1].faces[0].box == Box{1, 2, 2.5, 2});
    CHECK(dataset.samples[2].annotated);
    CHECK(dataset.samples[2].faces.empty());
    CHECK(dataset.samples[0].path == dir.path() / "1.jpg");
}

TEST_CASE("face-eval: the first annotation of AFW", "[dataset][face-eval]") {
    const TempDir dir;
    // Two rows: names in the first column, boxes [x1 y1; x2 y2] in the second.
    const auto file = write_mat(
        dir.path() / "anno.mat",
        {mat_cells({mat_text("1.jpg"), mat_text("2.jpg"),
                    mat_cells({mat_matrix(2, {10, 40, 20, 60}), mat_matrix(2, {0, 5, 0, 7})}), mat_cells({})},
                   "anno", 2)});
    const Dataset dataset = read_dataset("face-eval:" + file.string());
    REQUIRE(images_of(dataset) == std::vector<std::string>{"1.jpg", "2.jpg"});
    REQUIRE(dataset.samples[0].faces.size() == 2);
    CHECK(dataset.samples[0].faces[0].box == Box{10, 20, 30, 40});
    CHECK(dataset.samples[0].faces[1].box == Box{0, 0, 5, 7});
    CHECK(dataset.samples[1].faces.empty());
}

TEST_CASE("face-eval: broken annotations are named", "[dataset][face-eval]") {
    const TempDir dir;
    const auto refused = [&](matvar_t* variable) {
        return error_of("face-eval:" + write_mat(dir.path() / "a.mat", {variable}).string());
    };
    CHECK_THAT(refused(mat_cells({mat_text("x")}, "other")),
               Contains("neither the variable Annotations nor anno"));
    CHECK_THAT(refused(mat_structs("Annotations", {"imgname"}, {{mat_text("1")}})),
               Contains("Annotations(1).objects: there is no such field"));
    CHECK_THAT(refused(mat_cells({mat_text("x")}, "Annotations")), Contains("expected a struct array"));
    CHECK_THAT(refused(mat_structs("Annotations", fields, {{mat_text("1"), mat_matrix(3, {1, 2, 3})}})),
               Contains("expected rows of at least four numbers"));
    CHECK_THAT(refused(mat_structs("Annotations", fields, {{mat_text("1"), mat_matrix(4, {5, 5, 4, 9})}})),
               Contains("Annotations(1).objects: expected x1 y1 x2 y2"));
    CHECK_THAT(refused(mat_structs("Annotations", fields, {{mat_text(""), mat_matrix(4, {1, 1, 4, 9})}})),
               Contains("imgname"));
    CHECK_THAT(refused(mat_cells({mat_text("1"), mat_cells({mat_matrix(4, {1, 2, 3, 4})})}, "anno", 2)),
               Contains("expected corners [x1 y1; x2 y2]"));
    CHECK_THAT(refused(mat_cells({mat_text("1")}, "anno")), Contains("rows of a name and a cell of boxes"));
}

TEST_CASE("face-eval: a truncated file is read or refused", "[dataset][face-eval]") {
    const TempDir dir;
    const std::string bytes = read_file(write_annotations(dir), "test data");
    CHECK(read_truncated("face-eval:", dir, "t.mat", bytes) > bytes.size() / 2);
}

TEST_CASE("face-eval: the other files of published detectors", "[results][face-eval]") {
    const TempDir dir;
    const Dataset dataset = read_dataset("face-eval:" + write_annotations(dir).string());
    const auto boxes = [&](const std::filesystem::path& file) {
        std::map<std::string, std::vector<Detection>> found;
        for (ImageResult& image : read_results("face-eval:" + file.string(), dataset).images)
            found[image.image] = std::move(image.detections);
        return found;
    };
    const auto names = [](const char* variable) {
        return mat_cells({mat_text("1.jpg"), mat_text("3")}, variable);
    };
    const auto named = [](matvar_t* value, const char* name) {
        value->name = strdup(name);
        return value;
    };
    auto found = boxes(write_mat(dir.path() / "a.ramananmat",
                                 {names("ids"), named(mat_matrix(2, {1, 2, 11, 22, 5, 6, 15, 26}), "BB"),
                                  named(mat_matrix(1, {0.5, -2}), "sc")}));
    CHECK(found["1.jpg"].at(0).box == Box{1, 2, 10, 20});
    CHECK(found["3.png"].at(0).score == -2);
    found = boxes(write_mat(dir.path() / "b.mat",
                            {names("ids"), named(mat_matrix(2, {1, 2, 11, 22, 5, 6, 15, 26}), "BB"),
                             named(mat_matrix(1, {1, 0}), "del")}));
    CHECK(found.size() == 1);
    CHECK(found["3.png"].at(0).score == 1);
    found = boxes(
        write_mat(dir.path() / "c.shenmat",
                  {mat_cells({mat_structs(nullptr, {"filename", "faces"},
                                          {{mat_text("D:\\afw\\1.jpg"), mat_matrix(5, {1, 2, 3, 4, 0.25})}})},
                             "DetectionResults")}));
    CHECK(found["1.jpg"].at(0).box == Box{1, 2, 3, 4});
    CHECK(found["1.jpg"].at(0).score == 0.25);
    found = boxes(dir.write("d.csv", "a;b;c;d;e;f;g;x;y;w;h\n1;2;3.jpg;;;;;7;8;9;10\n"));
    CHECK(found["3.png"].at(0).box == Box{7, 8, 9, 10});
    const auto refused = [&](const std::filesystem::path& file) {
        try {
            boxes(file);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    CHECK_THAT(refused(write_mat(dir.path() / "e.mat", {names("other")})),
               Contains("expected the variables ids and BB"));
    CHECK_THAT(
        refused(write_mat(dir.path() / "f.mat", {names("ids"), named(mat_matrix(1, {1, 2, 3, 4}), "BB")})),
        Contains("a column for each of ids"));
    CHECK_THAT(refused(write_mat(dir.path() / "g.mat",
                                 {names("ids"), named(mat_matrix(2, {5, 2, 1, 22, 5, 6, 15, 26}), "BB")})),
               Contains("x2 and y2 not below"));
    CHECK_THAT(refused(dir.write("h.csv", "a;b;c;d;e;f;g;x;y;w;h\n1;2;3.jpg;;;;;7;8;x;10\n")),
               Contains("h.csv:2"));
}

TEST_CASE("face-eval: results name images up to the first dot", "[results][face-eval]") {
    const TempDir dir;
    const Dataset dataset = read_dataset("face-eval:" + write_annotations(dir).string());
    const auto file = dir.write("found.txt", "3.v2.jpg 0.5 10 20 40.5 60\n1 -2 0 0 5 5\n1 3 1 1 2 2\n");
    const DetectionResults results = read_results("face-eval:" + file.string(), dataset);
    REQUIRE(results.images.size() == 2);
    CHECK(results.images[0].image == "3.png");
    CHECK(results.images[0].detections[0].box == Box{10, 20, 30.5, 40});
    CHECK(results.images[0].detections[0].score == 0.5);
    CHECK(results.images[1].image == "1.jpg");
    CHECK(results.images[1].detections.size() == 2);
    CHECK(results.images[1].places == std::vector<std::uint32_t>{1, 2});
    const auto broken = dir.write("broken.txt", "1 0.5 10 20 9 60\n");
    CHECK_THROWS_WITH(read_results("face-eval:" + broken.string(), dataset),
                      Contains("XMAX and YMAX not below"));
}
