#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>

#include "apps/commands/commands.hpp"
#include "lib/files/media_names.hpp"
#include "tests/apps/shell_words.hpp"
#include "tests/support/sources.hpp"

// Documents and help must be right: command lines parse, and what they name is there.
namespace fovea::test {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
    std::ifstream stream(file);
    REQUIRE(stream);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::vector<fs::path> documents() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(test::source_dir())) {
        if (entry.path().extension() == ".md") files.push_back(entry.path());
    }
    for (const char* folder : {"apps", "lib", "kernels", "configs", "scripts", "tests"}) {
        for (const auto& entry : fs::recursive_directory_iterator(test::source_dir() / folder)) {
            if (entry.path().extension() == ".md") files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string name_of(const fs::path& file) {
    return file.lexically_relative(test::source_dir()).string();
}

/// Characters, not bytes.
std::size_t width_of(const std::string& line) {
    return static_cast<std::size_t>(
        std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// A document in its parts: code blocks (indented or fenced), and the rest line by line.
struct Document {
    std::vector<std::string> blocks;
    std::vector<std::string> prose;
};

Document parts_of(const std::string& text) {
    Document document;
    std::string block;
    bool fenced = false, after_blank = true, in_list = false;
    const auto end_block = [&] {
        if (!block.empty()) document.blocks.push_back(block);
        block.clear();
    };
    for (const std::string& line : lines_of(text)) {
        if (line.starts_with("```")) {
            end_block();
            fenced = !fenced;
            continue;
        }
        const std::size_t indent = line.find_first_not_of(' ');
        const bool is_blank = indent == std::string::npos;
        if (!is_blank && indent < 2) in_list = line[indent] == '-' || line[indent] == '*';
        const bool is_code =
            fenced || (!is_blank && indent >= (in_list ? 6u : 4u) && (after_blank || !block.empty()));
        if (is_code) {
            block += line + "\n";
        } else {
            if (!is_blank) end_block();
            document.prose.push_back(line);
        }
        after_blank = is_blank;
    }
    end_block();
    return document;
}

/// The texts between back quotes of a paragraph's lines; "\|" of tables becomes "|".
std::vector<std::string> inline_code(const std::vector<std::string>& prose) {
    std::vector<std::string> codes;
    std::string text;
    for (const std::string& line : prose) text += line + "\n";
    const std::regex code("`([^`\n]+(?:\n[^`\n]+)?)`");
    for (std::sregex_iterator at(text.begin(), text.end(), code), end; at != end; ++at) {
        codes.push_back(std::regex_replace((*at)[1].str(), std::regex(R"(\\\|)"), "|"));
    }
    return codes;
}

/// "info|merge|remove" gives three commands.
std::vector<std::vector<std::string>> alternatives(const std::vector<std::string>& words) {
    std::vector<std::vector<std::string>> all{{}};
    for (const std::string& word : words) {
        std::vector<std::string> choices;
        std::istringstream stream(word);
        for (std::string choice; std::getline(stream, choice, '|');) choices.push_back(choice);
        std::vector<std::vector<std::string>> longer;
        for (const auto& command : all) {
            for (const std::string& choice : choices) {
                longer.push_back(command);
                longer.back().push_back(choice);
            }
        }
        all = std::move(longer);
    }
    return all;
}

enum class Completeness {
    whole,  ///< a line to be copied
    part,   ///< named in a sentence: arguments may be missing
};

/// Why the program does not take a command line; nothing if it does. \param words without "fovea".
std::optional<std::string> refusal(std::vector<std::string> words, Completeness completeness) {
    for (std::string& word : words) {
        // A capital letter stands for a number or a name; both may be 1.
        if (word.size() == 1 && word[0] >= 'A' && word[0] <= 'Z') word = "1";
        if (completeness == Completeness::part)
            std::erase_if(word, [](char c) { return c == '[' || c == ']'; });
    }
    CLI::App program;
    describe_program(program);
    const std::vector<Command> commands = add_all_commands(program);
    std::reverse(words.begin(), words.end());
    try {
        program.parse(words);
    } catch (const CLI::Success&) {
    } catch (const CLI::RequiredError& error) {
        if (completeness == Completeness::whole) return error.what();
        const std::vector<std::string> unknown = program.remaining(true);
        if (!unknown.empty()) return "unknown: " + unknown[0];
    } catch (const CLI::ArgumentMismatch& error) {
        if (completeness == Completeness::whole) return error.what();
    } catch (const CLI::ParseError& error) {
        return error.what();
    }
    return std::nullopt;
}

/// All flags of the program: "--threads", "-j".
std::set<std::string> program_flags(const CLI::App& app) {
    std::set<std::string> flags;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) flags.insert("--" + name);
    }
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        flags.merge(program_flags(*command));
    }
    return flags;
}

/// The text of all files that scripts, build and other programs have: flags and variables stand there.
std::string script_text() {
    std::string text = read_text(test::source_dir() / "CMakeLists.txt");
    for (const char* folder :
         {"scripts", "tests/faults", "tests/fuzz", "tests/bench", "tests/lab", "tests/support"}) {
        for (const auto& entry : fs::recursive_directory_iterator(test::source_dir() / folder)) {
            if (entry.is_regular_file() && entry.path().extension() != ".md") text += read_text(entry.path());
        }
    }
    return text;
}

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
    std::vector<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
        found.push_back((*at)[1].str());
    }
    return found;
}

/// A heading's anchor, as GitHub makes it.
std::string anchor_of(const std::string& heading) {
    std::string anchor;
    for (const char c : heading) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80 || std::isalnum(byte) != 0 || c == '-' || c == '_') {
            anchor += byte < 0x80 ? static_cast<char>(std::tolower(byte)) : c;
        } else if (c == ' ') {
            anchor += '-';
        }
    }
    return anchor;
}

std::vector<std::string> headings_of(const fs::path& file) {
    std::vector<std::string> headings;
    for (const std::string& line : parts_of(read_text(file)).prose) {
        const std::size_t marks = line.find_first_not_of('#');
        if (marks == std::string::npos || marks == 0 || line[marks] != ' ') continue;
        headings.push_back(line.substr(marks + 1));
    }
    return headings;
}

/// True if a detector, landmark model or recogniser of this name ships, or comes with Debian's packages.
bool is_model(const std::string& name) {
    const fs::path models = test::source_dir() / "configs/models";
    return name == "default" || name == "auto" || fs::exists(models / (name + ".json")) ||
           fs::exists(models / "landmarks" / (name + ".fvlm")) ||
           fs::exists(models / "recognisers" / (name + ".json")) ||
           fs::exists("/usr/share/opencv4/haarcascades/" + name + ".xml") ||
           fs::exists("/usr/share/opencv4/lbpcascades/" + name + ".xml");
}

/// The models that a command line names, not those given as files or placeholders.
std::vector<std::string> named_models(const std::vector<std::string>& words) {
    std::vector<std::string> names;
    const std::set<std::string> flags{"--model", "-m", "--landmarks", "--recogniser", "--rival"};
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const std::string& value = words[i + 1];
        const bool is_name =
            value.find_first_of("/.$") == std::string::npos &&
            std::any_of(value.begin(), value.end(), [](char c) { return c >= 'a' && c <= 'z'; });
        if (flags.contains(words[i]) && is_name) names.push_back(value);
    }
    return names;
}

void check_command(const std::vector<std::string>& words, Completeness completeness) {
    const std::optional<std::string> why = refusal(words, completeness);
    CHECK(why.value_or("") == "");
    for (const std::string& model : named_models(words)) {
        CAPTURE(model);
        CHECK(is_model(model));
    }
}

// A sentence that begins so has to be read twice.
const std::regex& hard_beginning() {
    static const std::regex pattern(R"((?:^|[.!?:] |\| |- )((?:Of|What|Whose|That which) [^\n]{0,40}))");
    return pattern;
}

const CLI::App& each(const CLI::App& app, const std::function<void(const CLI::App&)>& action) {
    action(app);
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        each(*command, action);
    return app;
}

}  // namespace

TEST_CASE("every command line in the documents parses, and its models exist", "[documents]") {
    std::size_t commands = 0;
    for (const fs::path& file : documents()) {
        const Document document = parts_of(read_text(file));
        for (const std::string& block : document.blocks) {
            for (const auto& words : commands_of(block, "fovea")) {
                CAPTURE(name_of(file), words);
                check_command(words, Completeness::whole);
                ++commands;
            }
        }
        for (const std::string& code : inline_code(document.prose)) {
            if (!code.starts_with("fovea ")) continue;
            for (const auto& first : commands_of(code, "fovea", Bars::kept)) {
                for (const auto& words : alternatives(first)) {
                    CAPTURE(name_of(file), words);
                    check_command(words, Completeness::part);
                    ++commands;
                }
            }
        }
    }
    CHECK(commands >= 100);
}

TEST_CASE("a wrong command line in a document is found", "[documents]") {
    CHECK(commands_of("X=1 fovea detect 'a b' --out x \\\n  --limit 3 | jq . # fovea y", "fovea") ==
          std::vector<std::vector<std::string>>{{"detect", "a b", "--out", "x", "--limit", "3"}});
    CHECK(commands_of("for f in *; do fovea detect $f > out; done", "fovea") ==
          std::vector<std::vector<std::string>>{{"detect", "$f"}});
    CHECK(commands_of("source <(build/fovea completion bash)", "fovea") ==
          std::vector<std::vector<std::string>>{{"completion", "bash"}});
    CHECK_FALSE(refusal({"detect", "photos/", "--threads", "N"}, Completeness::whole));
    CHECK(refusal({"detect", "photos/", "--thread", "4"}, Completeness::whole));
    CHECK(refusal({"detect", "photos/", "--decoder", "foo"}, Completeness::whole));
    CHECK(refusal({"enroll", "photos/"}, Completeness::whole));
    CHECK_FALSE(refusal({"enroll", "photos/"}, Completeness::part));
    CHECK(refusal({"enrol", "photos/"}, Completeness::part));
    CHECK(refusal({"enroll", "photos/", "--galery", "g"}, Completeness::part));
    CHECK_FALSE(is_model("mtc"));
    CHECK(std::regex_search("A. What is it", hard_beginning()));
}

TEST_CASE("flags, variables and files that the documents name exist", "[documents]") {
    CLI::App program;
    describe_program(program);
    const std::vector<Command> commands = add_all_commands(program);
    const std::set<std::string> flags = program_flags(program);
    const std::string scripts = script_text();
    std::string sources = scripts;
    for (const char* folder : {"apps", "lib", "kernels", "tests"}) {
        for (const auto& entry : fs::recursive_directory_iterator(test::source_dir() / folder)) {
            const std::string extension = entry.path().extension().string();
            if (extension == ".cpp" || extension == ".hpp" || extension == ".txt")
                sources += read_text(entry.path());
        }
    }
    const std::set<std::string> of_other_programs{"--array",     "--fmad",   "--install",
                                                  "--list-tags", "--prefix", "--system-site-packages"};
    for (const fs::path& file : documents()) {
        const Document document = parts_of(read_text(file));
        std::vector<std::string> codes = inline_code(document.prose);
        codes.insert(codes.end(), document.blocks.begin(), document.blocks.end());
        for (const std::string& code : codes) {
            CAPTURE(name_of(file), code);
            for (const std::string& flag : matches(code, std::regex(R"((?:^|[\s\['(])(--[a-z][a-z-]+))"))) {
                CAPTURE(flag);
                CHECK((flags.contains(flag) || of_other_programs.contains(flag) ||
                       scripts.find(flag) != std::string::npos));
            }
            for (const std::string& variable : matches(code, std::regex(R"(\b(FOVEA_[A-Z_]+))"))) {
                CAPTURE(variable);
                CHECK(sources.find(variable) != std::string::npos);
            }
            const std::regex path(
                R"((?:^|[\s\['"=(])((?:apps|lib|kernels|configs|scripts|tests)/[A-Za-z0-9_./*<>-]+))");
            for (std::string named : matches(code, path)) {
                while (named.ends_with('.') || named.ends_with('/')) named.pop_back();
                if (named.find('<') != std::string::npos) continue;
                const bool is_pattern = named.find('*') != std::string::npos;
                const fs::path there =
                    test::source_dir() / (is_pattern ? fs::path(named).parent_path() : fs::path(named));
                CAPTURE(named);
                CHECK(fs::exists(there));
            }
        }
    }
}

TEST_CASE("links of the documents lead somewhere", "[documents]") {
    std::size_t links = 0;
    for (const fs::path& file : documents()) {
        std::string text;
        for (const std::string& line : parts_of(read_text(file)).prose) text += line + "\n";
        for (const std::string& link : matches(text, std::regex(R"(\]\(([^)\s]+)\))"))) {
            if (link.starts_with("http")) continue;
            CAPTURE(name_of(file), link);
            const std::size_t hash = link.find('#');
            const std::string target = link.substr(0, hash);
            const fs::path linked = target.empty() ? file : file.parent_path() / target;
            REQUIRE(fs::exists(linked));
            ++links;
            if (hash == std::string::npos) continue;
            std::set<std::string> anchors;
            for (const std::string& heading : headings_of(linked)) anchors.insert(anchor_of(heading));
            CHECK(anchors.contains(link.substr(hash + 1)));
        }
    }
    CHECK(links >= 30);
}

TEST_CASE("documents are short, say nothing twice and can be read once", "[documents]") {
    const std::vector<std::string> readme = lines_of(read_text(test::source_dir() / "README.md"));
    CHECK(readme.size() <= 160);
    for (const std::string& line : readme) {
        CAPTURE(line);
        CHECK(width_of(line) <= 120);
    }
    for (const fs::path& file : documents()) {
        CAPTURE(name_of(file));
        std::map<std::string, int> headings;
        for (const std::string& heading : headings_of(file)) ++headings[anchor_of(heading)];
        for (const auto& [heading, count] : headings) {
            CAPTURE(heading);
            CHECK(count == 1);
        }
        const Document document = parts_of(read_text(file));
        for (const std::string& line : document.prose) {
            CAPTURE(line);
            if (!line.starts_with('|') && line.find("](") == std::string::npos) CHECK(width_of(line) <= 120);
            CHECK(matches(line, hard_beginning()).empty());
        }
    }
}

TEST_CASE("help has at most three examples, all of which parse, and plain sentences", "[documents]") {
    CLI::App program;
    describe_program(program);
    const std::vector<Command> commands = add_all_commands(program);
    each(program, [](const CLI::App& app) {
        CAPTURE(app.get_name());
        const std::string footer = app.get_footer();
        const std::string start = "Examples:\n";
        REQUIRE(footer.starts_with(start));
        const std::string examples = footer.substr(start.size(), footer.find("\n\n") - start.size());
        const std::vector<std::string> lines = lines_of(examples);
        CHECK(lines.size() <= 3);
        for (const std::string& line : lines) {
            const auto words = commands_of(line, "fovea");
            CAPTURE(line);
            REQUIRE(words.size() == 1);
            check_command(words[0], Completeness::whole);
        }
        for (const std::string& line : lines_of(app.help())) {
            CAPTURE(line);
            CHECK(width_of(line) <= 115);
            CHECK(matches(line, hard_beginning()).empty());
        }
    });
}

// Calls check(name, lines) for each source.
template <class Check>
void for_each_source(const Check& check) {
    for (const char* folder : {"apps", "lib", "kernels", "tests"}) {
        for (const auto& entry : fs::recursive_directory_iterator(test::source_dir() / folder)) {
            const std::string extension = entry.path().extension().string();
            if (extension != ".cpp" && extension != ".hpp" && extension != ".cu" && extension != ".cuh")
                continue;
            check(name_of(entry.path()), lines_of(read_text(entry.path())));
        }
    }
}

TEST_CASE("comments of the sources can be read once", "[documents]") {
    const std::regex hard(R"(//[/!<]*(?: .*[.!?])? +(?:Of|What|Whose|That which|Where|As|With|By|To|Than) )");
    for_each_source([&](const std::string& name, const std::vector<std::string>& lines) {
        for (const std::string& line : lines) {
            if (line.find("//") == std::string::npos || line.find("R\"(") != std::string::npos) continue;
            CAPTURE(name, line);
            CHECK_FALSE(std::regex_search(line, hard));
        }
    });
}

// The text of a line that is a comment alone, with the blanks before it; nothing for other lines.
std::optional<std::string> comment_text(const std::string& line) {
    const std::size_t start = line.find_first_not_of(' ');
    if (start == std::string::npos || line.compare(start, 2, "//") != 0) return std::nullopt;
    return line.substr(std::min(line.size(), line.find_first_not_of('/', start)));
}

// The traces of broken lines: text that hangs far to the right, and single words within a paragraph.
std::vector<std::string> broken_comments(const std::vector<std::string>& lines) {
    const std::regex lone_word(R"( [^\s\\]{1,30})"), goes_on(R"( +[^\s\\"*-].*)");
    std::vector<std::string> broken;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const auto before = comment_text(lines[i - 1]), here = comment_text(lines[i]);
        const auto after = i + 1 < lines.size() ? comment_text(lines[i + 1]) : std::nullopt;
        if (!before || before->empty() || !here) continue;
        const bool hangs =
            here->find_first_not_of(' ') != std::string::npos && here->find_first_not_of(' ') >= 7;
        const bool is_lone = after && std::regex_match(*here, lone_word) && std::regex_match(*after, goes_on);
        if (hangs || is_lone) broken.push_back(lines[i]);
    }
    return broken;
}

TEST_CASE("comments of the sources are whole lines", "[documents]") {
    CHECK(broken_comments({"/// \\throws Error if", "/// it", "///         is broken."}).size() == 2);
    CHECK(broken_comments({"// One line of text and", "// another", "//", "// A paragraph."}).empty());
    for_each_source([&](const std::string& name, const std::vector<std::string>& lines) {
        CAPTURE(name);
        CHECK(broken_comments(lines) == std::vector<std::string>{});
    });
}

TEST_CASE("every command of the program stands in the README", "[documents]") {
    const std::string readme = read_text(test::source_dir() / "README.md");
    CLI::App program;
    describe_program(program);
    const std::vector<Command> commands = add_all_commands(program);
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
        CAPTURE(command->get_name());
        CHECK(readme.find("`fovea " + command->get_name()) != std::string::npos);
    }
}

TEST_CASE("datasets.md names the endings of images and videos that are known", "[cli]") {
    const std::string text = read_text(test::source_dir() / "datasets.md");
    const auto words_between = [&](const std::string& begin, const std::string& end) {
        const std::size_t first = text.find(begin);
        REQUIRE(first != std::string::npos);
        const std::string part =
            text.substr(first + begin.size(), text.find(end, first) - first - begin.size());
        std::set<std::string> words;
        const std::regex word("[a-z0-9]+");
        for (std::sregex_iterator i(part.begin(), part.end(), word), none; i != none; ++i)
            words.insert(i->str());
        return words;
    };
    const auto known = [](std::span<const std::string_view> extensions) {
        std::set<std::string> names;
        for (const std::string_view extension : extensions) names.insert(std::string(extension.substr(1)));
        return names;
    };
    std::set<std::string> images;
    for (const char* row : {"| JPEG, PNG, TIFF, WebP, GIF, BMP, PNM |", "| HEIC and AVIF |",
                            "| JPEG XL, JPEG 2000 |", "| camera raw files |"})
        images.merge(words_between(row, "|\n"));
    CHECK(images == known(image_extensions()));
    std::set<std::string> videos = words_between("**Names of videos** end, in either case, in ", ". ");
    videos.erase("or");
    CHECK(videos == known(video_extensions()));
}

}  // namespace fovea::test
