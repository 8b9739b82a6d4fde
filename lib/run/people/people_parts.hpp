#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/job/detection_files.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/run/people/archive_faces.hpp"
#include "lib/run/people/finished_results.hpp"
#include "lib/run/people/image_stamps.hpp"
#include "lib/run/people/people_job.hpp"
#include "lib/run/people/track_faces.hpp"

namespace fovea {

/// The images of an archive, in parts: each run describes those that no earlier one has described, or that
/// have changed since, by jobs of its own.
///
/// A part of number N has, in the folder parts/, the stamps of its images (N.stamps.jsonl, the first file of
/// all), the tracks in its videos (N.tracks.jsonl, if it has videos; the folder N.tracks keeps the track job
/// until then), and results, features and manifest of a detection job over its photographs and the frames
/// with the best faces of tracks. A part that a run left unfinished goes on in the next one, from the same
/// images.
class PeopleParts {
  public:
    /// \param job must outlive this. \param work work_on_faces() of the job. \throws UsageError if the
    /// finished results of the job do not fit; nothing has been written then.
    PeopleParts(const PeopleJob& job, const JobHooks& hooks, const Json& work);

    /// Finishes parts, takes finished results as one, and describes the other images. Counts what it did.
    /// \throws what run_detection_job() and run_track_job() throw; Error
    void describe(PeopleResult& result);

    std::size_t size() const { return parts_.size(); }
    /// True if a part describes an image as it is now.
    bool is_as_described(std::size_t part, std::size_t image) const;
    /// The photographs and videos that were described, and are not in the list any more.
    std::size_t gone() const;
    /// The faces of all parts; the best face of a track is its only one. \param length of the features of a
    /// face, words. \throws as ArchiveFaces
    ArchiveFaces faces(std::size_t length, const FaceLimits& limits);
    /// The tracks whose best faces were not found again by faces(): those of the list's videos.
    std::size_t lost_tracks() const { return lost_tracks_; }
    /// The tracks in the videos of a part. Call faces() before.
    const TrackFaces& tracks(std::size_t part) const { return tracks_[part]; }

  private:
    /// The files of a part.
    struct Part {
        std::filesystem::path stamps;
        std::filesystem::path tracks;        ///< tracks.jsonl of its videos
        std::filesystem::path track_folder;  ///< of the track job, until that is done
        DetectionFiles files;

        bool is_begun() const;
        bool is_complete() const;
        /// Removes what a run left that ended before the part had begun.
        void remove_rest() const;
    };

    Part part_of_number(std::size_t number) const;
    void add(Part part, ImageStamps stamps);
    bool is_known(std::size_t image) const;
    void adopt(PeopleResult& result);
    /// Describes the images of the last part.
    void describe_last(PeopleResult& result);
    void follow_videos(PeopleResult& result);

    const PeopleJob& job_;
    const JobHooks& hooks_;
    const ImageList& images_;
    const PeopleFolder folder_;
    std::optional<FinishedImages> finished_;
    std::vector<ImageStamp> stamps_;  // by image
    std::vector<Part> parts_;
    std::vector<ImageStamps> known_;  // by part
    std::vector<TrackFaces> tracks_;  // by part
    std::size_t missed_ = 0;          // whenever a frame is read
    std::size_t lost_tracks_ = 0;
};

}  // namespace fovea
