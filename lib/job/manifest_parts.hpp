#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/job/job_material.hpp"
#include "lib/json/json.hpp"
#include "lib/results/tally.hpp"

namespace fovea {

/// A run.json: what all jobs tell has members, what a kind of job tells stands in `own`.
struct ManifestRecord {
    std::string command;
    Json configuration;
    std::string device = "cpu";
    bool interrupted = false;
    std::string decoder = "cpu";
    /// Says of a job that can go on that no image is missing.
    std::optional<bool> complete{};
    /// dataset_to_json(); null: the configuration names the data.
    Json dataset{};
    Json own = Json::object();
    Json counts{};
    /// "unreadable" or "failures", and the other lists of what was left out.
    Json losses = Json::object();
    Json timings{};

    /// Sets "counts" and the list "unreadable". \param skipped files that are not read. \param more counts of
    /// this kind of job
    void set_images(const ImageCounts& images, std::size_t skipped, const Json& more);
    /// Adds what is not read: "skipped", a list of {"name", "reason", "files" if the entry stands for
    /// several}, and "passed_over", the files that are no images by extension, if there are some.
    void add_left_out(const std::vector<SkippedInput>& skipped, const PassedOver::Counts& passed_over);
};

/// Replaces "counts" and "unreadable" of a manifest, as ManifestRecord::set_images() sets them.
void set_images(Json& manifest, const ImageCounts& images, std::size_t skipped, const Json& more);

/// The manifest, with the versions of program and libraries. Members that are null are left out.
Json manifest_json(const ManifestRecord& record);

/// Versions of the program and of the libraries that results depend on.
Json versions_to_json();

/// The record of a job over images, as far as all of these are alike.
ManifestRecord job_record(const std::string& command, const JobMaterial& job, const std::string& device,
                          bool interrupted);

/// Adds "work", with its SHA-256 and the whole list of its images, and for a shard "shard", with the
/// positions of its images in the whole list, and "work"/"shard". \param work result_fingerprint().
void add_work(const Json& work, const ImageList& images, const std::optional<Shard>& shard, Json& manifest);

/// A list of {"image", "reason"}.
Json unreadable_json(const std::vector<UnreadableImage>& unreadable);

/// The dataset that was read: name, format, number of images and annotated faces, and the lists with
/// their SHA-256.
Json dataset_to_json(const Dataset& dataset);
Json dataset_to_json(const ImageList& images);

/// A video: its name in the list, and what its file says. "clock" is there only if the file's time goes back
/// or leaps: it says how often, and for the first such places the offset that is added to the file's times
/// from there on.
Json video_to_json(const std::string& name, const VideoSource& video);

/// A detector or landmarker that was loaded: its name, "model", "model_sha256" and "description". \throws
/// Error if the file cannot be read any more.
Json detector_to_json(const LoadedDetector& loaded);
Json landmarker_to_json(const LoadedLandmarker& loaded);
/// {"convention", "edges"}.
Json rule_to_json(const BoxRule& rule);

}  // namespace fovea
