#pragma once

#include "lib/json/json.hpp"

namespace fovea {

/// The member `key` of an object; null if it is not there or `json` is no object: files may be edited.
inline const Json& member_of(const Json& json, const char* key) {
    static const Json none;
    const auto found = json.is_object() ? json.find(key) : json.end();
    return found == json.end() ? none : *found;
}

}  // namespace fovea
