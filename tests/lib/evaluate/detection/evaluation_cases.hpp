#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/evaluate_detection.hpp"

namespace fovea::test {

inline Face face(double x, double y, double w, double h) {
    Face result;
    result.box = {x, y, w, h};
    return result;
}

inline Face ignored_face(double x, double y, double w, double h) {
    Face result = face(x, y, w, h);
    result.ignore = true;
    return result;
}

inline Detection detection(double score, double x, double y, double w, double h) {
    Detection result;
    result.box = {x, y, w, h};
    result.score = score;
    return result;
}

/// A dataset and results that grow image by image.
struct EvaluationCase {
    Dataset dataset;
    DetectionResults results;
    DetectionEvaluationOptions options;

    EvaluationCase() { dataset.name = "test:set"; }

    void add_sample(const std::string& image, std::vector<Face> faces) {
        Sample& sample = dataset.samples.emplace_back();
        sample.image = image;
        sample.faces = std::move(faces);
        sample.annotated = true;
    }
    void add_result(const std::string& image, std::vector<Detection> detections) {
        ImageResult& result = results.images.emplace_back();
        result.image = image;
        result.width = result.height = 1000;
        result.detections = std::move(detections);
    }
    void add(const std::string& image, std::vector<Face> faces, std::vector<Detection> detections) {
        add_sample(image, std::move(faces));
        add_result(image, std::move(detections));
    }
    DetectionEvaluation evaluate() const { return evaluate_detection(dataset, results, options, "test"); }
};

/// Three images, three faces, six detections; the curve is worked out by hand in detection_test.cpp.
inline EvaluationCase worked_example() {
    EvaluationCase example;
    example.options.false_positive_points = {0, 1, 2, 100};
    example.add("a.png", {face(0, 0, 10, 10), face(100, 0, 20, 10)},
                {detection(0.9, 0, 0, 10, 10),     // IoU 1 with the first face
                 detection(0.8, 50, 50, 10, 10),   // nothing there
                 detection(0.7, 100, 0, 20, 8)});  // IoU 0.8 with the second face
    example.add("b.png", {face(0, 0, 10, 10)},
                {detection(0.8, 0, 0, 10, 6),     // IoU 0.6, until ...
                 detection(0.5, 0, 0, 10, 10)});  // ... this one, IoU 1, takes the face
    example.add("c.png", {}, {detection(0.6, 1, 2, 30, 30)});
    return example;
}

}  // namespace fovea::test
