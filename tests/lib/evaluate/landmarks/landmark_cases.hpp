#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/evaluate/landmarks/landmarks.hpp"

namespace fovea::test {

/// 68 points on a grid of 10 × 7, times `scale`, from (x, y): tight box 90 × 60. The eyes are moved so that
/// the outer corners are (10, 30) and (60, 30), 50 apart, and the means of the eyes' points (16, 30) and (48,
/// 30), 32 apart.
inline std::vector<Point> grid_points(double x = 0, double y = 0, double scale = 1) {
    std::vector<Point> points;
    for (int i = 0; i < 68; ++i) points.push_back({i % 10 * 10.0, i / 10 * 10.0});
    const std::vector<Point> eyes{{10, 30}, {14, 26}, {18, 26}, {22, 30}, {18, 34}, {14, 34},
                                  {38, 30}, {44, 26}, {52, 26}, {60, 30}, {52, 34}, {42, 34}};
    for (std::size_t i = 0; i < eyes.size(); ++i) points[36 + i] = eyes[i];
    for (Point& point : points) point = {x + scale * point.x, y + scale * point.y};
    return points;
}

inline std::vector<Point> shifted(std::vector<Point> points, double dx, double dy) {
    for (Point& point : points) point = {point.x + dx, point.y + dy};
    return points;
}

inline Face landmark_face(std::vector<Point> points) {
    Face face;
    face.box = tight_box(points);
    face.landmarks = std::move(points);
    return face;
}

inline Detection landmark_detection(std::vector<Point> points) {
    Detection detection;
    detection.box = tight_box(points);
    detection.score = 1;
    detection.details.edit().landmarks = std::move(points);
    return detection;
}

/// A dataset and results that grow image by image.
struct LandmarkCase {
    Dataset dataset;
    DetectionResults results;
    LandmarkEvaluationOptions options;

    LandmarkCase() {
        dataset.name = "test:set";
        options.bootstrap_resamples = 50;
    }

    Sample& add(const std::string& image, std::vector<Face> faces, std::vector<Detection> detections) {
        Sample& sample = dataset.samples.emplace_back();
        sample.image = image;
        sample.faces = std::move(faces);
        sample.annotated = true;
        ImageResult& result = results.images.emplace_back();
        result.image = image;
        result.detections = std::move(detections);
        return sample;
    }
    /// An image of one grid face, found with every point off by (dx, dy).
    Sample& add_shifted(const std::string& image, double dx, double dy) {
        return add(image, {landmark_face(grid_points())},
                   {landmark_detection(shifted(grid_points(), dx, dy))});
    }
    LandmarkEvaluation evaluate() const { return evaluate_landmarks(dataset, results, options, "test"); }
};

/// Errors by outer eye corners of 0.02, 0.05 and 0.12 (all points off by 1, 2.5 and 6 of 50 pixels), and a
/// face that nothing was found of.
inline LandmarkCase worked_landmarks() {
    LandmarkCase example;
    example.add_shifted("a", 1, 0);
    example.add_shifted("b", 0, 2.5);
    example.add_shifted("c", -6, 0);
    example.add("d", {landmark_face(grid_points())}, {});
    return example;
}

inline double value_of(const Numbers& numbers, const std::string& key) {
    return number_of_key(numbers, key).value.value_or(-1);
}

}  // namespace fovea::test
