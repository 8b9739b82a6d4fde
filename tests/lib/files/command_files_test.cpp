#include "lib/files/command_files.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

void clash(const std::vector<PlannedOutput>& outputs) {
    refuse_clashes(outputs);
}

}  // namespace

TEST_CASE("what a command reads is not written by any name", "[core][command-files]") {
    const TempDir dir;
    const fs::path input = dir.write("in/model.xml", "model");
    fs::create_symlink(input, dir.path() / "soft.xml");
    fs::create_hard_link(input, dir.path() / "hard.xml");
    fs::create_symlink(dir.path() / "in", dir.path() / "folder");
    const fs::path other = dir.write("other.xml", "other");
    const CommandFiles command;
    CHECK(read_file(input) == "model");
    for (const char* name :
         {"in/model.xml", "in/../in/model.xml", "soft.xml", "hard.xml", "folder/model.xml"}) {
        CAPTURE(name);
        const fs::path output = dir.path() / name;
        CHECK_THROWS_WITH(clash({{output, "results"}}), Contains(name) && Contains("is also an input"));
        CHECK_THROWS_AS(write_file(output, "x"), UsageError);
        CHECK_THROWS_AS(replace_file(output, "x"), UsageError);
        CHECK_THROWS_AS(remove_file(output), UsageError);
        CHECK_THROWS_AS(rename_file(other, output), UsageError);
        CHECK(read_file(input) == "model");
    }
    CHECK(fs::is_symlink(dir.path() / "soft.xml"));
    CHECK_NOTHROW(clash({{other, "results"}, {dir.path() / "new.xml", "manifest"}, {"-", "a"}, {"-", "b"}}));
    replace_file(other, "new");
    CHECK(read_file(other) == "new");
}

TEST_CASE("a file is not begun over an input that has the name of its part", "[core][command-files]") {
    const TempDir dir;
    const fs::path part = dir.write("results.jsonl.part", "an image");
    const CommandFiles command;
    note_input(part);
    const fs::path output = dir.path() / "results.jsonl";
    CHECK_THROWS_WITH(clash({{output, "results"}}), Contains("results.jsonl.part is also an input"));
    CHECK_THROWS_AS(replace_file(output, "x"), UsageError);
    CHECK(read_file(part) == "an image");
    CHECK_FALSE(fs::exists(output));
}

TEST_CASE("two outputs are two files", "[core][command-files]") {
    const TempDir dir;
    fs::create_directory(dir.path() / "a");
    fs::create_symlink(dir.path() / "a", dir.path() / "b");
    CHECK_THROWS_WITH(
        clash({{dir.path() / "a/x", "results"}, {"", "manifest"}, {dir.path() / "b/x", "features"}}),
        Contains("results and features would both be written to"));
    CHECK_NOTHROW(clash({{dir.path() / "a/x", "results"}, {dir.path() / "a/y", "features"}}));
    CHECK_NOTHROW(clash({{"/dev/null", "results"}, {"/dev/null", "features"}}));
}

TEST_CASE("many inputs are known while they are noted", "[core][command-files]") {
    const TempDir dir;
    std::vector<fs::path> images;
    for (int i = 0; i < 500; ++i) images.push_back(dir.write("images/" + std::to_string(i), "x"));
    const fs::path link = dir.path() / "link";
    fs::create_hard_link(images[321], link);
    const CommandFiles command;
    {
        const NotedInputs noted(images.size(), [&](std::size_t i) { return images[i]; });
        CHECK_THROWS_WITH(refuse_if_input(link), Contains("link is also an input (one of the images)"));
        CHECK_NOTHROW(refuse_if_input(dir.write("new", "x")));
    }
    CHECK_NOTHROW(refuse_if_input(link));
    note_inputs(images);
    CHECK_THROWS_AS(refuse_if_input(link), UsageError);
}

TEST_CASE("a checkpoint that is read may be replaced", "[core][command-files]") {
    const TempDir dir;
    const fs::path checkpoint = dir.write("checkpoint.json", "old");
    const CommandFiles command;
    CHECK(read_file(checkpoint) == "old");
    CHECK_THROWS_AS(replace_file(checkpoint, "new"), UsageError);
    allow_replacing(checkpoint);
    replace_file(checkpoint, "new");
    CHECK(read_file(checkpoint) == "new");
}

TEST_CASE("nothing is refused outside of a command", "[core][command-files]") {
    const TempDir dir;
    const fs::path file = dir.write("a", "old");
    {
        const CommandFiles command;
        note_input(file);
    }
    CHECK_NOTHROW(refuse_if_input(file));
    CHECK(read_file(file) == "old");
    replace_file(file, "new");
    CHECK(read_file(file) == "new");
}
