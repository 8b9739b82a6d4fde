#include <algorithm>
#include <cmath>

#include "lib/core/text.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/mat_file.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/specification.hpp"

namespace fovea {
namespace {

constexpr const char* annotations = "Annotations";
constexpr const char* first_annotation = "anno";

Face face_of_corners(const MatValue& place, double left, double top, double right, double bottom) {
    const bool is_box = std::isfinite(left) && std::isfinite(top) && std::isfinite(right) &&
                        std::isfinite(bottom) && left <= right && top <= bottom;
    if (!is_box) place.fail("x1 y1 x2 y2 of finite numbers, with x2 and y2 not below x1 and y1");
    Face face;
    face.box = {left, top, right - left, bottom - top};
    return face;
}

std::vector<Face> faces_of_objects(const MatValue& objects) {
    constexpr std::size_t place_of_ignore = 5;
    std::vector<Face> faces;
    for (const std::vector<double>& row : objects.rows()) {
        if (row.size() < 4) objects.fail("rows of at least four numbers, x1 y1 x2 y2");
        faces.push_back(face_of_corners(objects, row[0], row[1], row[2], row[3]));
        faces.back().ignore = row.size() > place_of_ignore && row[place_of_ignore] != 0;
    }
    return faces;
}

// A cell of 2x2 matrices, each with x1 y1 in its first row and x2 y2 in its second.
std::vector<Face> faces_of_cells(const MatValue& boxes) {
    std::vector<Face> faces;
    for (const MatValue& box : boxes.cells()) {
        const std::vector<std::vector<double>> rows = box.rows();
        if (rows.size() != 2 || rows[0].size() != 2) box.fail("corners [x1 y1; x2 y2]");
        faces.push_back(face_of_corners(box, rows[0][0], rows[0][1], rows[1][0], rows[1][1]));
    }
    return faces;
}

Sample annotated_sample(const MatValue& name, std::vector<Face> faces) {
    Sample sample;
    sample.image = name.text();
    if (sample.image.empty()) name.fail("the name of an image");
    if (!is_image_name(sample.image)) sample.image += ".jpg";
    sample.faces = std::move(faces);
    sample.annotated = true;
    return sample;
}

}  // namespace

Certainty recognise_face_eval(const PathFacts& facts) {
    if (!facts.is_matlab()) return Certainty::none;
    const MatFile file(facts.path());
    return certain_if(file.has(annotations) || file.has(first_annotation));
}

Dataset read_face_eval_dataset(const std::string& path, const DatasetOptions& options) {
    const DatasetSpecification specification("face-eval", path, {"FILE.mat", "images=DIR"});
    Dataset dataset;
    dataset.format = "face-eval";
    dataset.sources = {specification.only_path()};
    MatFile file(specification.only_path());
    if (file.has(annotations)) {
        const MatValue list = file.read(annotations);
        const std::vector<MatValue> names = list.field("imgname");
        const std::vector<MatValue> objects = list.field("objects");
        for (std::size_t i = 0; i < names.size(); ++i) {
            dataset.samples.push_back(annotated_sample(names[i], faces_of_objects(objects[i])));
        }
    } else if (file.has(first_annotation)) {
        const MatValue list = file.read(first_annotation);
        const std::vector<std::vector<MatValue>> rows = list.cell_rows();
        for (const std::vector<MatValue>& row : rows) {
            if (row.size() < 2) list.fail("rows of a name and a cell of boxes");
            dataset.samples.push_back(annotated_sample(row[0], faces_of_cells(row[1])));
        }
    } else {
        specification.fail(
            std::string("is no annotation of AFW or PASCAL faces: the file has neither the variable ") +
            annotations + " nor " + first_annotation + ".");
    }
    dataset.root = image_root(specification, options, specification.folder());
    for (Sample& sample : dataset.samples) {
        sample.image = listed_name(sample.image, dataset.root);
        sample.path = dataset.root / sample.image;
    }
    return dataset;
}

}  // namespace fovea
