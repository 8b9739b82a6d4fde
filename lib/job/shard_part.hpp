#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/inputs/shard.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// The features of the faces of a part.
struct PartFeatures {
    std::filesystem::path file;
    std::size_t rows = 0;
    std::size_t bins = 0;
    std::string sha256;
};

/// The jobs whose shards are merged.
struct PartKind {
    const char* command;  ///< that runs them: "detect"
    /// The journal beside the results of a job that is not complete; empty: there can be none.
    std::filesystem::path (*journal)(const std::filesystem::path& results);
    bool are_tracks;
    const char* other;  ///< the end of the sentence about a part of another kind
};
extern const PartKind detection_parts;

/// The results of one shard of a job, with what its manifest says of them.
struct ShardPart {
    std::filesystem::path results;
    std::filesystem::path manifest_file;
    /// Its positions are left out. The lowest shard alone keeps what all parts share.
    Json manifest;
    Shard shard;
    std::size_t images = 0;          ///< in the whole list
    std::size_t lines = 0;           ///< in the results: one for each of its images
    std::size_t unreadable = 0;      ///< of them
    std::size_t detections = 0;      ///< in the results
    std::size_t all_detections = 0;  ///< by the manifest's counts: no annotated box is one
    std::size_t damaged = 0;         ///< images
    std::size_t skipped = 0;         ///< inputs that were no images
    std::size_t pages_left_out = 0;  ///< those behind the first ones of files
    /// Positions of its images, see PositionCursor; none for the whole list.
    std::optional<std::string> positions;
    std::string sha256;  ///< of the results
    std::optional<PartFeatures> features;
};

/// The positions of a part's images in the whole list, from 0, one after the other.
class PositionCursor {
  public:
    /// \param part must outlive it.
    explicit PositionCursor(const ShardPart& part);

    /// The next position; nothing after the last one. \throws Error naming the manifest if it has no rising
    /// position there.
    std::optional<std::size_t> next();

  private:
    const ShardPart& part_;
    std::string_view rest_;
    std::optional<std::size_t> last_;
};

/// Goes through the whole list and checks that its images are in exactly one part each.
class WholeList {
  public:
    explicit WholeList(std::size_t images) : images_(images) {}

    std::size_t done() const { return done_; }
    /// Says that a part has the next images; it must outlive this. \throws Error if there is a gap before
    /// them, or another part has them.
    void take(const ShardPart& part, std::size_t position, std::size_t count = 1);
    /// \throws Error if images are left at the end.
    void check_end() const;

  private:
    [[noreturn]] void fail_hole() const;

    const std::size_t images_;
    std::size_t done_ = 0;
    const ShardPart* last_ = nullptr;  // the part of the image before
};

/// Reads the manifests of parts. \param parts their results. \return the parts by rising shard. \throws
/// UsageError if a part is not there; Error naming a part without manifest, with a broken one, that is
/// incomplete or of other work than the first (and the difference as far as the manifests tell it), or naming
/// shards that are there twice or missing.
std::vector<ShardPart> read_shard_parts(const std::vector<std::filesystem::path>& parts,
                                        const PartKind& kind = detection_parts);

/// Reads the results of a part, and its features if wanted, in full. \throws Error if they have changed since
/// the part's manifest was written.
void check_part_bytes(const ShardPart& part, bool with_features);

/// "'part-2.jsonl' (shard 2/8)".
std::string display_name(const ShardPart& part);

}  // namespace fovea
