#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "lib/json/json.hpp"
#include "tests/apps/cross_workshop.hpp"
#include "tests/apps/refusal.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"

// Finished work is replaced by its own job, or with --overwrite; absolute paths make one folder at most.
namespace fovea::test {
namespace {

using Catch::Contains;
namespace fs = std::filesystem;

/// Two photographs, a cascade, and truth for both photographs.
struct Work : PhotoFolder {
    Work() : PhotoFolder({{"a.pgm", edge_pgm(40, 30)}, {"b.pgm", noise_pgm(90, 70, 3)}}) {
        dataset = "dlib:" + folder
                                .write("photos/faces.xml",
                                       "<dataset><images><image file='a.pgm'>"
                                       "<box top='0' left='10' width='20' height='20'/></image>"
                                       "<image file='b.pgm'/></images></dataset>")
                                .string();
        found = folder.write("found.txt", "a.pgm 10 0 20 20 9\nb.pgm 0 0 5 5 2\n").string();
        others = folder.write("others.txt", "a.pgm 11 1 20 20 9\n").string();
    }
    ProgramResult go(std::vector<std::string> arguments, const std::vector<std::string>& more) const {
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_fovea(arguments);
    }
    ProgramResult detect(const std::string& out, const std::vector<std::string>& more = {}) const {
        return go({"detect", photos, "--model", model, "--out", path(out)}, more);
    }
    ProgramResult run(const std::string& out, const std::vector<std::string>& more = {}) const {
        return go({"run", "--dataset", dataset, "--model", model, "--out", path(out), "--quiet"}, more);
    }
    ProgramResult evaluate(const std::string& results, const std::string& out,
                           const std::vector<std::string>& more = {}) const {
        return go({"evaluate", "detection", "--dataset", dataset, "--results", results, "--resamples", "0",
                   "--out", path(out), "--quiet"},
                  more);
    }

    std::string dataset;
    std::string found;
    std::string others;
};

void check_refused(const ProgramResult& result, const std::string& expected) {
    CAPTURE(result.out, result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains(expected) && Contains("is there already") && Contains("--overwrite"));
}

std::size_t count_of_a(const std::vector<std::string>& names) {
    return static_cast<std::size_t>(
        std::count_if(names.begin(), names.end(), [](const std::string& name) { return name[0] == 'a'; }));
}

void check_done(const ProgramResult& result) {
    CAPTURE(result.out, result.err);
    CHECK(result.exit_code == 0);
}

}  // namespace

TEST_CASE("detect replaces results of the same work, and others with --overwrite alone", "[cli][outputs]") {
    const Work w;
    check_done(w.detect("r.jsonl"));
    const std::string before = read_bytes(w.path("r.jsonl"));
    REQUIRE_FALSE(before.empty());
    check_done(w.detect("r.jsonl"));
    CHECK(read_bytes(w.path("r.jsonl")) == before);
    // The work is the same with any number of threads.
    check_done(w.detect("r.jsonl", {"--threads", "1"}));

    const ProgramResult other = w.detect("r.jsonl", {"--min-size", "30"});
    check_refused(other, "by other work (");
    CHECK_THAT(other.err, Contains("min_size"));
    CHECK(read_bytes(w.path("r.jsonl")) == before);
    CHECK(Json::parse(read_bytes(w.path("r.run.json")))["complete"] == true);
    check_done(w.detect("r.jsonl", {"--min-size", "30", "--overwrite"}));
    CHECK(read_bytes(w.path("r.jsonl")) != before);

    // Nobody knows of what work this is.
    const std::string mine = w.folder.write("mine.jsonl", "my own notes\n").string();
    check_refused(w.detect("mine.jsonl"), mine);
    CHECK(read_bytes(mine) == "my own notes\n");
    // Changed since: no longer what the job wrote.
    check_done(w.detect("changed.jsonl"));
    w.folder.write("changed.jsonl", read_bytes(w.path("changed.jsonl")) + "\n");
    check_refused(w.detect("changed.jsonl"), "changed.jsonl");
    // There is nothing to lose in these.
    w.folder.write("empty.jsonl", "");
    check_done(w.detect("empty.jsonl"));
    CHECK(w.go({"detect", w.photos, "--model", w.model, "--out", "/dev/null"}, {}).exit_code == 0);
}

TEST_CASE("run replaces a run of the same work, and others with --overwrite alone", "[cli][outputs]") {
    const Work w;
    check_done(w.run("out"));
    const std::string before = read_bytes(w.path("out/results.jsonl"));
    check_done(w.run("out"));
    check_refused(w.run("out", {"--min-size", "30"}), "min_size");
    CHECK(read_bytes(w.path("out/results.jsonl")) == before);
    CHECK(fs::exists(w.path("out/report.html")));
    check_done(w.run("out", {"--min-size", "30", "--overwrite"}));
    // A report without results is somebody else's.
    check_done(w.evaluate(w.found, "report"));
    check_refused(w.run("report"), "report.html");
}

TEST_CASE("a report is replaced by one of the same configuration, and its files are cleared",
          "[cli][outputs]") {
    const Work w;
    check_done(w.evaluate(w.found, "report"));
    check_done(w.evaluate(w.found, "report"));
    const std::string before = read_bytes(w.path("report/report.json"));
    const ProgramResult other = w.evaluate(w.others, "report");
    CAPTURE(other.err);
    CHECK(other.exit_code == 2);
    CHECK_THAT(other.err, Contains("is of other work (configuration/results/0 is ") &&
                              Contains("others.txt") && Contains("found.txt") && Contains("--overwrite"));
    CHECK(read_bytes(w.path("report/report.json")) == before);

    // One more file that the report wrote, as far as its list knows, and one that is the user's.
    w.folder.write("report/old_plot.svg", "old");
    w.folder.write("report/notes.txt", "mine");
    w.folder.write("kept.txt", "kept");
    const std::string list = read_bytes(w.path("report/.report-files"));
    CHECK_THAT(list, Contains("report.html"));
    w.folder.write("report/.report-files", list + "old_plot.svg" + '\0' + "../kept.txt" + '\0');
    check_done(w.evaluate(w.others, "report", {"--overwrite"}));
    CHECK_FALSE(fs::exists(w.path("report/old_plot.svg")));
    CHECK(read_bytes(w.path("report/notes.txt")) == "mine");
    CHECK(read_bytes(w.path("kept.txt")) == "kept");
    CHECK_THAT(read_bytes(w.path("report/.report-files")),
               Contains("report.html") && !Contains("old_plot.svg"));

    // A comparison in the same folder is a report of its own.
    check_done(w.evaluate(w.found, "first"));
    const std::vector<std::string> compare{"compare", w.path("first"), w.path("report"), "--out",
                                           w.path("report")};
    check_done(w.go(compare, {}));
    CHECK(fs::exists(w.path("report/report.html")));
    check_done(w.go(compare, {}));
    const ProgramResult swapped =
        run_fovea({"compare", w.path("report"), w.path("first"), "--out", w.path("report")});
    CHECK(swapped.exit_code == 2);
    CHECK_THAT(swapped.err, Contains("compare.json' is of other work"));
}

TEST_CASE("no command replaces what it reads, whatever the name", "[cli][outputs]") {
    const Work w;
    const std::string pairs = w.folder.write("pairs.txt", "a b 0.9 1\na c 0.1 0\n").string();
    const std::string subjects = w.folder.write("who.txt", "a Ann gallery\nb Bob probe\n").string();
    const std::string scores = w.folder.write("scores.csv", ",a\nb,0.5\n").string();
    const std::string config = w.folder.write("config.json", "{}").string();
    const std::string labels = w.folder.write("labels/a.txt", "0 0.5 0.5 0.5 0.5\n").string();
    fs::copy_file(w.path("photos/a.pgm"), w.path("labels/a.pgm"));
    check_done(w.evaluate(w.found, "baseline"));
    struct Case {
        std::vector<std::string> command;
        std::string input;
        std::string output;  // in the folder "out"
    };
    const std::vector<std::string> detection{"evaluate",  "detection", "--dataset",   w.dataset,
                                             "--results", w.found,     "--resamples", "0"};
    const std::vector<std::string> verification{"evaluate", "verification", "--pairs", pairs};
    const std::vector<std::string> identification{"evaluate", "identification", "--subjects",
                                                  subjects,   "--scores",       scores};
    const std::string portrait = w.folder.write("people/Ann/1.pgm", edge_pgm(4, 4)).string();
    const std::string groups = w.folder.write("groups.txt", "1.pgm 1\n").string();
    const std::vector<std::string> clustering{
        "evaluate", "clustering", "--dataset", "folder:" + w.path("people"), "--groups", groups};
    const auto with = [](std::vector<std::string> arguments, std::initializer_list<std::string> more) {
        arguments.insert(arguments.end(), more);
        return arguments;
    };
    const std::vector<Case> cases{
        {detection, w.found, "roc.svg"},
        {detection, w.path("photos/faces.xml"), "report.html"},
        {with(detection, {"--no-worse-than", w.path("baseline")}), w.path("baseline/report.json"),
         "report.md"},
        {with(detection, {"--no-worse-than", w.path("baseline")}), w.path("baseline/evaluated.jsonl"),
         "evaluated.jsonl"},
        {with(detection, {"--config", config}), config, "report.json"},
        {with(detection, {"--threshold-from", w.path("baseline/report.json")}),
         w.path("baseline/report.json"), "report.html"},
        {verification, pairs, "curves.csv"},
        {identification, scores, "numbers.csv"},
        {identification, subjects, "report.md"},
        {clustering, groups, "numbers.csv"},
        {clustering, portrait, "report.html"},
        {{"compare", w.path("baseline"), w.path("baseline/report.json")},
         w.path("baseline/report.json"),
         "compare.html"},
        {{"trend", w.path("baseline"), w.path("baseline/report.json")},
         w.path("baseline/report.json"),
         "trend.json"},
        {{"run", "--dataset", w.dataset, "--model", w.model}, w.path("photos/a.pgm"), "run.json"},
        {{"run", "--dataset", w.dataset, "--model", w.model}, w.model, "report.md"},
        {{"track", w.photos, "--model", w.model, "--landmarks", "none"}, w.model, "tracks.html"},
        {{"track", w.photos, "--model", w.model, "--landmarks", "none"}, w.path("photos/b.pgm"), "run.json"},
        {{"convert", "yolo:" + w.path("labels"), "--to", "yolo"}, labels, "labels/a.txt"},
        {{"bench", "detect", w.photos, "--model", w.model, "--size", "32x32"},
         w.path("photos/a.pgm"),
         "bench.json"},
    };
    for (const Case& one : cases) {
        const std::string output = "out/" + one.output;
        CAPTURE(one.command, one.input, output);
        fs::remove_all(w.path("out"));
        fs::create_directories(fs::path(w.path(output)).parent_path());
        fs::create_hard_link(one.input, w.path(output));
        const std::string before = read_bytes(one.input);
        const ProgramResult result = w.go(one.command, {"--overwrite", "--out", w.path("out")});
        CAPTURE(result.out, result.err);
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.err, Contains("is also an input"));
        CHECK(read_bytes(one.input) == before);
        CHECK(fs::equivalent(one.input, w.path(output)));
    }
}

TEST_CASE("crops of other results are not replaced, and those of replaced results go", "[cli][outputs]") {
    const Work w;
    const auto names_in = [&](const std::string& folder) {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(w.path(folder)))
            names.push_back(entry.path().filename().string());
        std::sort(names.begin(), names.end());
        return names;
    };
    check_done(w.detect("a.jsonl", {"--crops", w.path("a")}));
    check_done(w.detect("b.jsonl", {"--crops", w.path("b"), "--crop-margin", "0.5"}));
    REQUIRE(names_in("a").size() > 1);
    const std::string file = "b/" + names_in("b").at(0);
    const std::string before = read_bytes(w.path(file));
    check_done(w.detect("a.jsonl", {"--crops", w.path("a")}));
    const ProgramResult other = w.detect("a.jsonl", {"--crops", w.path("b")});
    CHECK(other.exit_code == 2);
    CHECK_THAT(other.err, Contains("b' is there already; name another with --crops"));
    CHECK(read_bytes(w.path(file)) == before);

    // A photograph less, and a file of the user's own in the folder.
    w.folder.write("a/mine.txt", "mine");
    check_done(w.detect("a.jsonl", {"--crops", w.path("a"), "--overwrite", "--pattern", "b*"}));
    const std::vector<std::string> left = names_in("a");
    CHECK(std::find(left.begin(), left.end(), "mine.txt") != left.end());
    CHECK(std::none_of(left.begin(), left.end(), [](const std::string& name) { return name[0] == 'a'; }));
    CHECK(left.size() == 1 + names_in("b").size() - count_of_a(names_in("b")));
}

TEST_CASE("converted files, scores and galleries are not replaced unasked", "[cli][outputs]") {
    const Work w;
    const std::vector<std::string> coco{"convert", w.dataset, "--to", "coco", "--out", w.path("coco.json")};
    check_done(w.go(coco, {}));
    check_refused(w.go(coco, {}), "coco.json");
    check_done(w.go(coco, {"--overwrite"}));
    const std::vector<std::string> yolo{"convert", w.dataset, "--to", "yolo", "--out", w.path("yolo")};
    check_done(w.go(yolo, {}));
    check_refused(w.go(yolo, {}), "yolo/");
    check_done(w.go(yolo, {"--overwrite"}));

    check_done(w.detect("r.jsonl"));
    for (const std::string to : {"csv", "sqlite"}) {
        const std::string table = w.path("table." + to);
        const std::vector<std::string> convert{"convert", "--results", w.found, "--to", to, "--out"};
        check_done(w.go(convert, {table}));
        check_refused(w.go(convert, {table}), "table." + to);
        check_done(w.go(convert, {table, "--overwrite"}));
        for (const std::string& results : {w.found, w.path("r.jsonl")}) {
            const std::string before = read_bytes(results);
            const ProgramResult own =
                w.go({"convert", "--results", results, "--to", to, "--out", results, "--overwrite"}, {});
            CAPTURE(own.err);
            CHECK(own.exit_code == 2);
            CHECK(read_bytes(results) == before);
        }
        // A link stays, and a pipe is never replaced.
        fs::create_symlink(table, w.path("link." + to));
        check_done(w.go(convert, {w.path("link." + to), "--overwrite"}));
        CHECK(fs::is_symlink(w.path("link." + to)));
        REQUIRE(::mkfifo(w.path("pipe." + to).c_str(), 0600) == 0);
        if (to == "sqlite") {
            const ProgramResult pipe = w.go(convert, {w.path("pipe.sqlite")});
            CHECK(pipe.exit_code == 2);
            CHECK_THAT(pipe.err, Contains("is a device, a pipe or a folder"));
        } else {
            const ProgramResult piped = run_program(
                {"/bin/sh", "-c",
                 "cat \"$3\" > \"$2\" & \"$0\" convert --results \"$1\" --to csv --out \"$3\" -q; wait",
                 fovea_program(), w.found, w.path("piped.csv"), w.path("pipe.csv")});
            CAPTURE(piped.err);
            CHECK(read_bytes(w.path("piped.csv")) == read_bytes(table));
        }
        CHECK(fs::is_fifo(w.path("pipe." + to)));
    }

    const std::vector<std::string> enroll{"enroll",    w.dataset,       "--faces",   "image",
                                          "--gallery", w.path("a.fvg"), "--subject", "Ann"};
    const ProgramResult enrolled = w.go(enroll, {});
    CAPTURE(enrolled.err);
    REQUIRE(enrolled.exit_code == 0);
    const std::vector<std::string> merge{"gallery", "merge", w.path("a.fvg"), "--out"};
    check_done(w.go(merge, {w.path("b.fvg")}));
    const ProgramResult again = w.go(merge, {w.path("b.fvg")});
    CHECK(again.exit_code == 2);
    CHECK_THAT(again.err, Contains("b.fvg' already, which is not one of the galleries"));
    check_done(w.go(merge, {w.path("a.fvg")}));  // drops the bytes of removed faces, and no face

    const std::vector<std::string> identify{"identify",  w.dataset,       "--faces", "image",
                                            "--gallery", w.path("a.fvg"), "--out",   w.path("i.jsonl"),
                                            "--scores",  w.path("s.csv")};
    check_done(w.go(identify, {}));
    check_refused(w.go(identify, {}), "i.jsonl");
    fs::remove(w.path("i.jsonl"));
    check_refused(w.go(identify, {}), "s.csv");
    check_done(w.go(identify, {"--overwrite"}));
}

TEST_CASE("a training replaces what it goes on from, and nothing else unasked", "[cli][outputs]") {
    const CrossWorkshop shop;
    const std::vector<std::string> files{"--checkpoint", shop.path("part.json"), "--report",
                                         shop.path("report")};
    const auto train = [&](std::vector<std::string> more) {
        more.insert(more.end(), files.begin(), files.end());
        return shop.train("cross.xml", more, "1");
    };
    check_done(train({}));
    check_refused(train({}), "cross.xml");
    fs::remove(shop.path("cross.xml"));
    check_refused(train({}), "training.json");
    fs::remove_all(shop.path("report"));
    // An interrupted training leaves one.
    shop.folder.write("part.json", "{}");
    const ProgramResult lost = train({});
    CHECK(lost.exit_code == 2);
    CHECK_THAT(lost.err, Contains("the checkpoint") && Contains("--resume") && Contains("--overwrite"));
    check_done(train({"--overwrite"}));
}

TEST_CASE("outputs make one folder, and no tree of them", "[cli][outputs]") {
    const Work w;
    const auto check_no_folder = [&](const std::vector<std::string>& arguments) {
        CAPTURE(arguments);
        CHECK_THAT(refusal_of(arguments), Contains("there is no folder") && Contains("make it first"));
        CHECK_FALSE(fs::exists(w.path("no")));
    };
    const std::string file = w.path("no/such/x");
    check_no_folder({"detect", w.photos, "--model", w.model, "--out", file});
    check_no_folder({"run", "--dataset", w.dataset, "--model", w.model, "--out", file});
    check_no_folder({"evaluate", "detection", "--dataset", w.dataset, "--results", w.found, "--out", file});
    check_no_folder({"convert", w.dataset, "--to", "coco", "--out", file});
    check_no_folder({"convert", w.dataset, "--to", "yolo", "--out", file});
    check_no_folder({"enroll", w.dataset, "--faces", "image", "--subject", "Ann", "--gallery", file});
    check_no_folder({"track", w.photos, "--model", w.model, "--landmarks", "none", "--out", file});

    check_done(w.detect("new/r.jsonl"));
    check_done(w.run("out/"));
    check_done(w.evaluate(w.found, "report/"));
    const ProgramResult on_file =
        w.go({"evaluate", "detection", "--dataset", w.dataset, "--results", w.found, "--out", w.found}, {});
    CHECK(on_file.exit_code == 2);
    CHECK_THAT(on_file.err, Contains("a file has that name"));
}

}  // namespace fovea::test
