#include "lib/dataset/readers/mit_cmu.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "lib/core/error.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t point_fields = 13;
constexpr std::size_t box_fields = 5;
constexpr const char* points_name = "groundtruth.txt";
constexpr const char* boxes_name = "facegroundtruth.txt";

enum class ListContent { any, points, boxes };

/// The faces of one ground-truth file, images in order of first appearance.
struct Truth {
    std::vector<std::string> images;
    std::map<std::string, std::vector<Face>> faces;
    std::size_t repeated = 0;
    std::string first_repeated;
};

template <std::size_t N>
std::array<double, N> numbers_of_line(const TextFile& file, const TextLine& line,
                                      const std::vector<std::string_view>& fields,
                                      const std::string& expected) {
    std::array<double, N> numbers{};
    if (fields.size() != N + 1 || !parse_pixels(std::span(fields).subspan(1), numbers))
        file.fail(line, expected);
    return numbers;
}

Face parse_points(const TextFile& file, const TextLine& line, const std::vector<std::string_view>& fields) {
    const auto n =
        numbers_of_line<12>(file, line, fields,
                            "an image and 12 coordinates: name, then x y of left eye, right eye, nose, left "
                            "mouth corner, mouth centre, right mouth corner");
    Face face;
    for (std::size_t i = 0; i < n.size(); i += 2) face.landmarks.push_back({n[i], n[i + 1]});
    face.eyes = Eyes{face.landmarks[0], face.landmarks[1]};
    face.box = mit_cmu_face_box(*face.eyes, face.landmarks[4]);
    if (face.box.area() <= 0) file.fail(line, "eyes and mouth at different places");
    return face;
}

Face parse_box(const TextFile& file, const TextLine& line, const std::vector<std::string_view>& fields) {
    const auto n = numbers_of_line<4>(file, line, fields, "an image and a box: name x y width height");
    if (n[2] <= 0 || n[3] <= 0) file.fail(line, "a box whose width and height are above 0");
    Face face;
    face.box = {n[0], n[1], n[2], n[3]};
    return face;
}

bool same_face(const Face& a, const Face& b) {
    return a.box == b.box && a.landmarks == b.landmarks;
}

Truth read_truth(const TextFile& file, ListContent annotation) {
    Truth truth;
    for (const TextLine& line : file.content_lines()) {
        const auto fields = split_fields(line.text);
        if (annotation == ListContent::any) {
            if (fields.size() != point_fields && fields.size() != box_fields) {
                file.fail(line, "an image and 12 coordinates of points, or 4 of a box");
            }
            annotation = fields.size() == point_fields ? ListContent::points : ListContent::boxes;
        }
        const Face face = annotation == ListContent::points ? parse_points(file, line, fields)
                                                            : parse_box(file, line, fields);
        const std::string image(fields.front());
        if (!truth.faces.contains(image)) truth.images.push_back(image);
        auto& faces = truth.faces[image];
        if (std::any_of(faces.begin(), faces.end(),
                        [&](const Face& other) { return same_face(face, other); })) {
            if (truth.repeated++ == 0) truth.first_repeated = file.name() + ":" + std::to_string(line.number);
            continue;
        }
        faces.push_back(face);
    }
    if (truth.images.empty()) {
        throw Error(file.name() +
                    ": the file names no face: expected one face per line, name and coordinates.");
    }
    return truth;
}

/// Reads one ground-truth file into `dataset`. `prefix` leads from the dataset's root to the images' folder.
/// `whole_folder`: images of the folder that the file does not name are part of the set, without faces.
void add_truth(Dataset& dataset, const fs::path& file_path, ListContent annotation, const std::string& prefix,
               bool whole_folder) {
    const TextFile file = TextFile::read(file_path);
    Truth truth = read_truth(file, annotation);
    dataset.sources.push_back(file_path);
    const ImageIndex index(dataset.root / prefix, 0);
    for (const std::string& warning : index.warnings()) dataset.warnings.push_back(warning);

    std::map<std::string, std::string> listed_as;  // file -> name in the list
    std::vector<std::string> missing;
    const auto add = [&](const std::string& name, std::vector<Face> faces) {
        Sample sample;
        sample.image = prefix.empty() ? name : prefix + "/" + name;
        sample.path = dataset.root / sample.image;
        sample.faces = std::move(faces);
        sample.annotated = true;
        dataset.samples.push_back(std::move(sample));
    };
    for (const std::string& listed : truth.images) {
        const auto found = index.find(listed);
        if (!found) missing.push_back(listed);
        const std::string name = found.value_or(listed_name(listed, dataset.root / prefix));
        if (const auto [other, is_new] = listed_as.emplace(name, listed); !is_new) {
            throw Error(file.name() + ": '" + excerpt(listed) + "' and '" + excerpt(other->second) +
                        "' both stand for the image '" + excerpt(name) + "'; name it in one way.");
        }
        add(name, std::move(truth.faces[listed]));
    }
    std::vector<std::string> unlisted;
    for (const std::string& image : index.images()) {
        if (!listed_as.contains(image)) unlisted.push_back(image);
    }
    if (whole_folder) {
        for (const std::string& image : unlisted) add(image, {});
    }

    if (truth.repeated > 0) {
        dataset.warnings.push_back(counted(truth.repeated, "face stands", "faces stand") +
                                   " more than once and counts once, first: " + truth.first_repeated);
    }
    if (!missing.empty()) {
        dataset.warnings.push_back(counted(missing.size(), "image") + " of " + file.name() +
                                   (missing.size() == 1 ? " is" : " are") +
                                   " not in its folder, first: " + missing.front());
    }
    if (!unlisted.empty()) {
        std::string names;
        for (std::size_t i = 0; i < std::min<std::size_t>(unlisted.size(), 5); ++i)
            names += " " + unlisted[i];
        dataset.warnings.push_back(
            file.name() + " names no face in " + counted(unlisted.size(), "image") + " of its folder, " +
            (whole_folder ? "which counts as showing none:" : "left out; name the folder to read all:") +
            names + (unlisted.size() > 5 ? " ..." : ""));
    }
}

/// The ground-truth file of a folder; nothing if it has none of the kind.
std::optional<fs::path> truth_file(const fs::path& folder, ListContent annotation) {
    if (annotation != ListContent::boxes && is_file(folder / points_name)) {
        return folder / points_name;
    }
    if (annotation != ListContent::points && is_file(folder / boxes_name)) {
        return folder / boxes_name;
    }
    return std::nullopt;
}

/// Sub-folders with ground truth, in natural order.
std::vector<std::string> truth_folders(const fs::path& folder, ListContent annotation) {
    std::vector<std::string> names;
    for (const fs::path& entry : folders_of(folder)) {
        if (truth_file(entry, annotation)) names.push_back(entry.filename().string());
    }
    return names;
}

Dataset read_mit_cmu(const std::string& path, const DatasetOptions& options, ListContent annotation) {
    Dataset dataset;
    dataset.format = annotation == ListContent::boxes ? "mit-cmu-boxes" : "mit-cmu";
    if (!is_folder(path)) {
        dataset.root = options.root.empty() ? folder_of(path) : options.root;
        add_truth(dataset, path, annotation, "", false);
        return dataset;
    }
    dataset.root = path;
    if (const auto file = truth_file(path, annotation)) {
        const ListContent of_file = file->filename() == boxes_name ? ListContent::boxes : ListContent::points;
        if (!options.root.empty()) dataset.root = options.root;
        add_truth(dataset, *file, of_file, "", true);
        return dataset;
    }
    const auto folders = truth_folders(path, annotation);
    if (folders.empty()) {
        throw UsageError("Neither '" + path + "' nor a folder in it holds " +
                         (annotation == ListContent::boxes ? std::string(boxes_name)
                                                           : std::string(points_name) + " or " + boxes_name) +
                         "; datasets.md shows the layout of MIT+CMU.");
    }
    if (!options.root.empty()) dataset.root = options.root;
    for (const std::string& folder : folders) {
        const fs::path file = *truth_file(fs::path(path) / folder, annotation);
        const ListContent of_file = file.filename() == boxes_name ? ListContent::boxes : ListContent::points;
        add_truth(dataset, file, of_file, folder, true);
    }
    return dataset;
}

}  // namespace

Box mit_cmu_face_box(const Eyes& eyes, const Point& mouth_centre) {
    const Point between{(eyes.left.x + eyes.right.x) / 2, (eyes.left.y + eyes.right.y) / 2};
    const double dx = mouth_centre.x - between.x;
    const double dy = mouth_centre.y - between.y;
    const double ex = eyes.right.x - eyes.left.x;
    const double ey = eyes.right.y - eyes.left.y;
    // sqrt of the sum of squares is rounded the same everywhere, std::hypot is not.
    const double side = 2.4 * std::max(std::sqrt(ex * ex + ey * ey), 0.85 * std::sqrt(dx * dx + dy * dy));
    return {between.x + 0.42 * dx - side / 2, between.y + 0.42 * dy - side / 2, side, side};
}

Certainty recognise_mit_cmu(const PathFacts& facts) {
    if (facts.is_folder())
        return certain_if(truth_file(facts.path(), ListContent::any) ||
                          !truth_folders(facts.path(), ListContent::any).empty());
    const std::vector<std::string_view> row = facts.row();
    // Boxes and pairs of eyes look alike, but the set's lists name image files and CSU's name no extension.
    const bool is_row =
        row.size() == point_fields || (row.size() == box_fields && is_image_name(row.front()));
    return is_row ? Certainty::counted : Certainty::none;
}

/// Six points per face (groundtruth.txt), or boxes where those are missing.
Dataset read_mit_cmu_dataset(const std::string& path, const DatasetOptions& options) {
    return read_mit_cmu(path, options, ListContent::any);
}

/// Boxes (facegroundtruth.txt).
Dataset read_mit_cmu_boxes_dataset(const std::string& path, const DatasetOptions& options) {
    return read_mit_cmu(path, options, ListContent::boxes);
}

}  // namespace fovea
