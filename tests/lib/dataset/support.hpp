#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea::test {

inline std::vector<std::string> images_of(const Dataset& dataset) {
    std::vector<std::string> names;
    for (const Sample& sample : dataset.samples) names.push_back(sample.image);
    return names;
}

/// The message of the Error that reading the dataset throws; "read" if it throws none.
inline std::string error_of(const std::string& specification, const DatasetOptions& options = {}) {
    try {
        read_dataset(specification, options);
    } catch (const Error& error) {
        return error.what();
    }
    return "read";
}

inline bool is_usage_error(const std::string& specification) {
    try {
        read_dataset(specification);
    } catch (const UsageError&) {
        return true;
    } catch (const Error&) {
        return false;
    }
    return false;
}

inline bool warns(const Dataset& dataset, const std::string& part) {
    for (const std::string& warning : dataset.warnings) {
        if (warning.find(part) != std::string::npos) return true;
    }
    return false;
}

/// Reads every truncation of a text file: each must be read or be refused with an Error, nothing else.
/// \return how many were refused.
inline std::size_t read_truncated(const std::string& format, const TempDir& dir, const std::string& name,
                                  const std::string& text) {
    std::size_t refused = 0;
    for (std::size_t length = 0; length < text.size(); ++length) {
        const auto file = dir.write(name, text.substr(0, length));
        INFO("first " << length << " bytes of " << name);
        try {
            const Dataset dataset = read_dataset(format + file.string());
            CHECK(!dataset.samples.empty());
        } catch (const Error&) {
            ++refused;
        } catch (const std::exception& other) {
            FAIL_CHECK("not an Error: " << other.what());
        }
    }
    return refused;
}

/// $FOVEA_DATA, or nothing (with a note in the output) where it is unset.
inline std::string fovea_data() {
    const char* const folder = std::getenv("FOVEA_DATA");
    if (folder == nullptr) {
        WARN("not run: FOVEA_DATA is not set");
        return {};
    }
    return folder;
}

}  // namespace fovea::test
