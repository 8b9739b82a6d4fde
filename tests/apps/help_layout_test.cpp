#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>

#include "apps/commands/commands.hpp"
#include "apps/help/command_tree.hpp"
#include "apps/help/footer.hpp"
#include "apps/help/manual_page.hpp"
#include "lib/core/text.hpp"
#include "tests/apps/shell_words.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

// Help and manual pages: how they are laid out.
namespace fovea::test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

struct Tree {
    CLI::App program;
    std::vector<Command> commands;

    Tree() {
        describe_program(program);
        commands = add_all_commands(program);
    }
};

std::vector<std::string> lines_of_text(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// The command lines below "Examples:".
std::vector<std::vector<std::string>> examples_of(const std::string& help) {
    const std::string start = "Examples:\n";
    const std::size_t at = help.find(start);
    REQUIRE(at != std::string::npos);
    return commands_of(help.substr(at + start.size(), help.find("\n\n", at) - at - start.size()), "fovea");
}

/// The words of a text, wherever its lines break.
std::vector<std::string> words_of_text(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

std::string text_of_file(const fs::path& file) {
    std::ifstream stream(file);
    REQUIRE(stream);
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("no line of any help is wider than the terminal", "[cli][help]") {
    const Tree tree;
    for (const int columns : {60, 80, 100}) {
        ProgramOptions options;
        options.environment["COLUMNS"] = std::to_string(columns);
        for (const CLI::App* command : all_commands(tree.program)) {
            std::vector<std::string> words = words_of_text(full_name(*command));
            words.erase(words.begin());
            words.emplace_back("--help");
            const ProgramResult help = run_fovea(words, options);
            REQUIRE(help.exit_code == 0);
            for (const std::string& line : lines_of_text(help.out)) {
                CAPTURE(full_name(*command), columns, line);
                CHECK(character_count(line) <= static_cast<std::size_t>(columns));
            }
            CAPTURE(full_name(*command), columns, help.out);
            CHECK(examples_of(help.out) == examples_of(command->get_footer()));
        }
    }
}

TEST_CASE("a width that is none of 60 to 100 columns counts as the nearest", "[cli][help]") {
    const auto widest = [](const std::string& columns) {
        ProgramOptions options;
        options.environment["COLUMNS"] = columns;
        std::size_t width = 0;
        for (const std::string& line : lines_of_text(run_fovea({"detect", "--help"}, options).out))
            width = std::max(width, character_count(line));
        return width;
    };
    CHECK(widest("20") <= 60);
    CHECK(widest("20") > 50);
    CHECK(widest("500") <= 100);
    CHECK(widest("500") > 90);
    CHECK(widest("many") > 90);
}

TEST_CASE("a footer is laid out as paragraphs, commands and rows", "[cli][help]") {
    const std::string footer = R"(Examples:
  fovea detect photos/ --out results.jsonl
  fovea detect 'my photos/' --model wild --out results.jsonl  # all of them

A paragraph of two
lines, joined.

Rows:
    0  done, and a text that goes
       on in the next line
  130  interrupted
name  another)";
    CHECK(laid_out_footer(footer, 34) == R"(Examples:
  fovea detect photos/ \
      --out results.jsonl
  fovea detect 'my photos/' \
      --model wild \
      --out results.jsonl \
      # all of them

A paragraph of two lines, joined.

Rows:
    0  done, and a text that goes
       on in the next line
  130  interrupted
name  another
)");
    // A text that fits keeps its lines, but for those that a wider terminal joins.
    CHECK_THAT(laid_out_footer(footer, 100),
               Contains("  fovea detect 'my photos/' --model wild --out results.jsonl  # all of them\n") &&
                   Contains("\n    0  done, and a text that goes on in the next line\n"));
    // No width is too small for a word.
    CHECK(laid_out_footer("a-long-word short", 5) == "a-long-word\nshort\n");
    CHECK(laid_out_footer("", 80).empty());
}

TEST_CASE("nothing of a footer is lost where it is laid out", "[cli][help]") {
    const Tree tree;
    for (const CLI::App* command : all_commands(tree.program)) {
        const std::string footer = command->get_footer();
        std::vector<std::string> words = words_of_text(laid_out_footer(footer, 60));
        std::erase(words, "\\");
        CAPTURE(full_name(*command));
        CHECK(words == words_of_text(footer));
    }
}

TEST_CASE("every command has a manual page, which names its flags and related pages", "[cli][help][manual]") {
    const Tree tree;
    const TempDir folder;
    const fs::path pages = folder.path() / "man1";
    const ProgramResult written = run_fovea({"help", "--manual-folder", pages.string()});
    CAPTURE(written.err);
    REQUIRE(written.exit_code == 0);
    CHECK(written.out.empty());
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(pages)) names.insert(entry.path().stem().string());
    const std::vector<const CLI::App*> commands = all_commands(tree.program);
    CHECK(names.size() == commands.size());
    std::set<std::string> linked;
    for (const CLI::App* command : commands) {
        const std::string name = manual_name(*command);
        CAPTURE(name);
        REQUIRE(names.contains(name));
        std::string page = text_of_file(pages / (name + ".1"));
        CHECK(lines_of_text(page).size() < 700);
        page = std::regex_replace(page, std::regex(R"(\\-)"), "-");
        CHECK_THAT(page, Contains(".SH NAME\n" + name + " - " + command->get_description() + "\n") &&
                             Contains(".SH EXAMPLES\n") && Contains(".B " + full_name(*command) + "\n"));
        for (const CLI::Option* option : command->get_options())
            for (const std::string& flag : option->get_lnames()) CHECK_THAT(page, Contains("--" + flag));
        const std::string also = page.substr(page.find(".SH SEE ALSO\n"));
        const std::regex link(R"(\.BR (\S+) \(1\))");
        for (std::sregex_iterator at(also.begin(), also.end(), link), end; at != end; ++at) {
            CAPTURE(at->str());
            CHECK(names.contains((*at)[1].str()));
            CHECK((*at)[1].str() != name);
            linked.insert((*at)[1].str());
        }
    }
    CHECK(linked == names);

    CHECK(run_fovea({"help", "--manual", "evaluate", "detection"}).out ==
          text_of_file(pages / "fovea-evaluate-detection.1"));
    CHECK(run_fovea({"help", "--manual"}).out == text_of_file(pages / "fovea.1"));
    CHECK(run_fovea({"help", "--manual", "detcet"}).exit_code == 2);
}

TEST_CASE("manual pages are right for groff, and fit 80 columns", "[cli][help][manual]") {
    if (run_program({"/bin/sh", "-c", "command -v groff && command -v preconv"}).exit_code != 0) {
        WARN("not run: groff is not installed, the manual pages were not formatted");
        return;
    }
    const Tree tree;
    const TempDir folder;
    REQUIRE(run_fovea({"help", "--manual-folder", folder.path().string()}).exit_code == 0);
    for (const CLI::App* command : all_commands(tree.program)) {
        const std::string page = (folder.path() / (manual_name(*command) + ".1")).string();
        const ProgramResult shown = run_program(
            {"groff", "-man", "-K", "utf8", "-Tutf8", "-P-c", "-P-b", "-P-u", "-ww", "-rLL=78n", page});
        CAPTURE(page, shown.err);
        CHECK(shown.exit_code == 0);
        CHECK(shown.err.empty());
        for (const std::string& line : lines_of_text(shown.out)) {
            CAPTURE(line);
            CHECK(character_count(line) <= 80);
        }
    }
}

}  // namespace fovea::test
