#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lib/dataset/format_record.hpp"
#include "lib/files/publish.hpp"
#include "lib/results/readers.hpp"
#include "lib/results/tables/results_table.hpp"

namespace fovea {

/// The parts of results that a format has a place for, beside boxes and scores.
struct ResultsFields {
    bool everything = false;  ///< all members of a result, and images without results
    bool ellipses = false;
    bool tracks = false;
    bool identities = false;     ///< the names of people, without distances
    bool sizes = false;          ///< of images
    bool needs_dataset = false;  ///< only a dataset tells what it must hold
    /// Makes the table of a format that is written image by image, which has no writer; else null.
    std::unique_ptr<ResultsTable> (*make_table)(const std::filesystem::path& file,
                                                const RunFacts& facts) = nullptr;
    bool is_database = false;   ///< it needs a file of its own, and holds the facts of the run
    bool takes_images = false;  ///< the option images= can name the images that its ids mean
};

/// Writes results in one format. \param images if there is a dataset, one for each of its images, in
/// its order.
/// \param losses receives a sentence for each kind of lost thing that ResultsFields does not list.
/// \throws as render_results().
using ResultsFileWriter = OutputFiles(const std::vector<ImageResult>& images, const Dataset* dataset,
                                      std::vector<std::string>& losses);

struct ResultsKind {
    using Recogniser = results_detail::ResultsRecogniser;
    using Reader = results_detail::ResultsFileReader;
    using Writer = ResultsFileWriter;
    using Fields = ResultsFields;
};

using ResultsFormat = FormatRecord<ResultsKind>;

/// Every format of results. If several are equally certain of a file, the first one is taken.
const FormatTable<ResultsKind>& results_formats();

}  // namespace fovea
