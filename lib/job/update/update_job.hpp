#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/inputs/image_state.hpp"
#include "lib/job/job_images.hpp"
#include "lib/job/merge/merge_shards.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

struct UpdateRequest {
    std::filesystem::path results;   ///< complete results of an earlier run, or a file that is not there yet
    std::filesystem::path features;  ///< of their faces; empty = none
    ImageListRequest images;
    /// Images that are new or changed are done, and lines of those that are gone are dropped. Else the images
    /// must be those of the results.
    bool follows_images = false;
    /// Images that could not be read are done again.
    bool retries_unreadable = false;
    /// Earlier results, and an update that was interrupted, count for nothing.
    bool starts_again = false;
    /// An image is changed if its bytes are others, not if its size or time is.
    bool compares_contents = false;
};

/// The images of an update, by what is done about them.
struct UpdateCounts {
    std::size_t kept = 0;
    std::size_t added = 0;
    std::size_t changed = 0;
    std::size_t retried = 0;  ///< unreadable ones, unchanged
    std::size_t gone = 0;

    std::size_t to_do() const { return added + changed + retried; }
};

/// Brings results up to date without doing all images again. The results have the bytes of a run over all
/// images then. Work lies in a folder beside the results, RESULTS.update, until it is complete: the same
/// command goes on with it. The list of the images stays beside the results as RESULTS.fvl, and tells the
/// next update what has changed; without it, whatever was changed since the results were begun is done again.
class UpdateJob {
  public:
    /// Lists the images, or takes the list that an update has left that was interrupted, and compares them
    /// with the results. \throws UsageError if the results are not complete, or cannot be compared with the
    /// images; what read_image_list() throws; Error, JobCancelled.
    UpdateJob(UpdateRequest request, const JobHooks& hooks);
    ~UpdateJob();

    const UpdateCounts& counts() const { return counts_; }
    Json counts_json() const;
    const std::filesystem::path& features() const { return request_.features; }
    /// The images to be done, as the second of two parts of all.
    const JobImages& images() const { return images_; }
    /// The files that the images' results are to be written to.
    std::filesystem::path new_results() const;
    std::filesystem::path new_features() const;

    /// Checks that the lines that are kept are of the same work as new ones. \param work result_fingerprint()
    /// \throws UsageError that names the first difference.
    void check_is_same_work(const Json& work) const;

    /// Puts the new lines among the kept ones, once the new results are complete. \return the counts of the
    /// results; interrupted: nothing has changed. \throws Error
    MergeResult finish(const JobHooks& hooks);

  private:
    struct Earlier;

    void read_earlier(const JobHooks& hooks);
    void compare(const ImageList& whole, const std::vector<ImageState>& states);
    Json request_json() const;
    void check_is_same_request() const;
    std::optional<std::vector<bool>> begun_to_do(const ImageList& whole) const;
    void write_to_do(const ImageList& whole, const std::vector<bool>& to_do) const;
    void publish() const;
    bool write_kept(const JobHooks& hooks) const;

    UpdateRequest request_;
    std::filesystem::path folder_;
    std::unique_ptr<Earlier> earlier_;  ///< null without earlier results
    JobImages images_;
    UpdateCounts counts_;
    /// The lines to keep, and their images' positions in the new list, which rise.
    std::vector<std::uint32_t> kept_lines_;
    std::vector<std::uint32_t> kept_positions_;
};

}  // namespace fovea
