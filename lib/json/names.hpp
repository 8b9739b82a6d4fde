#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fovea {

/// A list in words: "a, b or c". \param before_last the word instead of "or".
std::string in_words(const std::vector<std::string>& names, const std::string& before_last = "or");

/// The index of a name in a table. \param what stands behind "there" in the message: "is no score".
/// \throws UsageError "there is no score 'NAME': use a, b or c" if the table lacks the name.
std::size_t place_of_name(std::span<const char* const> table, const std::string& name,
                          const std::string& what);

/// The names of an enumeration's values, in their order.
template <class Enum, std::size_t count>
struct NameTable {
    std::array<const char*, count> names;
    const char* what;  ///< see place_of_name

    std::string name_of(Enum value) const { return names[static_cast<std::size_t>(value)]; }
    Enum value_of(const std::string& name) const {
        return static_cast<Enum>(place_of_name(names, name, what));
    }
    std::vector<std::string> all() const { return {names.begin(), names.end()}; }
};

}  // namespace fovea
