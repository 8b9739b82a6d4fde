#pragma once

#include "lib/dataset/format_record.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/writers/writers.hpp"

namespace fovea {

struct DatasetKind {
    using Recogniser = DatasetRecogniser;
    using Reader = DatasetReader;
    using Writer = DatasetWriter;
    using Fields = DatasetFields;
};

using DatasetFormat = FormatRecord<DatasetKind>;

/// Every format of datasets. If several are equally certain of a path, the first one is taken.
const FormatTable<DatasetKind>& dataset_formats();

}  // namespace fovea
