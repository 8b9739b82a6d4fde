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
#include "lib/process/memory_watch.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// The files of a job while it runs: results, features, its journal, and what an earlier run left in them.
class JobFiles {
  public:
    /// Opens and locks all files, and writes the journal to the disk. Nothing of an earlier job is lost
    /// before begin().
    /// \throws Error if a file cannot be opened or written.
    JobFiles(const DetectionJob& job, const JobPlan& plan);

    /// Removes what an earlier job left in the files, and its manifest and reports.
    void begin(const DetectionFiles& files);
    /// Says that the results of the first `images` images are written. Marks this in the journal now
    /// and then. \param unreadable those that could not be read, of this run.
    void written(std::size_t images, std::size_t unreadable);
    /// The same, marked at once.
    void written_alone(std::size_t images, std::size_t unreadable);
    /// Says that no further results will be written. \param complete no result is missing.
    void close(bool complete);
    /// Says that the manifest is written, too. Removes the journal of a complete job.
    void finish();

    ResultsWriter& writer(std::size_t task) { return *writers_.at(task); }
    /// Null if no features are wanted.
    FeatureFile* features() { return features_.get(); }

  private:
    void note(std::size_t images, std::size_t unreadable);
    void mark(MarkKind kind = MarkKind::written);

    std::filesystem::path journal_file_;
    std::vector<std::unique_ptr<ResultsWriter>> writers_;
    std::unique_ptr<FeatureFile> features_;
    std::vector<AppendedFile*> outputs_;
    std::optional<Journal> journal_;
    std::optional<MemoryWatch> memory_;  // behind the journal, which it marks
    std::optional<std::size_t> images_;  // whose results are written, if any are new
    std::size_t unreadable_before_ = 0;
    std::size_t unreadable_ = 0;  // of all
    const Stopwatch since_start_;
    Stopwatch since_mark_;
    bool complete_ = false;
};

}  // namespace fovea
