#include "lib/files/staged_files.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/output_path.hpp"
#include "lib/files/publish.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea::test {
namespace {

using Catch::Contains;
namespace fs = std::filesystem;

void publish_report(const OutputFolder& folder, const std::string& kind,
                    const std::vector<std::string>& names) {
    StagedFiles files(folder, "report");
    for (const std::string& name : names) files.add(name, kind);
    files.publish_report(kind);
}

}  // namespace

TEST_CASE("a report clears the files of the report before it, and no others", "[files]") {
    const TempDir dir;
    const fs::path& folder = dir.path();
    const std::string odd = "odd\nname.svg";
    publish_report(folder, "report", {"page.html", "old.svg", odd});
    publish_report(folder, "compare", {"compare.html"});
    dir.write("notes.txt", "mine");
    publish_report(folder, "report", {"page.html", "new.svg"});
    CHECK(is_file(folder / "page.html"));
    CHECK(is_file(folder / "new.svg"));
    CHECK(is_file(folder / "compare.html"));
    CHECK(is_file(folder / "notes.txt"));
    CHECK_FALSE(is_there(folder / "old.svg"));
    CHECK_FALSE(is_there(folder / odd));
    CHECK(read_file(folder / ".report-files") == std::string("new.svg\0page.html\0", 18));

    remove_report(folder, "report");
    CHECK_FALSE(is_there(folder / "page.html"));
    CHECK_FALSE(is_there(folder / ".report-files"));
    CHECK(is_file(folder / "compare.html"));
    remove_report(folder, "report");
}

TEST_CASE("a staged folder changes nothing before it is published", "[files]") {
    const TempDir dir;
    const fs::path output = dir.path() / "out";
    const fs::path parts = output / ".track-parts";
    {
        StagedFolder staged(output, "track");
        write_file(staged.folder() / "a.txt", "first");
        make_folders_to(staged.folder() / "sub" / "b.txt", staged.folder(), "track");
        write_file(staged.folder() / "sub" / "b.txt", "first");
        CHECK_FALSE(is_there(output / "a.txt"));
        CHECK_THROWS_WITH(StagedFolder(output, "track"), Contains("is being written by another program"));
        staged.publish();
    }
    CHECK_FALSE(is_there(parts));
    CHECK(read_file(output / "a.txt") == "first");
    CHECK(read_file(output / "sub" / "b.txt") == "first");
    dir.write("out/mine.txt", "mine");
    // A command that was killed has left this.
    dir.write("out/.track-parts/sub/left.txt", "x");
    fs::rename(output / "a.txt", dir.path() / "elsewhere.txt");
    fs::create_symlink("../elsewhere.txt", output / "a.txt");
    {
        StagedFolder staged(output, "track");
        CHECK_FALSE(is_there(parts / "sub"));
        write_file(staged.folder() / "a.txt", "second");
        CHECK(read_file(output / "a.txt") == "first");
        staged.publish();
    }
    CHECK(fs::is_symlink(output / "a.txt"));
    CHECK(read_file(dir.path() / "elsewhere.txt") == "second");
    // The earlier files that have no successor go; others stay.
    CHECK_FALSE(is_there(output / "sub" / "b.txt"));
    CHECK(is_file(output / "mine.txt"));
    {
        StagedFolder staged(output, "track");
        write_file(staged.folder() / "a.txt", "third");
    }
    CHECK_FALSE(is_there(parts));
    CHECK(read_file(output / "a.txt") == "second");
}

TEST_CASE("a list of a report's files reaches nothing outside its folder, and no input", "[files]") {
    const TempDir dir;
    const fs::path folder = dir.path() / "report";
    dir.write("outside.txt", "kept");
    dir.write("report/sub/inside.txt", "x");
    dir.write("report/input.txt", "read");
    std::string list;
    for (const std::string& name :
         {std::string("../outside.txt"), (dir.path() / "outside.txt").string(), std::string("sub/inside.txt"),
          std::string("sub"), std::string("gone.txt"), std::string()}) {
        list += name + '\0';
    }
    dir.write("report/.report-files", list + "no end");
    publish_report(folder, "report", {"page.html"});
    CHECK(read_file(dir.path() / "outside.txt") == "kept");
    CHECK(is_folder(folder / "sub"));
    CHECK_FALSE(is_there(folder / "sub/inside.txt"));

    publish_report(folder, "report", {"page.html", "input.txt"});
    InputFiles inputs;
    inputs.add(folder / "input.txt");
    CHECK_THROWS_WITH(publish_report({folder, inputs}, "report", {"page.html"}),
                      Contains("is also an input"));
    CHECK(is_file(folder / "input.txt"));
}

TEST_CASE("an output's folder is made in a folder that is there", "[files]") {
    const TempDir dir;
    const fs::path& folder = dir.path();
    make_output_folder(folder / "new/", "report");
    CHECK(is_folder(folder / "new"));
    make_output_folder(folder / "new", "report");
    make_parent_folder(folder / "other/file.txt");
    CHECK(is_folder(folder / "other"));
    make_parent_folder("file.txt");

    const fs::path deep = folder / "no/such";
    const std::string missing = "there is no folder " + deep.string() + "; make it first, or name another";
    CHECK_THROWS_WITH(make_output_folder(deep, "report"), Contains(missing));
    CHECK_THROWS_WITH(make_parent_folder(deep / "file.txt"), Contains(missing));
    CHECK_THROWS_WITH(prepare_output(deep / "file.txt", "--out"), Contains("--out: " + missing));
    CHECK_THROWS_WITH(check_output_folder(deep, "--out"),
                      Contains("--out: there is no folder " + (folder / "no").string()));
    CHECK_FALSE(is_there(folder / "no"));

    const fs::path file = dir.write("plain", "x");
    CHECK_THROWS_WITH(make_output_folder(file, "report"), Contains("the report's folder " + file.string() +
                                                                   " cannot be made: a file has that name"));
    CHECK_THROWS_AS(make_parent_folder(file / "below.txt"), UsageError);
    CHECK_THROWS_AS(check_output_folder(file, "--out"), UsageError);
    CHECK_THROWS_AS(check_output_folder(file / "below", "--out"), UsageError);
    check_output_folder(folder / "later", "--out");
    CHECK_FALSE(is_there(folder / "later"));

    // A relative path is made whole: it lies below the current folder.
    CHECK(folder_to_start_from("no/such/folder") == ".");
    CHECK(folder_to_start_from(deep) == folder / "no");
    CHECK(folder_above("a/b/") == "a");
    CHECK(folder_above("a/b") == "a");
    CHECK(folder_above("b/") == ".");
    CHECK(folder_above("b") == ".");
}

TEST_CASE("only files that hold something are kept from being replaced", "[files]") {
    const TempDir dir;
    refuse_to_replace(dir.path() / "none", false);
    refuse_to_replace(dir.write("empty", ""), false);
    refuse_to_replace("/dev/null", false);
    refuse_to_replace(dir.path(), false);
    const fs::path full = dir.write("full", "x");
    refuse_to_replace(full, true);
    CHECK_THROWS_WITH(refuse_to_replace(full, false),
                      Contains("'" + full.string() + "' is there already") && Contains("--overwrite"));
}

TEST_CASE("a file of an output folder lies below it, whatever name comes with the data", "[files]") {
    const TempDir dir;
    const fs::path folder = dir.path() / "out";
    const fs::path outside = dir.write("victim.txt", "kept");
    CHECK(path_below("out", "a/b..c.txt") == "out/a/b..c.txt");
    CHECK(path_below("out", "..a/...") == "out/..a/...");
    CHECK(path_below("out", "a\\b") == "out/a\\b");
    for (const std::string& name : {std::string("../victim.txt"), outside.string(),
                                    std::string("a/../../victim.txt"), std::string(".."), std::string("a/.."),
                                    std::string("..\\victim.txt"), std::string("a\\..\\..\\victim.txt"),
                                    std::string("\\victim.txt"), std::string("a\0b", 3), std::string()}) {
        CAPTURE(name);
        CHECK_FALSE(is_name_below(name));
        const auto would_lie_outside = Contains("would lie outside of the output folder");
        CHECK_THROWS_WITH(path_below(folder, name), would_lie_outside);
        CHECK_THROWS_WITH(StagedFiles(dir.path() / "staged", "report").add(name, "new"), would_lie_outside);
        CHECK_THROWS_WITH(publish({true, {{"good.txt", "new"}, {name, "new"}}}, folder, true),
                          would_lie_outside);
    }
    CHECK(read_file(outside) == "kept");
    // Nothing was begun.
    CHECK_FALSE(is_there(folder));
}

}  // namespace fovea::test
