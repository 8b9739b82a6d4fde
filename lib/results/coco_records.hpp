#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "lib/json/json.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {

/// Consecutive records of a COCO results file, as they stand there. All vectors but `names` are parallel.
struct CocoRecords {
    static constexpr std::int64_t no_category = std::numeric_limits<std::int64_t>::min();

    std::vector<AddedDetection> found;     ///< their images' numbers are not known yet
    std::vector<std::int64_t> images;      ///< the id, or the place among `names`
    std::vector<bool> is_named;            ///< the image_id is a text
    std::vector<std::int64_t> categories;  ///< or no_category
    std::vector<std::string> names;
};

/// The whole list in its parts, read on all cores; empty if one of them cannot be read.
/// \param cancel  ends early, with an empty list, once it is true.
std::vector<CocoRecords> read_coco_parts(std::string_view bytes, const std::atomic<bool>& cancel);

/// The list read from its beginning. \throws Error naming the first thing that is wrong with it.
CocoRecords read_coco_list(const std::string& file, std::string_view bytes);

/// Gives the records to their images. \param images_list as read_coco's. \throws Error naming the record if
/// its image is unknown.
void assign_coco(const std::string& file, std::vector<CocoRecords> parts, const std::string& images_list,
                 KnownImages& known, ResultsCollector& collector);

/// Throws Error naming the line at which the text is no JSON. \param expected "COCO results: ...".
[[noreturn]] void fail_json(const std::string& file, std::string_view bytes, const Json::exception& error,
                            const char* expected);

}  // namespace fovea::results_detail
