#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/core/text.hpp"
#include "lib/dataset/format_record.hpp"
#include "lib/dataset/image_id.hpp"
#include "lib/dataset/video_sequences.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_place.hpp"
#include "lib/results/results.hpp"

namespace fovea::results_detail {

/// A detection and the number of its image (ResultsCollector::number_of).
struct AddedDetection {
    Detection detection;
    std::uint32_t number = 0;
};

/// Collects results of one or several files; images are in the order of their first appearance.
class ResultsCollector {
  public:
    /// The number of an image, from 0 in the order of first appearance: for formats with one record
    /// per detection.
    std::size_t number_of(const std::string& image);
    /// Adds a detection to the image of this number.
    void add(std::size_t number, Detection detection);
    void add(std::size_t number, const Box& box, double score) { add(number, {box, score}); }
    /// Adds many detections. \param categories parallel to them if the dataset has several; else empty.
    void add_all(std::vector<AddedDetection> detections, std::vector<std::int64_t> categories);
    /// Adds the one record of an image. \throws Error if the image has a record already; `where` is
    /// "FILE:LINE".
    void add_record(ImageResult&& result, const std::string& where);

    /// Notes that one of the files has a record per detection: images without detections are absent.
    void expect_detections_only() { records_every_image_ = false; }

    /// Notes that a file's columns name corners of boxes, which were read so.
    void note_corner_columns() { has_corner_columns_ = true; }

    void warn(std::string sentence) { warnings_.push_back(std::move(sentence)); }

    DetectionResults take();

  private:
    struct Block {
        std::vector<AddedDetection> detections;
        std::vector<std::int64_t> categories;
    };

    std::vector<ImageResult> results_;
    // Blocks are kept until take(): a million detections would make the lists of their images grow step
    // by step.
    std::vector<Block> added_;
    bool records_every_image_ = true;
    bool has_corner_columns_ = false;
    std::vector<std::string> warnings_;
    std::vector<std::string> origins_;  // parallel to results_: "FILE:LINE" of a record, else empty
    std::unordered_map<std::string, std::size_t> index_;
};

/// Throws Error "FILE:LINE: what; the line is 'TEXT'." with an excerpt() of the text.
[[noreturn]] void fail_at_line(const std::string& file, std::size_t line, std::string_view text,
                               const std::string& what);

/// Calls `handle(line number from 1, line without its end)` for every line; understands \n and \r\n.
template <class Handle>
void for_each_line(std::string_view bytes, Handle&& handle) {
    std::size_t number = 0;
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        std::string_view line = bytes.substr(0, end);
        bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        handle(++number, line);
    }
}

/// A JSON library's message without its own prefixes.
std::string json_reason(const Json::exception& error);

/// Reads a record of JSON Lines. \throws as JsonPlace if it is not as expected.
ImageResult result_from_json(const JsonPlace& place);

inline constexpr const char* unreadable_with_detections =
    "the image is recorded as unreadable and yet has detections, expected one or the other";

/// The names of images by the ids that a COCO file gives them.
class NamesOfIds {
  public:
    /// \return false if the id was added before.
    bool add(const RecordId& id, std::string name);
    /// The name for an id, or for the only id of the same whole number (RecordIds::find_number()); else null.
    const std::string* find(const RecordId& id) const;
    const std::string* find_exactly(const RecordId& id) const;
    const std::vector<std::string>& names() const { return names_; }

  private:
    RecordIds ids_;
    std::vector<std::string> names_;  // by the places of the ids
};

/// The images that results may mean by short names or ids. Its tables are made when they are needed.
class KnownImages {
  public:
    /// \param dataset must outlive this; nullptr: no image is known.
    explicit KnownImages(const Dataset* dataset) : dataset_(dataset) {}

    /// The image that a name without extension means: the dataset's if it has exactly one of this stem, else
    /// NAME.jpg. A name with an image's extension is returned as it is.
    std::string named(std::string_view name);

    /// The names of the samples that have an attribute "id".
    const NamesOfIds& names_of_ids();

    /// Null if there is no dataset.
    const Dataset* dataset() const { return dataset_; }

    /// The videos of the dataset; none without a dataset.
    const std::vector<VideoSequence>& sequences();

    /// The number of a category of the dataset (Category::id); other numbers stay, other texts give nothing.
    std::optional<std::int64_t> category_of(const RecordId& given) const;

    /// False if the dataset has categories and this is none of them.
    bool is_wanted_category(std::int64_t category) const;

    /// True if the dataset has several categories, so that results must tell a detection's category.
    bool has_several_categories() const;

  private:
    const Dataset* dataset_;
    std::optional<NamesOfIds> names_of_ids_;
    std::optional<std::vector<VideoSequence>> sequences_;
    std::optional<std::unordered_map<std::string, std::string>> name_of_stem_;  ///< "" if several have it
};

/// A file or folder of results, whose content is read when it is asked for.
class ResultsSource {
  public:
    /// \param path "-" is standard input. \param images_list the COCO data set that names the images; empty:
    /// the evaluated dataset does.
    explicit ResultsSource(std::string path, std::string images_list = {});

    const std::string& path() const { return path_; }
    const std::string& images_list() const { return images_list_; }
    bool is_folder() const { return is_folder_; }

    /// The whole file, read by read_results_file(), with its errors.
    const std::string& bytes() const;
    /// Gives the bytes away, to save memory. Call neither function after it.
    std::string take_bytes();
    /// The bytes from the first one that is no blank; none for a folder. \throws as bytes()
    std::string_view begin() const;

  private:
    std::string path_, images_list_;
    bool is_folder_ = false;
    mutable std::optional<std::string> bytes_;
};

/// Adds the results of a file or folder of one format. \throws UsageError, Error as read_results().
using ResultsFileReader = void(ResultsSource& source, KnownImages& known, ResultsCollector& collector);

/// Says how sure it is that a file or folder is of one format.
using ResultsRecogniser = Certainty(const ResultsSource& source);

/// The image size that YOLO's boxes are shares of: the annotation's, else the image file's.
/// \param sample null: the image is not in the dataset. \throws Error naming the image if its size
/// is unknown.
ImageSize size_of_shares(const std::string& image, const Sample* sample);

/// Reads JSON Lines, a record for each image.
void read_jsonl(ResultsSource& source, KnownImages& known, ResultsCollector& collector);

/// Reads lines "NAME SCORE X1 Y1 X2 Y2".
void read_face_eval_lines(const std::string& file, std::string_view bytes, KnownImages& known,
                          ResultsCollector& collector);

/// Reads a whole file as UTF-8 (text_as_utf8()); "-" is standard input. \throws as read_file(); Error if its
/// encoding is broken.
std::string read_results_file(const std::string& file);

}  // namespace fovea::results_detail
