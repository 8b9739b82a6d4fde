#pragma once

#include "lib/json/json.hpp"

namespace fovea {

/// A member of an object; null where there is no such member, or nothing that has members: what is read may
/// have been edited.
inline const Json& member_of(const Json& json, const char* key) {
    static const Json none;
    const auto found = json.is_object() ? json.find(key) : json.end();
    return found == json.end() ? none : *found;
}

}  // namespace fovea
