#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/read_dataset.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/folder.hpp"
#include "lib/image/image_size.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

/// A box in shares of the image's width and height.
struct YoloBox {
    int category = 0;
    Point centre;
    double w = 0;
    double h = 0;
};

/// The images/ of a/images/b/c.jpg becomes labels/ (the last one, where several are); else labels lie beside
/// images.
fs::path label_file(const fs::path& image) {
    std::string text = image.generic_string();
    const std::size_t at = ("/" + text).rfind("/images/");
    fs::path parallel = at == std::string::npos ? image : fs::path(text.replace(at, 6, "labels"));
    for (const fs::path& path : {parallel, image}) {
        const fs::path label = path.parent_path() / (image_stem(path.filename().string()) + ".txt");
        if (is_file(label)) return label;
    }
    return {};
}

std::vector<YoloBox> read_labels(const fs::path& path) {
    constexpr double most = 1.01;  // beyond rounding, numbers above 1 are pixels
    const TextFile file = TextFile::read(path);
    std::vector<YoloBox> boxes;
    for (const TextLine& line : file.content_lines()) {
        std::array<double, 5> numbers{};
        if (!parse_pixels(line.text, numbers)) {
            file.fail(line, "a box, \"class cx cy w h\"; outlines and key points are not read");
        }
        if (numbers[0] < 0 || numbers[0] != std::floor(numbers[0])) file.fail(line, "a class counted from 0");
        for (std::size_t i = 1; i < numbers.size(); ++i) {
            if (numbers[i] < 0 || numbers[i] > most)
                file.fail(line, "shares of the image's sides, from 0 to 1");
        }
        boxes.push_back({static_cast<int>(numbers[0]), {numbers[1], numbers[2]}, numbers[3], numbers[4]});
    }
    return boxes;
}

Face face_of(const YoloBox& box, ImageSize size) {
    Face face;
    face.box = {(box.centre.x - box.w / 2) * size.width, (box.centre.y - box.h / 2) * size.height,
                box.w * size.width, box.h * size.height};
    return face;
}

/// The class asked for, else the only one.
int wanted_category(const DatasetSpecification& specification,
                    const std::vector<std::vector<YoloBox>>& boxes) {
    std::map<int, std::size_t> categories;
    for (const auto& of_image : boxes) {
        for (const YoloBox& box : of_image) ++categories[box.category];
    }
    std::string names;
    for (const auto& [category, count] : categories)
        names += (names.empty() ? "" : ", ") + std::to_string(category);
    const std::string asked = specification.option("class");
    for (const auto& [category, count] : categories) {
        if (asked == std::to_string(category)) return category;
    }
    if (!asked.empty())
        specification.fail("asks for a class that the labels do not have; they have: " + names + ".");
    if (categories.size() > 1)
        specification.fail("has several classes; name one with ,class=NUMBER: " + names + ".");
    return categories.empty() ? 0 : categories.begin()->first;
}

/// Sizes of the images that have boxes to be scaled, read on all cores; the reason where one cannot be read.
void add_faces(Dataset& dataset, const std::vector<std::vector<YoloBox>>& boxes, int category) {
    std::vector<std::string> unreadable(dataset.samples.size());
    tbb::parallel_for(std::size_t{0}, dataset.samples.size(), [&](std::size_t i) {
        Sample& sample = dataset.samples[i];
        if (boxes[i].empty()) return;
        try {
            sample.size = read_image_size(sample.path);
        } catch (const ImageError& error) {
            unreadable[i] = error.what();
            return;
        }
        for (const YoloBox& box : boxes[i]) {
            if (box.category == category) sample.faces.push_back(face_of(box, *sample.size));
        }
    });
    std::size_t count = 0;
    std::string first;
    for (std::size_t i = 0; i < unreadable.size(); ++i) {
        if (unreadable[i].empty()) continue;
        dataset.samples[i].annotated = false;
        if (count++ == 0) first = dataset.samples[i].image + ": " + unreadable[i];
    }
    if (count > 0) {
        dataset.warnings.push_back(
            counted(count, "image", "images") +
            " cannot be read, so that their size and boxes are unknown; they count as not "
            "annotated, first: " +
            first);
    }
}

}  // namespace

bool is_yolo_folder(const fs::path& folder) {
    if (!is_folder(folder / "images") || !is_folder(folder / "labels")) return false;
    const auto has_labels = [](const fs::path& labels) {
        return !files_of(labels, [](const std::string& name) { return name.ends_with(".txt"); }).empty();
    };
    if (has_labels(folder / "labels")) return true;
    const std::vector<fs::path> entries = entries_of(folder / "labels");
    return std::any_of(entries.begin(), entries.end(),
                       [&](const fs::path& entry) { return is_folder(entry) && has_labels(entry); });
}

Dataset read_yolo_dataset(const std::string& path, const DatasetOptions&) {
    const DatasetSpecification specification("yolo", path, {"DIR", "class=NUMBER"});
    if (specification.paths().size() > 1) specification.fail("names several folders; YOLO is read from one.");
    const fs::path& folder = specification.paths().front();
    Dataset dataset;
    dataset.format = "yolo";
    dataset.root = is_yolo_folder(folder) ? folder / "images" : folder;
    FolderScan scan = scan_images(dataset.root, std::numeric_limits<int>::max());
    dataset.warnings = std::move(scan.warnings);
    std::vector<std::vector<YoloBox>> boxes;
    std::size_t without = 0;
    for (std::string& image : scan.images) {
        Sample sample;
        sample.path = dataset.root / image;
        sample.image = std::move(image);
        sample.annotated = true;
        const fs::path label = label_file(sample.path);
        boxes.push_back(label.empty() ? std::vector<YoloBox>{} : read_labels(label));
        if (label.empty()) {
            ++without;
        } else {
            dataset.sources.push_back(label);
        }
        dataset.samples.push_back(std::move(sample));
    }
    if (without == dataset.samples.size()) {
        throw UsageError(
            "The folder '" + folder.string() +
            "' holds no image with labels: neither images/a.jpg with labels/a.txt nor a.txt beside "
            "a.jpg.");
    }
    if (without > 0) {
        dataset.warnings.push_back(
            counted(without, "image has", "images have") +
            " no file of labels; in YOLO's format that means an image without objects");
    }
    add_faces(dataset, boxes, wanted_category(specification, boxes));
    return dataset;
}

}  // namespace fovea
