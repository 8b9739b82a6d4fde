#include "lib/inputs/archive_names.hpp"

#include <algorithm>
#include <cstddef>

namespace fovea {
namespace {

template <class Visit>
void for_each_part(std::string_view path, const Visit& visit) {
    for (std::size_t start = 0; start < path.size();) {
        const std::size_t end = std::min(path.find('/', start), path.size());
        const std::string_view part = path.substr(start, end - start);
        if (!part.empty() && part != "." && part != "..") visit(part);
        start = end + 1;
    }
}

}  // namespace

std::string member_key(std::string_view stored) {
    std::string key;
    for_each_part(stored, [&](std::string_view part) {
        if (!key.empty()) key += '/';
        key += part;
    });
    return key;
}

bool is_hidden_member(std::string_view stored) {
    bool hidden = false;
    for_each_part(
        stored, [&](std::string_view part) { hidden = hidden || part.front() == '.' || part == "__MACOSX"; });
    return hidden;
}

}  // namespace fovea
