#pragma once

#include <string>
#include <vector>

#include "lib/json/json_fwd.hpp"

namespace fovea {

/// How the path of a value is written.
enum class PathSpelling {
    dotted,   ///< "detectors[1].step", as JsonPlace::path()
    slashed,  ///< "/detectors/1/step"
};

/// A place where two JSON values differ.
struct JsonDifference {
    std::string path;
    const Json* first = nullptr;  ///< null if it has no such member
    const Json* second = nullptr;
};

/// The differences of two values, which must outlive them: in the order of the first one's members, then the
/// second one's. The order of members is no difference; lists of different sizes differ as a whole. \param
/// path of both values.
std::vector<JsonDifference> json_differences(const Json& first, const Json& second,
                                             PathSpelling spelling = PathSpelling::dotted,
                                             const std::string& path = {});

}  // namespace fovea
