#include <unordered_map>

#include "lib/core/error.hpp"
#include "lib/core/file.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers.hpp"
#include "lib/dataset/text_file.hpp"

namespace fovea {
Dataset read_list_dataset(const std::string& path, const DatasetOptions& options) {
    constexpr std::size_t longest_path = 4096;  // PATH_MAX of Linux
    const bool from_stdin = path == "-";
    const TextFile file =
        from_stdin ? TextFile("standard input", read_standard_input()) : TextFile::read(path);

    Dataset dataset;
    dataset.format = "list";
    dataset.root = !options.root.empty() ? options.root : from_stdin ? "." : folder_of(path);
    if (!from_stdin) dataset.sources.emplace_back(path);

    std::unordered_map<std::string, int> line_of;
    std::size_t repeated = 0;
    std::string first_repeated;
    for (const TextLine& line : file.content_lines()) {
        if (line.text.size() > longest_path || line.text.find('\0') != std::string_view::npos) {
            file.fail(line, "the path of one image (is this a list at all?)");
        }
        const std::filesystem::path given{std::string(line.text)};
        Sample sample;
        sample.path = dataset.root / given;
        sample.image = image_key(given, dataset.root, dataset.root);
        if (!given.has_filename() || sample.image.empty() || sample.image == ".") {
            file.fail(line, "the path of one image, not of a folder");
        }
        if (!line_of.emplace(sample.image, line.number).second) {
            if (repeated++ == 0) {
                first_repeated = sample.image + " in lines " + std::to_string(line_of[sample.image]) +
                                 " and " + std::to_string(line.number);
            }
            continue;
        }
        dataset.samples.push_back(std::move(sample));
    }
    if (dataset.samples.empty()) {
        throw Error(file.name() + ": the list names no image: expected the path of one image per line.");
    }
    if (repeated > 0) {
        dataset.warnings.push_back(file.name() + " names " + counted(repeated, "image") +
                                   " more than once; each is read once, first: " + first_repeated);
    }
    return dataset;
}

}  // namespace fovea
