#include "lib/json/names.hpp"

#include <algorithm>

#include "lib/core/error.hpp"

namespace fovea {

std::string in_words(const std::vector<std::string>& names, const std::string& before_last) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " " + before_last + " ") + names[i];
    return text;
}

std::size_t place_of_name(std::span<const char* const> table, const std::string& name,
                          const std::string& what) {
    const auto found = std::find(table.begin(), table.end(), name);
    if (found != table.end()) return static_cast<std::size_t>(found - table.begin());
    throw UsageError("there " + what + " '" + name + "': use " + in_words({table.begin(), table.end()}));
}

}  // namespace fovea
