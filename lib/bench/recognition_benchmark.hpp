#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/lbp/lbp_plan.hpp"
#include "lib/bench/bench_device.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {

/// A row of tables 4.2 and 4.3 of Tek 2012: an operator, and the size of the regions it is counted in.
struct RecognitionCase {
    LbpOperator lbp;
    Size cell;
    std::size_t bins = 0;  ///< the feature length d on 130×150
};

/// The five of table 4.2, in its order.
std::vector<RecognitionCase> tek_cases();

struct RecognitionBenchmarkRequest {
    std::vector<std::size_t> faces;      ///< described at once
    std::vector<std::size_t> galleries;  ///< sizes N
    std::vector<std::size_t> queries;    ///< searched with at once
    int repeat = 20;
    double budget_ms = 2000;  ///< for the repetitions of one measurement, of which there is at least one
    std::vector<BenchDevice> backends;  ///< one GPU at most
};

/// Times of describing a batch of normalised faces, milliseconds for the whole batch.
struct FeatureMeasurement {
    std::string backend;
    RecognitionCase of;
    std::size_t faces = 0;
    std::vector<double> total_ms;     ///< faces in host memory to counts in host memory
    std::vector<double> resident_ms;  ///< a GPU: all of it in the device's memory
    bool equal = true;                ///< in every bit to the first backend's
};

/// Times of 1-NN searches by chi-square, milliseconds for all queries together.
struct SearchMeasurement {
    std::string backend;
    RecognitionCase of;
    std::size_t gallery = 0;
    std::size_t queries = 0;
    std::vector<double> total_ms;     ///< queries in host memory to neighbours in host memory
    std::vector<double> resident_ms;  ///< a GPU: queries in the device's memory
    bool equal = true;
};

struct RecognitionBenchmark {
    std::vector<FeatureMeasurement> features;
    std::vector<SearchMeasurement> searches;
    bool interrupted = false;

    bool equal() const;
};

/// Measures features and searches. \param faces normalised faces of 130×150, one behind the other, as many as
/// the largest batch, gallery and set of queries need together (see faces_needed); all different.
/// \throws DeviceError; std::bad_alloc.
RecognitionBenchmark benchmark_recognition(const std::vector<std::uint8_t>& faces,
                                           const RecognitionBenchmarkRequest& request, const RunHooks& hooks);

/// How many faces a request needs: the queries are none of the gallery's.
std::size_t faces_needed(const RecognitionBenchmarkRequest& request);

}  // namespace fovea
