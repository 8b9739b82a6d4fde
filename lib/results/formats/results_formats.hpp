#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lib/dataset/format_record.hpp"
#include "lib/files/output_files.hpp"
#include "lib/results/readers.hpp"
#include "lib/results/tables/results_table.hpp"

namespace fovea {

/// The parts of results that a format has a place for, beside boxes and scores.
struct ResultsFields {
    bool everything = false;  ///< all that a result has, and images that have none
    bool ellipses = false;
    bool tracks = false;
    bool needs_dataset = false;  ///< only a dataset tells what it must hold
    /// A format that is written image by image has a table, and no writer. Else null.
    std::unique_ptr<ResultsTable> (*make_table)(const std::filesystem::path& file,
                                                const RunFacts& facts) = nullptr;
    bool is_database = false;   ///< it needs a file of its own, and holds the facts of the run
    bool takes_images = false;  ///< reading may need the list of images that its ids mean
};

/// Writes results in one format. \param images one for each image of the dataset, if there is one, in its
/// order. \param losses receives a sentence for each kind of thing that is lost but is not among the fields.
/// Errors as render_results.
using ResultsFileWriter = OutputFiles(const std::vector<ImageResult>& images, const Dataset* dataset,
                                      std::vector<std::string>& losses);

struct ResultsKind {
    using Recogniser = results_detail::ResultsRecogniser;
    using Reader = results_detail::ResultsFileReader;
    using Writer = ResultsFileWriter;
    using Fields = ResultsFields;
};

using ResultsFormat = FormatRecord<ResultsKind>;

/// Every format of results. The first one is taken of formats that are equally certain of a file.
const FormatTable<ResultsKind>& results_formats();

}  // namespace fovea
