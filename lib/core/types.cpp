#include "lib/core/types.hpp"

#include <algorithm>

namespace fovea {

const std::string* find_attribute(const std::vector<Attribute>& attributes, std::string_view name) {
    const auto found = std::find_if(attributes.begin(), attributes.end(),
                                    [&](const Attribute& attribute) { return attribute.name == name; });
    return found == attributes.end() ? nullptr : &found->value;
}

}  // namespace fovea
