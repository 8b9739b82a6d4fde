#pragma once

#include "lib/core/types.hpp"

#include <string>
#include <vector>

namespace fovea {

/// What was found in one image: one line of results.jsonl.
struct ImageResult {
    std::string image;          ///< the sample's relative path
    int width = 0;              ///< 0 if unreadable
    int height = 0;
    std::string status = "ok";  ///< "ok" or "unreadable: why"
    std::vector<Detection> detections;

    bool ok() const { return status == "ok"; }
};

}  // namespace fovea
