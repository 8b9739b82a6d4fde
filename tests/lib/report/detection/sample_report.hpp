#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/evaluate_detection.hpp"
#include "lib/report/page/report_context.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea::test {

inline std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Three photographs' worth of ground truth: a.png (160x120, two faces), one whose name holds markup (one
/// face, one face marked ignore), and gone.png, which does not exist (one face).
inline Dataset sample_dataset(const TempDir& folder) {
    Dataset dataset;
    dataset.format = "list";
    dataset.name = "list:/data/<faces> & \"friends\"";
    dataset.root = folder.path();
    const auto add = [&](const std::string& name, std::vector<Face> faces, bool exists) {
        Sample sample;
        sample.image = name;
        sample.path = folder.path() / name;
        sample.faces = std::move(faces);
        sample.annotated = true;
        dataset.samples.push_back(sample);
        if (!exists) return;
        cv::Mat image(120, 160, CV_8UC3, cv::Scalar(40, 90, 160));
        cv::circle(image, {60, 50}, 20, cv::Scalar(220, 220, 220), -1);
        cv::imwrite(sample.path.string(), image);
    };
    const auto face = [](double x, double y, double side, bool ignore = false) {
        Face f;
        f.box = {x, y, side, side};
        f.ignore = ignore;
        return f;
    };
    add("a<i>&'\"quoted\".png", {face(10, 10, 40), face(100, 50, 30)}, true);
    add("b.png", {face(40, 30, 40), face(0, 80, 20, true)}, true);
    add("gone.png", {face(5, 5, 50)}, false);
    return dataset;
}

/// Results for sample_dataset: hits on the first image's first and b's face, false positives of scores 7 and
/// 2, one detection on the ignored face, and gone.png unreadable. `shift` moves all detections, to make
/// detectors differ.
inline DetectionResults sample_results(const Dataset& dataset, double shift = 0) {
    const auto detection = [&](double x, double y, double side, double score) {
        Detection d;
        d.box = {x + shift, y, side, side};
        d.score = score;
        return d;
    };
    std::vector<ImageResult> results(3);
    for (std::size_t i = 0; i < 3; ++i) results[i].image = dataset.samples[i].image;
    results[0].detections = {detection(12, 10, 40, 9.5), detection(70, 80, 30, 7), detection(0, 90, 24, 2)};
    results[1].detections = {detection(42, 31, 38, 5), detection(0, 80, 20, 1)};
    results[2].status = "unreadable: truncated <JPEG>";
    return {results, true};
}

inline DetectionEvaluation sample_evaluation(const Dataset& dataset, const std::string& name,
                                             double shift = 0) {
    return evaluate_detection(dataset, sample_results(dataset, shift), {}, name);
}

}  // namespace fovea::test
