#include <algorithm>
#include <sstream>

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>
#include <unistd.h>

#include "apps/commands/commands.hpp"
#include "apps/completion/completion_tree.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// The words that bash would offer after these words; the last one is the word being typed.
std::vector<std::string> bash_offers(const std::string& script, const std::vector<std::string>& words,
                                     const std::filesystem::path& folder = {}) {
    std::string command =
        "source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _fovea; printf '%s\\n' "
        "\"${COMPREPLY[@]}\"";
    std::vector<std::string> arguments{"bash", "--norc", "-c", command, script};
    arguments.insert(arguments.end(), words.begin(), words.end());
    ProgramOptions options;
    options.folder = folder;
    const ProgramResult result = run_program(arguments, options);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(result.err.empty());
    std::vector<std::string> offers;
    std::istringstream stream(result.out);
    for (std::string line; std::getline(stream, line);) {
        if (!line.empty()) offers.push_back(line);
    }
    std::sort(offers.begin(), offers.end());
    return offers;
}

using Words = std::vector<std::string>;

// All that may stand behind `fovea`, sorted.
Words names_of_commands() {
    CLI::App program("p", "fovea");
    const std::vector<Command> commands = add_all_commands(program);
    Words names;
    for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
    std::sort(names.begin(), names.end());
    return names;
}

bool is_installed(const std::string& program) {
    return run_program({"/bin/sh", "-c", "command -v " + program}).exit_code == 0;
}

}  // namespace

TEST_CASE("the bash script is valid and offers what the parser knows", "[completion]") {
    const TempDir folder;
    const ProgramResult printed = run_fovea({"completion", "bash"});
    REQUIRE(printed.exit_code == 0);
    const std::string script = folder.write("fovea.bash", printed.out).string();
    CHECK(run_program({"bash", "-n", script}).exit_code == 0);

    CHECK(bash_offers(script, {"fovea", ""}) == names_of_commands());
    CHECK(bash_offers(script, {"fovea", "de"}) == Words{"detect", "devices"});
    CHECK(bash_offers(script, {"fovea", "evaluate", ""}) ==
          Words{"clustering", "detection", "identification", "landmarks", "tracks", "verification"});
    CHECK(bash_offers(script, {"fovea", "bench", "d"}) == Words{"detect"});
    CHECK(bash_offers(script, {"fovea", "gallery", ""}) == Words{"info", "merge", "remove"});
    CHECK(bash_offers(script, {"fovea", "merge", "--o"}) == Words{"--out", "--overwrite"});
    CHECK(bash_offers(script, {"fovea", "enroll", "--re"}) == Words{"--recogniser"});
    CHECK(bash_offers(script, {"fovea", "train", "b"}) == Words{"boxes"});
    CHECK(bash_offers(script, {"fovea", "detect", "--min"}) ==
          Words{"--min-neighbors", "--min-score", "--min-size"});
    CHECK(bash_offers(script, {"fovea", "bench", "detect", "--rep"}) == Words{"--repeat"});
    CHECK(bash_offers(script, {"fovea", "detect", "--rep"}).empty());
    CHECK(bash_offers(script, {"fovea", "detect", "--score", ""}) ==
          Words{"auto", "confidence", "neighbors", "stage_sum"});
    CHECK(bash_offers(script, {"fovea", "detect", "--boxes", ""}) == Words{"detector", "truth"});
    CHECK(bash_offers(script, {"fovea", "detect", "--score", "=", "st"}) == Words{"stage_sum"});
    CHECK(bash_offers(script, {"fovea", "detect", "--device", "c"}) == Words{"cpu", "cuda", "cuda:all"});
    CHECK(bash_offers(script, {"fovea", "evaluate", "detection", "--protocol", "m"}) == Words{"mit-cmu"});
    CHECK(bash_offers(script, {"fovea", "completion", ""}) == Words{"bash", "fish", "zsh"});
    CHECK(bash_offers(script, {"fovea", "detect", "--scale-factor", ""}).empty());

    // The words of a command, as deep as there are commands.
    CHECK(bash_offers(script, {"fovea", "help", ""}) == bash_offers(script, {"fovea", ""}));
    CHECK(bash_offers(script, {"fovea", "help", "evaluate", "t"}) == Words{"tracks"});
    CHECK(bash_offers(script, {"fovea", "help", "detect", "--manual"}) ==
          Words{"--manual", "--manual-folder"});
    CHECK(bash_offers(script, {"fovea", "help", "detect", ""}).empty());

    // Values of lists that the parser does not check itself.
    CHECK(bash_offers(script, {"fovea", "trend", "--metric", "b"}) == Words{"best_f1"});
    CHECK(bash_offers(script, {"fovea", "evaluate", "landmarks", "--metric", "nm"}) == Words{"nme"});
    CHECK(bash_offers(script, {"fovea", "compare", "--at", ""}) == Words{"all", "best-f1"});
    CHECK(bash_offers(script, {"fovea", "evaluate", "detection", "--operating-point", "b"}) ==
          Words{"best-f1"});
    CHECK(bash_offers(script, {"fovea", "evaluate", "detection", "--box-format", ""}) ==
          Words{"xywh", "xyxy"});
    CHECK(bash_offers(script, {"fovea", "evaluate", "detection", "--latex", ""}) ==
          Words{"brackets", "plus-minus"});
    CHECK(bash_offers(script, {"fovea", "evaluate", "detection", "--only", "w"}) == Words{"wider"});
    CHECK(bash_offers(script, {"fovea", "enroll", "--faces", ""}) ==
          Words{"auto", "detector", "image", "truth"});
    CHECK(bash_offers(script, {"fovea", "train", "lbp-weights", "--method", ""}) ==
          Words{"logistic", "rank"});
    const Words conventions = bash_offers(script, {"fovea", "detect", "--box-convention", ""});
    for (const char* name : {"auto", "none", "mct"})
        CHECK(std::count(conventions.begin(), conventions.end(), name) == 1);
}

TEST_CASE("the bash script offers files and folders", "[completion]") {
    const TempDir folder;
    ProgramOptions options;
    folder.write("models/mct.json", "");
    folder.write("models/landmarks/mine.fvlm", "");
    folder.write("models/recognisers/mine.json", "");
    options.environment["FOVEA_MODELS"] = (folder.path() / "models").string();
    const std::string script =
        folder.write("fovea.bash", run_fovea({"completion", "bash"}, options).out).string();
    folder.write("work/photo one.jpg", "");
    folder.write("work/model.xml", "");
    folder.write("work/photos/x", "");
    const auto work = folder.path() / "work";
    CHECK(bash_offers(script, {"fovea", "detect", "pho"}, work) == Words{"photo one.jpg", "photos"});
    CHECK(bash_offers(script, {"fovea", "detect", "--model", "m"}, work) == Words{"mct", "model.xml"});
    CHECK(bash_offers(script, {"fovea", "detect", "--landmarks", "m"}, work) == Words{"mine", "model.xml"});
    CHECK(bash_offers(script, {"fovea", "enroll", "--landmarks", "mi"}, work) == Words{"mine"});
    CHECK(bash_offers(script, {"fovea", "detect", "--landmarks", "d"}, work) == Words{"default"});
    CHECK(bash_offers(script, {"fovea", "detect", "--recogniser", "m"}, work) == Words{"mine", "model.xml"});
    CHECK(bash_offers(script, {"fovea", "track", "m"}, work) == Words{"model.xml"});
    CHECK(bash_offers(script, {"fovea", "track", "--gallery", "m"}, work) == Words{"model.xml"});
    CHECK(bash_offers(script, {"fovea", "train", "mct", "--positives", "mod"}, work) == Words{"model.xml"});
    CHECK(bash_offers(script, {"fovea", "compare", "m"}, work) == Words{"model.xml"});
    CHECK(bash_offers(script, {"fovea", "run", "--out", ""}, work) == Words{"photos"});
    CHECK(bash_offers(script, {"fovea", "detect", "mit-cmu", ":", "pho"}, work) ==
          Words{"photo one.jpg", "photos"});
}

TEST_CASE("the bash script offers formats, and paths behind them", "[completion]") {
    const TempDir folder;
    const std::string script = folder.write("fovea.bash", run_fovea({"completion", "bash"}).out).string();
    folder.write("work/codes/x", "");
    const auto offers = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"fovea", "evaluate", "detection"});
        return bash_offers(script, words, folder.path() / "work");
    };
    CHECK(offers({"--dataset", "co"}) == Words{"coco:", "codes"});
    CHECK(offers({"--dataset", "=", "mit"}) == Words{"mit-cmu-boxes:", "mit-cmu:"});
    CHECK(offers({"--results", "jso"}) == Words{"jsonl:"});
    CHECK(bash_offers(script, {"fovea", "enroll", "fdd"}) == Words{"fddb:"});
    // Readline takes words apart at ':' and '='.
    CHECK(offers({"--dataset", "coco", ":"}) == Words{"codes"});
    CHECK(offers({"--dataset", "coco", ":", "co"}) == Words{"codes"});
    CHECK(offers({"--dataset", "=", "coco", ":", "co"}) == Words{"codes"});
    CHECK(bash_offers(script, {"fovea", "detect", "--device", "cuda", ":"}).empty());
}

TEST_CASE("zsh and fish scripts are valid", "[completion]") {
    const TempDir folder;
    // A bare colon would end a list of words.
    CHECK_THAT(run_fovea({"completion", "zsh"}).out, Contains("cuda\\:all") && Contains("coco\\:"));
    for (const auto& [shell, check] :
         {std::pair<std::string, std::string>{"zsh", "-n"}, {"fish", "--no-execute"}}) {
        const ProgramResult printed = run_fovea({"completion", shell});
        REQUIRE(printed.exit_code == 0);
        const std::string script = folder.write("fovea." + shell, printed.out).string();
        if (!is_installed(shell)) {
            WARN("not run: " + shell + " is not installed, its completion script was not parsed");
            continue;
        }
        const ProgramResult parsed = run_program({shell, check, script});
        CAPTURE(shell, parsed.err);
        CHECK(parsed.exit_code == 0);
        CHECK(parsed.err.empty());
    }
}

TEST_CASE("every flag of every subcommand is in every script", "[completion]") {
    CLI::App program("p", "fovea");
    const std::vector<Command> commands = add_all_commands(program);
    const CompletionNode tree = completion_tree(program);
    const std::string bash = bash_completion(tree);
    const std::string zsh = zsh_completion(tree);
    const std::string fish = fish_completion(tree);
    std::size_t flags = 0;
    for (const Command& command : commands) {
        for (const CLI::Option* option : command.app->get_options()) {
            for (const std::string& name : option->get_lnames()) {
                CAPTURE(command.app->get_name(), name);
                ++flags;
                CHECK_THAT(bash, Contains("--" + name));
                CHECK_THAT(zsh, Contains("--" + name));
                CHECK_THAT(fish, Contains(" -l " + name + " ") || Contains(" -l " + name + "\n"));
            }
        }
    }
    CHECK(flags > 80);
    // Also fovea, evaluate, train, bench, gallery themselves; and all but fovea again, behind `fovea help`.
    CHECK(all_nodes(tree).size() == commands.size() + 5 + commands.size() + 4);
}
