#pragma once

#include <string>

#include "lib/core/error.hpp"

namespace fovea {

/// A video, or a frame of it, cannot be read. The message is the bare reason, without the file's name.
class VideoError : public Error {
  public:
    explicit VideoError(const std::string& reason) : Error(reason) {}
};

}  // namespace fovea
