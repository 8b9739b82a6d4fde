#include "lib/files/input_files.hpp"

#include <atomic>
#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/publish.hpp"
#include "lib/files/staged_files.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

void clash(const InputFiles& inputs, const std::vector<PlannedOutput>& outputs) {
    inputs.refuse_clashes(outputs);
}

}  // namespace

TEST_CASE("an input is not written by any name", "[core][input-files]") {
    const TempDir dir;
    const fs::path input = dir.write("in/model.xml", "model");
    fs::create_symlink(input, dir.path() / "soft.xml");
    fs::create_hard_link(input, dir.path() / "hard.xml");
    fs::create_symlink(dir.path() / "in", dir.path() / "folder");
    const fs::path other = dir.write("other.xml", "other");
    InputFiles inputs;
    inputs.add(input);
    inputs.add(dir.path() / "gone.xml");
    const InputFiles copy = inputs;
    for (const char* name :
         {"in/model.xml", "in/../in/model.xml", "soft.xml", "hard.xml", "folder/model.xml"}) {
        CAPTURE(name);
        const fs::path output = dir.path() / name;
        CHECK_THROWS_WITH(clash(copy, {{output, "results"}}), Contains(name) && Contains("is also an input"));
        CHECK_THROWS_AS(inputs.refuse(output), UsageError);
        CHECK_THROWS_AS(publish({false, {{"", "x"}}}, output, true, inputs), UsageError);
        CHECK_THROWS_AS(StagedFiles({output.parent_path(), inputs}, "report").add(output.filename(), "x"),
                        UsageError);
        CHECK(read_file(input) == "model");
    }
    CHECK(fs::is_symlink(dir.path() / "soft.xml"));
    CHECK_NOTHROW(clash(inputs, {{other, "results"},
                                 {dir.path() / "new.xml", "manifest"},
                                 {dir.path() / "gone.xml", "x"},
                                 {"-", "a"},
                                 {"-", "b"}}));
    publish({false, {{"", "new"}}}, other, true, inputs);
    CHECK(read_file(other) == "new");
}

TEST_CASE("a file is not begun over an input that has the name of its part", "[core][input-files]") {
    const TempDir dir;
    const fs::path part = dir.write("results.jsonl.part", "an image");
    InputFiles inputs;
    inputs.add(part);
    const fs::path output = dir.path() / "results.jsonl";
    CHECK_THROWS_WITH(clash(inputs, {{output, "results"}}), Contains("results.jsonl.part is also an input"));
    CHECK_THROWS_AS(StagedFiles({dir.path(), inputs}, "report").add("results.jsonl", "x"), UsageError);
    CHECK(read_file(part) == "an image");
    CHECK_FALSE(fs::exists(output));
}

TEST_CASE("two outputs are two files", "[core][input-files]") {
    const TempDir dir;
    fs::create_directory(dir.path() / "a");
    fs::create_symlink(dir.path() / "a", dir.path() / "b");
    CHECK_THROWS_WITH(
        clash({}, {{dir.path() / "a/x", "results"}, {"", "manifest"}, {dir.path() / "b/x", "features"}}),
        Contains("results and features would both be written to"));
    CHECK_NOTHROW(clash({}, {{dir.path() / "a/x", "results"}, {dir.path() / "a/y", "features"}}));
    CHECK_NOTHROW(clash({}, {{"/dev/null", "results"}, {"/dev/null", "features"}}));
}

TEST_CASE("many inputs are looked at when an output is there, and not before", "[core][input-files]") {
    const TempDir dir;
    std::vector<fs::path> images;
    for (int i = 0; i < 500; ++i) images.push_back(dir.write("images/" + std::to_string(i), "x"));
    const fs::path link = dir.path() / "link";
    fs::create_hard_link(images[321], link);
    std::atomic<int> asked{0};
    InputFiles inputs;
    inputs.add(images.size(), [&](std::size_t i) {
        ++asked;
        return images[i];
    });
    CHECK_NOTHROW(inputs.refuse(dir.path() / "not there"));
    CHECK(asked == 0);
    CHECK_THROWS_WITH(inputs.refuse(link), Contains("link is also an input (one of the images)"));
    CHECK_NOTHROW(inputs.refuse(dir.write("new", "x")));
    CHECK(asked == 500);
    InputFiles listed;
    listed.add(images);
    CHECK_THROWS_AS(listed.refuse(link), UsageError);
    CHECK_NOTHROW(InputFiles().refuse(link));
}
