#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/evaluate/protocols/protocol.hpp"
#include "tests/lib/evaluate/detection/evaluation_cases.hpp"

namespace fovea::test {

/// Images with detections for a protocol; grows image by image.
class ProtocolCase {
  public:
    using Evaluate = std::unique_ptr<ProtocolEvaluation> (*)(const std::vector<ProtocolImage>&, ProtocolMode);

    void add(std::vector<Face> faces, std::vector<Detection> detections, std::optional<ImageSize> size = {}) {
        Sample& sample = samples_.emplace_back();
        sample.image = "image-" + std::to_string(samples_.size()) + ".png";
        sample.annotated = true;
        sample.faces = std::move(faces);
        detections_.push_back(std::move(detections));
        images_.push_back({&sample, detections_.back(), size});
    }
    Sample& last_sample() { return samples_.back(); }
    const std::vector<ProtocolImage>& images() const { return images_; }

    /// The statistics by key; `weights` one per image, or empty: every image once.
    std::map<std::string, double> values(Evaluate evaluate, ProtocolMode mode,
                                         std::vector<std::uint16_t> weights = {}) const {
        if (weights.empty()) weights.assign(images_.size(), 1);
        const auto evaluation = evaluate(images_, mode);
        std::vector<double> numbers(evaluation->quantities().size(), -1);
        evaluation->evaluate(weights, numbers);
        std::map<std::string, double> by_key;
        for (std::size_t i = 0; i < numbers.size(); ++i) by_key[evaluation->quantities()[i].key] = numbers[i];
        return by_key;
    }

  private:
    std::deque<Sample> samples_;  // whose elements stay where they are
    std::deque<std::vector<Detection>> detections_;
    std::vector<ProtocolImage> images_;
};

}  // namespace fovea::test
