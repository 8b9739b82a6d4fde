#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/evaluate/protocol.hpp"

namespace fovea::test {

/// FDDB's list of ellipses with a detector's boxes of all ten folds.
struct FddbLists {
    std::vector<Sample> samples;
    std::vector<std::vector<Detection>> detections;  ///< parallel to samples

    std::vector<ProtocolImage> images() const {
        std::vector<ProtocolImage> list;
        for (std::size_t i = 0; i < samples.size(); ++i)
            list.push_back({&samples[i], &detections[i], std::nullopt});
        return list;
    }
};

inline FddbLists read_fddb_lists(const std::filesystem::path& folder) {
    FddbLists lists;
    std::unordered_map<std::string, std::size_t> index;
    std::string name;
    std::size_t count = 0;
    for (std::ifstream file(folder / "FDDB-all-ellipseList.txt"); file >> name >> count;) {
        index[name] = lists.samples.size();
        Sample& sample = lists.samples.emplace_back();
        sample.image = name;
        sample.annotated = true;
        for (std::size_t i = 0; i < count; ++i) {
            Ellipse e;
            double one = 0;
            file >> e.major_radius >> e.minor_radius >> e.angle_rad >> e.centre.x >> e.centre.y >> one;
            Face& face = sample.faces.emplace_back();
            face.box = {e.centre.x - e.minor_radius, e.centre.y - e.major_radius, 2 * e.minor_radius,
                        2 * e.major_radius};
            face.ellipse = e;
        }
    }
    lists.detections.resize(lists.samples.size());
    for (int fold = 1; fold <= 10; ++fold) {
        const std::string number = (fold < 10 ? "0" : "") + std::to_string(fold);
        for (std::ifstream file(folder / "mtcnn" / ("fold-" + number + "-out.txt")); file >> name >> count;) {
            const std::size_t image = index.at(name);
            lists.samples[image].attributes.push_back({"fold", std::to_string(fold)});
            for (std::size_t i = 0; i < count; ++i) {
                Detection& d = lists.detections[image].emplace_back();
                file >> d.box.x >> d.box.y >> d.box.w >> d.box.h >> d.score;
            }
        }
    }
    return lists;
}

/// One row of a published ROC file: the rate, false positives and, in the discrete one, the threshold.
struct PublishedPoint {
    double rate = 0;
    int false_positives = 0;
    double threshold = 0;
};

inline std::vector<PublishedPoint> read_published_roc(const std::filesystem::path& path, bool has_threshold) {
    std::vector<PublishedPoint> points;
    PublishedPoint point;
    for (std::ifstream file(path); file >> point.rate >> point.false_positives;) {
        if (has_threshold) file >> point.threshold;
        points.push_back(point);
    }
    if (points.empty()) throw std::runtime_error("no rows in " + path.string());
    return points;
}

}  // namespace fovea::test
