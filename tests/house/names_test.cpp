#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/sources.hpp"
#include "tests/support/temp_dir.hpp"

// Sources of a folder may be compiled as one (FOVEA_UNITY), and then see what each of them hides in an
// unnamed namespace.
namespace fovea::test {
namespace {

namespace fs = std::filesystem;

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// A source without comments, preprocessor lines and what stands in quotes; blanks between words are one.
std::string bare_text(const std::string& source) {
    std::string text;
    for (std::size_t at = 0; at < source.size();) {
        const char c = source[at];
        if (source.compare(at, 2, "//") == 0 || (c == '#' && (text.empty() || text.back() == '\n'))) {
            at = std::min(source.find('\n', at), source.size());
        } else if (source.compare(at, 3, "R\"(") == 0) {
            at = std::min(source.find(")\"", at), source.size() - 2) + 2;
        } else if (c == '"' || (c == '\'' && (text.empty() || !is_word(text.back())))) {
            for (++at; at < source.size() && source[at] != c; ++at) at += source[at] == '\\' ? 1 : 0;
            ++at;
        } else {
            const bool is_blank = std::isspace(static_cast<unsigned char>(c)) != 0;
            if (c == '\n' && !text.ends_with('\n')) text += c;
            if (!is_blank) text += c;
            if (is_blank && c != '\n' && !text.empty() && is_word(text.back())) text += ' ';
            ++at;
        }
    }
    return text;
}

/// The types of parameters, so that overloads differ: "const Box&,int".
std::string types_of(const std::string& parameters) {
    std::string types, parameter;
    int depth = 0;
    const auto end_parameter = [&] {
        parameter.resize(std::min(parameter.find('='), parameter.size()));
        while (parameter.ends_with(' ')) parameter.pop_back();
        // A type alone, as "int", has no name behind it.
        std::size_t end = parameter.size();
        while (end > 0 && is_word(parameter[end - 1])) --end;
        if (end > 0) parameter.resize(end);
        std::erase_if(parameter, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
        types += parameter + ",";
        parameter.clear();
    };
    for (const char c : parameters) {
        depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
        if (c == ',' && depth == 0)
            end_parameter();
        else
            parameter += c;
    }
    end_parameter();
    return types;
}

/// The name that a declaration introduces, of functions with the types of their parameters; empty for others.
std::string name_in(std::string declaration) {
    while (declaration.starts_with("template<")) {
        int depth = 0;
        std::size_t end = declaration.find('<');
        do {
            depth += declaration[end] == '<' ? 1 : declaration[end] == '>' ? -1 : 0;
            ++end;
        } while (depth > 0 && end < declaration.size());
        declaration.erase(0, end);
        declaration.erase(0, declaration.find_first_not_of(" \n"));
    }
    const auto first_word = [&] {
        std::size_t end = 0;
        while (end < declaration.size() && is_word(declaration[end])) ++end;
        const std::string word = declaration.substr(0, end);
        declaration.erase(0, std::min(declaration.find_first_not_of(" \n", end), declaration.size()));
        return word;
    };
    const std::string whole = declaration;
    const std::string kind = first_word();
    // Aliases and namespaces may be named twice, if they mean the same; then the compiler takes them.
    if (kind == "using" || kind == "namespace" || kind == "extern" || kind == "static_assert") return {};
    if (kind == "struct" || kind == "class" || kind == "enum") {
        std::string name = first_word();
        return name == "class" || name == "final" ? first_word() : name;
    }
    const std::size_t open = whole.find('('), value = whole.find_first_of("={[;");
    std::size_t end = std::min({open, value, whole.size()});
    const bool is_function = open < value;
    while (end > 0 && !is_word(whole[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && is_word(whole[begin - 1])) --begin;
    if (whole.substr(0, begin).ends_with("::")) return {};  // of a type that has a name of its own
    std::string name = whole.substr(begin, end - begin);
    if (!is_function || name.empty()) return name;
    return name + "(" + types_of(whole.substr(open + 1, whole.rfind(')') - open - 1)) + ")";
}

/// The names in the unnamed namespaces of a source.
std::set<std::string> hidden_names(const std::string& source) {
    const std::string text = bare_text(source);
    const std::string begin = "namespace {";
    std::set<std::string> names;
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
        int depth = 1;
        std::string declaration;
        for (at += begin.size(); at < text.size() && depth > 0; ++at) {
            const char c = text[at];
            if (c == '{' && depth++ == 1) declaration += c;
            if (c == '}' && --depth == 0) break;
            const bool is_function_body =
                c == '}' && depth == 1 && declaration.find(')') != std::string::npos;
            if (depth == 1 && (c == ';' || is_function_body)) {
                declaration.erase(0, std::min(declaration.find_first_not_of(" \n"), declaration.size()));
                names.insert(name_in(declaration));
                declaration.clear();
            } else if (depth == 1 && c != '}') {
                declaration += c;
            }
        }
    }
    names.erase("");
    return names;
}

/// Names that two sources of a folder below `root` hide, a sentence each.
std::vector<std::string> clashes(const fs::path& root) {
    std::vector<fs::path> sources;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
        const fs::path extension = entry.path().extension();
        if (extension == ".cpp" || extension == ".cu") sources.push_back(entry.path());
    }
    std::sort(sources.begin(), sources.end());
    std::map<std::tuple<fs::path, fs::path, std::string>, fs::path> first;
    std::vector<std::string> sentences;
    for (const fs::path& source : sources) {
        std::ifstream stream(source);
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        for (const std::string& name : hidden_names(text)) {
            const auto [other, is_new] =
                first.emplace(std::tuple(source.parent_path(), source.extension(), name), source);
            if (!is_new)
                sentences.push_back(other->second.lexically_relative(root).string() + " and " +
                                    source.filename().string() + " both have " + name);
        }
    }
    return sentences;
}

/// Types and inline functions that two files below `roots` define in one namespace, a sentence each: the
/// program would have one of them in the place of both.
std::vector<std::string> double_definitions(const std::vector<fs::path>& roots) {
    const std::regex opening(R"(namespace ?([\w:]*) ?\{)");
    const std::regex type(
        R"((?:template .*)?(?:class|struct|enum class) (\w+)(?: final)?(?: ?:[^;:]+)? \{.*)");
    const std::regex function(R"(inline (?!constexpr)[\w:<>,\* &]+ (\w+)\(([^)]*)\).*)");
    std::map<std::string, fs::path> first;
    std::vector<std::string> sentences;
    for (const fs::path& root : roots) {
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
            std::ifstream stream(entry.path());
            std::vector<std::string> spaces;
            for (std::string line; std::getline(stream, line);) {
                std::smatch match;
                if (std::regex_match(line, match, opening)) {
                    spaces.push_back(match[1]);
                } else if (line.starts_with("}  // namespace") && !spaces.empty()) {
                    spaces.pop_back();
                } else if (std::find(spaces.begin(), spaces.end(), "") == spaces.end()) {
                    std::string name;
                    for (const std::string& space : spaces) name += space + "::";
                    if (std::regex_match(line, match, type))
                        name += match[1].str();
                    else if (std::regex_match(line, match, function))
                        name += match[1].str() + "(" + types_of(match[2]) + ")";
                    else
                        continue;
                    const auto [other, is_new] = first.emplace(name, entry.path());
                    if (!is_new && other->second != entry.path())
                        sentences.push_back(other->second.filename().string() + " and " +
                                            entry.path().filename().string() + " both have " + name);
                }
            }
        }
    }
    return sentences;
}

}  // namespace

TEST_CASE("no two files define one type or inline function", "[links]") {
    std::vector<fs::path> roots;
    for (const char* folder : {"lib", "kernels", "apps"}) roots.push_back(test::source_dir() / folder);
    CHECK(double_definitions(roots) == std::vector<std::string>{});

    const TempDir dir;
    dir.write("a.hpp", "namespace a {\nclass Table {\n};\ninline int size(int n) {\n}\n}  // namespace a\n");
    dir.write("b.hpp", "namespace b {\nclass Table {\n};\n}  // namespace b\n");
    dir.write("c.cpp", "namespace a {\nnamespace {\nclass Table {\n};\n}  // namespace\n}  // namespace a\n");
    CHECK(double_definitions({dir.path()}).empty());
    dir.write("c.hpp",
              "namespace a {\nstruct Table : Base {\n};\ninline int size(int m) {\n}\n}  // namespace a\n");
    CHECK(double_definitions({dir.path()}).size() == 2);
}

TEST_CASE("names in unnamed namespaces differ within a folder", "[links]") {
    for (const char* folder : {"lib", "kernels", "apps"})
        CHECK(clashes(test::source_dir() / folder) == std::vector<std::string>{});
}

TEST_CASE("the check of names sees two that are the same", "[links]") {
    using Names = std::set<std::string>;
    CHECK(hidden_names(
              "namespace a {\nnamespace {\nconstexpr int most = 3;  // int no;\nstruct Part { int x; };\n"
              "std::string text_of(const Part& part, std::map<int, int> all = {}) { int y; return {}; }\n"
              "template <class T>\nvoid put(T value) {\n    if (value) { put(0); }\n}\n"
              "enum class Kind { a, b };\nconstexpr int table[] = {1, 2};\nusing Parts = int;\n"
              "class Made final : public Part {\n  public:\n    void put() {}\n};\n}  // namespace\n"
              "int outside() { return 1; }\n}\n") == Names{"most", "Part",
                                                           "text_of(constPart&,std::map<int,int>,)",
                                                           "put(T,)", "Kind", "table", "Made"});
    const TempDir dir;
    dir.write("a/one.cpp", "namespace {\nint size_of(int count) { return count; }\n}\n");
    dir.write("a/two.cpp", "namespace {\nint size_of(const char* name) { return 1; }\n}\n");
    dir.write("b/three.cpp", "namespace {\nint size_of(int other) { return other; }\n}\n");
    CHECK(clashes(dir.path()).empty());
    dir.write("a/three.cpp",
              "namespace {\nconstexpr char c = '{';\nint size_of(int n = 2) { return n; }\n}\n");
    CHECK(clashes(dir.path()) == std::vector<std::string>{"a/one.cpp and three.cpp both have size_of(int,)"});
}

}  // namespace fovea::test
