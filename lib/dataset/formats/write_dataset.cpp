#include "lib/dataset/formats/write_dataset.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/dataset/formats/dataset_formats.hpp"

namespace fovea {

WrittenDataset render_dataset(const Dataset& dataset, std::string_view format, const ImageSizeLookup& size_of,
                              std::vector<std::string>& losses) {
    const DatasetFormat* const written_as = dataset_formats().find(format);
    if (written_as == nullptr || !written_as->is_written()) {
        throw UsageError("'" + std::string(format) + "' is no format that datasets are written in.");
    }
    const DatasetFields& held = written_as->holds;
    if (dataset.samples.empty()) {
        throw Error("'" + dataset.name + "' names no image; nothing can be written as " +
                    std::string(format) + ".");
    }
    if (held.is_for_annotation && std::none_of(dataset.samples.begin(), dataset.samples.end(),
                                               [](const Sample& sample) { return sample.annotated; })) {
        throw Error("No image of '" + dataset.name + "' is annotated; nothing can be written as " +
                    std::string(format) + ".");
    }
    const Dataset kept = dataset_to_write(dataset, held, losses);
    WrittenDataset files = written_as->write(kept, size_of, losses);
    warn_unsupported_fields(kept, held, losses);
    if (files.is_folder) require_unique_files(files, format);
    return files;
}

}  // namespace fovea
