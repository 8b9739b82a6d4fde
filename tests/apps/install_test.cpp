#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/apps/shell_words.hpp"
#include "tests/support/images.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/sources.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

/// `cmake --install` of the build that this test belongs to, into a folder that is moved afterwards: nothing
/// may depend on where it was. \param component one alone; empty = all
fs::path install(const TempDir& folder, const std::string& component = "program") {
    const fs::path first = folder.path() / "first", moved = folder.path() / "moved";
    std::vector<std::string> command{FOVEA_CMAKE, "--install", FOVEA_BUILD_FOLDER, "--prefix",
                                     first.string()};
    if (!component.empty()) command.insert(command.end(), {"--component", component});
    const ProgramResult result = run_program(command);
    INFO(result.out + result.err);
    REQUIRE(result.exit_code == 0);
    fs::rename(first, moved);
    return moved;
}

std::string text_of(const fs::path& file) {
    std::ifstream stream(file);
    REQUIRE(stream);
    return {std::istreambuf_iterator<char>(stream), {}};
}

fs::path find_file(const fs::path& folder, const std::string& name) {
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().filename() == name) return entry.path();
    FAIL("no file named " << name << " was installed");
    return {};
}

}  // namespace

TEST_CASE("an installed program finds its models, wherever it lies", "[install][cli]") {
    const TempDir folder;
    const fs::path prefix = install(folder);
    const std::string fovea = (prefix / "bin/fovea").string();
    CHECK_THAT(run_program({fovea, "--version"}).out, Catch::StartsWith("fovea 0.1.0"));

    const fs::path image = folder.write("flat.pgm", "P5 64 64 255\n" + std::string(64 * 64, '\x80'));
    const fs::path results = folder.path() / "results.jsonl";
    const ProgramResult detected =
        run_program({fovea, "detect", image.string(), "--out", results.string()},
                    {.input = {}, .environment = {{"FOVEA_MODELS", ""}}, .folder = folder.path()});
    INFO(detected.err);
    REQUIRE(detected.exit_code == 0);
    const Json manifest = Json::parse(text_of(folder.path() / "run.json"));
    CHECK_THAT(manifest.at("detectors").at(0).dump(),
               Catch::Contains((prefix / "share/fovea/models/wild.json").string()));

    CHECK_THAT(text_of(find_file(prefix, "fovea.1")), Catch::Contains("fovea\\-evaluate (1)"));
    CHECK_THAT(text_of(find_file(prefix, "fovea-evaluate-detection.1")),
               Catch::Contains("no\\-worse\\-than"));
    CHECK(fs::is_regular_file(prefix / "share/bash-completion/completions/fovea"));
    CHECK(fs::is_regular_file(prefix / "share/zsh/site-functions/_fovea"));
    CHECK(fs::is_regular_file(prefix / "share/fish/vendor_completions.d/fovea.fish"));
    CHECK(fs::is_regular_file(prefix / "share/fovea/configs/demo.json"));
    CHECK(fs::is_regular_file(prefix / "share/fovea/models/recognisers/lbp.json"));
}

TEST_CASE("an installed program looks for models beside itself and in its share folder alone",
          "[install][cli]") {
    const TempDir folder;
    const fs::path prefix = install(folder);
    const ProgramResult result =
        run_program({(prefix / "bin/fovea").string(), "detect", "x.jpg", "--model", "no_such_model"},
                    {.input = {}, .environment = {{"FOVEA_MODELS", ""}}, .folder = folder.path()});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Catch::Contains((prefix / "share/fovea/models").string()));
    CHECK_THAT(result.err, !Catch::Contains(test::source_dir().string()));
}

TEST_CASE("relative links of installed documents lead somewhere", "[install][documents]") {
    const TempDir folder;
    const fs::path prefix = install(folder);
    const fs::path documents = prefix / "share/doc/fovea";
    std::size_t files = 0, links = 0;
    for (const auto& entry : fs::recursive_directory_iterator(prefix)) {
        if (entry.path().extension() != ".md") continue;
        ++files;
        const std::string text = text_of(entry.path());
        const std::regex link(R"(\]\(([^)\s#]+)(?:#[^)\s]*)?\))");
        for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
            const std::string target = (*at)[1].str();
            if (target.starts_with("http")) continue;
            CAPTURE(entry.path().string(), target);
            const fs::path linked = (entry.path().parent_path() / target).lexically_normal();
            CHECK(fs::exists(linked));
            CHECK(linked.string().starts_with(documents.string()));
            ++links;
        }
    }
    CHECK(files >= 10);
    CHECK(links >= 30);
    CHECK(fs::is_regular_file(documents / "README.md"));
    CHECK(fs::is_regular_file(documents / "datasets.md"));
}

TEST_CASE("the first example of the help runs where the program is installed", "[install][cli]") {
    const TempDir folder;
    const fs::path prefix = install(folder);
    folder.write("work/photos/flat.pgm", "P5 64 64 255\n" + std::string(64 * 64, '\x80'));
    const std::string help = run_program({(prefix / "bin/fovea").string(), "--help"}).out;
    const std::size_t examples = help.find("Examples:\n");
    REQUIRE(examples != std::string::npos);
    const std::vector<std::vector<std::string>> commands = commands_of(help.substr(examples), "fovea");
    REQUIRE(!commands.empty());
    std::vector<std::string> first = commands[0];
    first.insert(first.begin(), (prefix / "bin/fovea").string());
    const ProgramResult result = run_program(
        first, {.input = {}, .environment = {{"FOVEA_MODELS", ""}}, .folder = folder.path() / "work"});
    CAPTURE(first, result.err);
    CHECK(result.exit_code == 0);
}

TEST_CASE("another project links the installed libraries", "[install][cli]") {
    const TempDir folder;
    const fs::path prefix = install(folder, ""), build = folder.path() / "build";

    // Few headers, all in one folder, which include each other and the standard library alone.
    std::set<std::string> headers;
    const std::regex own("#include (<fovea/[a-z_]+\\.hpp>|<[a-z_]+>)");
    for (const auto& entry : fs::recursive_directory_iterator(prefix / "include")) {
        if (!entry.is_regular_file()) continue;
        CHECK(entry.path().parent_path() == prefix / "include/fovea");
        headers.insert(entry.path().stem().string());
        std::istringstream lines(text_of(entry.path()));
        for (std::string line; std::getline(lines, line);) {
            CAPTURE(entry.path(), line);
            if (line.starts_with("#include")) CHECK(std::regex_match(line, own));
        }
    }
    CHECK(headers.size() <= 25);
    // A header more needs an example below.
    CHECK(headers == std::set<std::string>{"dataset", "detect", "error", "evaluate", "image", "library",
                                           "results", "track", "types"});

    const ProgramResult configured =
        run_program({FOVEA_CMAKE, "-G", "Ninja", "-S", test::source_file("tests/example"), "-B",
                     build.string(), "-DCMAKE_PREFIX_PATH=" + prefix.string()});
    INFO(configured.out + configured.err);
    REQUIRE(configured.exit_code == 0);
    // Each header is compiled by itself, too.
    const ProgramResult built =
        run_program({FOVEA_CMAKE, "--build", build.string()},
                    {.input = {}, .environment = {}, .folder = {}, .timeout = std::chrono::minutes(10)});
    INFO(built.out + built.err);
    REQUIRE(built.exit_code == 0);
    const auto run = [&](const std::string& program, const std::vector<std::string>& arguments) {
        std::vector<std::string> command{(build / program).string()};
        command.insert(command.end(), arguments.begin(), arguments.end());
        return run_program(command,
                           {.input = {}, .environment = {{"FOVEA_MODELS", ""}}, .folder = folder.path()});
    };
    const auto output_of = [&](const std::string& program, const std::vector<std::string>& arguments) {
        const ProgramResult result = run(program, arguments);
        INFO(program << ": " << result.err);
        CHECK(result.exit_code == 0);
        return result.out;
    };

    const std::string image =
        folder.write("flat.pgm", "P5 64 64 255\n" + std::string(64 * 64, '\x80')).string();
    CHECK(output_of("count_faces", {image}) == image + ": 0\n");
    const ProgramResult missing = run("count_faces", {"no.jpg"});
    CHECK(missing.exit_code == 1);
    CHECK_THAT(missing.err, Catch::StartsWith("'no.jpg' cannot be read: "));
    if (const std::vector<std::string> photographs = debian_photographs(); !photographs.empty())
        CHECK_THAT(output_of("count_faces", {photographs[0]}), Catch::Contains(", the surest at "));
    CHECK(output_of("show_image", {image}) == "64 x 64, mean 128.0\n");
    CHECK(output_of("show_types", {}) == "25 40, score 0.75, 0 landmarks\n");
    CHECK_THAT(output_of("show_error", {"no.jpg", "wid"}),
               Catch::StartsWith("failure: 'no.jpg' cannot be read: ") &&
                   Catch::Contains("\nusage: there is no model 'wid' (did you mean 'wild'?)"));
    const std::string library = output_of("show_library", {});
    CHECK_THAT(library, Catch::StartsWith("version 0.1.0\nmodel mct\nmodel wild\nfile " +
                                          (prefix / "share/fovea/models/wild.json").string() + "\n") &&
                            Catch::Contains("\nlog wild: "));

    // One face of two is found, and nothing else: a precision of 1 up to a recall of one half.
    const fs::path truth = folder.write("coco.json", R"({
        "images": [{"id": 1, "file_name": "a.jpg", "width": 100, "height": 100}],
        "categories": [{"id": 1, "name": "face"}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 10, 20, 20], "area": 400, "iscrowd": 0},
                        {"id": 2, "image_id": 1, "category_id": 1, "bbox": [60, 60, 20, 20], "area": 400, "iscrowd": 0}]})");
    const fs::path found = folder.write(
        "found.json", R"([{"image_id": 1, "category_id": 1, "bbox": [10, 10, 20, 20], "score": 0.9}])");
    const std::string dataset = "coco:" + truth.string(), results = "coco:" + found.string();
    CHECK(output_of("average_precision", {dataset, results}) ==
          "coco: 0.5000; 1 of 2 faces, 0 false alarms\nfrom 0.9: recall 0.5000, precision 1.0000\n");
    // A hit, a hit, a false alarm; by a bootstrap of two images between one of two and all faces.
    CHECK_THAT(output_of("average_precision", {}),
               Catch::StartsWith("iou: 0.6667, 0.5000 to 1.0000; 2 of 3 faces, 1 false alarms\n") &&
                   Catch::EndsWith("from 0.3: recall 0.6667, precision 0.6667\n"));
    CHECK(output_of("list_faces", {dataset}) ==
          "coco: 1 images, 2 faces\na.jpg (100 x 100) 10,10,20,20 60,60,20,20\n");
    const fs::path lines = folder.path() / "lines.jsonl";
    const std::string converted = output_of("convert_results", {dataset, results, lines.string()});
    CHECK(converted ==
          "{\"image\":\"a.jpg\",\"status\":\"ok\",\"detections\":[{\"box\":[10,10,20,20],\"score\":0.9}]}\n");
    CHECK(text_of(lines) == converted);
    CHECK(output_of("follow_faces", {image, image}) == "0 (64 x 64):\n1 (64 x 64):\n");
}

}  // namespace fovea::test
