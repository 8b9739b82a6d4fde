#include "lib/train/cascade/sample_files_job.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/core/threads.hpp"
#include "lib/json/names.hpp"
#include "lib/train/cascade/cascade_data.hpp"
#include "lib/train/samples/contact_sheet.hpp"
#include "lib/train/samples/vec_file.hpp"

namespace fovea {
namespace {

constexpr NameTable<SamplePart, 3> part_names{{"training", "held-out", "test"}, "is no part of the samples"};

const WindowSamples& part_of(const CascadeData& data, SamplePart part) {
    if (part == SamplePart::held_out) return data.held_out;
    return part == SamplePart::test ? data.test_positives : data.positives;
}

void check_part(const SampleFilesJob& job) {
    if (job.part == SamplePart::held_out && job.config.stages.held_out == 0) {
        throw UsageError(
            "the configuration holds out no samples (\"stages\": {\"held_out\": 0}): ask for another part");
    }
    if (job.part == SamplePart::test && !job.config.has_test()) {
        throw UsageError(
            "the configuration has no test: name a share with --test-share, or files with --test-positives");
    }
}

}  // namespace

std::vector<std::string> sample_part_names() {
    return part_names.all();
}

SamplePart sample_part_of(const std::string& name) {
    return part_names.value_of(name);
}

SampleFilesResult write_sample_files(const SampleFilesJob& job, const CountProgress& progress) {
    validate_sample_config(job.config);
    if (job.vec.empty() && job.sheet.empty()) {
        throw UsageError(
            "name a file for the samples: --out samples.vec, --sheet samples.png for a contact sheet, or "
            "both");
    }
    check_part(job);
    const std::vector<PlannedOutput> outputs{{job.vec, ".vec file"}, {job.sheet, "contact sheet"}};
    InputFiles().refuse_clashes(outputs);
    SampleFilesResult result;
    ThreadLimit threads(job.threads);
    threads.run([&] {
        const CascadeData data = load_cascade_data(job.config, job.threads, progress, false);
        InputFiles inputs = data.inputs;
        inputs.add(job.config_file);
        inputs.refuse_clashes(outputs);
        const WindowSamples& samples = part_of(data, job.part);
        result.samples = samples.count();
        result.window = job.config.window();
        result.data = data.manifest;
        if (!job.vec.empty()) write_vec(job.vec, samples);
        if (!job.sheet.empty()) {
            result.shown = std::min(samples.count(), ContactSheetOptions{}.max_samples);
            write_contact_sheet(job.sheet, samples);
        }
    });
    return result;
}

}  // namespace fovea
