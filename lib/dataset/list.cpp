#include <unordered_map>

#include "lib/core/error.hpp"
#include "lib/core/file.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers.hpp"
#include "lib/dataset/text_file.hpp"

namespace fovea {
namespace {

/// Fills a dataset with images as they are named, each once.
class ListedImages {
  public:
    explicit ListedImages(Dataset& dataset) : dataset_(dataset) {}

    /// False if this cannot be the name of an image: it names a folder, or nothing.
    bool add(const std::filesystem::path& given, int position) {
        Sample sample;
        sample.path = dataset_.root / given;
        sample.image = image_key(given, dataset_.root, dataset_.root);
        if (!given.has_filename() || sample.image.empty() || sample.image == ".") return false;
        const auto [known, is_new] = position_of_.emplace(sample.image, position);
        if (is_new) {
            dataset_.samples.push_back(std::move(sample));
        } else if (repeated_++ == 0) {
            first_repeated_ = {known->first, known->second, position};
        }
        return true;
    }

    void warn_of_repeated(const std::string& list, const std::string& places) const {
        if (repeated_ == 0) return;
        dataset_.warnings.push_back(list + " names " + counted(repeated_, "image") +
                                    " more than once; each is read once, first: " + first_repeated_.image +
                                    " " + places + " " + std::to_string(first_repeated_.position) + " and " +
                                    std::to_string(first_repeated_.again));
    }

  private:
    struct Repeated {
        std::string image;
        int position = 0;
        int again = 0;
    };

    Dataset& dataset_;
    std::unordered_map<std::string, int> position_of_;
    std::size_t repeated_ = 0;
    Repeated first_repeated_;
};

}  // namespace

Dataset read_list_dataset(const std::string& path, const DatasetOptions& options) {
    constexpr std::size_t longest_path = 4096;  // PATH_MAX of Linux
    const bool from_stdin = path == "-";
    const TextFile file =
        from_stdin ? TextFile("standard input", read_standard_input()) : TextFile::read(path);

    Dataset dataset;
    dataset.format = "list";
    dataset.root = !options.root.empty() ? options.root : from_stdin ? "." : folder_of(path);
    if (!from_stdin) dataset.sources.emplace_back(path);

    ListedImages images(dataset);
    for (const TextLine& line : file.content_lines()) {
        if (line.text.size() > longest_path || line.text.find('\0') != std::string_view::npos) {
            file.fail(line, "the path of one image (is this a list at all?)");
        }
        if (!images.add(std::string(line.text), line.number)) {
            file.fail(line, "the path of one image, not of a folder");
        }
    }
    if (dataset.samples.empty()) {
        throw Error(file.name() + ": the list names no image: expected the path of one image per line.");
    }
    images.warn_of_repeated(file.name(), "in lines");
    return dataset;
}

Dataset read_named_files(const std::vector<std::string>& files, const DatasetOptions& options) {
    Dataset dataset;
    dataset.format = "files";
    dataset.root = !options.root.empty() ? options.root : ".";
    ListedImages images(dataset);
    int position = 0;
    for (const std::string& name : files) {
        const std::filesystem::path path = dataset.root / name;
        std::error_code ignored;
        if (std::filesystem::is_directory(path, ignored)) {
            throw UsageError("'" + name +
                             "' is a folder, but several images were named one by one; give one folder "
                             "alone, or image files only");
        }
        if (!std::filesystem::exists(path, ignored) || !images.add(name, ++position)) {
            throw UsageError("there is no image file '" + name + "'");
        }
    }
    images.warn_of_repeated("the list of files", "as numbers");
    return dataset;
}

}  // namespace fovea
