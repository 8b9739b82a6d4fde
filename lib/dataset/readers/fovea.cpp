#include <filesystem>
#include <string>

#include "lib/dataset/fovea_json.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace fs = std::filesystem;

Certainty recognise_fovea(const PathFacts& facts) {
    return shaped_if(facts.is_json());
}

Dataset read_fovea_dataset(const std::string& path, const DatasetOptions& options) {
    const TextFile file = TextFile::read(path);
    Json json;
    try {
        json = parse_json(file.text());
    } catch (const Json::parse_error& error) {
        const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
        const std::string_view text = file.text();
        throw_line_error(file.name(), line_at(text, offset),
                         offset < text.size() ? text.substr(offset, 20) : "end of file",
                         std::string("well-formed JSON (") + error.what() + ")");
    }
    Dataset dataset = dataset_from_fovea_json(json, file.name());
    dataset.sources.emplace_back(path);

    // A relative root is seen from the JSON file, so that both can move together.
    const fs::path written = dataset.root;
    if (!options.root.empty()) {
        dataset.root = options.root;
    } else if (written.is_relative()) {
        dataset.root = (folder_of(path) / written).lexically_normal();
    }
    for (Sample& sample : dataset.samples) {
        const std::string given = sample.image;
        sample.image = listed_name(given, dataset.root);
        if (sample.path == written / given) {
            sample.path = dataset.root / sample.image;
        } else if (sample.path.is_relative()) {
            sample.path = folder_of(path) / sample.path;
        }
    }
    return dataset;
}

}  // namespace fovea
