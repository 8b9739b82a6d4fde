#include <fstream>

#include <fovea/detect.hpp>
#include <fovea/library.hpp>
#include <fovea/results.hpp>

#include "tests/support/images.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

/// The line that the program writes of an image, by its name.
std::map<std::string, std::string> lines_of_program(const std::vector<std::string>& flags,
                                                    const std::vector<std::string>& files) {
    const TempDir folder;
    const fs::path results = folder.path() / "results.jsonl";
    std::vector<std::string> arguments{"detect"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    arguments.insert(arguments.end(), {"--device", "cpu", "--out", results.string()});
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const ProgramResult run = run_fovea(arguments);
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    std::map<std::string, std::string> lines;
    std::ifstream stream(results);
    for (std::string line; std::getline(stream, line);)
        lines[nlohmann::json::parse(line).at("image").get<std::string>()] = line;
    return lines;
}

}  // namespace

TEST_CASE("another program finds the faces that fovea detect finds, in every digit", "[api][cli]") {
    const std::vector<std::string> files = debian_photographs();
    if (files.empty()) {
        WARN("not run: Debian's libdlib19.1 keeps its photographs in /usr/share/doc");
        return;
    }
    struct Setting {
        api::DetectorOptions options;
        std::vector<std::string> flags;
    };
    const std::vector<Setting> settings{
        {{.device = "cpu", .threads = 1, .landmarks = "helen"}, {"--landmarks", "helen"}},
        {{.model = "mct", .device = "cpu", .min_score = 0.2, .min_size = {40, 40}, .border = 8},
         {"--model", "mct", "--min-score", "0.2", "--min-size", "40x40", "--border", "8"}}};
    for (const Setting& setting : settings) {
        CAPTURE(setting.flags);
        const std::map<std::string, std::string> expected = lines_of_program(setting.flags, files);
        REQUIRE(expected.size() == files.size());
        const api::Detector detector(setting.options);
        std::vector<api::Image> images;
        std::vector<api::ImageView> views;
        for (const std::string& file : files) images.push_back(api::read_image(file));
        for (const api::Image& image : images) views.push_back(image.view());
        const std::vector<std::vector<api::Detection>> together = detector.detect(views);
        REQUIRE(together.size() == files.size());
        std::size_t faces = 0;
        for (std::size_t i = 0; i < files.size(); ++i) {
            const auto& [name, line] = *std::next(expected.begin(), static_cast<std::ptrdiff_t>(i));
            CHECK(fs::path(name).filename() == fs::path(files[i]).filename());
            const api::ImageResult result{name, {images[i].width, images[i].height}, together[i], {}};
            CHECK(api::json_line(result) == line);
            CHECK(detector.detect(views[i]) == together[i]);
            faces += together[i].size();
        }
        CHECK(faces > 20);
    }
}

TEST_CASE("a detector says what it is", "[api]") {
    const api::Detector detector({.model = "mct", .device = "cpu"});
    CHECK(detector.device() == "cpu");
    CHECK(detector.model_file().filename() == "mct.json");
    CHECK(detector.model_file() == api::find_model("mct"));
    CHECK_THAT(detector.description(), Catch::Contains("MCT"));
    CHECK(detector.detect(std::span<const api::ImageView>{}).empty());
}

TEST_CASE("options that cannot be are refused in the program's sentences", "[api]") {
    const auto make = [](const api::DetectorOptions& options) { return api::Detector(options); };
    CHECK_THROWS_WITH(make({.model = "wid", .device = "cpu"}), Catch::StartsWith("there is no model 'wid'"));
    CHECK_THROWS_WITH(make({.device = "gpu"}), Catch::Contains("gpu"));
    CHECK_THROWS_WITH(make({.device = "cpu", .landmarks = "hellen"}), Catch::Contains("hellen"));
    CHECK_THROWS_WITH(make({.model = "mct", .device = "cpu", .scale_factor = 1.0}),
                      Catch::Contains("scale_factor"));
    CHECK_THROWS_WITH(make({.device = "cpu", .border = 4}), Catch::Contains("border"));
    CHECK_THROWS_WITH(make({.device = "cpu", .threads = -1}), Catch::Contains("threads"));
    CHECK_THROWS_AS(make({.model = "wid", .device = "cpu"}), api::UsageError);
    const api::Detector detector({.device = "cpu"});
    CHECK_THROWS_AS(detector.detect(api::ImageView{}), api::UsageError);
}

TEST_CASE("models of a further folder are found", "[api]") {
    const TempDir folder;
    fs::copy_file(api::find_model("mct"), folder.path() / "mine-for-this-test.json");
    CHECK_THROWS_AS(api::find_model("mine-for-this-test"), api::UsageError);
    api::add_model_folder(folder.path());
    CHECK(api::find_model("mine-for-this-test") == folder.path() / "mine-for-this-test.json");
    const std::vector<std::string> names = api::model_names();
    CHECK(std::count(names.begin(), names.end(), "mine-for-this-test") == 1);
}

}  // namespace fovea::test
