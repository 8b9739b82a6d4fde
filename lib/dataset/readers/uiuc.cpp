#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/name_blocks.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/folder.hpp"
#include "lib/image/image_size.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr double car_width = 100;
constexpr double car_height = 40;
constexpr double car_aspect = 0.4;  // height over width, of the multi-scale set

constexpr const char* expected_cars =
    "the cars of an image by their top left corners, \"17: (row,column) (row,column)\", or in the "
    "multi-scale set \"17: (row,column,width)\"";

/// One of the two sets of test images.
struct UiucSet {
    const char* format;
    const char* truth;
    const char* images;
    std::size_t numbers;  ///< of a car in the truth
};
constexpr UiucSet single_scale{"uiuc", "trueLocations.txt", "TestImages", 2};
constexpr UiucSet multi_scale{"uiuc-scale", "trueLocations_Scale.txt", "TestImages_Scale", 3};

/// Reads the numbers of a car, "(row,column)" or "(row,column,width)", off the front of `text`.
std::vector<double> take_car(const TextFile& file, const TextLine& line, std::string_view& text) {
    const std::size_t end = text.find(')');
    if (text.front() != '(' || end == std::string_view::npos) file.fail(line, expected_cars);
    std::vector<double> numbers;
    for (const std::string& part : split_list(text.substr(1, end - 1), ',')) {
        const std::optional<double> number = parse_pixels(part);
        if (!number) file.fail(line, expected_cars);
        numbers.push_back(*number);
    }
    text = trim(text.substr(end + 1));
    return numbers;
}

Face face_of_car(const TextFile& file, const TextLine& line, const std::vector<double>& numbers) {
    Face face;
    face.box = {numbers[1], numbers[0], car_width, car_height};
    if (numbers.size() == multi_scale.numbers) {
        if (numbers[2] <= 0) file.fail(line, "cars whose width, the third number, is above 0");
        face.box.w = numbers[2];
        face.box.h = car_aspect * numbers[2];
    }
    return face;
}

/// The number of the image and a colon, off the front of `text`.
int take_image_number(const TextFile& file, const TextLine& line, std::string_view& text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view digits = trim(text.substr(0, colon));
    const auto number = spelled_whole(digits, 0, std::numeric_limits<int>::max());
    if (colon == text.size() || !number) file.fail(line, expected_cars);
    text = trim(text.substr(colon + 1));
    return static_cast<int>(*number);
}

/// The images of a list of true locations and their cars.
class UiucTruth {
  public:
    explicit UiucTruth(const fs::path& path) : file_(TextFile::read(path)) {
        file_.for_each_content_line([&](const TextLine& line) { read_line(line); });
        if (samples_.empty())
            throw Error(file_.name() + ": the file names no image; expected " + expected_cars + ".");
    }

    const std::string& name() const { return file_.name(); }
    std::vector<Sample>& samples() { return samples_; }
    /// The set that the cars' numbers tell; nothing if there is no car.
    std::optional<UiucSet> set() const {
        if (numbers_ == 0) return std::nullopt;
        return numbers_ == multi_scale.numbers ? multi_scale : single_scale;
    }

  private:
    void read_line(const TextLine& line) {
        std::string_view rest = line.text;
        Sample sample;
        sample.image = "test-" + std::to_string(take_image_number(file_, line, rest)) + ".pgm";
        named_.add(sample.image, file_, line);
        sample.annotated = true;
        while (!rest.empty()) {
            const std::vector<double> numbers = take_car(file_, line, rest);
            if (numbers.size() != single_scale.numbers && numbers.size() != multi_scale.numbers)
                file_.fail(line, expected_cars);
            if (numbers_ == 0) numbers_ = numbers.size();
            if (numbers.size() != numbers_)
                file_.fail(line,
                           "as many numbers for each car as for the first one, " + std::to_string(numbers_));
            sample.faces.push_back(face_of_car(file_, line, numbers));
        }
        samples_.push_back(std::move(sample));
    }

    TextFile file_;
    NamedOnce named_;
    std::vector<Sample> samples_;
    std::size_t numbers_ = 0;  // of each car; 0 before the first one
};

bool is_test_image(const std::string& name) {
    return name.starts_with("test-") && is_image_name(name);
}

/// Finds the files of the samples, whatever format they are in, and tells what does not fit.
void find_images(Dataset& dataset, const std::string& list) {
    if (!is_folder(dataset.root)) {
        for (Sample& sample : dataset.samples) sample.path = dataset.root / sample.image;
        dataset.warnings.push_back(
            "there is no folder '" + dataset.root.string() +
            "', so the images have names and annotation, but no files; name their folder "
            "with ,images=DIR");
        return;
    }
    const ImageIndex index(dataset.root, 0);
    for (const std::string& warning : index.warnings()) dataset.warnings.push_back(warning);
    std::set<std::string> listed;
    std::vector<std::string> missing;
    for (Sample& sample : dataset.samples) {
        const std::optional<std::string> found = index.find(sample.image);
        if (!found) missing.push_back(sample.image);
        sample.image = found.value_or(sample.image);
        sample.path = dataset.root / sample.image;
        listed.insert(sample.image);
    }
    std::vector<std::string> unlisted;
    for (const std::string& image : index.images()) {
        if (is_test_image(image) && !listed.contains(image)) unlisted.push_back(image);
    }
    if (!missing.empty()) {
        dataset.warnings.push_back(counted(missing.size(), "image") + " of " + list +
                                   (missing.size() == 1 ? " is" : " are") + " not in '" +
                                   dataset.root.string() + "', first: " + missing.front());
    }
    if (!unlisted.empty()) {
        dataset.warnings.push_back(counted(unlisted.size(), "image has", "images have") + " no line in " +
                                   list + " and " + (unlisted.size() == 1 ? "is" : "are") +
                                   " left out, first: " + unlisted.front());
    }
}

/// The truth in a folder or in its CarData, as the set unpacks; empty if there is none.
fs::path truth_in(const fs::path& folder, const UiucSet& set) {
    for (const fs::path& place : {folder, folder / "CarData"}) {
        if (is_file(place / set.truth)) return place / set.truth;
    }
    return {};
}

std::vector<fs::path> tiles_in(const fs::path& folder) {
    return files_of(folder, [](const std::string& name) {
        return is_image_name(name) && (name.starts_with("pos-") || name.starts_with("neg-"));
    });
}

/// The car that fills a tile; nothing, with the reason in `why_none`, if the image cannot be read.
std::optional<Face> car_of_tile(Sample& sample, std::string& why_none) {
    try {
        sample.size = read_image_size(sample.path);
    } catch (const ImageError& error) {
        why_none = error.what();
        return std::nullopt;
    }
    Face car;
    car.box = {0, 0, static_cast<double>(sample.size->width), static_cast<double>(sample.size->height)};
    return car;
}

/// Training tiles: each pos-N shows one car, which fills it, and neg-N none.
Dataset read_tiles(const fs::path& folder, const std::vector<fs::path>& tiles) {
    Dataset dataset;
    dataset.format = single_scale.format;
    dataset.root = folder;
    std::size_t unreadable = 0;
    std::string first;
    for (const fs::path& tile : tiles) {
        Sample& sample = dataset.samples.emplace_back();
        sample.path = tile;
        sample.image = tile.filename().string();
        sample.annotated = true;
        if (!sample.image.starts_with("pos-")) continue;
        std::string why_none;
        if (std::optional<Face> car = car_of_tile(sample, why_none)) {
            sample.faces.push_back(std::move(*car));
            continue;
        }
        sample.annotated = false;
        if (unreadable++ == 0) first = sample.image + ": " + why_none;
    }
    if (unreadable > 0) {
        dataset.warnings.push_back(
            counted(unreadable, "tile") + " cannot be read, so that the size of the car is unknown; " +
            (unreadable == 1 ? "it counts" : "they count") + " as not annotated, first: " + first);
    }
    return dataset;
}

Dataset read_truth(const DatasetSpecification& specification, const DatasetOptions& options,
                   const fs::path& path, const UiucSet& asked) {
    UiucTruth truth(path);
    const UiucSet set = truth.set().value_or(asked);
    if (set.numbers < asked.numbers) {
        specification.fail(
            "names cars without a width, \"(row,column)\", which is the single-scale set; write uiuc:" +
            path.string() + ".");
    }
    Dataset dataset;
    dataset.format = set.format;
    dataset.samples = std::move(truth.samples());
    dataset.sources.push_back(path);
    dataset.root = image_root(specification, options, folder_of(path) / set.images);
    find_images(dataset, truth.name());
    return dataset;
}

}  // namespace

Certainty recognise_uiuc(const PathFacts& facts) {
    if (facts.is_folder())
        return certain_if(!truth_in(facts.path(), single_scale).empty() ||
                          !truth_in(facts.path(), multi_scale).empty());
    // A number, a colon, and nothing or a parenthesis.
    const std::string_view line = facts.first_line();
    const std::size_t digits = line.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos || line[digits] != ':') return Certainty::none;
    const std::string_view cars = trim(line.substr(digits + 1));
    return shaped_if(cars.empty() || cars.front() == '(');
}

Dataset read_uiuc_dataset(const std::string& path, const DatasetOptions& options) {
    const DatasetSpecification specification("uiuc", path, {"PATH", "images=DIR"});
    const fs::path& place = specification.only_path();
    if (!is_folder(place)) return read_truth(specification, options, place, single_scale);
    for (const UiucSet& set : {single_scale, multi_scale}) {
        const fs::path truth = truth_in(place, set);
        if (!truth.empty()) return read_truth(specification, options, truth, set);
    }
    const std::vector<fs::path> tiles = tiles_in(place);
    if (tiles.empty()) {
        specification.fail(
            "holds neither trueLocations.txt nor trueLocations_Scale.txt nor training tiles (pos-0.pgm, "
            "neg-0.pgm); name the folder CarData or CarData/TrainImages.");
    }
    return read_tiles(place, tiles);
}

Dataset read_uiuc_scale_dataset(const std::string& path, const DatasetOptions& options) {
    const DatasetSpecification specification("uiuc-scale", path, {"PATH", "images=DIR"});
    const fs::path& place = specification.only_path();
    const fs::path truth = is_folder(place) ? truth_in(place, multi_scale) : place;
    if (truth.empty()) specification.fail("holds no trueLocations_Scale.txt; name the folder CarData.");
    return read_truth(specification, options, truth, multi_scale);
}

}  // namespace fovea
