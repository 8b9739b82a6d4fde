#include "lib/train/data_sources.hpp"

#include <filesystem>

#include "lib/core/error.hpp"
#include "lib/files/sha256.hpp"
#include "lib/image/read_grey.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

std::string hash_of(const Dataset& dataset) {
    std::string text, hash;
    std::filesystem::path hashed;
    for (const Sample& sample : dataset.samples) {
        // The frames of a video lie in one file.
        if (hash.empty() || sample.path != hashed) hash = sha256_of_file(hashed = sample.path);
        text += hash + "  " + sample.image + "\n";
    }
    for (const auto& source : dataset.sources) {
        text += sha256_of_file(source) + "  " + source.filename().string() + "\n";
    }
    return sha256_of(text);
}

std::string last_part(const std::string& specification) {
    return std::filesystem::path(specification.substr(specification.find(':') + 1)).filename().string();
}

}  // namespace

void require_dataset(const DatasetConfig& config, const std::string& with) {
    if (config.path.empty())
        throw UsageError("no dataset was given: name one with " + with + " with --dataset");
}

Json dataset_manifest(const Dataset& dataset) {
    return {{"dataset", last_part(dataset.name)},
            {"images", dataset.samples.size()},
            {"sha256", hash_of(dataset)}};
}

GreyImage read_strip(const std::string& file) {
    try {
        return read_grey_image(file);
    } catch (const ImageError& error) {
        throw Error(file + ": the strip of tiles cannot be read: " + error.what() +
                    "; see the path in 'strips'.");
    }
}

}  // namespace fovea
