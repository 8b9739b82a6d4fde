#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_map>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/name_blocks.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

// The file that FDDB's lists mean by a name: they leave out ".jpg".
std::string fddb_image(std::string_view name) {
    return std::string(name) + (is_image_name(name) ? "" : ".jpg");
}

/// The ten folds as distributed: their first image and how many they have. They tell, for a list of all
/// folds, whether it is the distributed one in its order.
struct Fold {
    std::string_view first;
    std::size_t images;
};
constexpr std::array folds{
    Fold{"2002/08/11/big/img_591", 290},  Fold{"2002/07/28/big/img_416", 285},
    Fold{"2002/07/26/big/img_1010", 274}, Fold{"2002/08/18/big/img_181", 302},
    Fold{"2002/08/16/big/img_932", 298},  Fold{"2002/08/01/big/img_1468", 302},
    Fold{"2002/08/22/big/img_141", 279},  Fold{"2002/08/20/big/img_394", 276},
    Fold{"2002/07/22/big/img_43", 259},   Fold{"2002/08/31/big/img_18008", 280},
};

std::vector<fs::path> ellipse_lists(const fs::path& folder) {
    const auto lists = [&](const std::string& part) {
        return files_of(folder, [&](const std::string& name) {
            return name.find(part) != std::string::npos && name.ends_with("ellipseList.txt");
        });
    };
    const std::vector<fs::path> of_folds = lists("fold");
    return of_folds.empty() ? lists("") : of_folds;
}

/// A folder stands for its lists of folds, or for its other lists if it has none of folds.
std::vector<fs::path> list_files(const DatasetSpecification& specification) {
    return files_of_paths(specification.paths(), [](const fs::path& folder) {
        std::vector<fs::path> found = ellipse_lists(folder);
        if (found.empty()) found = ellipse_lists(folder / "FDDB-folds");
        if (found.empty()) {
            throw UsageError("The folder '" + folder.string() +
                             "' holds no FDDB-fold-01-ellipseList.txt or the like; name the list.");
        }
        return found;
    });
}

/// The number in "FDDB-fold-03-ellipseList.txt", without leading zeros; empty in other names.
std::string fold_of_file(const std::string& name) {
    constexpr std::string_view mark = "fold-";
    const std::size_t at = name.find(mark);
    if (at == std::string::npos) return {};
    const std::size_t start = name.find_first_not_of('0', at + mark.size());
    if (start == std::string::npos) return {};
    return name.substr(start, std::min(name.find_first_not_of("0123456789", start), name.size()) - start);
}

Face read_ellipse(const TextFile& file, const TextLine& line) {
    // The sixth column is a 1 in every line and says nothing, but five are the box and score of results.
    std::array<double, 5> numbers{};
    const std::vector<std::string_view> fields = split_fields(line.text);
    const bool is_read = fields.size() > numbers.size() && parse_pixels(fields, numbers);
    if (!is_read || numbers[0] <= 0 || numbers[1] <= 0) {
        file.fail(line,
                  "an ellipse, \"major-radius minor-radius angle x y 1\", with radii above 0 and an angle in "
                  "radians");
    }
    Face face;
    face.ellipse = Ellipse{{numbers[3], numbers[4]}, numbers[0], numbers[1], numbers[2]};
    face.box = bounding_box(*face.ellipse);
    return face;
}

void read_list(const fs::path& path, Dataset& dataset, NamedOnce& named) {
    const TextFile file = TextFile::read(path);
    dataset.sources.push_back(path);
    const std::string fold = fold_of_file(path.filename().string());
    for_each_block(file, [&](const NameBlock& block) {
        Sample sample;
        sample.image = listed_name(fddb_image(block.name.text), dataset.root);
        named.add(sample.image, file, block.name);
        sample.path = dataset.root / sample.image;
        sample.annotated = true;
        if (!fold.empty()) sample.attributes.push_back({"fold", fold});
        for (const TextLine& row : block.rows) sample.faces.push_back(read_ellipse(file, row));
        dataset.samples.push_back(std::move(sample));
    });
}

/// The faces whose centre lies outside of their image, as sizes are, or with width and height exchanged.
std::size_t faces_outside(const Dataset& dataset, bool exchanged) {
    std::size_t count = 0;
    for (const Sample& sample : dataset.samples) {
        if (!sample.size) continue;
        const int width = exchanged ? sample.size->height : sample.size->width;
        const int height = exchanged ? sample.size->width : sample.size->height;
        for (const Face& face : sample.faces) {
            const Point centre = face.box.centre();
            count += centre.x > width || centre.y > height ? 1 : 0;
        }
    }
    return count;
}

/// Sets the sizes of images from lines "name width height", names with or without extension.
void read_sizes(const fs::path& path, Dataset& dataset) {
    const TextFile file = TextFile::read(path);
    dataset.sources.push_back(path);
    std::unordered_map<std::string, ImageSize> sizes;
    file.for_each_content_line([&](const TextLine& line) {
        // From the end: a name may hold blanks.
        std::string_view rest = line.text;
        std::array<int, 2> numbers{};  // height, width
        for (int& number : numbers) {
            const std::size_t blank = std::min(rest.find_last_of(" \t"), rest.size());
            const std::string_view digits = rest.substr(std::min(blank + 1, rest.size()));
            const auto whole = spelled_whole(digits, 1, std::numeric_limits<int>::max());
            if (!whole) file.fail(line, "an image's size, \"name width height\", in whole pixels above 0");
            number = static_cast<int>(*whole);
            rest = trim(rest.substr(0, blank));
        }
        sizes[listed_name(fddb_image(rest), dataset.root)] = {numbers[1], numbers[0]};
    });
    std::size_t found = 0;
    for (Sample& sample : dataset.samples) {
        const auto size = sizes.find(sample.image);
        if (size == sizes.end()) continue;
        sample.size = size->second;
        ++found;
    }
    if (found == 0) {
        throw Error(file.name() + ": it holds the size of none of the dataset's " +
                    counted(dataset.samples.size(), "image") +
                    "; expected lines of an image's name, width and height.");
    }
    // Lists with height and width in this order look alike, and would clip wrongly.
    const std::size_t outside = faces_outside(dataset, false);
    if (outside > faces_outside(dataset, true)) {
        throw Error(file.name() + ": by these sizes " + counted(outside, "face lies", "faces lie") +
                    " outside of the image; expected \"name width height\", in this order.");
    }
}

/// Gives the images of the distributed list of all folds their fold; leaves every other list alone.
void divide_into_folds(std::vector<Sample>& samples) {
    std::size_t start = 0;
    for (const Fold& fold : folds) {
        if (start >= samples.size() || samples[start].image != fddb_image(fold.first) ||
            !samples[start].attributes.empty()) {
            return;
        }
        start += fold.images;
    }
    if (start != samples.size()) return;
    std::size_t i = 0;
    for (std::size_t k = 0; k < folds.size(); ++k) {
        for (const std::size_t end = i + folds[k].images; i < end; ++i) {
            samples[i].attributes.push_back({"fold", std::to_string(k + 1)});
        }
    }
}

}  // namespace

Certainty recognise_fddb(const PathFacts& facts) {
    if (facts.is_folder()) return certain_if(!ellipse_lists(facts.path()).empty());
    constexpr std::size_t of_ellipse = 6;
    return shaped_if(begins_with_block(facts.text(), of_ellipse));
}

Dataset read_fddb_dataset(const std::string& path, const DatasetOptions& options) {
    const DatasetSpecification specification("fddb", path, {"LIST", "images=DIR", "sizes=FILE"});
    const fs::path folder = specification.folder();
    Dataset dataset;
    dataset.format = "fddb";
    dataset.root = image_root(specification, options,
                              first_folder({folder / "originalPics", folder / "../originalPics"}, folder));
    NamedOnce named;
    for (const fs::path& file : list_files(specification)) read_list(file, dataset, named);
    if (dataset.samples.empty()) {
        throw Error(specification.paths().front().string() +
                    ": the list names no image: expected a name, the number of faces and their ellipses.");
    }
    divide_into_folds(dataset.samples);
    fs::path sizes = specification.option_path("sizes");
    if (sizes.empty() && is_file(folder / "image-sizes.txt")) sizes = folder / "image-sizes.txt";
    if (!sizes.empty()) read_sizes(sizes, dataset);
    return dataset;
}

}  // namespace fovea
