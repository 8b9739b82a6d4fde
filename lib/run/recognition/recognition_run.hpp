#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/config/config.hpp"
#include "lib/files/input_files.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/report/page/late_report.hpp"
#include "lib/report/recognition/recognition_report.hpp"
#include "lib/run/recognition/describe_dataset.hpp"

namespace fovea {

/// The faces to be recognised and how they are reported.
struct RecognitionRequest {
    RecognitionConfig config;
    DecodeOptions decode;
    std::string root;  ///< see DatasetConfig
    int threads = 0;
    int bootstrap_resamples = 1000;
    std::uint64_t bootstrap_seed = 1;
    std::string title;             ///< of the reports; empty = from the data
    Json configuration;            ///< shown in the reports
    std::filesystem::path folder;  ///< for reports and scores; empty = none are written
    bool own_folder = true;        ///< nothing else writes a report there
    /// No output may replace one of them. The files of the recognition are added.
    InputFiles inputs{};
};

/// Searches with one set of probes.
struct SearchResult {
    std::string probes;  ///< as the user named them
    std::string name;    ///< short, and no other has it: "fafb"
    IdentificationEvaluations evaluations;
    std::optional<PermutationEvaluation> permutations;
    std::vector<std::string> warnings;
    LateReport report;
};

struct RecognitionResult : DescribedImages {
    VerificationEvaluations verification;  ///< one a recogniser; empty without pairs
    LateReport verification_report;
    std::vector<std::string> warnings;  ///< of the verification
    std::vector<SearchResult> searches;
    double describe_seconds = 0;
    double compare_seconds = 0;
    Json manifest;  ///< "recognition" of run.json

    /// Reports that were written.
    std::vector<std::filesystem::path> reports() const;
    /// The first report that could not be written; else one without a failure.
    LateReport failed_report() const;
};

/// Finds and describes the faces of all datasets of a configuration with all of its recognisers, compares
/// them, evaluates the comparisons and, if there is a folder, writes scores.txt (pairs) or scores.csv
/// (searches) and the reports. File names contain the recogniser's name if there are several. Each report has
/// a folder of its own (verification, identification, identification-PROBES) unless it is the only one.
class RecognitionJob {
  public:
    /// Loads the recognisers, reads and checks the datasets. Nothing is written or removed yet.
    /// \param device, hooks must outlive the job. \throws what loading and reading throw: UsageError,
    /// Error, DeviceError.
    RecognitionJob(RecognitionRequest request, const DetectionDevice& device, const JobHooks& hooks);
    ~RecognitionJob();

    /// The pages that run() will write, relative to the request's folder; none without one.
    std::vector<RelatedReport> pages() const;

    /// Does the work; to be called once. \param related another report of the same run, which lies in the
    /// request's folder itself. \throws as the constructor.
    RecognitionResult run(const std::vector<RelatedReport>& related = {});

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
