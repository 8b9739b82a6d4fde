#include "lib/results/tally.hpp"

#include <fstream>
#include <optional>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/results/result_line.hpp"

namespace fovea {

ResultsTally tally_results(const std::filesystem::path& file, std::uint64_t bytes) {
    std::ifstream stream(file, std::ios::binary);
    ResultsTally tally;
    std::string line;
    for (std::uint64_t at = 0; at < bytes; at += line.size() + 1) {
        if (!std::getline(stream, line)) {
            throw Error("the results file " + file.string() + " ends after " + std::to_string(at) +
                        " bytes where " + std::to_string(bytes) + " are needed");
        }
        ++tally.images;
        std::optional<ResultLine> result = read_result_line(line);
        if (!result) {
            throw Error("line " + std::to_string(tally.images) + " of the results file " + file.string() +
                        " is no result");
        }
        tally.detections += result->detections;
        if (result->ok()) continue;
        std::string reason(result->unreadable_reason());
        tally.unreadable.push_back({std::move(result->image), std::move(reason)});
    }
    return tally;
}

}  // namespace fovea
