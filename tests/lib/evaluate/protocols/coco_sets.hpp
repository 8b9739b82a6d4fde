#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/lib/evaluate/protocols/protocol_cases.hpp"

namespace fovea::test {

/// A set with the twelve numbers that pycocotools gives for it; absent where that is -1.
struct CocoSet {
    std::string name;
    ProtocolSet set;
    std::vector<std::optional<double>> numbers;
};

/// A file of tests/data/coco/make_golden.py, which has the format.
std::vector<CocoSet> read_coco_sets(const std::filesystem::path& path);

/// A set as large as a benchmark, from a seed: `images` images with four faces and ten detections each on
/// average.
ProtocolSet make_large_set(std::size_t images, std::uint64_t seed);

/// Writes instances.json and results.json into the folder, as pycocotools reads them.
void write_coco_files(const ProtocolSet& set, const std::filesystem::path& folder);

}  // namespace fovea::test
