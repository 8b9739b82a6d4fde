#pragma once

// Evaluating detections from another program: link fovea::evaluate, include <fovea/evaluate.hpp>.
//
//   const fovea::Dataset dataset = fovea::read_dataset("coco:faces.json");
//   fovea::DetectionResults results = fovea::read_results("results.jsonl", dataset);
//   const auto evaluation = fovea::evaluate_detection(dataset, std::move(results), {}, "mine");

#include "lib/core/error.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/evaluate/evaluate_detection.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/results.hpp"
