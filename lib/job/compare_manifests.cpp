#include "lib/job/compare_manifests.hpp"

#include <vector>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_differences.hpp"
#include "lib/json/json_member.hpp"
#include "lib/json/json_place.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

std::string in_words(const Json* value, const char* none) {
    if (value == nullptr) return none;
    return value->is_structured() ? describe_json(*value) : compact_text(*value);
}

/// The list file that a work belongs to.
const Json& list_of(const Json& work) {
    return member_of(member_of(work, "images"), "list_sha256");
}

}  // namespace

std::string compare_manifests(const Json& first_manifest, const Json& second_manifest) {
    const Json& first = first_manifest["work"];
    const Json& second = second_manifest["work"];
    if (first["images"] != second["images"]) {
        return "the whole lists have " + first["images"].dump() + " and " + second["images"].dump() +
               " images";
    }
    if (first["images_sha256"] != second["images_sha256"]) {
        return "the whole lists have other images, or the same ones in another order";
    }
    if (first["sha256"] == second["sha256"]) return {};
    const Json of_first = first.value("description", Json()), of_second = second.value("description", Json());
    if (list_of(of_first) != list_of(of_second)) {
        return "they are parts of two list files, or one of the parts is of none: sizes or times of images "
               "differ";
    }
    const auto found = json_differences(of_first, of_second, PathSpelling::slashed);
    if (found.empty()) return "the checksums of what determines their results differ";
    constexpr std::size_t shown = 3;
    std::string text;
    for (std::size_t i = 0; i < found.size() && i < shown; ++i) {
        const auto& [path, there, here] = found[i];
        text += fmt::format("{}'{}' is {} and {}", i > 0 ? ", " : "", path,
                            excerpt(in_words(there, "absent")), excerpt(in_words(here, "absent")));
    }
    if (found.size() > shown) text += ", and " + counted(found.size() - shown, "more difference");
    return text;
}

std::string first_difference_in_work(const Json& now, const Json& before) {
    const auto found = json_differences(before, now, PathSpelling::slashed);
    if (found.empty()) return {};
    const auto& [path, was, is] = found[0];
    return fmt::format("{} is {} and was {}", path.empty() ? "the work" : path.substr(1),
                       in_words(is, "not there"), in_words(was, "not there"));
}

}  // namespace fovea
