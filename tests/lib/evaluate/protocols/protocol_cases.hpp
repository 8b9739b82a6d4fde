#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/evaluate/protocols/protocol.hpp"
#include "tests/lib/evaluate/detection/evaluation_cases.hpp"

namespace fovea::test {

/// Images with faces and detections, for the protocols.
struct ProtocolSet {
    std::vector<Sample> samples;
    std::vector<std::vector<Detection>> detections;

    ProtocolSet& add(std::vector<Face> faces, std::vector<Detection> found) {
        Sample& sample = samples.emplace_back();
        sample.image = "image_" + std::to_string(samples.size() - 1) + ".png";
        sample.annotated = true;
        sample.faces = std::move(faces);
        detections.push_back(std::move(found));
        return *this;
    }

    std::vector<ProtocolImage> images() const {
        std::vector<ProtocolImage> list;
        for (std::size_t i = 0; i < samples.size(); ++i) list.push_back({&samples[i], detections[i], {}});
        return list;
    }

    /// This set with every image as often as its weight says, repeats one after the other.
    ProtocolSet repeated(const std::vector<std::uint16_t>& weights) const {
        ProtocolSet set;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            for (int k = 0; k < weights[i]; ++k) {
                set.samples.push_back(samples[i]);
                set.detections.push_back(detections[i]);
            }
        }
        return set;
    }
};

inline std::vector<double> weighted_numbers(const BootstrapStatistics& evaluation,
                                            const std::vector<std::uint16_t>& weights) {
    std::vector<double> values(evaluation.quantities().size());
    evaluation.evaluate(weights, values);
    return values;
}

/// The evaluation's numbers by key.
inline std::map<std::string, double> numbers_of(const BootstrapStatistics& evaluation) {
    const std::vector<double> values =
        weighted_numbers(evaluation, std::vector<std::uint16_t>(evaluation.units(), 1));
    std::map<std::string, double> numbers;
    for (std::size_t i = 0; i < values.size(); ++i) numbers[evaluation.quantities()[i].key] = values[i];
    return numbers;
}

}  // namespace fovea::test
