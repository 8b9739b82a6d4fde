#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

namespace fovea::test {

/// A network in ONNX that OpenCV reads and that is not YuNet's: its one output is its input, `y` for `x`, of
/// 1 x 3 x 64 x 64 numbers.
inline std::string other_network() {
    // A field of Protocol Buffers: a number, or bytes.
    const auto number = [](int field, int value) {
        return std::string{static_cast<char>(field << 3), static_cast<char>(value)};
    };
    const auto bytes = [](int field, const std::string& content) {
        return std::string{static_cast<char>((field << 3) | 2), static_cast<char>(content.size())} + content;
    };
    std::string shape;
    for (const int length : {1, 3, 64, 64}) shape += bytes(1, number(1, length));
    const std::string type = bytes(2, bytes(1, number(1, 1) + bytes(2, shape)));
    const std::string node = bytes(1, bytes(1, "x") + bytes(2, "y") + bytes(4, "Identity"));
    const std::string graph = node + bytes(2, "g") + bytes(11, bytes(1, "x") + type) +
                              bytes(12, bytes(1, "y") + type);
    return number(1, 7) + bytes(7, graph) + bytes(8, number(2, 11));
}

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
