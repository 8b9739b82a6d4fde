#include "lib/dataset/writers.hpp"

namespace fovea {
namespace {

bool is_true(const std::string& value) {
    return value == "1" || value == "yes" || value == "true";
}

void add_text(pugi::xml_node parent, const char* name, const std::string& text) {
    parent.append_child(name).text().set(text.c_str());
}

void add_object(pugi::xml_node annotation, const Sample& sample, const Face& face, LossCounter& rounded) {
    pugi::xml_node object = annotation.append_child("object");
    const std::string* const kind = find_attribute(face.attributes, "class");
    const std::string* const pose = find_attribute(face.attributes, "pose");
    const std::string* const truncated = find_attribute(face.attributes, "truncated");
    add_text(object, "name", kind != nullptr ? *kind : "face");
    add_text(object, "pose", pose != nullptr ? *pose : "Unspecified");
    add_text(object, "truncated", truncated != nullptr && is_true(*truncated) ? "1" : "0");
    add_text(object, "difficult", face.ignore || face.crowd ? "1" : "0");
    const WholeBox box = whole_box(face.box, sample.image, rounded);
    pugi::xml_node bndbox = object.append_child("bndbox");
    add_text(bndbox, "xmin", std::to_string(box.left + 1));
    add_text(bndbox, "ymin", std::to_string(box.top + 1));
    add_text(bndbox, "xmax", std::to_string(box.right));
    add_text(bndbox, "ymax", std::to_string(box.bottom));
}

}  // namespace

OutputFiles write_voc(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses) {
    OutputFiles files{true, {}};
    LossCounter rounded;
    LossCounter unknown_size;
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
        for (const Face& face : sample.faces) add_object(annotation, sample, face, rounded);
        files.files.push_back({path_beside(sample.image, ".xml"), xml_text(document)});
    }
    rounded.report(losses, "box is", "boxes are", "rounded to whole pixels.");
    unknown_size.report(losses, "image has", "images have", "no size element because the size is not known.");
    HeldByFormat held;
    held.ignored = true;
    held.sizes = true;
    held.attributes = {"class", "pose", "truncated", "difficult"};
    report_unheld(dataset, held, losses);
    return files;
}

}  // namespace fovea
