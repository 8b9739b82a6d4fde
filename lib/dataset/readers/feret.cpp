#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/feret_files.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

/// feret:LIST[,LIST...][,coords=FILE...][,images=DIR]
struct Specification {
    std::vector<fs::path> lists;
    std::vector<fs::path> coordinates;
    fs::path images;
};

std::vector<fs::path> coordinates_files(const fs::path& folder) {
    return files_of(
        folder, [](const std::string& name) { return name.starts_with("coords") && !name.ends_with("~"); });
}

Specification parse_specification(const std::string& text) {
    const DatasetSpecification parts("feret", text, {"LIST", "coords=FILE", "images=DIR"});
    return {parts.paths(), parts.option_paths("coords"), parts.option_path("images")};
}

/// A folder stands for its lists, or for its coordinates files if it has no list.
void expand_folders(Specification& specification) {
    specification.lists = files_of_paths(specification.lists, [&](const fs::path& folder) {
        std::vector<fs::path> found = files_ending(folder, ".srt");
        if (found.empty()) {
            found = files_of(folder, [&](const std::string& name) {
                return ends_with_any_case(name, ".xml") &&
                       xml_root_name(head_of(folder / name)) == "biometric-signature-set";
            });
        }
        if (found.empty())
            found = specification.coordinates.empty() ? coordinates_files(folder) : specification.coordinates;
        if (found.empty()) {
            throw UsageError("The folder '" + folder.string() +
                             "' holds no .srt list, no signature set and no coords* file; datasets.md shows "
                             "the layout of FERET.");
        }
        return found;
    });
}

/// Coordinates files beside the list, else in the folder above.
std::vector<fs::path> discover_coordinates(const fs::path& list) {
    const fs::path folder = folder_of(list);
    auto files = coordinates_files(folder);
    if (files.empty()) files = coordinates_files(folder / "..");
    for (fs::path& file : files) file = file.lexically_normal();
    return files;
}

fs::path images_of_list(const fs::path& list) {
    const fs::path folder = folder_of(list);
    return is_folder(folder / "images") ? folder / "images" : folder;
}

class FeretReader {
  public:
    FeretReader(const std::string& path, const DatasetOptions& options)
        : specification_(parse_specification(path)) {
        expand_folders(specification_);
        dataset_.format = "feret";
        dataset_.root = !specification_.images.empty() ? specification_.images
                        : !options.root.empty()        ? options.root
                                                       : images_of_list(specification_.lists.front());
    }

    Dataset run() {
        for (const fs::path& path : specification_.lists) read_list(path);
        read_coordinates();
        add_samples();
        return std::move(dataset_);
    }

  private:
    void read_list(const fs::path& path) {
        dataset_.sources.push_back(path);
        FeretList list;
        switch (feret_file_kind(path)) {
            case FeretFile::signature_set:
                list = read_feret_signature_set(path);
                break;
            case FeretFile::list:
                list = read_feret_srt(path);
                break;
            case FeretFile::coordinates: {
                const FeretCoordinates& coordinates = add_coordinates(path);
                for (const std::string& name : coordinates.names)
                    list.entries.push_back({name, feret_subject(name)});
                break;
            }
        }
        append(dataset_.warnings, list.warnings);
        for (const FeretEntry& entry : list.entries) {
            const auto [earlier, is_new] = subject_of_.emplace(image_stem(entry.name), entry.subject);
            if (is_new) {
                entries_.push_back(entry);
            } else if (earlier->second != entry.subject) {
                throw Error(path.string() + ": the image '" + excerpt(entry.name) + "' is of subject '" +
                            excerpt(entry.subject) + "' here and of '" + excerpt(earlier->second) +
                            "' in another list; name lists that agree.");
            }
        }
    }

    const FeretCoordinates& add_coordinates(const fs::path& path) {
        std::error_code error;
        for (std::size_t i = 0; i < coordinates_.size(); ++i) {
            if (fs::equivalent(coordinate_paths_[i], path, error)) return coordinates_[i];
        }
        coordinates_.push_back(read_feret_coordinates(path));
        coordinate_paths_.push_back(path);
        append(dataset_.warnings, coordinates_.back().warnings);
        if (std::find(dataset_.sources.begin(), dataset_.sources.end(), path) == dataset_.sources.end()) {
            dataset_.sources.push_back(path);
        }
        return coordinates_.back();
    }

    void read_coordinates() {
        if (!specification_.coordinates.empty()) {
            for (const fs::path& path : specification_.coordinates) add_coordinates(path);
        } else if (coordinates_.empty()) {
            for (const fs::path& path : discover_coordinates(specification_.lists.front()))
                add_coordinates(path);
        }
    }

    /// The first plausible pair of several files counts: CSU's coords.scraps has a known slip (00001ac).
    std::optional<Eyes> find_eyes(const std::string& name) {
        const FeretEyes* chosen = nullptr;
        std::vector<const FeretEyes*> all;
        for (const FeretCoordinates& file : coordinates_) {
            if (const auto found = file.eyes.find(name); found != file.eyes.end())
                all.push_back(&found->second);
        }
        for (const FeretEyes* eyes : all) {
            if (chosen == nullptr || (!chosen->plausible && eyes->plausible)) chosen = eyes;
        }
        if (chosen == nullptr) return std::nullopt;
        for (const FeretEyes* eyes : all) {
            if (eyes->eyes != chosen->eyes) {
                dataset_.warnings.push_back(eyes->place + " and " + chosen->place +
                                            " give different eyes for '" + excerpt(name) + "'; " +
                                            chosen->place + " is used");
            }
        }
        if (!chosen->plausible) {
            dataset_.warnings.push_back(
                chosen->place + ": the eyes of '" + excerpt(name) +
                "' are implausible: left is not left of right, or they differ more in y than in x");
        }
        return chosen->eyes;
    }

    void add_samples() {
        const ImageIndex index(dataset_.root, 2);
        append(dataset_.warnings, index.warnings());
        std::vector<std::string> missing;
        std::vector<std::string> blind;
        for (const FeretEntry& entry : entries_) {
            Sample sample;
            const auto found = index.find(entry.name);
            if (!found) missing.push_back(entry.name);
            sample.image = found.value_or(listed_name(entry.name, dataset_.root));
            sample.path = dataset_.root / sample.image;
            sample.subject = entry.subject;
            sample.eyes = find_eyes(image_stem(fs::path(entry.name).filename().string()));
            if (!sample.eyes) blind.push_back(entry.name);
            dataset_.samples.push_back(std::move(sample));
        }
        const std::string total = " of " + counted(entries_.size(), "image");
        warn_of_missing_images(missing, dataset_, "; name their folder with ,images=DIR");
        if (coordinates_.empty()) {
            dataset_.warnings.push_back("no coordinates file (coords*) was found beside or above '" +
                                        specification_.lists.front().string() +
                                        "': no image has eyes; name one with ,coords=FILE");
        } else if (!blind.empty()) {
            dataset_.warnings.push_back(std::to_string(blind.size()) + total +
                                        " have no eye coordinates, first: " + blind.front());
        }
    }

    static void append(std::vector<std::string>& all, const std::vector<std::string>& more) {
        all.insert(all.end(), more.begin(), more.end());
    }

    Specification specification_;
    Dataset dataset_;
    std::vector<FeretEntry> entries_;
    std::map<std::string, std::string> subject_of_;
    std::vector<FeretCoordinates> coordinates_;
    std::vector<fs::path> coordinate_paths_;
};

}  // namespace

Certainty recognise_feret(const PathFacts& facts) {
    if (facts.is_folder())
        return certain_if(!coordinates_files(facts.path()).empty() &&
                          !files_ending(facts.path(), ".srt").empty());
    if (facts.xml_element() == "biometric-signature-set") return Certainty::certain;
    if (facts.is_text() && ends_with_any_case(facts.path().native(), ".srt")) return Certainty::certain;
    constexpr std::size_t of_eyes = 5, with_nose_and_mouth = 9;
    const std::vector<std::string_view> row = facts.row();
    const bool is_row =
        row.size() == with_nose_and_mouth || (row.size() == of_eyes && !is_image_name(row.front()));
    return is_row ? Certainty::counted : Certainty::none;
}

Dataset read_feret_dataset(const std::string& path, const DatasetOptions& options) {
    return FeretReader(path, options).run();
}

}  // namespace fovea
