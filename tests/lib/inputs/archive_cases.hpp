#pragma once

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/inputs/image_list.hpp"
#include "tests/support/archives.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea::test {

inline std::vector<std::string> names_of(const ImageList& list) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < list.size(); ++i) names.emplace_back(list.name(i));
    return names;
}

inline ImageList list_of(const std::string& specification, const DatasetOptions& options = {}) {
    return read_image_list({specification, {}, options});
}

/// All bytes of an image, or "unreadable: why".
inline std::string bytes_of(const ImageInputs& inputs, std::size_t i, std::size_t piece = 1000) {
    try {
        const auto file = inputs.open(i);
        std::string bytes;
        std::vector<std::uint8_t> buffer(piece);
        for (;;) {
            const std::size_t count = file->read(buffer.data(), buffer.size());
            bytes.append(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count));
            if (count < buffer.size()) break;
        }
        CHECK(bytes.size() == file->size());
        return bytes;
    } catch (const Error& error) {
        return std::string("unreadable: ") + error.what();
    }
}

inline std::vector<std::string> all_bytes_of(const ImageList& list, std::size_t first = 0) {
    const auto inputs = list.open_from(first);
    std::vector<std::string> all;
    for (std::size_t i = first; i < list.size(); ++i) all.push_back(bytes_of(*inputs, i));
    return all;
}

/// The reason why something was skipped; empty if it was not.
inline std::string reason_of(const ImageList& list, const std::string& name) {
    for (const SkippedInput& input : list.skipped()) {
        if (input.name == name) return input.reason;
    }
    return {};
}

/// The message of the Error that `what` throws; "none" if it throws none.
template <class What>
std::string message_of(const What& what) {
    try {
        what();
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

/// Different bytes for every number, of different lengths.
inline std::string test_bytes(std::size_t number, std::size_t length) {
    std::string bytes(length, '\0');
    for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<char>(number * 131 + i * (i % 7 + 1));
    return bytes;
}

}  // namespace fovea::test
