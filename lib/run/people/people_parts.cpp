#include "lib/run/people/people_parts.hpp"

#include <string>
#include <unordered_set>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "lib/config/config.hpp"
#include "lib/core/error.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/job/job_plan.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/resume_state.hpp"
#include "lib/run/track/track_files.hpp"
#include "lib/run/track/track_job.hpp"
#include "lib/run/track/track_journal.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

bool is_below(const fs::path& file, const fs::path& folder) {
    std::error_code error;
    const fs::path place =
        fs::weakly_canonical(file, error).lexically_relative(fs::weakly_canonical(folder, error));
    return !error && !place.empty() && *place.begin() != "..";
}

void copy_over(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
    if (error)
        throw Error("'" + from.string() + "' cannot be copied to '" + to.string() + "': " + error.message() +
                    ".");
}

/// The configuration of a track job: grouping joins the tracks of a person, so that a track which is joined
/// to another person's cannot mix people.
RunConfig tracking_config(RunConfig config) {
    config.tracking = {};
    config.tracking.separate = true;
    return config;
}

/// The job that an earlier run has begun goes on: from its list, if it has one.
void go_on(std::optional<ResumeState> earlier, JobImages& images) {
    if (!earlier) return;
    if (earlier->images) images.images = std::move(*earlier->images);
    images.earlier = ResumeState{std::move(earlier->description), {}, std::move(earlier->mark)};
}

}  // namespace

bool PeopleParts::Part::is_begun() const {
    return is_file(stamps);
}

bool PeopleParts::Part::is_complete() const {
    return is_file(files.manifest) && !is_there(journal_path(files.results[0]));
}

void PeopleParts::Part::remove_rest() const {
    remove_tree(track_folder);
    for (const fs::path& file : {tracks, files.manifest, files.results[0], files.features}) remove_file(file);
}

PeopleParts::PeopleParts(const PeopleJob& job, const JobHooks& hooks, const Json& work)
    : job_(job), hooks_(hooks), images_(job.images.images), folder_{job.folder.path()} {
    if (!job.finished) return;
    for (const fs::path& file : {job.finished->results, job.finished->features}) {
        if (is_below(file, folder_.parts()))
            throw UsageError("'" + file.string() + "' is a part of these people already");
    }
    finished_ = check_finished_results(*job.finished, work, images_);
}

PeopleParts::Part PeopleParts::part_of_number(std::size_t number) const {
    const auto file = [&](const char* end) { return folder_.parts() / fmt::format("{:04}{}", number, end); };
    Part part{file(".stamps.jsonl"), file(".tracks.jsonl"), file(".tracks"), {{file(".jsonl")}, {}}};
    part.files.manifest = manifest_path(part.files.results[0]);
    part.files.features = file(".npy");
    part.files.inputs = job_.folder.inputs();
    return part;
}

void PeopleParts::add(Part part, ImageStamps stamps) {
    parts_.push_back(std::move(part));
    known_.push_back(std::move(stamps));
}

void PeopleParts::describe(PeopleResult& result) {
    if (job_.existing == ExistingResults::overwrite) remove_tree(folder_.parts());
    make_output_folder(folder_.path, "people");
    make_output_folder(folder_.parts(), "people");
    stamps_ = stamps_of(images_);
    for (std::size_t number = 1;; ++number) {
        Part part = part_of_number(number);
        if (!part.is_begun()) break;
        ImageStamps stamps = read_stamps(part.stamps);
        const bool is_complete = part.is_complete();
        add(std::move(part), std::move(stamps));
        if (!is_complete) describe_last(result);
        if (result.interrupted) return;
    }
    if (finished_) adopt(result);
    ImageStamps stamps;
    const ImageList fresh = images_.part([&](std::size_t i) {
        if (is_known(i)) return false;
        stamps.emplace(stamp_name(images_, i), stamps_[i]);
        return true;
    });
    if (fresh.size() == 0) return;
    Part part = part_of_number(parts_.size() + 1);
    part.remove_rest();
    write_stamps(part.stamps, fresh, stamps);
    add(std::move(part), std::move(stamps));
    describe_last(result);
}

bool PeopleParts::is_as_described(std::size_t part, std::size_t image) const {
    const auto stamp = known_[part].find(std::string(stamp_name(images_, image)));
    return stamp != known_[part].end() && stamp->second == stamps_[image];
}

bool PeopleParts::is_known(std::size_t image) const {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
        if (is_as_described(part, image)) return true;
    }
    return false;
}

void PeopleParts::adopt(PeopleResult& result) {
    result.frames_left_out = finished_->frames;
    const ImageStamp finished = stamp_of(job_.finished->results);
    ImageStamps stamps;
    std::unordered_set<std::size_t> adopted;
    for (const std::size_t image : finished_->photographs) {
        if (stamps_[image].modified > finished.modified || is_known(image)) continue;
        stamps.emplace(stamp_name(images_, image), stamps_[image]);
        adopted.insert(image);
    }
    result.adopted = adopted.size();
    if (adopted.empty()) return;
    Part part = part_of_number(parts_.size() + 1);
    part.remove_rest();
    copy_over(job_.finished->results, part.files.results[0]);
    copy_over(job_.finished->features, part.files.features);
    copy_over(manifest_path(job_.finished->results), part.files.manifest);
    sync_file_system(folder_.parts());
    // The part is there as soon as its stamps are.
    write_stamps(part.stamps, images_.part([&](std::size_t i) { return adopted.contains(i); }), stamps);
    add(std::move(part), std::move(stamps));
}

void PeopleParts::describe_last(PeopleResult& result) {
    follow_videos(result);
    if (result.interrupted) return;
    const Part& part = parts_.back();
    const std::size_t number = parts_.size() - 1;
    const TrackFaces tracks = is_file(part.tracks) ? TrackFaces(part.tracks) : TrackFaces();
    JobImages images;
    go_on(find_resume_state(EarlierFiles::of(part.files), ExistingResults::resume), images);
    if (!images.earlier) {
        images.images = images_.part([&](std::size_t i) {
            const bool is_seen =
                images_.video_name(i).empty() || tracks.count(std::string(images_.name(i))) > 0;
            return is_seen && is_as_described(number, i);
        });
    }
    const JobMaterial& material = job_;
    const DetectionJob job{{material.config, images, material.detectors, material.device, material.landmarker,
                            ExistingResults::resume},
                           "detect",
                           part.files,
                           job_.recogniser,
                           true};
    const DetectionJobResult found = run_detection_job(job, plan_job(job), hooks_);
    result.described += found.images.images - found.resumed;
    result.interrupted = found.images.interrupted;
}

void PeopleParts::follow_videos(PeopleResult& result) {
    const Part& part = parts_.back();
    const TrackFolder folder{part.track_folder};
    if (!is_file(part.tracks)) {
        const bool is_followed = folder.has_complete_results() && !is_there(earlier_tracks(folder).journal);
        if (!is_followed) {
            JobImages images;
            go_on(find_resume_state(earlier_tracks(folder), ExistingResults::resume), images);
            if (!images.earlier) {
                const std::size_t number = parts_.size() - 1;
                images.images = images_.part([&](std::size_t i) {
                    return !images_.video_name(i).empty() && is_as_described(number, i);
                });
                if (images.images.size() == 0) return;
            }
            const JobMaterial& material = job_;
            const RunConfig config = tracking_config(material.config);
            const TrackJob job{{config, images, material.detectors, material.device, material.landmarker,
                                ExistingResults::resume},
                               nullptr,
                               {},
                               {part.track_folder, job_.folder.inputs()}};
            const TrackJobResult followed = run_track_job(job, hooks_);
            result.interrupted = followed.interrupted;
            if (result.interrupted) return;
            result.unreadable_frames += followed.found.unreadable.size();
        }
        replace_file(part.tracks, read_file(folder.tracks()));
    }
    remove_tree(part.track_folder);
}

std::size_t PeopleParts::gone() const {
    std::unordered_set<std::string_view> there, gone;
    for (std::size_t i = 0; i < images_.size(); ++i) there.insert(stamp_name(images_, i));
    for (const ImageStamps& stamps : known_) {
        for (const auto& [image, stamp] : stamps) {
            if (!there.contains(image)) gone.insert(image);
        }
    }
    return gone.size();
}

ArchiveFaces PeopleParts::faces(std::size_t length, const FaceLimits& limits) {
    std::vector<DescribedPart> described;
    tracks_.clear();
    for (const Part& part : parts_) {
        described.push_back({part.files.results[0], part.files.features});
        tracks_.push_back(is_file(part.tracks) ? TrackFaces(part.tracks) : TrackFaces());
    }
    missed_ = 0;
    const auto choose = [this](std::size_t part, ImageResult& result) {
        std::vector<std::uint32_t> places = tracks_[part].choose(result);
        if (result.frame) missed_ += tracks_[part].count(result.image) - places.size();
        return places;
    };
    ArchiveFaces faces(
        images_, std::move(described),
        [&](std::size_t part, std::size_t image) { return is_as_described(part, image); }, length, limits,
        choose);
    lost_tracks_ = missed_;
    return faces;
}

}  // namespace fovea
