#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/lbp/lbp_plan.hpp"
#include "lib/bench/bench_device.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {

/// A row of tables 4.2 and 4.3 of Tek 2012: an operator, and the size of the regions of its histograms.
struct RecognitionCase {
    LbpOperator lbp;
    Size cell;
    std::size_t bins = 0;  ///< the feature length d on 130×150
};

/// The five rows of table 4.2, in its order.
std::vector<RecognitionCase> tek_cases();

struct RecognitionBenchmarkRequest {
    std::vector<std::size_t> faces;      ///< numbers of faces that are described at once
    std::vector<std::size_t> galleries;  ///< sizes N
    std::vector<std::size_t> queries;    ///< numbers of queries per search
    int repeat = 20;
    double budget_ms = 2000;            ///< for all repetitions of one measurement, at least one
    std::vector<BenchDevice> backends;  ///< one GPU at most
};

/// Times of describing a batch of normalised faces, milliseconds for the whole batch.
struct FeatureMeasurement {
    std::string backend;
    RecognitionCase of;
    std::size_t faces = 0;
    std::vector<double> total_ms;     ///< from faces to counts in host memory
    std::vector<double> resident_ms;  ///< only a GPU: from faces to counts in its memory
    bool equal = true;                ///< counts equal the first backend's
};

/// Times of 1-NN searches by chi-square, milliseconds for all queries together.
struct SearchMeasurement {
    std::string backend;
    RecognitionCase of;
    std::size_t gallery = 0;
    std::size_t queries = 0;
    std::vector<double> total_ms;     ///< from queries to neighbours in host memory
    std::vector<double> resident_ms;  ///< only a GPU: with queries in its memory
    bool equal = true;                ///< neighbours equal the first backend's
};

struct RecognitionBenchmark {
    std::vector<FeatureMeasurement> features;
    std::vector<SearchMeasurement> searches;
    bool interrupted = false;

    bool equal() const;
};

/// Times features and searches. \param faces normalised faces of 130×150, one behind the other, all
/// different, as many as faces_needed() says.
/// \throws DeviceError; std::bad_alloc.
RecognitionBenchmark benchmark_recognition(const std::vector<std::uint8_t>& faces,
                                           const RecognitionBenchmarkRequest& request, const JobHooks& hooks);

/// The number of faces that a request needs: batches, galleries and queries come from them, and no query is a
/// gallery's face.
std::size_t faces_needed(const RecognitionBenchmarkRequest& request);

}  // namespace fovea
