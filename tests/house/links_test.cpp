#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/sources.hpp"
#include "tests/support/temp_dir.hpp"

// The links between the libraries of folders are the architecture: includes must keep to them.
namespace fovea::test {
namespace {

namespace fs = std::filesystem;

/// The folders that each folder links, as CMake was told: a line for each folder, the folder itself first.
using Links = std::map<std::string, std::set<std::string>>;

Links read_links(const fs::path& file) {
    std::ifstream stream(file);
    REQUIRE(stream);
    Links links;
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        std::string folder, link;
        words >> folder;
        std::set<std::string>& linked = links[folder];
        while (words >> link) linked.insert(link);
    }
    return links;
}

bool is_source(const fs::path& file) {
    const std::string extension = file.extension().string();
    return extension == ".cpp" || extension == ".hpp" || extension == ".cu" || extension == ".cuh";
}

/// The headers of the tree that a source includes.
std::vector<std::string> own_includes(const fs::path& file) {
    std::ifstream stream(file);
    std::vector<std::string> headers;
    for (std::string line; std::getline(stream, line);) {
        const std::size_t hash = line.find_first_not_of(" \t");
        if (hash == std::string::npos || line[hash] != '#') continue;
        const std::size_t word = line.find_first_not_of(" \t", hash + 1);
        if (word == std::string::npos || line.compare(word, 7, "include") != 0) continue;
        // The headers that are installed are included by their names there.
        if (const std::size_t api = line.find("<fovea/", word); api != std::string::npos) {
            headers.push_back("lib/api/" + line.substr(api + 1, line.find('>', api) - api - 1));
            continue;
        }
        const std::size_t open = line.find('"', word);
        const std::size_t close = open == std::string::npos ? open : line.find('"', open + 1);
        if (close != std::string::npos) headers.push_back(line.substr(open + 1, close - open - 1));
    }
    return headers;
}

/// Contradictions between the links and the sources below `root`, a sentence each.
std::vector<std::string> broken_rules(const fs::path& root, const Links& links) {
    std::vector<std::string> sentences;
    for (const auto& [folder, linked] : links) {
        std::set<std::string> unused = linked;
        std::size_t files = 0;
        std::vector<fs::path> sources;
        for (const fs::directory_entry& entry : fs::directory_iterator(root / folder)) {
            if (!entry.is_regular_file()) continue;
            ++files;
            if (is_source(entry.path())) sources.push_back(entry.path());
        }
        std::sort(sources.begin(), sources.end());
        for (const fs::path& source : sources) {
            for (const std::string& header : own_includes(source)) {
                const std::string target = fs::path(header).parent_path().string();
                if (target == folder) continue;
                unused.erase(target);
                if (linked.count(target) == 0)
                    sentences.push_back(folder + " includes " + header + ", but does not link " + target +
                                        " (in " + source.filename().string() + ")");
            }
        }
        for (const std::string& link : unused)
            sentences.push_back(folder + " links " + link + ", but includes nothing of it");
        constexpr std::size_t max_files = 41;  // 40 and CMakeLists.txt
        if (files > max_files)
            sentences.push_back(folder + " has " + std::to_string(files - 1) +
                                " files, and at most 40 are allowed");
    }
    return sentences;
}

/// A circle of links, "lib/a links lib/b links lib/a"; empty if there is none.
std::string circle(const Links& links) {
    std::set<std::string> finished;
    std::vector<std::string> path;
    const auto visit = [&](const auto& self, const std::string& folder) -> std::string {
        const auto seen = std::find(path.begin(), path.end(), folder);
        if (seen != path.end()) {
            std::string names;
            for (auto at = seen; at != path.end(); ++at) names += *at + " links ";
            return names + folder;
        }
        if (finished.count(folder) != 0) return {};
        path.push_back(folder);
        const auto found = links.find(folder);
        if (found != links.end()) {
            for (const std::string& link : found->second) {
                if (std::string names = self(self, link); !names.empty()) return names;
            }
        }
        path.pop_back();
        finished.insert(folder);
        return {};
    };
    for (const auto& [folder, linked] : links) {
        if (std::string names = visit(visit, folder); !names.empty()) return names;
    }
    return {};
}

/// The links between the rooms "lib/evaluate", "kernels/mct" and so on: their sub-folders are parts of them.
Links links_of_rooms(const Links& links) {
    const auto room = [](const std::string& folder) {
        const std::size_t slash = folder.find('/');
        return slash == std::string::npos ? folder : folder.substr(0, folder.find('/', slash + 1));
    };
    Links rooms;
    for (const auto& [folder, linked] : links) {
        std::set<std::string>& of_room = rooms[room(folder)];
        for (const std::string& link : linked) {
            if (room(link) != room(folder)) of_room.insert(room(link));
        }
    }
    return rooms;
}

bool reaches(const Links& links, const std::string& from, const std::string& to) {
    if (from == to) return true;
    const std::set<std::string>& linked = links.at(from);
    return std::any_of(linked.begin(), linked.end(),
                       [&](const std::string& link) { return reaches(links, link, to); });
}

/// The links as Graphviz text, without those that follow from others.
std::string picture(const Links& links) {
    std::string text = "digraph fovea {\n  rankdir=BT; node [shape=box];\n";
    for (const auto& [folder, linked] : links) {
        for (const std::string& link : linked) {
            const bool follows = std::any_of(linked.begin(), linked.end(), [&](const std::string& other) {
                return other != link && reaches(links, other, link);
            });
            if (!follows) text += "  \"" + folder + "\" -> \"" + link + "\";\n";
        }
    }
    return text + "}\n";
}

}  // namespace

TEST_CASE("includes keep to the links between folders", "[links]") {
    const Links links = read_links(FOVEA_LINKS_FILE);
    REQUIRE(links.size() > 40);
    for (const std::string& sentence : broken_rules(test::source_dir(), links)) FAIL_CHECK(sentence);
    CHECK(circle(links) == "");
    CHECK(circle(links_of_rooms(links)) == "");
}

TEST_CASE("no source is outside a folder with a library", "[links]") {
    const Links links = read_links(FOVEA_LINKS_FILE);
    for (const char* top : {"lib", "kernels", "apps"}) {
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(test::source_dir() / top)) {
            if (!entry.is_regular_file() || !is_source(entry.path())) continue;
            const std::string folder = fs::relative(entry.path().parent_path(), test::source_dir()).string();
            if (links.count(folder) == 0) FAIL_CHECK(folder << " has sources, but no library");
        }
    }
}

TEST_CASE("the check of links sees what breaks them", "[links]") {
    const TempDir dir;
    dir.write("lib/a/a.hpp", "#include \"lib/b/b.hpp\"\n  #  include \"lib/c/c.hpp\"\n");
    dir.write("lib/b/b.hpp", "#include <lib/c/c.hpp>\n// #include \"lib/a/a.hpp\"\n");
    dir.write("lib/c/c.cu", "#include \"lib/c/c.hpp\"\n");
    using List = std::vector<std::string>;
    CHECK(broken_rules(dir.path(), {{"lib/a", {"lib/b", "lib/c"}}, {"lib/b", {}}, {"lib/c", {}}}).empty());
    dir.write("lib/d/d.cpp", "#include <fovea/d.hpp>\n");
    CHECK(broken_rules(dir.path(), {{"lib/d", {"lib/api/fovea"}}}).empty());
    CHECK(broken_rules(dir.path(), {{"lib/d", {}}}) ==
          List{"lib/d includes lib/api/fovea/d.hpp, but does not link lib/api/fovea (in d.cpp)"});
    CHECK(broken_rules(dir.path(), {{"lib/a", {"lib/b"}}, {"lib/b", {}}, {"lib/c", {}}}) ==
          List{"lib/a includes lib/c/c.hpp, but does not link lib/c (in a.hpp)"});
    CHECK(broken_rules(dir.path(), {{"lib/a", {"lib/b", "lib/c"}}, {"lib/b", {"lib/c"}}, {"lib/c", {}}}) ==
          List{"lib/b links lib/c, but includes nothing of it"});
    for (int i = 0; i < 40; ++i) dir.write("lib/b/" + std::to_string(i) + ".txt", "");
    CHECK(broken_rules(dir.path(), {{"lib/b", {}}}).empty());
    dir.write("lib/b/more.txt", "");
    CHECK(broken_rules(dir.path(), {{"lib/b", {}}}) ==
          List{"lib/b has 41 files, and at most 40 are allowed"});

    CHECK(circle({{"a", {"b", "c"}}, {"b", {"c"}}, {"c", {}}}).empty());
    CHECK(circle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}) == "b links c links b");
}

TEST_CASE("lib/README.md shows the links between the rooms", "[links]") {
    const Links rooms = links_of_rooms(read_links(FOVEA_LINKS_FILE));
    REQUIRE(circle(rooms) == "");
    std::ifstream stream(test::source_dir() / "lib/README.md");
    const std::string readme{std::istreambuf_iterator<char>(stream), {}};
    const std::string expected = "```dot\n" + picture(rooms) + "```\n";
    if (readme.find(expected) == std::string::npos)
        FAIL("lib/README.md shows other links than there are. This is to stand there:\n" << expected);
}

TEST_CASE("a picture of links leaves out what follows from others", "[links]") {
    const Links links{{"lib/a", {"lib/b", "lib/c"}}, {"lib/b", {"lib/c"}}, {"lib/c", {}}};
    CHECK(picture(links) ==
          "digraph fovea {\n  rankdir=BT; node [shape=box];\n  \"lib/a\" -> \"lib/b\";\n  \"lib/b\" -> "
          "\"lib/c\";\n}\n");
    const Links rooms = links_of_rooms({{"apps", {"apps/options"}},
                                        {"apps/options", {}},
                                        {"lib/a/x", {"lib/a", "lib/b/y"}},
                                        {"lib/a", {}},
                                        {"lib/b/y", {}}});
    CHECK(rooms ==
          Links{{"apps", {"apps/options"}}, {"apps/options", {}}, {"lib/a", {"lib/b"}}, {"lib/b", {}}});
}

}  // namespace fovea::test
