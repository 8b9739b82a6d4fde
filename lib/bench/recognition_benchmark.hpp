#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/lbp/lbp_plan.hpp"
#include "lib/bench/bench_device.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/recognise/recogniser_config.hpp"

namespace fovea {

/// A subject of the measurements: a recogniser, or a row of tables 4.2 and 4.3 of Tek 2012, which is an
/// operator and the size of the regions of its histograms.
struct RecognitionCase {
    std::string recogniser;  ///< its name; empty for a row of Tek's
    std::size_t length = 0;  ///< of the features, d
    LbpOperator lbp{};       ///< of a row of Tek's
    Size cell{};             ///< of the histograms of a row of Tek's
    bool is_searched = true;
};

/// The five rows of table 4.2, in its order; those of table 4.3 are searched. d is that on 130×150.
std::vector<RecognitionCase> tek_cases();

struct RecognitionBenchmarkRequest {
    std::vector<std::size_t> faces;      ///< numbers of faces that are described at once
    std::vector<std::size_t> galleries;  ///< sizes N
    std::vector<std::size_t> queries;    ///< numbers of queries per search
    int repeat = 20;
    double budget_ms = 2000;            ///< for all repetitions of one measurement, at least one
    std::vector<BenchDevice> backends;  ///< one GPU at most
    /// Is measured in the place of Tek's rows.
    std::optional<RecogniserConfig> recogniser{};
};

/// Times of describing a batch of normalised faces, milliseconds for the whole batch.
struct FeatureMeasurement {
    std::string backend;
    RecognitionCase of;
    std::size_t faces = 0;
    std::vector<double> total_ms;     ///< from faces to features in host memory
    std::vector<double> resident_ms;  ///< only a GPU: from faces to features in its memory
    /// Features are those of the first backend, within RecogniserKind::max_difference.
    bool equal = true;
};

/// Times of 1-NN searches (of Tek's rows by chi-square), milliseconds for all queries together.
struct SearchMeasurement {
    std::string backend;
    RecognitionCase of;
    std::size_t gallery = 0;
    std::size_t queries = 0;
    std::vector<double> total_ms;     ///< from queries to neighbours in host memory
    std::vector<double> resident_ms;  ///< only a GPU and Tek's rows: with queries in its memory
    bool equal = true;                ///< neighbours equal the first backend's
};

struct RecognitionBenchmark {
    std::vector<FeatureMeasurement> features;
    std::vector<SearchMeasurement> searches;
    bool interrupted = false;

    bool equal() const;
};

/// Times features and searches. \param faces normalised faces, one behind the other, all different, as many
/// as faces_needed() says: of the recogniser's size, for Tek's rows of 130×150.
/// \throws DeviceError; std::bad_alloc; what RecogniserKind::describer throws.
RecognitionBenchmark benchmark_recognition(const std::vector<std::uint8_t>& faces,
                                           const RecognitionBenchmarkRequest& request, const JobHooks& hooks);

/// The number of faces that a request needs: batches, galleries and queries come from them, and no query is a
/// gallery's face.
std::size_t faces_needed(const RecognitionBenchmarkRequest& request);

}  // namespace fovea
