#include "lib/results/tally.hpp"

#include <optional>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/files/block_reader.hpp"
#include "lib/results/result_line.hpp"

namespace fovea {

void ImageCounts::add(const ImageCounts& later) {
    images += later.images;
    damaged += later.damaged;
    pages_left_out += later.pages_left_out;
    unreadable.insert(unreadable.end(), later.unreadable.begin(), later.unreadable.end());
}

ResultsTally tally_results(const std::filesystem::path& file, std::uint64_t bytes) {
    BlockReader reader(file, 0, std::size_t{1} << 20);
    ResultsTally tally;
    for (std::uint64_t at = 0; at < bytes;) {
        const std::optional<std::string_view> line = reader.next_line();
        if (!line) {
            throw Error("the results file " + file.string() + " ends after " + std::to_string(at) +
                        " bytes where " + std::to_string(bytes) + " are needed");
        }
        at += line->size();
        ++tally.images;
        std::optional<ResultLine> result = read_result_line(line->substr(0, line->size() - 1));
        if (!result) {
            throw Error("line " + std::to_string(tally.images) + " of the results file " + file.string() +
                        " is no result");
        }
        tally.detections += result->detections;
        tally.damaged += result->is_damaged;
        if (result->pages > 1) tally.pages_left_out += result->pages - 1;
        if (result->ok()) continue;
        std::string reason(result->unreadable_reason());
        tally.unreadable.push_back({std::move(result->image), std::move(reason)});
    }
    return tally;
}

}  // namespace fovea
