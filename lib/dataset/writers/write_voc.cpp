#include "lib/dataset/writers/writers.hpp"

namespace fovea {
namespace {

bool is_true(const Face& face, std::string_view attribute) {
    const std::string* const value = find_attribute(face.attributes, attribute);
    return value != nullptr && (*value == "1" || *value == "yes" || *value == "true");
}

/// The class of all faces; "face" if they state none, or several: readers take the objects of one class.
std::string common_class(const Dataset& dataset) {
    const std::string* common = nullptr;
    for (const Sample& sample : dataset.samples) {
        for (const Face& face : sample.faces) {
            const std::string* const name = find_attribute(face.attributes, "class");
            if (name == nullptr || (common != nullptr && *common != *name)) return "face";
            common = name;
        }
    }
    return common == nullptr ? "face" : *common;
}

void add_text(pugi::xml_node parent, const char* name, const std::string& text) {
    parent.append_child(name).text().set(text.c_str());
}

void add_object(pugi::xml_node annotation, const std::string& image, const std::string& kind,
                const Face& face, LossCounter& rounded) {
    pugi::xml_node object = annotation.append_child("object");
    const std::string* const pose = find_attribute(face.attributes, "pose");
    add_text(object, "name", kind);
    add_text(object, "pose", pose != nullptr ? *pose : "Unspecified");
    add_text(object, "truncated", is_true(face, "truncated") ? "1" : "0");
    if (is_true(face, "occluded")) add_text(object, "occluded", "1");
    add_text(object, "difficult", is_ignored(face) ? "1" : "0");
    const WholeBox box = whole_box(face.box, image, rounded);
    pugi::xml_node bndbox = object.append_child("bndbox");
    add_text(bndbox, "xmin", std::to_string(box.left + 1));
    add_text(bndbox, "ymin", std::to_string(box.top + 1));
    add_text(bndbox, "xmax", std::to_string(box.right));
    add_text(bndbox, "ymax", std::to_string(box.bottom));
}

}  // namespace

/// A folder of XML files as of PASCAL VOC 2007, one per image, named as the image; bndbox is the
/// inclusive range of pixels counted from 1: xmin = x + 1, xmax = x + w. difficult is ignore.
WrittenDataset write_voc(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses) {
    OutputFiles files{true, {}};
    LossCounter rounded, unknown_size, not_difficult, other_class;
    const std::string kind = common_class(dataset);
    for (const Sample& sample : dataset.samples) {
        if (!sample.annotated) continue;
        pugi::xml_document document;
        pugi::xml_node annotation = document.append_child("annotation");
        const std::size_t slash = sample.image.rfind('/');
        add_text(annotation, "folder", slash == std::string::npos ? "" : sample.image.substr(0, slash));
        add_text(annotation, "filename",
                 slash == std::string::npos ? sample.image : sample.image.substr(slash + 1));
        if (const std::optional<ImageSize> size = size_of_sample(sample, size_of)) {
            pugi::xml_node element = annotation.append_child("size");
            add_text(element, "width", std::to_string(size->width));
            add_text(element, "height", std::to_string(size->height));
        } else {
            unknown_size.add();
        }
        add_text(annotation, "segmented", "0");
        for (const Face& face : sample.faces) {
            add_object(annotation, sample.image, kind, face, rounded);
            not_difficult.add(is_true(face, "difficult") && !is_ignored(face));
            const std::string* const name = find_attribute(face.attributes, "class");
            other_class.add(name != nullptr && *name != kind);
        }
        files.files.push_back({path_beside(sample.image, ".xml"), xml_text(document)});
    }
    rounded.report(losses, "box is", "boxes are", "rounded to whole pixels.");
    not_difficult.report(
        losses, "face loses", "faces lose",
        "the attribute 'difficult', being a face that counts: the format's mark says ignore.");
    other_class.report(losses, "face loses", "faces lose", "the attribute 'class'.");
    unknown_size.report(losses, "image has", "images have", "no size element because the size is not known.");
    return counted_dataset(std::move(files), dataset);
}

}  // namespace fovea
