#include "lib/json/names.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "lib/core/error.hpp"

namespace fovea {

std::size_t place_of_name(std::span<const char* const> table, const std::string& name,
                          const std::string& what) {
    const auto found = std::find(table.begin(), table.end(), name);
    if (found != table.end()) return static_cast<std::size_t>(found - table.begin());
    throw UsageError(fmt::format("there {} '{}': use {} or {}", what, name,
                                 fmt::join(table.first(table.size() - 1), ", "), table.back()));
}

}  // namespace fovea
