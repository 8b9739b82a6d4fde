#include <array>
#include <optional>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_records.hpp"
#include "lib/results/coco_records.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {
namespace {

enum ImageField : std::size_t { id, file_name };
constexpr std::array<std::string_view, 2> image_field_names{"id", "file_name"};

NameOfId read_images_list(const std::string& file) {
    constexpr const char* expected =
        "a COCO data set in JSON with an \"images\" list of {\"id\", \"file_name\"}";
    const std::string bytes = read_results_file(file);
    NameOfId names;
    try {
        const auto take = [&](std::string_view list, std::size_t position, const JsonRecord& record) {
            if (list != "images") return;
            const std::string place = file + ": images[" + std::to_string(position) + "]";
            try {
                const std::int64_t number = record.integer(id);
                if (!names.emplace(number, record.text(file_name)).second) {
                    throw Error(place + ": the id " + std::to_string(number) +
                                " stands twice in the \"images\" list.");
                }
            } catch (const JsonFieldError& error) {
                throw Error(place + ": " + error.what + R"(; expected {"id": integer, "file_name": text}.)");
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
    /// \param names of the images by their ids; nullptr where nothing tells them.
    RecordAssigner(const std::string& file, const NameOfId* names, const KnownImages& known,
                   ResultsCollector& collector)
        : file_(file), names_(names), known_(known), collector_(collector) {}

    void add(CocoRecords records) {
        const bool has_categories = known_.has_several_categories();
        std::size_t kept = 0;
        for (std::size_t i = 0; i < records.found.size(); ++i, ++before_) {
            const std::int64_t category = records.categories[i];
            if (category != CocoRecords::no_category && !known_.is_wanted_category(category)) {
                ++left_out_;
                continue;
            }
            if (has_categories && category == CocoRecords::no_category)
                fail("category_id is missing, expected an integer");
            const std::size_t number =
                records.is_named[i]
                    ? collector_.number_of(records.names[static_cast<std::size_t>(records.images[i])])
                    : number_of_id(records.images[i]);
            records.found[i].number = static_cast<std::uint32_t>(number);
            if (kept != i) records.found[kept] = std::move(records.found[i]);
            records.categories[kept++] = category;
        }
        records.found.resize(kept);
        records.categories.resize(has_categories ? kept : 0);
        collector_.add_all(std::move(records.found), std::move(records.categories));
    }

    std::size_t records() const { return before_; }
    std::size_t left_out() const { return left_out_; }

  private:
    std::size_t number_of_id(std::int64_t id) {
        if (last_id_ == id) return last_number_;
        const auto known = number_of_id_.find(id);
        last_number_ = known != number_of_id_.end() ? known->second : new_number(id);
        last_id_ = id;
        return last_number_;
    }

    std::size_t new_number(std::int64_t id) {
        const std::string what = "image_id is " + std::to_string(id);
        if (names_ == nullptr) {
            fail(what +
                 ", and an integer needs the list that names its image: give the results as "
                 "coco:RESULTS,images=GROUND_TRUTH.json");
        }
        const auto name = names_->find(id);
        if (name == names_->end()) fail(what + ", which is not in the given list of images");
        return number_of_id_[id] = collector_.number_of(name->second);
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(file_ + ": in record " + std::to_string(before_ + 1) + " of the list, " + what + ".");
    }

    const std::string& file_;
    const NameOfId* names_;
    const KnownImages& known_;
    ResultsCollector& collector_;
    std::unordered_map<std::int64_t, std::size_t> number_of_id_;
    std::optional<std::int64_t> last_id_;
    std::size_t last_number_ = 0;
    std::size_t before_ = 0;  // records before the one at hand
    std::size_t left_out_ = 0;
};

}  // namespace

void assign_coco(const std::string& file, std::vector<CocoRecords> parts, const std::string& images_list,
                 KnownImages& known, ResultsCollector& collector) {
    const NameOfId listed = images_list.empty() ? NameOfId{} : read_images_list(images_list);
    const NameOfId& by_id = images_list.empty() ? known.name_of_id() : listed;
    RecordAssigner assigner(file, images_list.empty() && by_id.empty() ? nullptr : &by_id, known, collector);
    for (CocoRecords& records : parts) assigner.add(std::move(records));
    if (assigner.left_out() == 0) return;
    collector.warn(file + ": " + std::to_string(assigner.left_out()) + " of " +
                   counted(assigner.records(), "result") +
                   " have a category_id that is not that of the dataset's faces, and are left out.");
}

void read_coco(const std::string& file, std::string_view bytes, const std::string& images_list,
               KnownImages& known, ResultsCollector& collector) {
    std::vector<CocoRecords> parts = read_coco_parts(bytes, std::atomic<bool>{false});
    if (parts.empty()) parts.push_back(read_coco_list(file, bytes));
    assign_coco(file, std::move(parts), images_list, known, collector);
}

}  // namespace fovea::results_detail
