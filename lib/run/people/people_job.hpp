#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "lib/core/job_hooks.hpp"
#include "lib/files/input_files.hpp"
#include "lib/job/job_material.hpp"
#include "lib/json/json.hpp"
#include "lib/recognise/gallery_search.hpp"
#include "lib/recognise/recogniser_config.hpp"
#include "lib/results/tally.hpp"
#include "lib/run/people/archive_faces.hpp"
#include "lib/run/people/finished_results.hpp"
#include "lib/run/people/people_file.hpp"

namespace fovea {

/// How the faces of an archive are grouped.
struct PeopleOptions {
    /// Two lone faces are joined up to this distance; nothing: see group_distance().
    std::optional<double> distance{};
    std::size_t neighbours = 50;  ///< see GroupingOptions
    FaceLimits limits{};          ///< other faces stand apart
    std::size_t min_faces = 2;    ///< of a person; the faces of smaller groups stand apart
};

/// A job that groups the faces of an archive by person. It has one detector, and landmarks. The list of its
/// images is the whole archive.
struct PeopleJob : JobMaterial {
    const RecogniserConfig& recogniser;
    OutputFolder folder;
    PeopleOptions options{};
    GallerySearch* gallery = nullptr;              ///< names people; null: none does
    std::optional<double> max_gallery_distance{};  ///< of a face that votes for a name
    std::filesystem::path names{};                 ///< a file for read_names(); empty: none
    std::optional<FinishedResults> finished{};     ///< need not be described any more
};

struct PeopleResult : ImageCounts {
    PeopleFile people;
    std::size_t described = 0;  ///< of the images, by this run
    std::size_t adopted = 0;    ///< of the images, from finished results
    /// Results for frames of videos among the finished ones, which are left out: faces need their tracks.
    std::size_t frames_left_out = 0;
    std::size_t lost_tracks = 0;        ///< whose best faces were not found again in their frames
    std::size_t unreadable_frames = 0;  ///< of videos, met by this run
    std::size_t gone = 0;               ///< photographs and videos of earlier runs that the archive lacks now
    bool interrupted = false;           ///< then nothing was grouped
    double seconds = 0;
    double group_seconds = 0;
};

/// The files of a folder of people.
struct PeopleFolder {
    std::filesystem::path path;

    std::filesystem::path results() const { return path / "results.jsonl"; }
    std::filesystem::path people() const { return path / "people.json"; }
    /// Only there if faces are of videos.
    std::filesystem::path tracks() const { return path / "tracks.jsonl"; }
    std::filesystem::path manifest() const { return path / "run.json"; }
    std::filesystem::path parts() const { return path / "parts"; }
    /// Who the faces of the parts are: see write_numbers(). It goes when the parts go.
    std::filesystem::path numbers() const { return parts() / "people.numbers"; }
};

/// The distance up to which lone faces are joined, for an archive of so many faces: the recogniser's at a
/// false accept rate of 1 / (2 faces), and of 0.001 in small archives. So every second face has a stranger
/// within the distance, however large the archive is.
/// \throws UsageError if the recogniser has no thresholds.
double group_distance(const RecogniserConfig& recogniser, std::size_t faces);

/// Finds and describes the faces of an archive, groups them by person (group_faces()), and writes
/// results.jsonl, in which each face has its "person" or tells why it stands apart, people.json, run.json
/// and, if faces are of videos, tracks.jsonl.
///
/// Each run describes the images that no earlier one has described, or that have changed since: see
/// PeopleParts. Faces are followed through videos, and the results have a video's frames with the best faces
/// of its tracks. Images that are gone are left out of the results. People keep their numbers and names: see
/// number_people().
/// \throws UsageError for a recogniser that is no network, options that do not fit, or if the folder holds
/// people of other work and may not be overwritten, and as check_finished_results(); what
/// run_detection_job(), run_track_job(), group_faces() and GallerySearch::search() throw; Error if a file
/// cannot be read or written.
PeopleResult run_people_job(const PeopleJob& job, const JobHooks& hooks);

}  // namespace fovea
