#include "lib/dataset/writers/write_dataset.hpp"

#include <algorithm>
#include <array>

#include "lib/core/error.hpp"
#include "lib/dataset/fovea_json.hpp"
#include "lib/dataset/writers/coco_json.hpp"
#include "lib/dataset/writers/writers.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

std::string json_text(const Json& json) {
    return indented_text(json) + "\n";
}

WrittenDataset write_fovea(const Dataset& dataset, const ImageSizeLookup&, Losses&) {
    WrittenDataset written{
        {false, {{"", json_text(dataset_to_fovea_json(dataset))}}}, dataset.samples.size(), 0};
    for (const Sample& sample : dataset.samples) written.faces += sample.faces.size();
    return written;
}

WrittenDataset write_coco(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses) {
    const Json json = dataset_to_coco_json(dataset, losses, size_of);
    return {{false, {{"", json_text(json)}}}, json["images"].size(), json["annotations"].size()};
}

using Writer = WrittenDataset (*)(const Dataset&, const ImageSizeLookup&, Losses&);

constexpr std::array formats{
    DatasetOutputFormat{"fovea", false, false, false},
    DatasetOutputFormat{"coco", false, true, false},
    DatasetOutputFormat{"voc", true, true, true},
    DatasetOutputFormat{"yolo", true, true, true},
    DatasetOutputFormat{"fddb", false, false, true},
    DatasetOutputFormat{"wider", false, false, true},
    DatasetOutputFormat{"dlib", false, false, true},
    DatasetOutputFormat{"pts", true, false, true},
    DatasetOutputFormat{"mit-cmu-boxes", false, false, true},
    DatasetOutputFormat{"lfw", false, false, false},
    DatasetOutputFormat{"feret", false, false, false},
    DatasetOutputFormat{"mot", true, false, true},
};

constexpr std::array<Writer, formats.size()> writers{
    write_fovea, write_coco, write_voc,           write_yolo,      write_fddb,  write_wider,
    write_dlib,  write_pts,  write_mit_cmu_boxes, write_lfw_pairs, write_feret, write_mot,
};

}  // namespace

std::span<const DatasetOutputFormat> dataset_output_formats() {
    return formats;
}

WrittenDataset render_dataset(const Dataset& dataset, std::string_view format, const ImageSizeLookup& size_of,
                              std::vector<std::string>& losses) {
    const auto* const found =
        std::find_if(formats.begin(), formats.end(),
                     [&](const DatasetOutputFormat& known) { return known.name == format; });
    if (found == formats.end()) {
        throw UsageError("'" + std::string(format) + "' is no format that datasets are written in.");
    }
    if (dataset.samples.empty()) {
        throw Error("'" + dataset.name + "' names no image; nothing can be written as " +
                    std::string(format) + ".");
    }
    if (found->holds_annotation_only && std::none_of(dataset.samples.begin(), dataset.samples.end(),
                                                     [](const Sample& sample) { return sample.annotated; })) {
        throw Error("No image of '" + dataset.name + "' is annotated; nothing can be written as " +
                    std::string(format) + ".");
    }
    WrittenDataset files =
        writers[static_cast<std::size_t>(found - formats.begin())](dataset, size_of, losses);
    if (files.is_folder) require_unique_files(files, format);
    return files;
}

}  // namespace fovea
