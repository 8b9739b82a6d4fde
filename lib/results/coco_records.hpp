#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/json/json.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {

/// The image or face that a record of COCO results refers to: a number, or a text.
struct CocoReference {
    static constexpr std::uint32_t is_number = static_cast<std::uint32_t>(-1);
    static constexpr std::uint32_t is_absent = static_cast<std::uint32_t>(-2);

    std::int64_t number = 0;
    std::uint32_t text = is_absent;  ///< index in CocoRecords::texts, is_number or is_absent
};

/// Consecutive records of a COCO results file, as they stand there. All vectors but `texts` are parallel.
struct CocoRecords {
    std::vector<AddedDetection> found;  ///< numbers of images are not set yet
    std::vector<CocoReference> images;  ///< image_id
    std::vector<std::uint32_t> names;   ///< file_name: index in `texts`, or CocoReference::is_absent
    std::vector<CocoReference> categories;
    std::vector<std::string> texts;
    std::size_t negative_sizes = 0;
};

/// True if a file is a COCO data set, which a user may give instead of results. \param begin the file from
/// its first character that is no blank.
bool is_coco_data_set(std::string_view begin);

/// Reads the whole list in parts, on all cores. \return an empty list if a part cannot be read, or once
/// `cancel` is true.
std::vector<CocoRecords> read_coco_parts(std::string_view bytes, const std::atomic<bool>& cancel);

/// Reads the list from its beginning. \throws Error naming its first error.
CocoRecords read_coco_list(const std::string& file, std::string_view bytes);

/// Adds the records' detections to their images. \param images_list as of ResultsSource. \throws Error naming
/// the record if its image is unknown.
void assign_coco(const std::string& file, std::vector<CocoRecords> parts, const std::string& images_list,
                 KnownImages& known, ResultsCollector& collector);

/// Throws Error naming the line at which the text is no JSON. \param expected "COCO results: ...".
[[noreturn]] void fail_json(const std::string& file, std::string_view bytes, const Json::exception& error,
                            const char* expected);

}  // namespace fovea::results_detail
