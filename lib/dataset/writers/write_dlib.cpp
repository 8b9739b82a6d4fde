#include <algorithm>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/dataset/writers/writers.hpp"

namespace fovea {
namespace {

struct DlibLosses {
    LossCounter boxes_rounded;
    LossCounter landmarks_rounded;
    LossCounter subjects;
};

/// "00", "01", ...: names of one width, so that they sort by number as text, too.
std::string part_name(std::size_t i, std::size_t count) {
    const std::size_t width = std::max<std::size_t>(2, std::to_string(count - 1).size());
    const std::string digits = std::to_string(i);
    return std::string(width - digits.size(), '0') + digits;
}

void add_parts(pugi::xml_node box, const std::vector<Point>& landmarks, const std::string& image,
               DlibLosses& lost) {
    bool rounded = false;
    const auto whole = [&](double value) {
        LossCounter changed;
        const WholeBox point = whole_box({value, 0, 0, 0}, image, changed);
        rounded = rounded || changed.count() > 0;
        return std::to_string(point.left);
    };
    for (std::size_t i = 0; i < landmarks.size(); ++i) {
        pugi::xml_node part = box.append_child("part");
        part.append_attribute("name").set_value(part_name(i, landmarks.size()).c_str());
        part.append_attribute("x").set_value(whole(landmarks[i].x).c_str());
        part.append_attribute("y").set_value(whole(landmarks[i].y).c_str());
    }
    lost.landmarks_rounded.add(rounded);
}

void add_face(pugi::xml_node image, const Sample& sample, const Face& face, DlibLosses& lost) {
    LossCounter rounded;
    const WholeBox box = whole_box(face.box, sample.image, rounded);
    lost.boxes_rounded.add(rounded.count() > 0);
    pugi::xml_node element = image.append_child("box");
    const std::pair<const char*, long long> edges[] = {{"top", box.top},
                                                       {"left", box.left},
                                                       {"width", box.right - box.left},
                                                       {"height", box.bottom - box.top}};
    for (const auto& [name, value] : edges) element.append_attribute(name).set_value(value);
    if (is_ignored(face)) element.append_attribute("ignore").set_value("1");
    add_parts(element, face.landmarks, sample.image, lost);
}

}  // namespace

/// Imglab's XML with ignore marks, parts and, where an image shows one face, its subject as the label.
WrittenDataset write_dlib(const Dataset& dataset, const ImageSizeLookup&, Losses& losses) {
    pugi::xml_document document;
    pugi::xml_node root = document.append_child("dataset");
    root.append_child("name").text().set(dataset.name.c_str());
    pugi::xml_node images = root.append_child("images");
    DlibLosses lost;
    for (const Sample& sample : dataset.samples) {
        if (!sample.annotated) continue;
        pugi::xml_node image = images.append_child("image");
        image.append_attribute("file").set_value(sample.image.c_str());
        for (const Face& face : sample.faces) add_face(image, sample, face, lost);
        if (sample.subject.empty()) continue;
        // A label names the subject of a box: with several boxes nobody knows whose.
        if (sample.faces.size() == 1)
            image.child("box").prepend_child("label").text().set(sample.subject.c_str());
        lost.subjects.add(sample.faces.size() != 1);
    }
    lost.boxes_rounded.report(losses, "box is", "boxes are", "rounded to whole pixels.");
    lost.landmarks_rounded.report(losses, "face has", "faces have", "landmarks rounded to whole pixels.");
    lost.subjects.report(losses, "image loses", "images lose",
                         "the subject: a label stands in a box, and there is not exactly one.");
    return counted_dataset({false, {{"", xml_text(document)}}}, dataset);
}

}  // namespace fovea
