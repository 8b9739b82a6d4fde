#include "lib/json/json_differences.hpp"

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"

namespace fovea::test {
namespace {

/// "PATH FIRST SECOND" of each difference.
std::vector<std::string> differences(const char* first, const char* second, PathSpelling spelling) {
    const Json of_first = Json::parse(first), of_second = Json::parse(second);
    const auto text = [](const Json* value) { return value == nullptr ? "-" : value->dump(); };
    std::vector<std::string> lines;
    for (const JsonDifference& found : json_differences(of_first, of_second, spelling))
        lines.push_back(found.path + " " + text(found.first) + " " + text(found.second));
    return lines;
}

}  // namespace

TEST_CASE("JSON values differ at places that are named", "[json]") {
    using Lines = std::vector<std::string>;
    const char* const first = R"({"a": [1, {"b": 2, "c": 3}], "d": {}, "e": [1]})";
    const char* const second = R"({"e": [1, 2], "new": null, "a": [1, {"c": 4}]})";
    CHECK(differences(first, second, PathSpelling::dotted) ==
          Lines{"a[1].b 2 -", "a[1].c 3 4", "d {} -", "e [1] [1,2]", "new - null"});
    CHECK(differences(first, second, PathSpelling::slashed) ==
          Lines{"/a/1/b 2 -", "/a/1/c 3 4", "/d {} -", "/e [1] [1,2]", "/new - null"});
    CHECK(differences(R"({"a": 1, "b": [{}]})", R"({"b": [{}], "a": 1})", PathSpelling::dotted).empty());
    CHECK(differences("1", "[]", PathSpelling::slashed) == Lines{" 1 []"});
}

}  // namespace fovea::test
