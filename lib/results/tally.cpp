#include "lib/results/tally.hpp"

#include <fstream>

#include "lib/core/error.hpp"
#include "lib/core/json.hpp"

namespace fovea {

ResultsTally tally_results(const std::filesystem::path& file, std::uint64_t bytes) {
    std::ifstream stream(file, std::ios::binary);
    ResultsTally tally;
    std::string line;
    const std::string unreadable = "unreadable: ";
    for (std::uint64_t at = 0; at < bytes; at += line.size() + 1) {
        if (!std::getline(stream, line)) {
            throw Error("the results file " + file.string() + " ends after " + std::to_string(at) +
                        " bytes where " + std::to_string(bytes) + " are needed");
        }
        ++tally.images;
        const Json json = Json::parse(line, nullptr, false);
        const auto status = json.is_object() ? json.find("status") : json.end();
        const auto detections = json.is_object() ? json.find("detections") : json.end();
        if (!json.is_object() || status == json.end() || !status->is_string() || detections == json.end() ||
            !detections->is_array()) {
            throw Error("line " + std::to_string(tally.images) + " of the results file " + file.string() +
                        " is no result");
        }
        tally.detections += detections->size();
        const auto& text = status->get_ref<const std::string&>();
        if (text.rfind(unreadable, 0) != 0) continue;
        tally.unreadable.push_back({json.value("image", std::string()), text.substr(unreadable.size())});
    }
    return tally;
}

}  // namespace fovea
