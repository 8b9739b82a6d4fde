#include <limits>

#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/readers/mat_files.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

matvar_t* events() {
    return mat_cells({mat_text("0--Parade"), mat_text("1--Rain")}, "event_list");
}

matvar_t* names(const std::string& last = "c") {
    return mat_cells({mat_cells({mat_text("a"), mat_text("b")}), mat_cells({mat_text(last)})}, "file_list");
}

/// gt_list of the images a (two faces), b (none), c (one face).
void write_level(const TempDir& dir, const std::string& level, const std::vector<double>& a,
                 const std::vector<double>& c) {
    write_mat(dir.path() / ("wider_" + level + "_val.mat"),
              {events(), names(),
               mat_cells({mat_cells({mat_matrix(1, a), mat_matrix(1, {})}), mat_cells({mat_matrix(1, c)})},
                         "gt_list")});
}

// The official list has an all-zero line for an image without faces.
constexpr const char* annotation =
    "0--Parade/a.jpg\n2\n449 330 122 149 0 0 0 0 0 0 \n10 20 0 0 2 1 1 1 2 1 \n"
    "0--Parade/b.jpg\n0\n0 0 0 0 0 0 0 0 0 0 \n"
    "1--Rain/c.jpg\n1\n1.5 2 3 4 1 0 0 0 1 0\n";

std::string refused(const std::string& text) {
    const TempDir dir;
    return error_of("wider:" + dir.write("list.txt", text).string());
}

std::vector<std::string> levels_of(const Face& face) {
    std::vector<std::string> levels;
    for (const char* const level : {"easy", "medium", "hard"}) {
        if (find_attribute(face.attributes, level) != nullptr) levels.emplace_back(level);
    }
    return levels;
}

}  // namespace

TEST_CASE("wider: the text annotation", "[dataset][wider]") {
    const TempDir dir;
    const auto file = dir.write("wider_face_split/wider_face_val_bbx_gt.txt", annotation);
    dir.write("WIDER_val/images/0--Parade/a.jpg", "x");
    const Dataset dataset = read_dataset("wider:" + dir.path().string());
    CHECK(dataset.format == "wider");
    CHECK(images_of(dataset) ==
          std::vector<std::string>{"0--Parade/a.jpg", "0--Parade/b.jpg", "1--Rain/c.jpg"});
    CHECK(dataset.samples[0].path == dir.path() / "WIDER_val/images/0--Parade/a.jpg");
    CHECK(dataset.samples[2].attributes == std::vector<Attribute>{{"event", "1--Rain"}});
    CHECK(dataset.samples[1].annotated);
    CHECK(dataset.samples[1].faces.empty());
    // Boxes without area and invalid faces stay: the official evaluation has them too.
    CHECK(dataset.face_count() == 3);
    const std::vector<Face>& faces = dataset.samples[0].faces;
    CHECK(faces[0].box == Box{449, 330, 122, 149});
    CHECK(faces[0].attributes == std::vector<Attribute>{{"blur", "clear"},
                                                        {"expression", "typical"},
                                                        {"illumination", "normal"},
                                                        {"invalid", "no"},
                                                        {"occlusion", "none"},
                                                        {"pose", "typical"}});
    CHECK(faces[1].box == Box{10, 20, 0, 0});
    CHECK(faces[1].attributes == std::vector<Attribute>{{"blur", "heavy"},
                                                        {"expression", "exaggerate"},
                                                        {"illumination", "extreme"},
                                                        {"invalid", "yes"},
                                                        {"occlusion", "heavy"},
                                                        {"pose", "atypical"}});
    CHECK(*find_attribute(dataset.samples[2].faces[0].attributes, "blur") == "normal");
    CHECK(*find_attribute(dataset.samples[2].faces[0].attributes, "occlusion") == "partial");
    CHECK(read_dataset(file.string()).format == "wider");
}

TEST_CASE("wider: boxes of negative size are read, as the official list has some", "[dataset][wider]") {
    const TempDir dir;
    const auto file = dir.write("list.txt", "a.jpg\n1\n1026 474 -2 23 2 0 0 0 2 0\n");
    CHECK(read_dataset("wider:" + file.string()).samples[0].faces[0].box == Box{1026, 474, -2, 23});
}

TEST_CASE("wider: broken annotation", "[dataset][wider]") {
    CHECK_THAT(refused("a.jpg\n1\n1 2 3 4 0 0 0 0 0\n"), Contains("list.txt:3:") && Contains("a face"));
    CHECK_THAT(refused("a.jpg\n0\n1 2 3 4 0 0 0 0 0 0\n"), Contains("list.txt:3:"));
    CHECK_THAT(refused("a.jpg\n0\na.jpg\n0\n"), Contains("list.txt:3:") && Contains("list.txt:1 too"));
    CHECK_THAT(refused("\n"), Contains("names no image"));
    const TempDir dir;
    CHECK(is_usage_error("wider:" + dir.path().string()));
    CHECK(read_truncated("wider:", dir, "t.txt", annotation) > 50);
}

TEST_CASE("wider: the lists of easy, medium and hard faces", "[dataset][wider]") {
    const TempDir dir;
    const auto file = dir.write("list.txt", annotation);
    const std::string both = "wider:" + file.string() + ",mat=" + dir.path().string();
    CHECK_THAT(error_of(both), Contains("none of wider_easy_val.mat"));
    write_level(dir, "easy", {1}, {});
    write_level(dir, "medium", {1}, {1});
    write_level(dir, "hard", {2, 1}, {1});
    const Dataset dataset = read_dataset(both);
    CHECK(levels_of(dataset.samples[0].faces[0]) == std::vector<std::string>{"easy", "medium", "hard"});
    CHECK(levels_of(dataset.samples[0].faces[1]) == std::vector<std::string>{"hard"});
    CHECK(levels_of(dataset.samples[2].faces[0]) == std::vector<std::string>{"medium", "hard"});
    CHECK(*find_attribute(dataset.samples[0].faces[1].attributes, "hard") == "yes");
    CHECK(dataset.sources.size() == 4);

    write_level(dir, "hard", {3}, {1});
    CHECK_THAT(error_of(both), Contains("gt_list{1}{1}") && Contains("2 faces") && Contains("3 is none"));
    write_level(dir, "hard", {0}, {1});
    CHECK_THAT(error_of(both), Contains("0 is none"));
    write_level(dir, "hard", {1.5}, {1});
    CHECK_THAT(error_of(both), Contains("1.5 is none"));
    write_level(dir, "hard", {1, 1}, {1});
    CHECK_THAT(error_of(both), Contains("1 stands twice"));
}

TEST_CASE("wider: the lists of levels are found where the official archives have them", "[dataset][wider]") {
    const std::string lists = GENERATE("wider_face_split", "", "eval_tools/ground_truth", "ground_truth");
    CAPTURE(lists);
    const TempDir dir;
    dir.write("wider_face_split/wider_face_val_bbx_gt.txt", annotation);
    const auto other = dir.write("wider_face_split/wider_face_train_bbx_gt.txt", annotation);
    CHECK(read_dataset("wider:" + dir.path().string()).sources.size() == 1);
    std::filesystem::create_directories(dir.path() / lists);
    const auto write = [&](const char* level) {
        write_mat(
            dir.path() / lists / ("wider_" + std::string(level) + "_val.mat"),
            {events(), names(),
             mat_cells({mat_cells({mat_matrix(1, {1}), mat_matrix(1, {})}), mat_cells({mat_matrix(1, {1})})},
                       "gt_list")});
    };
    write("easy");
    write("hard");
    for (const char* const path : {"", "/wider_face_split", "/wider_face_split/wider_face_val_bbx_gt.txt"}) {
        CAPTURE(path);
        const Dataset dataset = read_dataset("wider:" + dir.path().string() + path);
        CHECK(levels_of(dataset.samples[0].faces[0]) == std::vector<std::string>{"easy", "hard"});
        CHECK(dataset.sources.size() == 3);
    }
    // They are those of the validation part.
    CHECK(levels_of(read_dataset("wider:" + other.string()).samples[0].faces[0]).empty());
}

TEST_CASE("wider: lists of other images than the annotation's", "[dataset][wider]") {
    const TempDir dir;
    const auto file = dir.write("list.txt", annotation);
    const std::string both = "wider:" + file.string() + ",mat=" + dir.path().string();
    const auto empty = [] { return mat_matrix(1, {}); };
    const auto lists = [&] {
        return mat_cells({mat_cells({empty(), empty()}), mat_cells({empty()})}, "gt_list");
    };
    const auto easy = dir.path() / "wider_easy_val.mat";
    write_mat(easy, {events(), names("other"), lists()});
    CHECK_THAT(error_of(both), Contains("1--Rain/other.jpg") && Contains("not in the annotation"));
    write_mat(easy,
              {events(), mat_cells({mat_cells({mat_text("a"), mat_text("b")}), mat_cells({})}, "file_list"),
               mat_cells({mat_cells({empty(), empty()}), mat_cells({})}, "gt_list")});
    CHECK_THAT(error_of(both), Contains("1 image of the annotation") && Contains("1--Rain/c.jpg"));
    write_mat(easy, {events(), names(), mat_cells({mat_cells({empty()}), mat_cells({empty()})}, "gt_list")});
    CHECK_THAT(error_of(both), Contains("gt_list") && Contains("event 1") && Contains("(2), not 1"));
    write_mat(easy, {events(), mat_cells({mat_cells({mat_text("a")})}, "file_list"), lists()});
    CHECK_THAT(error_of(both), Contains("2 events") && Contains("file_list 1"));
    write_mat(easy, {events(), names()});
    CHECK_THAT(error_of(both), Contains("no variable gt_list"));
    dir.write("wider_easy_val.mat", "no MATLAB file at all");
    CHECK_THAT(error_of(both), Contains("is no MATLAB file"));
}

TEST_CASE("wider: ground truth from wider_face_val.mat alone", "[dataset][wider]") {
    const TempDir dir;
    const auto boxes = [](std::vector<double> c = {1.5, 2, 3, 4}) {
        // Two faces by columns: x of both, y of both, ...
        return mat_cells({mat_cells({mat_matrix(4, {449, 10, 330, 20, 122, 0, 149, 0}), mat_matrix(4, {})}),
                          mat_cells({mat_matrix(4, c)})},
                         "face_bbx_list");
    };
    const auto labels = [](const char* name, std::vector<double> a, double c) {
        return mat_cells({mat_cells({mat_matrix(1, a), mat_matrix(1, {})}), mat_cells({mat_matrix(1, {c})})},
                         name);
    };
    const auto file = dir.path() / "wider_face_val.mat";
    write_mat(file, {events(), names(), boxes(), labels("blur_label_list", {0, 2}, 1),
                     labels("invalid_label_list", {0, 1}, 0)});
    const Dataset dataset = read_dataset("wider:" + file.string());
    CHECK(images_of(dataset) ==
          std::vector<std::string>{"0--Parade/a.jpg", "0--Parade/b.jpg", "1--Rain/c.jpg"});
    CHECK(dataset.samples[0].faces[0].box == Box{449, 330, 122, 149});
    CHECK(dataset.samples[0].faces[1].box == Box{10, 20, 0, 0});
    CHECK(dataset.samples[0].faces[1].attributes ==
          std::vector<Attribute>{{"blur", "heavy"}, {"invalid", "yes"}});
    CHECK(dataset.samples[1].faces.empty());
    CHECK(dataset.samples[2].faces[0].box == Box{1.5, 2, 3, 4});
    CHECK(read_dataset(file.string()).format == "wider");
    CHECK(read_dataset("wider:" + dir.path().string()).face_count() == 3);

    // The lists mark faces there, too, and text of another version is refused.
    write_level(dir, "easy", {2}, {1});
    const Dataset marked = read_dataset("wider:" + file.string() + ",mat=" + dir.path().string());
    CHECK(levels_of(marked.samples[0].faces[1]) == std::vector<std::string>{"easy"});
    const auto list = dir.write("list.txt", std::string(annotation));
    CHECK(read_dataset("wider:" + list.string() + ",mat=" + dir.path().string()).face_count() == 3);
    const auto other = dir.write("other.txt", std::string(annotation) + "\n").string();
    write_mat(file, {events(), names(), boxes({1, 1, 2, 2, 3, 3, 4, 4})});
    CHECK_THAT(error_of("wider:" + other + ",mat=" + dir.path().string()),
               Contains("2 faces for the image '1--Rain/c.jpg'") && Contains("one version"));

    write_mat(file, {events(), names(), boxes({1, 2, 3, 4, 5, -6, 7, 8})});
    CHECK(read_dataset("wider:" + file.string()).samples[2].faces[1].box == Box{2, 4, -6, 8});
    write_mat(file, {events(), names(), boxes({1, 2, 3, std::numeric_limits<double>::infinity()})});
    CHECK_THAT(error_of("wider:" + file.string()),
               Contains("face_bbx_list{2}{1}") && Contains("finite numbers; row 1 is none"));
    write_mat(file, {events(), names(),
                     mat_cells({mat_cells({mat_matrix(2, {1, 2, 3, 4}), mat_matrix(4, {})}),
                                mat_cells({mat_matrix(4, {})})},
                               "face_bbx_list")});
    CHECK_THAT(error_of("wider:" + file.string()),
               Contains("face_bbx_list{1}{1}") && Contains("a matrix of 4 columns"));
    write_mat(file, {events(), names(), boxes(), labels("blur_label_list", {0}, 1)});
    CHECK_THAT(error_of("wider:" + file.string()),
               Contains("blur_label_list{1}{1}") && Contains("2 faces, not 1"));
    write_mat(file, {events(), names(), boxes(), labels("blur_label_list", {0, 7}, 1)});
    CHECK(*find_attribute(read_dataset("wider:" + file.string()).samples[0].faces[1].attributes, "blur") ==
          "7");
    write_mat(file, {events(), mat_cells({mat_matrix(1, {1}), mat_matrix(1, {2})}, "file_list"), boxes()});
    CHECK_THAT(error_of("wider:" + file.string()), Contains("file_list{1}") && Contains("cell array"));
    write_mat(file, {mat_cells({mat_matrix(1, {1})}, "event_list"), mat_cells({mat_cells({})}, "file_list"),
                     boxes()});
    CHECK_THAT(error_of("wider:" + file.string()), Contains("event_list{1}") && Contains("characters"));
}

TEST_CASE("wider: a damaged .mat is refused, whatever is cut off", "[dataset][wider]") {
    const TempDir dir;
    const auto whole = write_mat(dir.path() / "whole.mat",
                                 {events(), names(),
                                  mat_cells({mat_cells({mat_matrix(4, {1, 2, 3, 4}), mat_matrix(4, {})}),
                                             mat_cells({mat_matrix(4, {})})},
                                            "face_bbx_list")});
    std::ifstream stream(whole, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(stream), {});
    REQUIRE(read_dataset("wider:" + whole.string()).face_count() == 1);
    CHECK(read_truncated("wider:", dir, "t.mat", bytes) > bytes.size() / 2);
}
