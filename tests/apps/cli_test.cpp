#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/sources.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

// The subcommands that the program's help names below these words, and those below them: {"bench", "detect"}.
std::vector<std::vector<std::string>> subcommands(const std::vector<std::string>& words = {}) {
    std::vector<std::string> arguments = words;
    arguments.emplace_back("--help");
    std::istringstream help(run_fovea(arguments).out);
    std::string line;
    while (std::getline(help, line) && line != "Subcommands:") {
    }
    std::vector<std::vector<std::string>> all;
    while (std::getline(help, line) && line.rfind("  ", 0) == 0) {
        if (line[2] == ' ') continue;  // a description goes on
        std::vector<std::string> subcommand = words;
        subcommand.push_back(line.substr(2, line.find(' ', 2) - 2));
        all.push_back(subcommand);
        for (std::vector<std::string>& below : subcommands(subcommand)) all.push_back(std::move(below));
    }
    return all;
}

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// One sentence on standard error, nothing on standard output, exit code 2.
void check_usage_error(const std::vector<std::string>& arguments, const std::string& expected,
                       const ProgramOptions& options = {}) {
    const ProgramResult result = run_fovea(arguments, options);
    CAPTURE(arguments, result.out, result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, StartsWith("fovea: error: ") && Contains(expected));
    CHECK(lines_of(result.err) == 1);
}

}  // namespace

TEST_CASE("help comes with examples for every subcommand", "[cli]") {
    const ProgramResult top = run_fovea({"--help"});
    CHECK(top.exit_code == 0);
    CHECK(top.err.empty());
    const std::vector<std::vector<std::string>> all = subcommands();
    CHECK(all.size() >= 30);
    for (const auto& words : all) {
        std::string command = "fovea";
        for (const std::string& word : words) command += " " + word;
        CAPTURE(command);
        std::vector<std::string> arguments = words;
        arguments.emplace_back("--help");
        const ProgramResult help = run_fovea(arguments);
        CHECK(help.exit_code == 0);
        CHECK(help.err.empty());
        REQUIRE_THAT(help.out, Contains("Usage: " + command + " ") && Contains("Example"));
        CHECK_THAT(help.out.substr(help.out.find("Example")), Contains(command + " "));
    }
}

TEST_CASE("what a terminal obeys is shown and not sent in messages, warnings and tables", "[cli][evaluate]") {
    // A title for the window, a colour, and a line that would pass for a message of the program.
    const std::string name = "\x1B]0;t\x07\u009B31m\nfovea: error: none";
    const std::string shown = R"(\x1B]0;t\x07\xC2\x9B31m\x0Afovea: error: none)";
    const ProgramResult missing = run_fovea({"detect", "/nowhere/" + name});
    CHECK(missing.exit_code == 2);
    CHECK_THAT(missing.err, StartsWith("fovea: error: ") && Contains("/nowhere/" + shown));
    CHECK(lines_of(missing.err) == 1);

    const TempDir folder;
    const std::string pairs = folder.write("pairs.txt", "a b 0.9 1\nc d 0.1 0\n").string();
    const std::string report =
        folder
            .write("report.json",
                   R"({"verification": {"name": "x", "scores": "similarity", "threshold": 1}})")
            .string();
    const ProgramResult table = run_fovea({"evaluate", "verification", "--pairs", pairs, "--name", name,
                                           "--threshold-from", report + ":threshold"});
    CHECK(table.exit_code == 0);
    CHECK_THAT(table.err, Contains("fovea: warning: ") && Contains("is applied to '" + shown + "'"));
    CHECK_THAT(table.out, Contains(shown));
    for (const std::string* text : {&missing.err, &table.err, &table.out}) {
        CHECK_THAT(*text, !Contains("\x1B") && !Contains("\x07") && !Contains("\u009B") &&
                              !Contains("\nfovea: error: none"));
    }
}

TEST_CASE("the version names the commit and what the program is made of", "[cli]") {
    const std::string text = run_fovea({"--version"}).out;
    CHECK_THAT(text, Catch::Matchers::Matches(
                         "fovea [0-9]+\\.[0-9]+\\.[0-9]+( \\(commit [0-9a-f]+(\\+changes)? of "
                         "[0-9]{4}-[0-9]{2}-[0-9]{2}\\))?\nBuilt by [^\n]*\nWith OpenCV [^\n]*\n"));
}

TEST_CASE("the version is printed as other programs do it", "[cli]") {
    const std::string version = run_fovea({"--version"}).out;
    for (const char* word : {"-V", "-v", "version"}) {
        const ProgramResult result = run_fovea({word});
        CAPTURE(word, result.err);
        CHECK(result.exit_code == 0);
        CHECK(result.out == version);
    }
    check_usage_error({"version", "now"}, "unknown subcommand 'version'");
}

TEST_CASE("a flag that takes one value says so", "[cli]") {
    check_usage_error(
        {"run", "--dataset", "x", "--landmarks", "a", "--landmarks", "b"},
        "'--landmarks' is given 2 times, but takes one value; name one; see 'fovea run --help'");
    check_usage_error({"detect", "x", "--threads", "1", "--threads", "2", "--threads", "3"},
                      "'--threads' is given 3 times, but takes one value");
}

TEST_CASE("a value of a flag that is refused is named by the flag", "[cli]") {
    const TempDir folder;
    const std::string photo = folder.write("a.pgm", edge_pgm(40, 30)).string();
    const std::string config =
        folder.write("c.json", R"({"detectors": [{"model": "mct"}], "output": "o"})").string();
    for (const std::vector<std::string>& words : {std::vector<std::string>{"detect", photo},
                                                  {"track", photo, "--out", "o"},
                                                  {"run", "--dataset", photo, "--out", "o"},
                                                  {"run", config, "--dataset", photo}}) {
        std::vector<std::string> arguments = words;
        arguments.insert(arguments.end(), {"--scale-factor", "0.9"});
        check_usage_error(arguments, "'--scale-factor 0.9' must be between 1.001 and 1000");
    }
}

TEST_CASE("run --print-config alone prints the defaults", "[cli]") {
    const ProgramResult result = run_fovea({"run", "--print-config"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(Json::parse(result.out)["detectors"][0]["model"] == "wild");
    const ProgramResult other = run_fovea({"run", "--print-config", "--model", "mct"});
    CHECK(other.exit_code == 0);
    CHECK(Json::parse(other.out)["detectors"][0]["model"] == "mct");
}

TEST_CASE("errors read as one sentence behind their label, and exit codes follow the list", "[cli]") {
    const TempDir folder;
    const auto write = [&](const char* name, const std::string& text) {
        return folder.write(name, text).string();
    };
    const std::string photo = write("a.pgm", edge_pgm(40, 30));
    const std::string truth =
        write("t.xml",
              "<dataset><images><image file='a.pgm'><box top='0' left='10' width='20' height='20'/></image>"
              "</images></dataset>");
    const std::string none = (folder.path() / "none").string();
    const auto check = [&](int exit_code, const std::vector<std::string>& arguments,
                           const std::string& begin) {
        const ProgramResult result = run_fovea(arguments);
        CAPTURE(arguments, result.err);
        CHECK(result.exit_code == exit_code);
        CHECK_THAT(result.err, StartsWith("fovea: error: " + begin));
        CHECK(lines_of(result.err) == 1);
        CHECK(result.err.substr(result.err.size() - 2) != ".\n");
    };
    const auto evaluate = [&](const std::string& results) {
        return std::vector<std::string>{"evaluate",      "detection", "--dataset",
                                        "dlib:" + truth, "--results", results};
    };
    // 2: a named file is not there.
    check(2, {"detect", none}, "there is no file or folder '" + none);
    check(2, evaluate(none), "there is no results file '" + none);
    check(2, {"detect", photo, "--model", none + ".xml"}, "there is no model '" + none);
    const std::string lines =
        folder.write("r.jsonl", R"({"image":"a.pgm","status":"ok","detections":[]})").string();
    check(2, {"healthcheck", lines},
          "'" + lines + "' holds results and is no dataset; name it with --results");
    check(2, {"convert", lines, "--to", "csv"}, "a dataset cannot be written as csv; --to is one of ");
    check(2, {"detect", photo, "--model", "wi"},
          "there is no model 'wi' (names that contain it: wild, wild-large)");
    if (std::filesystem::exists("/usr/share/opencv4/haarcascades/haarcascade_frontalface_alt.xml")) {
        check(2, {"detect", photo, "--model", "haarcascade_frontalface"},
              "there is no model 'haarcascade_frontalface' (names that contain it: haarcascade_frontalface_");
    }
    check(2, {"detect", photo, "--out", "/tmp"}, "--out: /tmp is a folder; name a file");
    check(2, {"detect", photo, "--out", "new/"}, "--out: new/ is a folder; name a file");
    check(2, {"evaluate", "detection", "--dataset", photo, "--results", "cocoo:a.json"},
          "'cocoo' in 'cocoo:a.json' is no format of results (did you mean 'coco'?)");
    check(2, {"run", none + ".json"}, "there is no ");
    // 1: a file is there and holds something else.
    check(1, {"detect", photo, "--model", write("m.xml", "<x/>")}, "cannot read the cascade ");
    check(1, evaluate(write("r.jsonl", "{\"image\": 1")), folder.path().string());
    // Two sentences keep their full stops.
    const ProgramResult others = run_fovea(evaluate(write("o.txt", "other.pgm 1 2 3 4 5\n")));
    CHECK(others.exit_code == 1);
    CHECK_THAT(others.err, StartsWith("fovea: error: the results and the dataset ") &&
                               Contains("no image in common") && Contains("dataset's folder.\n"));
    CHECK_THAT(run_fovea({"--help"}).out,
               Contains("2  wrong usage or configuration, or a named file is not there") &&
                   Contains("'fovea healthcheck' found faults"));
}

TEST_CASE("a machine without an NVIDIA driver says so", "[cli]") {
    const TempDir folder;
    const std::string photo = folder.write("a.pgm", edge_pgm(40, 30)).string();
    const Json cuda = Json::parse(run_fovea({"devices", "--json"}).out)["cuda"];
    if (std::filesystem::exists("/proc/driver/nvidia/version") || !cuda.contains("why_none")) {
        WARN("not run: there is a driver, or the program is built without CUDA");
        return;
    }
    const std::string why = cuda["why_none"];
    const std::string said = "fovea: running on the CPU: " + why;
    CHECK_THAT(run_fovea({"detect", photo, "--out", "-"}).err, Contains(said));
    CHECK_THAT(run_fovea({"detect", photo, "--out", "-", "--device", "cpu"}).err, !Contains(said));
    CHECK_THAT(run_fovea({"detect", photo, "--out", "-", "--quiet"}).err, !Contains(said));
    if (why.find("built without") != std::string::npos) return;
    CHECK(why == "there is no NVIDIA driver on this machine");
    check_usage_error({"detect", photo, "--device", "cuda"}, "there is no NVIDIA driver on this machine");
}

TEST_CASE("the program alone prints the short help", "[cli]") {
    const ProgramResult alone = run_fovea({});
    CHECK(alone.exit_code == 0);
    CHECK(alone.err.empty());
    CHECK_THAT(alone.out,
               Contains("Usage: fovea ") && Contains("\n  detect ") && Contains("fovea help COMMAND"));
    CHECK_THAT(alone.out, !Contains("Examples:"));
    CHECK_THAT(run_fovea({"--help"}).out, Contains("Examples:") && Contains("130  interrupted"));
}

TEST_CASE("help COMMAND is the command's --help", "[cli]") {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{}, {"detect"}, {"evaluate"}, {"evaluate", "detection"}, {"help"}}) {
        CAPTURE(words);
        std::vector<std::string> first = words, second = words;
        first.insert(first.begin(), "help");
        second.emplace_back("--help");
        const ProgramResult help = run_fovea(first);
        CHECK(help.exit_code == 0);
        CHECK(help.err.empty());
        CHECK(help.out == run_fovea(second).out);
    }
}

TEST_CASE("flags that few people need stand last in the help", "[cli]") {
    const std::string help = run_fovea({"detect", "--help"}).out;
    const auto place = [&](const std::string& text) {
        CAPTURE(text);
        REQUIRE(help.find(text) != std::string::npos);
        return help.find(text);
    };
    CHECK(place("\nImages:\n") < place("\nDetector:\n"));
    CHECK(place("\nDetector:\n") < place("\nOutput:\n"));
    CHECK(place("\nOutput:\n") < place("\nAdvanced:\n"));
    CHECK(place("--model") < place("\nAdvanced:\n"));
    CHECK(place("--start-scale") > place("\nAdvanced:\n"));
    CHECK(place("--start-scale") < place("\nExamples:\n"));
}

TEST_CASE("wrong usage ends with 2 and one sentence", "[cli]") {
    check_usage_error({"evaluate"},
                      "a subcommand is required: detection, landmarks, tracks, verification, "
                      "identification, clustering; see 'fovea evaluate --help'");
    check_usage_error({"help", "detcet"}, "unknown subcommand 'detcet' (did you mean 'detect'?)");
    check_usage_error({"help", "evaluate", "foo"}, "unknown subcommand 'foo'; see 'fovea evaluate --help'");
    check_usage_error({"detcet"}, "unknown subcommand 'detcet' (did you mean 'detect'?)");
    check_usage_error({"evaluate", "detections"},
                      "unknown subcommand 'detections' (did you mean 'detection'?)");
    check_usage_error({"detect", "--thread=4"},
                      "unknown flag '--thread' (did you mean '--threads'?); see 'fovea detect --help'");
    check_usage_error({"detect", "--zzz"}, "unknown flag '--zzz'; see");
    check_usage_error({"detect", ".", "--threads", "many"},
                      "'--threads many' must be a whole number from 0 to 1024");
    check_usage_error({"detect", ".", "--threads", "-1"}, "'--threads -1' must be");
    check_usage_error({"detect", ".", "--score", "sum"},
                      "'--score sum' must be one of auto, neighbors, stage_sum, confidence");
    check_usage_error({"detect", ".", "--decoder", "nvjpg"},
                      "'--decoder nvjpg' must be one of cpu, nvjpeg, auto "
                      "(did you mean 'nvjpeg'?)");
    check_usage_error({"detect", ".", "--min-score", "high"}, "'--min-score high' must be a number");
    check_usage_error({"detect", ".", "--step", "0"}, "'--step 0' must be between 1 and 24");
    check_usage_error({"bench", "recognition", ".", "--budget", "-1"},
                      "'--budget -1' must be a number from 0 to 1000000");
    check_usage_error({"detect", ".", "--model"}, "'--model' needs a value: MODEL");
    check_usage_error({"detect", ".", "--model", "haarcascade_frontalface_alt", "--min-size", "4x"},
                      "--min-size '4x'");
    check_usage_error({"detect", ".", "--model", "haarcascade_frontalface_alt", "--scale-factor", "1"},
                      "'--scale-factor 1' must be between 1.001 and 1000");
    check_usage_error({"detect", ".", "--device", "gpu", "--model", "m"}, "'gpu' is not a device");
    check_usage_error({"detect", ".", "--device", "cuda:99", "--model", "haarcascade_frontalface_alt"},
                      "cannot detect on 'cuda:99'");
    check_usage_error({"detect", "--model", "haarcascade_frontalface_alt"}, "no images were given");
    check_usage_error({"verify", "."}, "fovea verify needs a cascade");
    check_usage_error({"detect", ".", "--model", "no_such_cascade"}, "no_such_cascade");
    check_usage_error({"detect", "--json", ".", "--model", "haarcascade_frontalface_alt"}, "--json");
    check_usage_error({"run"}, "nothing to run");
    check_usage_error({"run", "a.json", "--config", "b.json"}, "twice");
    check_usage_error({"run", "/no/such/file.json"}, "/no/such/file.json");
    check_usage_error({"evaluate", "detection", "--dataset", "."}, "--results");
    check_usage_error({"evaluate", "detection", "--dataset", ".", "--results", "r", "--require", "ap"},
                      "KEY>=VALUE");
    check_usage_error({"completion", "tcsh"}, "'tcsh' must be one of bash, zsh, fish");
    check_usage_error({"devices", "now"}, "unknown argument 'now'");
}

TEST_CASE("a wrong configuration ends with 2 and names file and key", "[cli]") {
    const TempDir folder;
    const auto unknown = folder.write("unknown.json", R"({"detectors": [{"scale_facto": 1.1}]})").string();
    check_usage_error({"run", unknown},
                      "unknown.json: unknown key 'detectors[0].scale_facto' (did you mean 'scale_factor'?)");
    check_usage_error({"detect", "--config", unknown}, "unknown key");
    const auto broken = folder.write("broken.json", "{\n\"threads\": }").string();
    check_usage_error({"run", broken}, "broken.json:2:");
    const auto unset =
        folder.write("unset.json", R"({"dataset": {"path": "${FOVEA_NOT_SET}/x"}, "output": "o"})").string();
    check_usage_error({"run", unset}, "'dataset.path': the environment variable FOVEA_NOT_SET is not set");
    const auto several =
        folder.write("several.json", R"({"detectors": [{"model": "a"}, {"model": "b"}]})").string();
    check_usage_error({"detect", "--config", several, "."}, "use 'fovea run'");
    const auto no_model = folder.write("no_model.json", R"({"detectors": [{"model": ""}]})").string();
    check_usage_error({"detect", "--config", no_model, "."}, "detector 1 has no model");
    const auto no_output =
        folder.write("no_output.json", R"({"dataset": {"path": "."}, "detectors": [{"model": "a"}]})")
            .string();
    check_usage_error({"run", no_output}, "--out");
}

TEST_CASE("flags override the configuration, which overrides the defaults", "[cli]") {
    const TempDir folder;
    const auto config = folder.write("c.json", R"({"dataset": {"path": "photos", "limit": 5},
        "detectors": [{"model": "m.xml", "scale_factor": 1.3, "min_size": [30, 30]}], "threads": 2, "output": "o"})");
    const ProgramResult result = run_fovea({"run", config.string(), "--print-config", "--threads", "3",
                                            "--min-size", "40x50", "--limit", "9", "--fp-points", "1,2"});
    REQUIRE(result.exit_code == 0);
    CHECK(result.err.empty());
    const Json json = Json::parse(result.out);
    CHECK(json["threads"] == 3);                                       // flag over file
    CHECK(json["dataset"]["limit"] == 9);                              // flag over file
    CHECK(json["dataset"]["path"] == "photos");                        // file
    CHECK(json["detectors"][0]["scale_factor"] == 1.3);                // file
    CHECK(json["detectors"][0]["min_size"] == Json::array({40, 50}));  // flag over file
    CHECK(json["detectors"][0]["min_neighbors"].is_null());            // the detector's own
    CHECK(json["evaluation"]["false_positive_points"] == Json::array({1, 2}));
    CHECK(json["output"] == "o");
}

TEST_CASE("--print-config prints a configuration that gives itself", "[cli]") {
    const TempDir folder;
    ProgramOptions options;
    options.environment["FOVEA_DATA"] = "/somewhere";
    for (const std::string name : {"demo", "mit-cmu"}) {
        const ProgramResult first =
            run_fovea({"run", test::source_file("configs/") + name + ".json", "--print-config"}, options);
        REQUIRE(first.exit_code == 0);
        const auto file = folder.write(name + ".json", first.out);
        const ProgramResult second = run_fovea({"run", "--config", file.string(), "--print-config"});
        CHECK(second.out == first.out);
        options.input = first.out;
        CHECK(run_fovea({"run", "-", "--print-config"}, options).out == first.out);
        options.input.clear();
    }
    const ProgramResult detect = run_fovea({"detect", "a.jpg", "b.jpg", "--model", "x", "--model-flag"});
    CHECK(detect.exit_code == 2);
    const ProgramResult files = run_fovea({"detect", "a.jpg", "b.jpg", "--model", "x", "--print-config"});
    CHECK(Json::parse(files.out)["dataset"]["files"] == Json::array({"a.jpg", "b.jpg"}));
}

TEST_CASE("environment variables are those of configuration files only", "[cli]") {
    const TempDir folder;
    ProgramOptions options;
    options.environment["FOVEA_TEST_MODEL"] = "m.xml";
    options.environment["FOVEA_TEST_UNSET"] = "";
    const auto config =
        folder.write("c.json", R"({"dataset": {"path": "${FOVEA_TEST_UNSET}/x", "root": "a$$b"},
        "detectors": [{"model": "${FOVEA_TEST_MODEL}"}], "output": "o"})");
    // The flag stands in for the value whose variable is not set, and is taken as it stands.
    const std::string odd = "${FOVEA_TEST_UNSET}/$$${x";
    const ProgramResult first =
        run_fovea({"run", config.string(), "--print-config", "--dataset", odd, "--out", "out$${"}, options);
    CAPTURE(first.err);
    REQUIRE(first.exit_code == 0);
    const Json json = Json::parse(first.out);
    CHECK(json["detectors"][0]["model"] == "m.xml");
    CHECK(json["dataset"]["root"] == "a$b");
    CHECK(json["dataset"]["path"] != odd);  // escaped
    const auto printed = folder.write("printed.json", first.out);
    CHECK(run_fovea({"run", printed.string(), "--print-config"}).out == first.out);

    folder.write("${HOME}.pgm", edge_pgm(40, 30));
    folder.write("edge$$.xml", edge_cascade());
    options.folder = folder.path();
    const ProgramResult found = run_fovea({"detect", "${HOME}.pgm", "--model", "edge$$.xml"}, options);
    CAPTURE(found.err);
    CHECK(found.exit_code == 0);
    CHECK(run_fovea({"convert", "${HOME}.pgm"}, options).exit_code == 0);
}

TEST_CASE("devices names the CPU and says why there is no GPU", "[cli]") {
    const ProgramResult result = run_fovea({"devices", "--json"});
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK_FALSE(json["cpu"]["name"].get<std::string>().empty());
    CHECK(json["cpu"]["threads"].get<int>() >= 1);
    CHECK(json["cuda"]["devices"].empty() == json["cuda"].contains("why_none"));
    CHECK_THAT(json["libraries"]["decoder"].get<std::string>(), Contains("libjpeg-turbo"));
    CHECK_THAT(run_fovea({"devices"}).out, Contains("cpu") && Contains("cuda") && Contains("opencv"));
    CHECK(run_fovea({"devices", "--quiet"}).out.empty());
}

TEST_CASE("a full disk is an error, not silence", "[cli]") {
    if (!std::filesystem::exists("/dev/full")) {
        WARN("not run: there is no /dev/full");
        return;
    }
    const ProgramResult result =
        run_program({"/bin/sh", "-c", "exec \"$0\" devices >/dev/full", fovea_program()});
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Contains("standard output"));
}

TEST_CASE("help behind a word that is no command is an error that names the nearest one", "[cli]") {
    for (const char* flag : {"--help", "-h", "--version"}) {
        CAPTURE(flag);
        const ProgramResult result = run_fovea({"detcet", flag});
        CHECK(result.exit_code == 2);
        CHECK(result.out.empty());
        CHECK(result.err ==
              "fovea: error: unknown subcommand 'detcet' (did you mean 'detect'?); see 'fovea --help'\n");
    }
    const ProgramResult below = run_fovea({"train", "cascad", "--help"});
    CHECK(below.exit_code == 2);
    CHECK_THAT(below.err, Contains("unknown subcommand 'cascad' (did you mean 'cascade'?)"));
    CHECK(run_fovea({"train", "cascade", "--help"}).exit_code == 0);
    CHECK(run_fovea({"detect", "photos", "--help"}).exit_code == 0);
}

TEST_CASE("marks that turn text reach neither the terminal nor JSON on standard output", "[cli]") {
    const TempDir folder;
    const std::string name = "a\u202Egpj\u2066\u2028\u009Bb.jpg";
    folder.write("photos/" + name, "no picture");
    const ProgramResult result =
        run_fovea({"detect", (folder.path() / "photos").string(), "--model", "mct", "--device", "cpu",
                   "--out", (folder.path() / "r.jsonl").string(), "--json"});
    CHECK(result.exit_code == 3);
    CHECK(Json::parse(result.out)["unreadable_images"][0]["image"] == name);
    const ProgramResult lines = run_fovea(
        {"detect", (folder.path() / "photos").string(), "--model", "mct", "--device", "cpu", "--out", "-"});
    CHECK(Json::parse(lines.out)["image"] == name);
    for (const std::string* text : {&result.out, &result.err, &lines.out, &lines.err}) {
        CHECK_THAT(*text,
                   !Contains("\u202E") && !Contains("\u2066") && !Contains("\u2028") && !Contains("\u009B"));
    }
    CHECK_THAT(result.err, Contains(R"(a\xE2\x80\xAEgpj)"));
}

TEST_CASE("a thread that cannot start ends a command with a sentence", "[cli]") {
    if (has_sanitizer) return;
    const TempDir folder;
    for (int i = 0; i < 4; ++i) folder.write("photos/" + std::to_string(i) + ".pgm", noise_pgm(200, 150, i));
    int refused = 0;
    // From too little for the program itself to enough for all of its threads.
    for (int mebibytes = 160; mebibytes <= 640; mebibytes += 40) {
        CAPTURE(mebibytes);
        const ProgramResult result = run_program(
            {"sh", "-c", "ulimit -v " + std::to_string(mebibytes * 1024) + " && exec \"$@\"", "sh",
             fovea_program(), "detect", (folder.path() / "photos").string(), "--model", "mct", "--device",
             "cpu", "--threads", "16", "--out", (folder.path() / "r.jsonl").string(), "--overwrite"});
        CAPTURE(result.err);
        if (result.exit_code == 127) continue;  // its libraries find no room
        // The C library ends a program in which it finds no room for what a thread leaves to be destroyed.
        if (result.err.find("Fatal glibc error: failed to register TLS destructor") != std::string::npos)
            continue;
        CHECK((result.exit_code == 0 || result.exit_code == 1));
        if (result.exit_code == 0) continue;
        ++refused;
        CHECK((result.err.find("a thread cannot be started; lower --threads") != std::string::npos ||
               result.err.find("not enough memory") != std::string::npos));
    }
    CHECK(refused > 0);
}
