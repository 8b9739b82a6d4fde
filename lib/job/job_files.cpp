#include "lib/job/job_files.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/json/json.hpp"

namespace fovea {

JobFiles::JobFiles(const DetectionJob& job, const JobPlan& plan) : journal_file_(plan.journal) {
    const std::optional<ResumeState>& earlier = job.images.earlier;
    const auto kept = [&](std::size_t output) {
        return earlier ? earlier->mark.outputs.at(output) : FileExtent{};
    };
    for (std::size_t i = 0; i < job.files.results.size(); ++i) {
        if (job.files.results[i] != "-") make_parent_folder(job.files.results[i]);
        writers_.push_back(std::make_unique<ResultsWriter>(job.files.results[i], kept(i)));
        outputs_.push_back(&writers_.back()->file());
    }
    if (plan.feature_bins > 0) {
        make_parent_folder(job.files.features);
        features_ =
            std::make_unique<FeatureFile>(job.files.features, plan.feature_bins,
                                          kept(job.files.results.size()), job.recogniser->kind->numpy_type);
        outputs_.push_back(&features_->file());
    }
    if (journal_file_.empty()) return;
    if (earlier) unreadable_ = unreadable_before_ = earlier->mark.unreadable;
    const bool goes_on = earlier && is_there(journal_file_);
    journal_ = goes_on ? Journal::reopen(journal_file_, earlier->mark)
                       : Journal::create(journal_file_, plan.description, job.images.images);
    images_ = earlier ? earlier->mark.images : 0;
    // Earlier work is not done again if this job is interrupted at once.
    if (earlier && !goes_on) mark();
}

void JobFiles::begin(const DetectionFiles& files) {
    remove_stale_manifest(files.manifest);
    for (const std::filesystem::path& report : files.reports) {
        files.inputs.refuse(report);
        remove_file(report);
        remove_report({report.parent_path(), files.inputs}, "report");
    }
    for (AppendedFile* output : outputs_) output->begin();
    mark(MarkKind::begun);
    // A job that is killed for its memory tells the next run so.
    if (journal_) {
        memory_.emplace(max_process_memory(), [this] {
            try {
                journal_->mark_full_memory();
            } catch (const Error&) {
            }
        });
    }
}

void JobFiles::note(std::size_t images, std::size_t unreadable) {
    images_ = images;
    unreadable_ = unreadable_before_ + unreadable;
}

void JobFiles::written_alone(std::size_t images, std::size_t unreadable) {
    note(images, unreadable);
    mark();
}

void JobFiles::written(std::size_t images, std::size_t unreadable) {
    note(images, unreadable);
    // An interruption costs at most this much work. Short jobs are marked more often; half a second is
    // nothing to redo, and the disk is asked seldom enough.
    if (since_mark_.seconds() >= std::min(0.5, 0.05 + 0.05 * since_start_.seconds())) mark();
}

void JobFiles::close(bool complete) {
    memory_.reset();
    mark();
    for (const auto& writer : writers_) writer->close();
    if (features_) features_->close();
    complete_ = complete;
}

void JobFiles::finish() {
    if (journal_ && complete_) journal_->remove();
}

void JobFiles::mark(MarkKind kind) {
    if (journal_ && images_) journal_->mark(*images_, outputs_, unreadable_, kind);
    since_mark_ = {};
}

}  // namespace fovea
