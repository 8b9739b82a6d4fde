#include <algorithm>
#include <array>
#include <deque>
#include <limits>

#include "lib/core/error.hpp"
#include "lib/core/keypoints.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/image_id.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/text_encoding.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_records.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

enum Field : std::size_t {
    id,
    image_id,
    category_id,
    bbox,
    area,
    iscrowd,
    ignore,
    keypoints,
    file_name,
    width,
    height,
    name,
    attributes
};
constexpr std::array<std::string_view, 13> field_names{
    "id",        "image_id",  "category_id", "bbox",   "area", "iscrowd",   "ignore",
    "keypoints", "file_name", "width",       "height", "name", "attributes"};

constexpr std::string_view all_categories = "*";

struct Annotation {
    std::uint32_t image = 0;     ///< place among the ids that annotations have
    std::uint32_t category = 0;  ///< the same
    Face face;
};

/// Counts a kind of thing that is worth one warning.
struct Oddity {
    std::size_t count = 0;
    std::size_t first = 0;  ///< position in its list

    void add(std::size_t position) {
        if (count++ == 0 || position < first) first = position;
    }
};

class CocoReader {
  public:
    CocoReader(const fs::path& path, Dataset& dataset) : file_(path.string()), dataset_(dataset) {
        const std::string bytes = file_text_as_utf8(read_file(path, "dataset"), file_);
        try {
            const JsonRoot root =
                read_json_records(bytes, field_names,
                                  [&](std::string_view list, std::size_t position, const JsonRecord& record) {
                                      read_record(list, position, record);
                                  });
            if (root != JsonRoot::object) fail("it is a list, as COCO results are");
        } catch (const Json::parse_error& error) {
            throw Error(file_ + ":" + std::to_string(line_at(bytes, error.byte)) +
                        ": the file is not JSON from here on: expected a COCO data set.");
        } catch (const Json::exception&) {
            fail("it holds a number that is too large to be read");
        }
        if (dataset_.samples.empty()) fail("its \"images\" name no image");
    }

    void add_faces(const std::string& category) {
        const std::vector<std::uint32_t> images = resolve(annotated_images_, image_ids_);
        const std::vector<std::uint32_t> categories = resolve_categories();
        const std::vector<Category> known = known_categories();
        const std::vector<bool> is_wanted = wanted_categories(known, category);
        for (std::size_t i = 0; i < known.size(); ++i) {
            if (is_wanted[i]) dataset_.categories.push_back(known[i]);
        }
        std::ranges::sort(dataset_.categories, {}, &Category::id);
        dataset_.has_several_categories = category == all_categories;
        std::vector<std::size_t> counts(dataset_.samples.size());
        for (const Annotation& annotation : annotations_) {
            const std::uint32_t image = images[annotation.image];
            if (image != RecordIds::none && is_wanted[categories[annotation.category]]) ++counts[image];
        }
        for (std::size_t i = 0; i < counts.size(); ++i) dataset_.samples[i].faces.reserve(counts[i]);
        find_repeated_ids();
        for (std::size_t i = 0; i < annotations_.size(); ++i) {
            Annotation& annotation = annotations_[i];
            const std::uint32_t image = images[annotation.image];
            if (image == RecordIds::none) {
                throw Error(file_ + ": annotations[" + std::to_string(i) + "]: image_id is " +
                            excerpt(annotated_images_[annotation.image].shown()) +
                            ", which is the id of none of the \"images\".");
            }
            const std::uint32_t of = categories[annotation.category];
            if (!is_wanted[of]) continue;
            if (dataset_.has_several_categories) {
                annotation.face.attributes.push_back(
                    {std::string(category_attribute), std::to_string(known[of].id)});
            }
            dataset_.samples[image].faces.push_back(std::move(annotation.face));
        }
        warn(without_crowd_, "annotation", "no iscrowd; it is taken as 0");
        warn(without_area_, "annotation", "no area; that of the box is taken");
        warn(repeated_id_, "annotation", "an id that stands before; each is kept as a face");
        warn(incomplete_points_, "annotation",
             "some keypoints only, which the protocol oks evaluates; others need all");
        warn(without_size_, "image", "a width or height that is no number of pixels; it is taken as unknown");
    }

  private:
    void read_record(std::string_view list, std::size_t position, const JsonRecord& record) {
        if (list.empty()) fail("it is a list, as COCO results are");
        try {
            if (list == "images") read_image(position, record);
            if (list == "annotations") read_annotation(position, record);
            if (list == "categories") read_category(record);
        } catch (const JsonFieldError& error) {
            throw Error(file_ + ": " + std::string(list) + "[" + std::to_string(position) +
                        "]: " + (record.is_object ? error.what : std::string("expected an object")) + ".");
        }
    }

    void read_category(const JsonRecord& record) {
        const std::uint32_t place = category_ids_.place_of(record_id(record, id));
        if (place < category_names_.size()) return;
        const JsonField& field = record.field(name);
        const bool is_number =
            field.kind == JsonField::Kind::integer || field.kind == JsonField::Kind::number;
        category_names_.push_back(is_number                             ? shortest_number(field.number)
                                  : field.kind == JsonField::Kind::text ? field.text
                                                                        : "");
    }

    void read_image(std::size_t position, const JsonRecord& record) {
        Sample sample;
        const RecordId given = record_id(record, id);
        sample.image = record.text(file_name);
        if (sample.image.empty()) record.fail(file_name, "the name of an image file");
        if (image_ids_.place_of(given) < dataset_.samples.size()) {
            throw JsonFieldError{"the id " + excerpt(given.shown()) +
                                 " stands before; annotations could not tell the images apart"};
        }
        sample.size = read_size(position, record);
        sample.attributes.push_back({std::string(id_attribute), given.shown()});
        read_attributes(record, sample.attributes);
        sample.annotated = true;
        dataset_.samples.push_back(std::move(sample));
    }

    std::optional<ImageSize> read_size(std::size_t position, const JsonRecord& record) {
        if (!record.has(width) || !record.has(height)) return std::nullopt;
        const auto side = [&](Field field) {
            const std::optional<std::int64_t> value = record.whole(field);
            const bool is_side = value && *value >= 0 && *value <= std::numeric_limits<int>::max();
            return is_side ? static_cast<int>(*value) : -1;
        };
        const ImageSize size{side(width), side(height)};
        if (size.width < 0 || size.height < 0) without_size_.add(position);
        // 0 stands for an unknown size, in what this program writes too.
        return size.width > 0 && size.height > 0 ? std::optional(size) : std::nullopt;
    }

    void read_annotation(std::size_t position, const JsonRecord& record) {
        Annotation annotation;
        annotation.image = annotated_images_.place_of(record_id(record, image_id));
        annotation.category = annotated_categories_.place_of(
            record.has(category_id) ? record_id(record, category_id) : RecordId{});
        Face& face = annotation.face;
        const auto box = record.box(bbox);
        face.box = {box[0], box[1], box[2], box[3]};
        if (record.has(area)) {
            // The area is kept as it is: the protocol's size ranges go by it, also if it is a segmentation's.
            if (const double given = record.number(area); given != face.box.w * face.box.h) face.area = given;
        } else {
            without_area_.add(position);
        }
        if (record.has(iscrowd)) {
            face.crowd = record.flag(iscrowd);
        } else {
            without_crowd_.add(position);
        }
        const bool ignored = record.has(ignore) && record.flag(ignore);
        if (ignored) face.attributes.push_back({"ignore", "1"});
        face.ignore = face.crowd || ignored;
        read_annotation_id(position, record, face);
        read_attributes(record, face.attributes);
        if (record.has(keypoints)) read_keypoints(position, record, face);
        annotations_.push_back(std::move(annotation));
    }

    /// Nothing but two oddities hang on it, so that it may be anything.
    void read_annotation_id(std::size_t position, const JsonRecord& record, Face& face) {
        using Kind = JsonField::Kind;
        const Kind kind = record.field(id).kind;
        const bool is_text = kind == Kind::text && !record.field(id).text.empty();
        if (kind != Kind::integer && kind != Kind::number && !is_text) return;
        const RecordId given = record_id(record, id);
        if (given.text.empty()) {
            annotation_ids_.push_back({given.number, position});
            if (given.number == 0) face.attributes.push_back({std::string(id_attribute), "0"});
        } else if (const std::size_t before = texts_of_annotations_.size();
                   texts_of_annotations_.place_of(given) < before) {
            repeated_id_.add(position);
        }
    }

    // This program and annotation tools write {"occlusion": "heavy", "difficult": false}. Others have lists
    // of numbers there, with meanings of their own.
    static void read_attributes(const JsonRecord& record, std::vector<Attribute>& to) {
        if (record.field(attributes).kind != JsonField::Kind::members) return;
        for (const auto& [name, value] : record.members(attributes)) {
            if (name != id_attribute && find_attribute(to, name) == nullptr) to.push_back({name, value});
        }
    }

    void read_keypoints(std::size_t position, const JsonRecord& record, Face& face) {
        const JsonField& field = record.field(keypoints);
        const std::size_t whole = field.numbers.size() / 3 * 3;
        const auto numbers = record.numbers(keypoints, whole, "a list of x, y, visibility for each point");
        std::vector<Keypoint> points;
        for (std::size_t i = 0; i < numbers.size(); i += 3)
            points.push_back({{numbers[i], numbers[i + 1]}, visibility_from(numbers[i + 2])});
        if (!set_keypoints(face, std::move(points))) incomplete_points_.add(position);
    }

    void find_repeated_ids() {
        // Nearly all files have rising ids.
        if (!std::ranges::is_sorted(annotation_ids_)) std::ranges::sort(annotation_ids_);
        for (std::size_t i = 1; i < annotation_ids_.size(); ++i) {
            if (annotation_ids_[i].first == annotation_ids_[i - 1].first)
                repeated_id_.add(annotation_ids_[i].second);
        }
    }

    /// The places of ids that annotations have in the list that they refer to.
    static std::vector<std::uint32_t> resolve(const RecordIds& given, const RecordIds& listed) {
        std::vector<std::uint32_t> places;
        for (std::uint32_t i = 0; i < given.size(); ++i) {
            const std::uint32_t place = listed.find(given[i]);
            places.push_back(place != RecordIds::none ? place : listed.find_number(given[i]));
        }
        return places;
    }

    /// Categories that are not listed are added behind those that are.
    std::vector<std::uint32_t> resolve_categories() {
        std::vector<std::uint32_t> places = resolve(annotated_categories_, category_ids_);
        for (std::uint32_t i = 0; i < places.size(); ++i) {
            if (places[i] == RecordIds::none) places[i] = category_ids_.place_of(annotated_categories_[i]);
        }
        return places;
    }

    /// Indexed by their places in category_ids_.
    std::vector<Category> known_categories() const {
        std::vector<Category> known;
        std::int64_t last = 0;
        for (std::uint32_t i = 0; i < category_ids_.size(); ++i) {
            const RecordId& given = category_ids_[i];
            known.push_back({given.number, i < category_names_.size() ? category_names_[i] : "", given.text});
            if (given.text.empty()) last = std::max(last, given.number);
        }
        for (Category& category : known) {
            if (!category.text_id.empty()) category.id = ++last;
        }
        return known;
    }

    /// Parallel to `known`: the category asked for by its name or id, "*" for all; else "face"; else the only
    /// one.
    std::vector<bool> wanted_categories(const std::vector<Category>& known, const std::string& wanted) const {
        std::vector<bool> is_wanted(known.size());
        bool is_any = false;
        for (std::size_t i = 0; i < known.size(); ++i) {
            // All are those that are listed; pycocotools passes over annotations of others.
            const bool is_listed = category_names_.empty() || i < category_names_.size();
            const bool is_asked_for = (wanted == all_categories && is_listed) || known[i].name == wanted ||
                                      category_ids_[static_cast<std::uint32_t>(i)].shown() == wanted;
            is_wanted[i] = wanted.empty() ? known[i].name == "face" : is_asked_for;
            is_any = is_any || is_wanted[i];
        }
        if (is_any || known.empty()) return is_wanted;
        if (wanted.empty() && known.size() == 1) return {true};
        std::vector<Category> by_id = known;
        std::ranges::sort(by_id, {}, &Category::id);
        std::string names;
        for (const Category& category : by_id) {
            names +=
                (names.empty() ? "" : ", ") + (!category.name.empty()      ? category.name
                                               : !category.text_id.empty() ? category.text_id
                                                                           : std::to_string(category.id));
        }
        throw UsageError((wanted.empty() ? "'" + file_ + "' has several categories and none is named face"
                                         : "'" + file_ + "' has no category '" + wanted + "'") +
                         "; name one with ,category=NAME, or all with ,category=*: " + names + ".");
    }

    void warn(const Oddity& oddity, const std::string& noun, const std::string& what) const {
        if (oddity.count == 0) return;
        dataset_.warnings.push_back(file_ + ": " + counted(oddity.count, noun + " has", noun + "s have") +
                                    " " + what + ", first: " + noun + "s[" + std::to_string(oddity.first) +
                                    "]");
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(file_ + ": " + what +
                    ": expected a COCO data set in JSON with \"images\" and \"annotations\".");
    }

    std::string file_;
    Dataset& dataset_;
    RecordIds image_ids_;  // their places are those of the samples
    RecordIds category_ids_;
    std::vector<std::string> category_names_;  // of those that are listed
    RecordIds annotated_images_;
    RecordIds annotated_categories_;
    std::vector<std::pair<std::int64_t, std::size_t>> annotation_ids_;  // with their positions
    RecordIds texts_of_annotations_;
    std::deque<Annotation> annotations_;  // of many, none is moved
    Oddity without_crowd_;
    Oddity without_area_;
    Oddity repeated_id_;
    Oddity incomplete_points_;
    Oddity without_size_;
};

/// The list's folder, or images/ in it if the first image is there.
fs::path discover_images(const fs::path& folder, const std::string& given) {
    const std::string first = listed_name(given, folder);
    const bool is_below = !is_there(folder / first) && is_there(folder / "images" / first);
    return is_below ? folder / "images" : folder;
}

}  // namespace

/// JSON that is not the project's own and has one of COCO's lists near its beginning.
Certainty recognise_coco(const PathFacts& facts) {
    constexpr std::array<std::string_view, 5> keys{"\"images\"", "\"annotations\"", "\"categories\"",
                                                   "\"licenses\"", "\"info\""};
    const std::string_view head = facts.head();
    if (!facts.is_json() || head.find("\"fovea-dataset\"") != std::string_view::npos) return Certainty::none;
    return certain_if(std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
        return head.find(key) != std::string_view::npos;
    }));
}

Dataset read_coco_dataset(const std::string& path, const DatasetOptions& options) {
    const DatasetSpecification specification("coco", path, {"FILE", "images=DIR", "category=NAME"});
    Dataset dataset;
    dataset.format = "coco";
    dataset.sources = {specification.only_path()};
    CocoReader reader(specification.only_path(), dataset);
    reader.add_faces(specification.option("category"));
    dataset.root = image_root(specification, options,
                              discover_images(specification.folder(), dataset.samples.front().image));
    for (Sample& sample : dataset.samples) {
        sample.image = listed_name(sample.image, dataset.root);
        sample.path = dataset.root / sample.image;
    }
    return dataset;
}

}  // namespace fovea
