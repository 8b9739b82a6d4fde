#include "lib/dataset/fovea_json.hpp"
#include "lib/dataset/writers/writers.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {

/// The project's own JSON (lib/dataset/fovea_json.hpp).
WrittenDataset write_fovea(const Dataset& dataset, const ImageSizeLookup&, Losses&) {
    const std::string text = indented_text(dataset_to_fovea_json(dataset)) + "\n";
    WrittenDataset written{{false, {{"", text}}}, dataset.samples.size(), 0};
    for (const Sample& sample : dataset.samples) written.faces += sample.faces.size();
    return written;
}

}  // namespace fovea
