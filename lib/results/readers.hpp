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

/// Images in the order of their first appearance, over one or several files.
class ResultsCollector {
  public:
    /// The number of an image, from 0 in the order of first appearance. For formats with one record per
    /// detection.
    std::size_t number_of(const std::string& image);
    /// A detection more in the image of this number.
    void add(std::size_t number, Detection detection);
    void add(std::size_t number, const Box& box, double score) { add(number, {box, score}); }
    /// The same as add, for many.
    /// \param categories parallel to them where the dataset has several, else empty.
    void add_all(std::vector<AddedDetection> detections, std::vector<std::int64_t> categories);
    /// Adds the one record of an image. \throws Error if the image has a record already; `where` is
    /// "FILE:LINE".
    void add_record(ImageResult&& result, const std::string& where);

    /// One of the files has a record per detection: an image may be absent because nothing was detected in
    /// it.
    void expect_detections_only() { records_every_image_ = false; }

    /// The boxes of one of the files were read as corners, as its columns are named.
    void note_corner_columns() { has_corner_columns_ = true; }

    void warn(std::string sentence) { warnings_.push_back(std::move(sentence)); }

    DetectionResults take();

  private:
    struct Block {
        std::vector<AddedDetection> detections;
        std::vector<std::int64_t> categories;
    };

    std::vector<ImageResult> results_;
    // Kept apart until all are there: a million detections would have the lists of their images grow step by
    // step.
    std::vector<Block> added_;
    bool records_every_image_ = true;
    bool has_corner_columns_ = false;
    std::vector<std::string> warnings_;
    std::vector<std::string> origins_;  // parallel to results_: "FILE:LINE" of a record, else empty
    std::unordered_map<std::string, std::size_t> index_;
};

/// "FILE:LINE: what; the line is 'TEXT'." with the text shortened to one readable line.
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

/// One record of JSON Lines. \throws as the functions of the place do, for what is not as expected.
ImageResult result_from_json(const JsonPlace& place);

inline constexpr const char* unreadable_with_detections =
    "the image is recorded as unreadable and yet has detections, expected one or the other";

/// The names of images by the ids that a COCO file gave them.
class NamesOfIds {
  public:
    /// \return false if the id stands before.
    bool add(const RecordId& id, std::string name);
    /// The image of an id, or of the one that has the same whole number (RecordIds::find_number), or nullptr.
    const std::string* find(const RecordId& id) const;
    const std::string* find_exactly(const RecordId& id) const;
    const std::vector<std::string>& names() const { return names_; }

  private:
    RecordIds ids_;
    std::vector<std::string> names_;  // by the places of the ids
};

/// The images that results may mean where they do not name them in full. Its tables are made when they are
/// needed.
class KnownImages {
  public:
    /// \param dataset must outlive this; nullptr: no image is known.
    explicit KnownImages(const Dataset* dataset) : dataset_(dataset) {}

    /// The image that a name without extension means: the dataset's, if it has exactly one of this stem, else
    /// NAME.jpg. A name with the extension of an image stands for itself.
    std::string named(std::string_view name);

    /// For the samples with an attribute "id".
    const NamesOfIds& names_of_ids();

    /// Or nullptr.
    const Dataset* dataset() const { return dataset_; }

    /// The videos of the dataset; none without one.
    const std::vector<VideoSequence>& sequences();

    /// The number that stands for a category of the dataset (Category::id); other numbers stand for
    /// themselves, and nothing for other texts.
    std::optional<std::int64_t> category_of(const RecordId& given) const;

    /// False for an id that is none of the category of the dataset's faces, where the dataset tells these.
    bool is_wanted_category(std::int64_t category) const;

    /// The results have to say of what category a detection is.
    bool has_several_categories() const;

  private:
    const Dataset* dataset_;
    std::optional<NamesOfIds> names_of_ids_;
    std::optional<std::vector<VideoSequence>> sequences_;
    std::optional<std::unordered_map<std::string, std::string>> name_of_stem_;  ///< "" where several
};

/// A file or folder of results: its name at once, its content when it is asked for.
class ResultsSource {
  public:
    /// \param path "-" is standard input. \param images_list the COCO data set that names the images; empty:
    /// the dataset does.
    explicit ResultsSource(std::string path, std::string images_list = {});

    const std::string& path() const { return path_; }
    const std::string& images_list() const { return images_list_; }
    bool is_folder() const { return is_folder_; }

    /// The whole file, as read_results_file has it. \throws as there
    const std::string& bytes() const;
    /// The same, which this then has no more.
    std::string take_bytes();
    /// The bytes from the first that is no blank on; none of a folder. \throws as bytes
    std::string_view begin() const;

  private:
    std::string path_, images_list_;
    bool is_folder_ = false;
    mutable std::optional<std::string> bytes_;
};

/// Adds the results of a file or folder of one format. \throws UsageError, Error as read_results.
using ResultsFileReader = void(ResultsSource& source, KnownImages& known, ResultsCollector& collector);

/// How sure it is that a file or folder is of one format.
using ResultsRecogniser = Certainty(const ResultsSource& source);

/// The size whose shares YOLO's boxes are: the annotation's, else that of the image file.
/// \param sample null: unknown. \throws Error naming the image if its size cannot be known.
ImageSize size_of_shares(const std::string& image, const Sample* sample);

/// Lines "NAME SCORE X1 Y1 X2 Y2".
void read_face_eval_lines(const std::string& file, std::string_view bytes, KnownImages& known,
                          ResultsCollector& collector);

/// The whole file as text_as_utf8() has it; "-" is standard input. \throws as read_file, and Error if its
/// encoding is broken.
std::string read_results_file(const std::string& file);

}  // namespace fovea::results_detail
