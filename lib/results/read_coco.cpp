#include <array>
#include <optional>

#include "lib/core/error.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_records.hpp"
#include "lib/results/coco_records.hpp"
#include "lib/results/image_names.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {
namespace {

enum ImageField : std::size_t { image_number, image_name };
constexpr std::array<std::string_view, 2> image_field_names{"id", "file_name"};

NamesOfIds read_images_list(const std::string& file) {
    constexpr const char* expected =
        "a COCO data set in JSON with an \"images\" list of {\"id\", \"file_name\"}";
    const std::string bytes = read_results_file(file);
    NamesOfIds names;
    try {
        const auto take = [&](std::string_view list, std::size_t position, const JsonRecord& record) {
            if (list != "images") return;
            const std::string place = file + ": images[" + std::to_string(position) + "]";
            try {
                const RecordId given = record_id(record, image_number);
                if (!names.add(given, record.text(image_name))) {
                    throw Error(place + ": the id " + excerpt(given.shown()) +
                                " stands twice in the \"images\" list.");
                }
            } catch (const JsonFieldError& error) {
                throw Error(place + ": " + error.what +
                            R"(; expected {"id": number or text, "file_name": text}.)");
            }
        };
        if (read_json_records(bytes, image_field_names, take) != JsonRoot::object) {
            throw Error(file + ": expected " + expected + ".");
        }
    } catch (const Json::exception& error) {
        fail_json(file, bytes, error, expected);
    }
    return names;
}

/// Gives each record to its image.
class RecordAssigner {
  public:
    /// \param names of the images by their ids. \param has_list they are those of a list that was named.
    RecordAssigner(const std::string& file, const NamesOfIds& names, bool has_list, const KnownImages& known,
                   ResultsCollector& collector)
        : file_(file), names_(names), has_list_(has_list), known_(known), collector_(collector) {}

    void add(CocoRecords records) {
        const bool has_categories = known_.has_several_categories();
        negative_sizes_ += records.negative_sizes;
        last_name_ = CocoReference::is_absent;
        std::vector<std::int64_t> categories;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < records.found.size(); ++i, ++before_) {
            const CocoReference& given = records.categories[i];
            const std::optional<std::int64_t> category = category_of(given, records.texts);
            if (given.text != CocoReference::is_absent &&
                !(category && known_.is_wanted_category(*category))) {
                ++left_out_;
                continue;
            }
            if (has_categories) {
                if (!category) fail("category_id is missing, expected a number or a text");
                categories.push_back(*category);
            }
            records.found[i].number = static_cast<std::uint32_t>(number_of(records, i));
            if (kept != i) records.found[kept] = std::move(records.found[i]);
            ++kept;
        }
        records.found.resize(kept);
        collector_.add_all(std::move(records.found), std::move(categories));
    }

    /// Says what the records do not say themselves.
    void warn() const {
        if (left_out_ > 0) {
            collector_.warn(file_ + ": " + std::to_string(left_out_) + " of " + counted(before_, "result") +
                            " have a category_id that is not that of the dataset's faces, and are left out.");
        }
        if (renamed_ > 0) {
            collector_.warn(file_ + ": " + std::to_string(renamed_) + " of " + counted(before_, "result") +
                            " name one image by file_name and another one by image_id, first record " +
                            std::to_string(first_renamed_ + 1) + "; the file_name counts.");
        }
        if (negative_sizes_ > 0) {
            collector_.warn(file_ + ": " + counted(negative_sizes_, "result has", "results have") +
                            " a width or height below 0; nothing overlaps such a box.");
        }
    }

  private:
    /// The images of the dataset, or of the list; made when it is needed.
    const ImageNameIndex& images() {
        if (images_) return *images_;
        images_.emplace();
        if (known_.dataset() != nullptr) {
            for (const Sample& sample : known_.dataset()->samples) images_->add(sample.image);
        } else {
            for (const std::string& name : names_.names()) images_->add(name);
        }
        return *images_;
    }

    /// Nothing where the record has none, or one that the dataset does not have.
    std::optional<std::int64_t> category_of(const CocoReference& given,
                                            const std::vector<std::string>& texts) {
        if (given.text == CocoReference::is_absent) return std::nullopt;
        if (given.text == CocoReference::is_number) {
            // Nearly always that of the record before.
            if (last_category_ != given.number) {
                last_category_ = given.number;
                last_meaning_ = known_.category_of({given.number, {}});
            }
            return last_meaning_;
        }
        return known_.category_of(id_of_text(texts[given.text]));
    }

    std::size_t number_of(const CocoRecords& records, std::size_t i) {
        const CocoReference& image = records.images[i];
        if (records.names[i] == CocoReference::is_absent) return number_of_id(image, records.texts, true);
        if (records.names[i] != last_name_) {
            last_name_ = records.names[i];
            last_named_ = number_of_name(records.texts[last_name_]);
        }
        const std::size_t by_id =
            image.text == CocoReference::is_absent ? none : number_of_id(image, records.texts, false);
        // A name that nobody knows, as of a file that was copied, says nothing against an id.
        if (last_named_ == none)
            return by_id != none ? by_id : collector_.number_of(records.texts[last_name_]);
        if (by_id != last_named_ && image.text != CocoReference::is_absent && renamed_++ == 0)
            first_renamed_ = before_;
        return last_named_;
    }

    /// `none` for a name that fits no image, or several.
    std::size_t number_of_name(const std::string& name) {
        const auto [known, is_new] = number_of_name_.emplace(name, none);
        if (!is_new) return known->second;
        const std::size_t image = images().find_loosely(name);
        if (image != no_image) known->second = collector_.number_of(images().name(image));
        if (images().size() == 0) known->second = collector_.number_of(name);
        return known->second;
    }

    /// \param is_needed  an id that is not known is an error, else `none`
    std::size_t number_of_id(const CocoReference& image, const std::vector<std::string>& texts,
                             bool is_needed) {
        if (image.text != CocoReference::is_number) return number_of_text(texts[image.text], is_needed);
        if (last_id_ == image.number) return last_number_;
        auto known = number_of_id_.find(image.number);
        if (known == number_of_id_.end()) {
            const std::string* const name = names_.find({image.number, {}});
            if (name == nullptr && !is_needed) return none;
            if (name == nullptr) fail_unknown(image.number);
            known = number_of_id_.emplace(image.number, collector_.number_of(*name)).first;
        }
        last_number_ = known->second;
        last_id_ = image.number;
        return last_number_;
    }

    /// A text is an id, else the name of an image.
    std::size_t number_of_text(const std::string& text, bool is_needed) {
        const auto known = number_of_text_.find(text);
        if (known != number_of_text_.end()) return known->second;
        const bool is_name = images().find(text) != no_image;
        const std::string* const name =
            is_name ? names_.find_exactly(id_of_text(text)) : names_.find(id_of_text(text));
        if (name == nullptr && !is_name && !is_needed) return none;
        return number_of_text_[text] = collector_.number_of(name != nullptr ? *name : text);
    }

    [[noreturn]] void fail_unknown(std::int64_t id) const {
        const std::string what = "image_id is " + std::to_string(id);
        if (names_.names().empty() && !has_list_) {
            fail(what +
                 ", and an integer needs the list that names its image: give the results as "
                 "coco:RESULTS,images=GROUND_TRUTH.json");
        }
        fail(what + ", which is not in the given list of images");
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(file_ + ": in record " + std::to_string(before_ + 1) + " of the list, " + what + ".");
    }

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    const std::string& file_;
    const NamesOfIds& names_;
    bool has_list_;
    const KnownImages& known_;
    ResultsCollector& collector_;
    std::optional<ImageNameIndex> images_;
    std::unordered_map<std::int64_t, std::size_t> number_of_id_;
    std::unordered_map<std::string, std::size_t> number_of_text_;
    std::unordered_map<std::string, std::size_t> number_of_name_;
    std::optional<std::int64_t> last_category_, last_meaning_;
    std::optional<std::int64_t> last_id_;
    std::size_t last_number_ = 0;
    std::uint32_t last_name_ = CocoReference::is_absent;  // in the records at hand
    std::size_t last_named_ = 0;
    std::size_t before_ = 0;  // records before the one at hand
    std::size_t left_out_ = 0;
    std::size_t renamed_ = 0;
    std::size_t first_renamed_ = 0;
    std::size_t negative_sizes_ = 0;
};

}  // namespace

void assign_coco(const std::string& file, std::vector<CocoRecords> parts, const std::string& images_list,
                 KnownImages& known, ResultsCollector& collector) {
    const NamesOfIds listed = images_list.empty() ? NamesOfIds{} : read_images_list(images_list);
    const bool has_list = !images_list.empty();
    RecordAssigner assigner(file, has_list ? listed : known.names_of_ids(), has_list, known, collector);
    for (CocoRecords& records : parts) assigner.add(std::move(records));
    assigner.warn();
}

bool is_coco_data_set(std::string_view begin) {
    const std::string_view line = begin.substr(0, begin.find('\n'));
    return begin.find("\"annotations\"") != std::string_view::npos &&
           line.find("\"image\"") == std::string_view::npos;
}

Certainty recognise_coco(const ResultsSource& source) {
    const std::string_view begin = source.begin();
    return certain_if(begin.starts_with('[') || (begin.starts_with('{') && is_coco_data_set(begin)));
}

/// A list of COCO results JSON; image_id = file name, or an id resolved through a COCO images list
/// beside it, or by the dataset.
void read_coco(ResultsSource& source, KnownImages& known, ResultsCollector& collector) {
    const std::string& file = source.path();
    const std::string& bytes = source.bytes();
    collector.expect_detections_only();
    std::vector<CocoRecords> parts = read_coco_parts(bytes, std::atomic<bool>{false});
    if (parts.empty()) parts.push_back(read_coco_list(file, bytes));
    assign_coco(file, std::move(parts), source.images_list(), known, collector);
}

}  // namespace fovea::results_detail
