#pragma once

#include <cstdlib>
#include <filesystem>

#include <catch2/catch.hpp>

namespace fovea::test {

/// The model of YuNet in $FOVEA_DATA, or nothing (with a note in the output) where it is not there.
inline std::filesystem::path yunet_file() {
    const char* const data = std::getenv("FOVEA_DATA");
    if (data == nullptr) {
        WARN("not run: FOVEA_DATA is not set");
        return {};
    }
    const auto file = std::filesystem::path(data) / "onnx" / "face_detection_yunet_2022mar.onnx";
    if (std::filesystem::exists(file)) return file;
    WARN("not run: there is no " << file.string());
    return {};
}

}  // namespace fovea::test
