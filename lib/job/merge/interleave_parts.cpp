#include "lib/job/merge/interleave_parts.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/files/block_reader.hpp"
#include "lib/results/result_line.hpp"

namespace fovea {
namespace {

constexpr std::size_t write_bytes = std::size_t{1} << 20;

// One part while it is read.
struct OpenPart {
    OpenPart(const ShardPart& shard_part, std::size_t block_bytes, bool with_features)
        : part(shard_part), positions(shard_part), lines(shard_part.results, 0, block_bytes) {
        if (with_features) features.emplace(part.features->file, FeatureFile::header_bytes, block_bytes);
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Error("The part " + display_name(part) + " " + what + " than its manifest '" +
                    part.manifest_file.string() + "' says; make the part again.");
    }

    const ShardPart& part;
    PositionCursor positions;
    BlockReader lines;
    std::optional<BlockReader> features;
    std::size_t lines_read = 0;
    std::size_t rows_read = 0;
    std::size_t detections = 0;
    std::size_t unreadable = 0;
};

class Merger {
  public:
    Merger(const std::vector<ShardPart>& parts, ResultsWriter& results, FeatureFile* features,
           const JobHooks& hooks)
        : images_(parts.front().images),
          list_(images_),
          hooks_(hooks),
          results_(results),
          features_(features) {
        // All together no more than this, however many there are; but system calls want some bytes each.
        constexpr std::size_t all_bytes = std::size_t{32} << 20;
        const std::size_t block = std::clamp(all_bytes / parts.size(), std::size_t{1} << 14, write_bytes);
        readers_.reserve(parts.size());
        for (const ShardPart& part : parts) readers_.emplace_back(part, block, features_ != nullptr);
    }

    /// False if it was cancelled.
    bool run(MergeResult& outcome) {
        for (std::size_t i = 0; i < readers_.size(); ++i) push_next(i);
        for (; !next_.empty(); outcome.images = list_.done()) {
            if (hooks_.is_cancelled()) return false;
            const auto [position, i] = next_.top();
            next_.pop();
            list_.take(readers_[i].part, position);
            add_line(readers_[i], outcome);
            push_next(i);
            if (hooks_.progress && outcome.images % 4096 == 0)
                hooks_.progress({outcome.images, images_, outcome.unreadable.size()});
        }
        list_.check_end();
        for (OpenPart& reader : readers_) check_end(reader);
        flush(true);
        outcome.feature_rows = features_ != nullptr ? features_->rows() : 0;
        return true;
    }

  private:
    using Next = std::pair<std::size_t, std::size_t>;  // position, reader

    void push_next(std::size_t i) {
        if (const std::optional<std::size_t> position = readers_[i].positions.next()) {
            next_.emplace(*position, i);
        }
    }

    void add_line(OpenPart& reader, MergeResult& outcome) {
        const std::optional<std::string_view> bytes = reader.lines.next_line();
        if (!bytes) reader.fail("has fewer images");
        ++reader.lines_read;
        const std::optional<ResultLine> line = read_result_line(*bytes);
        if (!line) {
            throw Error(reader.part.results.string() + ":" + std::to_string(reader.lines_read) +
                        ": cannot read '" + excerpt(*bytes) +
                        "': expected the result of an image; make the part again.");
        }
        lines_ += *bytes;
        reader.detections += line->detections;
        outcome.detections += line->detections;
        if (!line->ok()) {
            ++reader.unreadable;
            outcome.unreadable.push_back({line->image, std::string(line->unreadable_reason())});
        }
        if (features_) add_rows(reader, line->detections);
        flush(false);
    }

    void add_rows(OpenPart& reader, std::size_t rows) {
        if (reader.part.features->rows - reader.rows_read < rows) {
            reader.fail("has more detections, or fewer features,");
        }
        reader.rows_read += rows;
        const std::size_t row_bytes = reader.part.features->bins * sizeof(std::uint16_t);
        for (; rows > 0; --rows) {
            rows_ += reader.features->next_bytes(row_bytes);
            flush(false);
        }
    }

    void flush(bool all) {
        if (all || lines_.size() >= write_bytes) {
            results_.write_lines(lines_);
            lines_.clear();
        }
        if (features_ && (all || rows_.size() >= write_bytes)) {
            features_->file().append(rows_);
            rows_.clear();
        }
    }

    void check_end(OpenPart& reader) const {
        if (reader.lines.next_line()) reader.fail("has more images");
        if (reader.features && reader.rows_read != reader.part.features->rows) {
            reader.fail("has fewer detections, or more features,");
        }
        if (reader.detections != reader.part.detections) reader.fail("has more or fewer detections");
        if (reader.unreadable != reader.part.unreadable) reader.fail("has more or fewer unreadable images");
    }

    std::size_t images_;
    WholeList list_;
    const JobHooks& hooks_;
    ResultsWriter& results_;
    FeatureFile* features_;
    std::vector<OpenPart> readers_;
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next_;
    std::string lines_;  // not yet written
    std::string rows_;
};

}  // namespace

bool interleave_parts(const std::vector<ShardPart>& parts, ResultsWriter& results, FeatureFile* features,
                      const JobHooks& hooks, MergeResult& outcome) {
    return Merger(parts, results, features, hooks).run(outcome);
}

}  // namespace fovea
