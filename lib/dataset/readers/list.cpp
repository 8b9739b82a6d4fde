#include <unordered_map>

#include "lib/core/error.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/opencv_list.hpp"
#include "lib/dataset/readers/listed_names.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/video/video_source.hpp"

namespace fovea {
namespace {

/// Fills a dataset with images as they are named, each once.
class ListedImages final : public NameVisitor {
  public:
    explicit ListedImages(Dataset& dataset) : dataset_(dataset) {}

    void image(const ListedName& name) override {
        const auto [known, is_new] = position_of_.emplace(name.key, name.position);
        if (is_new) {
            Sample& sample = dataset_.samples.emplace_back();
            sample.image = name.key;
            sample.path = dataset_.root / std::filesystem::path(name.given);
        } else {
            repeated_.add(name.key, known->second, name.position);
        }
    }

    const RepeatedNames& repeated() const { return repeated_; }

  private:
    Dataset& dataset_;
    std::unordered_map<std::string, int> position_of_;
    RepeatedNames repeated_;
};

/// False if this cannot be the name of an image: it names a folder, or nothing.
bool visit_name(std::string_view given, int position, const std::filesystem::path& root,
                NameVisitor& visitor) {
    std::string turned;
    if (given.find('\\') != std::string_view::npos) given = turned = listed_name(given, root);
    const std::string key = image_key(given, root, root);
    if (given.empty() || given.back() == '/' || key.empty() || key == ".") return false;
    visitor.image({given, key, position});
    return true;
}

template <class Read>
Dataset read_names(const std::filesystem::path& root, const Read& read) {
    Dataset dataset;
    dataset.root = root;
    ListedImages images(dataset);
    const NamesRead names = read(images);
    dataset.format = names.format;
    dataset.sources = names.sources;
    if (images.repeated().count() > 0) dataset.warnings.push_back(images.repeated().warning(names));
    return dataset;
}

}  // namespace

void warn_of_missing_images(const std::vector<std::string>& missing, Dataset& dataset, const char* hint) {
    if (missing.empty()) return;
    dataset.warnings.push_back(std::to_string(missing.size()) + " of " +
                               counted(dataset.samples.size(), "image") +
                               (missing.size() == 1 ? " is not in '" : " are not in '") +
                               dataset.root.string() + "', first: " + missing.front() + hint);
}

void RepeatedNames::add(std::string_view image, int position, int again) {
    if (count_++ == 0) {
        image_ = image;
        position_ = position;
        again_ = again;
    }
}

std::string RepeatedNames::warning(const NamesRead& names) const {
    return names.list + " names " + counted(count_, "image") +
           " more than once; each is read once, first: " + image_ + " " + names.places + " " +
           std::to_string(position_) + " and " + std::to_string(again_);
}

std::filesystem::path root_of_list(const std::string& path, const DatasetOptions& options) {
    return !options.root.empty() ? options.root : path == "-" ? "." : folder_of(path);
}

NamesRead visit_list(const std::string& path, const DatasetOptions& options, NameVisitor& visitor) {
    constexpr std::size_t longest_path = 4096;  // PATH_MAX of Linux
    const bool from_stdin = path == "-";
    const TextFile file =
        from_stdin ? TextFile("standard input", read_standard_input()) : TextFile::read(path);
    const std::filesystem::path root = root_of_list(path, options);
    bool any = false;
    file.for_each_content_line([&](const TextLine& line) {
        if (line.text.size() > longest_path || line.text.find('\0') != std::string_view::npos) {
            file.fail(line, "the path of one image (is this a list at all?)");
        }
        if (!visit_name(line.text, line.number, root, visitor)) {
            file.fail(line, "the path of one image, not of a folder");
        }
        any = true;
    });
    if (!any) {
        throw Error(file.name() + ": the list names no image: expected the path of one image per line.");
    }
    NamesRead names{"list", file.name(), "in lines", {}};
    if (!from_stdin) names.sources.emplace_back(path);
    return names;
}

std::filesystem::path root_of_files(const DatasetOptions& options) {
    return !options.root.empty() ? options.root : ".";
}

NamesRead visit_named_files(const std::vector<std::string>& files, const DatasetOptions& options,
                            NameVisitor& visitor) {
    const std::filesystem::path root = root_of_files(options);
    int position = 0;
    for (const std::string& name : files) {
        const std::filesystem::path path = root / name;
        if (is_folder(path)) {
            throw UsageError("'" + name +
                             "' is a folder, but several images were named one by one; give one folder "
                             "alone, or image files only");
        }
        const bool names_frame = split_frame_name(name).has_value();
        if ((!is_there(path) && !names_frame) || !visit_name(name, ++position, root, visitor)) {
            throw UsageError("there is no image file '" + name + "'");
        }
    }
    return {"files", "the list of files", "as numbers", {}};
}

Certainty recognise_list(const PathFacts& facts) {
    return facts.is_folder() ? Certainty::none : Certainty::fallback;
}

/// A text file, or "-" for standard input, with the path of one image per line.
Dataset read_list_dataset(const std::string& path, const DatasetOptions& options) {
    return read_names(root_of_list(path, options),
                      [&](NameVisitor& visitor) { return visit_list(path, options, visitor); });
}

Certainty recognise_opencv(const PathFacts& facts) {
    return shaped_if(is_opencv_line(facts.first_line()));
}

Dataset read_opencv_dataset(const std::string& path, const DatasetOptions& options) {
    const DatasetSpecification specification("opencv", path, {"FILE", "images=DIR"});
    return read_opencv_list(specification.only_path(),
                            image_root(specification, options, specification.folder()));
}

Dataset read_named_files(const std::vector<std::string>& files, const DatasetOptions& options) {
    return read_names(root_of_files(options),
                      [&](NameVisitor& visitor) { return visit_named_files(files, options, visitor); });
}

}  // namespace fovea
