#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/core/stopwatch.hpp"
#include "lib/job/job_plan.hpp"
#include "lib/job/journal/feature_file.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// The files of a job while it runs: results, features, its journal, and what an earlier run left in them.
class JobFiles {
  public:
    /// All files are open, and locked, and the journal is on the disk. Nothing of an earlier job is lost
    /// before begin().
    /// \throws Error if one of them cannot be opened or written.
    JobFiles(const DetectionJob& job, const JobPlan& plan);

    /// From here on what an earlier job left in the files is gone, and the manifest and reports that were
    /// made of it.
    void begin(const DetectionFiles& files);
    /// The results of the first images are written. Tells the journal now and then.
    void written(std::size_t images);
    /// All results are written that will be. \param complete none is missing.
    void close(bool complete);
    /// The manifest is written, too: a complete job needs no journal any more.
    void finish();

    ResultsWriter& writer(std::size_t task) { return *writers_.at(task); }
    /// Null if no features are wanted.
    FeatureFile* features() { return features_.get(); }

  private:
    double seconds_to_next_mark() const;
    void mark();

    std::filesystem::path journal_file_;
    std::vector<std::unique_ptr<ResultsWriter>> writers_;
    std::unique_ptr<FeatureFile> features_;
    std::vector<AppendedFile*> outputs_;
    std::optional<Journal> journal_;
    std::optional<std::size_t> images_;  // whose results are written, if any are new
    const Stopwatch since_start_;
    Stopwatch since_mark_;
    bool complete_ = false;
};

}  // namespace fovea
