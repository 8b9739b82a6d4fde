#include "lib/job/status/job_status.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/folder.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_member.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view journal_ending = ".journal";
constexpr std::string_view manifest_ending = ".run.json";
/// Marks of this time tell a part's speed.
constexpr std::chrono::milliseconds recent{60'000};

std::optional<Shard> shard_in(const Json& text) {
    if (!text.is_string()) return std::nullopt;
    try {
        return parse_shard(text.get<std::string>());
    } catch (const UsageError&) {
        return std::nullopt;
    }
}

std::size_t count_in(const Json& json, const char* key) {
    const Json& count = member_of(json, key);
    return count.is_number_unsigned() ? count.get<std::size_t>() : 0;
}

double number_in(const Json& json, const char* key) {
    const Json& number = member_of(json, key);
    return number.is_number() ? number.get<double>() : 0;
}

double seconds_since(const fs::path& file) {
    std::error_code error;
    const auto time = fs::last_write_time(file, error);
    if (error) return std::numeric_limits<double>::infinity();
    return std::max(0.0, std::chrono::duration<double>(fs::file_time_type::clock::now() - time).count());
}

double joules_in(const Json& energy) {
    double joules =
        number_in(member_of(energy, "cpu"), "joules") + number_in(member_of(energy, "dram"), "joules");
    for (const Json& gpu : member_of(energy, "gpu")) joules += number_in(gpu, "joules");
    return joules;
}

/// The whole job that a part belongs to.
struct Whole {
    std::size_t images = 0;
    std::string work;
};

/// A part whose manifest is written: it is complete, was interrupted, or has failed.
void read_manifest_of(const Json& manifest, PartStatus& part, Whole& whole) {
    const Json& counts = member_of(manifest, "counts");
    const Json& work = member_of(manifest, "work");
    part.shard = shard_in(member_of(work, "shard"));
    part.done = count_in(counts, "images");
    part.unreadable = count_in(counts, "unreadable");
    for (const Json& image : member_of(manifest, "unreadable")) {
        const Json& reason = member_of(image, "reason");
        if (reason.is_string()) ++part.reasons[reason.get<std::string>()];
    }
    const Json& timings = member_of(manifest, "timings");
    part.images_per_second = number_in(timings, "images_per_second");
    const Json& host = member_of(timings, "host");
    if (host.is_string()) part.host = host.get<std::string>();
    part.joules = joules_in(member_of(manifest, "energy"));
    const Json& error = member_of(manifest, "error");
    if (error.is_string()) part.error = error.get<std::string>();
    whole = {count_in(work, "images"),
             member_of(work, "sha256").is_string() ? member_of(work, "sha256").get<std::string>() : ""};
}

void read_journal_of(const fs::path& journal, PartStatus& part, Whole& whole) {
    const std::optional<JournalProgress> progress = read_journal_progress(journal, recent);
    if (!progress) return;  // not yet written in full
    part.shard = shard_in(member_of(progress->description, "shard"));
    part.images = progress->images;
    whole.images = count_in(member_of(member_of(progress->description, "work"), "images"), "count");
    part.images_per_second = 0;
    if (progress->marks.empty()) return;
    const JournalMark& last = progress->marks.back();
    const JournalMark& first = progress->marks.size() > 2 ? progress->marks[1] : progress->marks.front();
    part.done = last.images;
    part.unreadable = last.unreadable;
    part.host = last.host;
    const double seconds = std::chrono::duration<double>(last.time - first.time).count();
    if (seconds > 0) part.images_per_second = static_cast<double>(last.images - first.images) / seconds;
}

PartStatus read_part(const fs::path& results, std::chrono::seconds quiet, Whole& whole) {
    PartStatus part;
    part.results = results;
    const fs::path journal = journal_path(results), manifest_file = manifest_path(results);
    const Json manifest = is_file(manifest_file) ? read_manifest(manifest_file) : Json();
    if (manifest.is_object()) read_manifest_of(manifest, part, whole);
    part.quiet_seconds = seconds_since(results);
    if (!is_there(journal)) {
        part.images = part.done;
        part.state = member_of(manifest, "complete") == true ? PartState::complete
                     : !part.error.empty()                   ? PartState::failed
                                                             : PartState::unknown;
        return part;
    }
    part.quiet_seconds = std::min(part.quiet_seconds, seconds_since(journal));
    try {
        read_journal_of(journal, part, whole);
    } catch (const Error& error) {
        part.error = error.what();
    }
    // A job that goes on has removed the manifest of the run before.
    const bool may_run = !manifest.is_object() && part.error.empty();
    part.state = may_run && part.quiet_seconds <= static_cast<double>(quiet.count()) ? PartState::running
                 : !part.error.empty()                                               ? PartState::failed
                                                                                     : PartState::interrupted;
    return part;
}

/// The results files in a folder and those below: a journal or a manifest lies beside each.
void find_parts(const fs::path& folder, std::set<fs::path>& parts) {
    for (const fs::path& file : files_below(folder)) {
        const std::string name = file.filename().string();
        if (name.ends_with(journal_ending) && name.size() > journal_ending.size()) {
            fs::path results = file;
            parts.insert(results.replace_filename(name.substr(0, name.size() - journal_ending.size())));
        } else if (name == "run.json" && is_file(file.parent_path() / "results.jsonl")) {
            parts.insert(file.parent_path() / "results.jsonl");
        } else if (name.ends_with(manifest_ending)) {
            fs::path results = file;
            results.replace_filename(name.substr(0, name.size() - manifest_ending.size()) + ".jsonl");
            if (is_file(results)) parts.insert(results);
        }
    }
}

bool is_detection(const fs::path& results) {
    const fs::path file = manifest_path(results);
    if (is_there(journal_path(results)) || !is_file(file)) return true;
    const Json command = member_of(read_manifest(file), "command");
    return !command.is_string() || command == "detect";
}

void add_missing(JobStatus& status) {
    int count = 0;
    std::set<int> divisions, there;
    for (const PartStatus& part : status.parts) {
        if (!part.shard) continue;
        divisions.insert(part.shard->count);
        there.insert(part.shard->index);
        count = part.shard->count;
    }
    constexpr int max_division = 10'000'000;
    if (divisions.size() > 1 || count > max_division) {
        std::string counts;
        for (const int division : divisions)
            counts += (counts.empty() ? "" : ", ") + std::to_string(division);
        status.warnings.push_back("the parts are of divisions into " + counts +
                                  " parts; name those of one division");
        return;
    }
    for (int index = 1; index <= count; ++index) {
        if (there.contains(index)) continue;
        PartStatus missing;
        missing.shard = Shard{index, count};
        status.parts.push_back(missing);
    }
    std::stable_sort(status.parts.begin(), status.parts.end(), [](const PartStatus& a, const PartStatus& b) {
        return (a.shard ? a.shard->index : 0) < (b.shard ? b.shard->index : 0);
    });
}

}  // namespace

std::string_view to_string(PartState state) {
    switch (state) {
        case PartState::complete:
            return "complete";
        case PartState::running:
            return "running";
        case PartState::interrupted:
            return "interrupted";
        case PartState::failed:
            return "failed";
        case PartState::unknown:
            return "unknown";
        default:
            return "missing";
    }
}

JobStatus read_job_status(const std::vector<fs::path>& places, std::chrono::seconds quiet) {
    std::set<fs::path> parts, named;
    for (const fs::path& place : places) {
        if (is_folder(place)) {
            std::set<fs::path> found;
            find_parts(place, found);
            for (const fs::path& results : found) {
                if (is_detection(results)) parts.insert(results);
            }
        } else if (is_there(place) || is_there(journal_path(place))) {
            parts.insert(place);
            named.insert(place);
        } else {
            throw UsageError("There is no results file or folder '" + place.string() + "'; check the path.");
        }
    }
    if (parts.empty()) {
        throw UsageError("'" + places.front().string() +
                         "' holds no results of 'fovea detect' with a journal or a manifest beside them");
    }
    JobStatus status;
    std::set<std::size_t> wholes;
    for (const fs::path& results : parts) {
        Whole whole;
        status.parts.push_back(read_part(results, quiet, whole));
        if (whole.images > 0) wholes.insert(whole.images);
    }
    // Whole results that lie among the parts of a job are none of them.
    const bool any_part = std::any_of(status.parts.begin(), status.parts.end(),
                                      [](const PartStatus& part) { return part.shard.has_value(); });
    std::erase_if(status.parts, [&](const PartStatus& part) {
        return any_part && !part.shard && !part.results.empty() && !named.contains(part.results) &&
               part.state == PartState::complete;
    });
    add_missing(status);
    if (wholes.size() == 1) status.images_of_job = *wholes.begin();
    if (wholes.size() > 1) {
        std::string counts;
        for (const std::size_t images : wholes)
            counts += (counts.empty() ? "" : ", ") + grouped(static_cast<long long>(images));
        status.warnings.push_back("the parts are of lists with " + counts + " images; name those of one job");
    }
    return status;
}

std::size_t JobStatus::count(PartState state) const {
    return static_cast<std::size_t>(std::count_if(
        parts.begin(), parts.end(), [&](const PartStatus& part) { return part.state == state; }));
}

std::size_t JobStatus::images_done() const {
    return std::accumulate(parts.begin(), parts.end(), std::size_t{0},
                           [](std::size_t sum, const PartStatus& part) { return sum + part.done; });
}

std::size_t JobStatus::unreadable() const {
    return std::accumulate(parts.begin(), parts.end(), std::size_t{0},
                           [](std::size_t sum, const PartStatus& part) { return sum + part.unreadable; });
}

std::map<std::string, std::size_t> JobStatus::reasons() const {
    std::map<std::string, std::size_t> all;
    for (const PartStatus& part : parts) {
        for (const auto& [reason, images] : part.reasons) all[reason] += images;
    }
    return all;
}

double JobStatus::joules() const {
    return std::accumulate(parts.begin(), parts.end(), 0.0,
                           [](double sum, const PartStatus& part) { return sum + part.joules; });
}

double JobStatus::images_per_second() const {
    double sum = 0;
    for (const PartStatus& part : parts) {
        if (part.state == PartState::running) sum += part.images_per_second;
    }
    return sum;
}

std::optional<double> JobStatus::seconds_left() const {
    const double speed = images_per_second();
    const std::size_t done = images_done();
    if (speed <= 0 || images_of_job < done) return std::nullopt;
    return static_cast<double>(images_of_job - done) / speed;
}

std::vector<int> JobStatus::to_send_again() const {
    std::vector<int> indices;
    for (const PartStatus& part : parts) {
        if (part.shard && part.state != PartState::complete && part.state != PartState::running)
            indices.push_back(part.shard->index - 1);
    }
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    return indices;
}

}  // namespace fovea
