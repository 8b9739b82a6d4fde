#include "lib/results/read_groups.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/core/text.hpp"
#include "lib/results/score_lines.hpp"

namespace fovea {
namespace {

using namespace results_detail;

bool is_heading(const ScoreLine& line) {
    const std::string name = line.fields.size() > 1 ? lower_case(line.fields[1]) : "";
    return line.is_csv && (name == "group" || name == "cluster" || name == "person");
}

void read_lines(const std::string& bytes, GroupList& list) {
    std::unordered_map<std::string, std::size_t> line_of;
    bool first = true;
    for_each_score_line(bytes, list.file, [&](const ScoreLine& line) {
        if (std::exchange(first, false) && is_heading(line)) return;
        const Fields& fields = line.fields;
        if (fields.size() != 2 || fields[0].empty() || fields[1].empty())
            line.fail(
                "expected NAME GROUP (names that hold blanks need tabs or commas between the fields), or "
                "JSON Lines whose detections have \"person\"");
        GroupEntry entry{std::string(fields[0]), std::string(fields[1])};
        const auto [known, is_new] = line_of.emplace(entry.image, line.number);
        if (!is_new) line.fail("the image stands in line " + std::to_string(known->second) + " already");
        list.entries.push_back(std::move(entry));
    });
}

const Detection& central_detection(const ImageResult& image, const std::string& file) {
    const std::vector<Detection>& found = image.detections;
    if (found.size() > 1 && (image.width == 0 || image.height == 0)) {
        throw Error(file + ": the image '" + excerpt(image.image) + "' has " +
                    counted(found.size(), "detection") +
                    ", of which the nearest to its middle counts, but no \"width\" and \"height\".");
    }
    const auto distance = [&](const Detection& detection) {
        const Box& box = detection.box;
        return distance_from_middle(box.centre(), box.area(), {image.width, image.height});
    };
    return *std::min_element(found.begin(), found.end(), [&](const Detection& a, const Detection& b) {
        return distance(a) < distance(b);
    });
}

void read_results_lines(ResultsSource& source, GroupList& list) {
    KnownImages known(nullptr);
    ResultsCollector collector;
    read_jsonl(source, known, collector);
    bool has_groups = false;
    bool has_faces = false;
    for (ImageResult& image : collector.take().images) {
        GroupEntry entry;
        for (const Detection& detection : image.detections) {
            has_faces = true;
            has_groups = has_groups || detection.details->person || !detection.details->apart.empty();
        }
        if (!image.detections.empty()) {
            const DetectionDetails& face = *central_detection(image, list.file).details;
            if (face.person && face.apart.empty()) entry.group = std::to_string(*face.person);
        }
        entry.image = std::move(image.image);
        list.entries.push_back(std::move(entry));
    }
    if (has_faces && !has_groups) {
        throw Error(list.file +
                    ": no detection has \"person\", the number of its group; name results whose faces were "
                    "grouped.");
    }
}

}  // namespace

GroupList read_groups(const std::string& file) {
    GroupList list;
    list.file = file;
    ResultsSource source(file);
    if (source.begin().starts_with('{')) {
        read_results_lines(source, list);
    } else {
        read_lines(source.bytes(), list);
    }
    return list;
}

}  // namespace fovea
