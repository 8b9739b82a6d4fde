#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

namespace fovea::test {

/// A network in ONNX that OpenCV reads but cannot run as YuNet: the maxima of windows of 99 x 99 pixels.
inline std::string other_network() {
    // The fields of Protocol Buffers: a number, or bytes.
    const auto tag = [](int field, int type) {
        const int key = field << 3 | type;
        return key < 128 ? std::string{static_cast<char>(key)}
                         : std::string{static_cast<char>((key & 127) | 128), static_cast<char>(key >> 7)};
    };
    const auto number = [&](int field, int value) { return tag(field, 0) + static_cast<char>(value); };
    const auto bytes = [&](int field, const std::string& content) {
        return tag(field, 2) + static_cast<char>(content.size()) + content;
    };
    const auto value = [&](const std::string& name, int side) {
        std::string shape;
        for (const int length : {1, 3, side, side}) shape += bytes(1, number(1, length));
        return bytes(1, name) + bytes(2, bytes(1, number(1, 1) + bytes(2, shape)));
    };
    const std::string kernel = bytes(1, "kernel_shape") + number(8, 99) + number(8, 99) + number(20, 7);
    const std::string node = bytes(1, "x") + bytes(2, "conf") + bytes(4, "MaxPool") + bytes(5, kernel);
    const std::string graph =
        bytes(1, node) + bytes(2, "g") + bytes(11, value("x", 99)) + bytes(12, value("conf", 1));
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
