#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "lib/core/error.hpp"
#include "lib/core/keypoints.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/read_dataset.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
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
    std::int64_t image = 0;
    std::int64_t category = 0;
    Face face;
};

/// Counts a kind of thing that is worth one warning.
struct Oddity {
    std::size_t count = 0;
    std::size_t first = 0;  ///< position in "annotations"

    void add(std::size_t position) {
        if (count++ == 0) first = position;
    }
};

class CocoReader {
  public:
    CocoReader(const fs::path& path, Dataset& dataset) : file_(path.string()), dataset_(dataset) {
        const std::string bytes = read_file(path, "dataset");
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
        const std::set<std::int64_t> wanted = wanted_categories(category);
        for (const std::int64_t number : wanted) {
            const auto named = categories_.find(number);
            dataset_.categories.push_back({number, named == categories_.end() ? "" : named->second});
        }
        dataset_.has_several_categories = category == all_categories;
        std::vector<std::size_t> counts(dataset_.samples.size());
        for (const Annotation& annotation : annotations_) {
            const auto image = sample_of_.find(annotation.image);
            if (image != sample_of_.end() && wanted.contains(annotation.category)) ++counts[image->second];
        }
        for (std::size_t i = 0; i < counts.size(); ++i) dataset_.samples[i].faces.reserve(counts[i]);
        find_repeated_ids();
        for (std::size_t i = 0; i < annotations_.size(); ++i) {
            Annotation& annotation = annotations_[i];
            const auto image = sample_of_.find(annotation.image);
            if (image == sample_of_.end()) {
                throw Error(file_ + ": annotations[" + std::to_string(i) + "]: image_id is " +
                            std::to_string(annotation.image) +
                            ", which is the id of none of the \"images\".");
            }
            if (wanted.contains(annotation.category)) {
                if (dataset_.has_several_categories) {
                    annotation.face.attributes.push_back(
                        {std::string(category_attribute), std::to_string(annotation.category)});
                }
                dataset_.samples[image->second].faces.push_back(std::move(annotation.face));
            }
        }
        warn(without_crowd_, "no iscrowd; it is taken as 0");
        warn(without_area_, "no area; that of the box is taken");
        warn(repeated_id_, "an id that stands before; each is kept as a face");
        warn(incomplete_points_, "some keypoints only, which the protocol oks evaluates; others need all");
    }

  private:
    void read_record(std::string_view list, std::size_t position, const JsonRecord& record) {
        if (list.empty()) fail("it is a list, as COCO results are");
        try {
            if (list == "images") read_image(record);
            if (list == "annotations") read_annotation(position, record);
            if (list == "categories") categories_.emplace(record.integer(id), record.text(name));
        } catch (const JsonFieldError& error) {
            throw Error(file_ + ": " + std::string(list) + "[" + std::to_string(position) +
                        "]: " + (record.is_object ? error.what : std::string("expected an object")) + ".");
        }
    }

    void read_image(const JsonRecord& record) {
        Sample sample;
        const std::int64_t number = record.integer(id);
        sample.image = record.text(file_name);
        if (sample.image.empty()) record.fail(file_name, "the name of an image file");
        if (!sample_of_.emplace(number, dataset_.samples.size()).second) {
            throw JsonFieldError{"the id " + std::to_string(number) +
                                 " stands before; annotations could not tell the images apart"};
        }
        if (record.has(width) && record.has(height)) {
            const auto side = [&](Field field) {
                const std::int64_t value = record.integer(field);
                if (value < 0 || value > std::numeric_limits<int>::max())
                    record.fail(field, "a number of pixels");
                return static_cast<int>(value);
            };
            const ImageSize size{side(width), side(height)};
            // 0 stands for an unknown size, in what this program writes too.
            if (size.width > 0 && size.height > 0) sample.size = size;
        }
        sample.attributes.push_back({std::string(id_attribute), std::to_string(number)});
        read_attributes(record, sample.attributes);
        sample.annotated = true;
        dataset_.samples.push_back(std::move(sample));
    }

    void read_annotation(std::size_t position, const JsonRecord& record) {
        Annotation annotation;
        annotation.image = record.integer(image_id);
        annotation.category = record.has(category_id) ? record.integer(category_id) : 0;
        Face& face = annotation.face;
        const auto box = record.box(bbox);
        face.box = {box[0], box[1], box[2], box[3]};
        if (record.has(area)) {
            // As it stands: the protocol's size ranges go by it, also where it is that of a segmentation.
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
        if (record.has(id)) {
            const std::int64_t number = record.integer(id);
            annotation_ids_.push_back({number, position});
            if (number == 0) face.attributes.push_back({std::string(id_attribute), "0"});
        }
        read_attributes(record, face.attributes);
        if (record.has(keypoints)) read_keypoints(position, record, face);
        annotations_.push_back(std::move(annotation));
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
        bool all_visible = true;
        for (std::size_t i = 0; i < numbers.size(); i += 3) {
            points.push_back({{numbers[i], numbers[i + 1]}, visibility_from(numbers[i + 2])});
            all_visible = all_visible && points.back().visibility == Keypoint::Visibility::visible;
        }
        if (all_visible) {
            for (const Keypoint& point : points) face.landmarks.push_back(point.point);
            return;
        }
        face.keypoints.edit() = std::move(points);
        const std::size_t labelled = labelled_keypoints(face);
        if (labelled == 0) {
            face.keypoints.reset();
        } else if (labelled < face.keypoints->size()) {
            // Landmarks are told apart by their position in the list, so a face with some of them cannot have
            // any.
            incomplete_points_.add(position);
        } else {
            for (const Keypoint& point : *face.keypoints) face.landmarks.push_back(point.point);
        }
    }

    void find_repeated_ids() {
        // As good as all files have rising ids.
        if (!std::ranges::is_sorted(annotation_ids_)) std::ranges::sort(annotation_ids_);
        std::size_t first = std::numeric_limits<std::size_t>::max();
        for (std::size_t i = 1; i < annotation_ids_.size(); ++i) {
            if (annotation_ids_[i].first != annotation_ids_[i - 1].first) continue;
            ++repeated_id_.count;
            first = std::min(first, annotation_ids_[i].second);
        }
        repeated_id_.first = first;
    }

    /// The ids of the category asked for: by its name or id, "*" for all; else "face"; else the only one.
    std::set<std::int64_t> wanted_categories(const std::string& wanted) const {
        std::map<std::int64_t, std::string> known = categories_;
        const Annotation* last = nullptr;
        for (const Annotation& annotation : annotations_) {
            if (last == nullptr || last->category != annotation.category)
                known.emplace(annotation.category, "");
            last = &annotation;
        }
        std::set<std::int64_t> ids;
        std::string names;
        for (const auto& [number, known_name] : known) {
            const std::string digits = std::to_string(number);
            // All are those that are listed; pycocotools passes over annotations of others.
            const bool is_listed = categories_.empty() || categories_.contains(number);
            const bool is_asked_for =
                (wanted == all_categories && is_listed) || known_name == wanted || digits == wanted;
            if (wanted.empty() ? known_name == "face" : is_asked_for) ids.insert(number);
            names += (names.empty() ? "" : ", ") + (known_name.empty() ? digits : known_name);
        }
        if (!ids.empty() || known.empty()) return ids;
        if (wanted.empty() && known.size() == 1) return {known.begin()->first};
        throw UsageError((wanted.empty() ? "'" + file_ + "' has several categories and none is named face"
                                         : "'" + file_ + "' has no category '" + wanted + "'") +
                         "; name one with ,category=NAME, or all with ,category=*: " + names + ".");
    }

    void warn(const Oddity& oddity, const std::string& what) const {
        if (oddity.count == 0) return;
        dataset_.warnings.push_back(file_ + ": " +
                                    counted(oddity.count, "annotation has", "annotations have") + " " + what +
                                    ", first: annotations[" + std::to_string(oddity.first) + "]");
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(file_ + ": " + what +
                    ": expected a COCO data set in JSON with \"images\" and \"annotations\".");
    }

    std::string file_;
    Dataset& dataset_;
    std::unordered_map<std::int64_t, std::size_t> sample_of_;
    std::vector<std::pair<std::int64_t, std::size_t>> annotation_ids_;  // with their positions
    std::map<std::int64_t, std::string> categories_;
    std::deque<Annotation> annotations_;  // of many, none is moved
    Oddity without_crowd_;
    Oddity without_area_;
    Oddity repeated_id_;
    Oddity incomplete_points_;
};

/// The list's folder, or images/ in it if the first image is there.
fs::path discover_images(const fs::path& folder, const std::string& first) {
    const bool is_below = !is_there(folder / first) && is_there(folder / "images" / first);
    return is_below ? folder / "images" : folder;
}

}  // namespace

Dataset read_coco_dataset(const std::string& path, const DatasetOptions& options) {
    const DatasetSpecification specification("coco", path, {"FILE", "images=DIR", "category=NAME"});
    if (specification.paths().size() > 1) specification.fail("names several files; COCO is read from one.");
    Dataset dataset;
    dataset.format = "coco";
    dataset.sources = specification.paths();
    CocoReader reader(specification.paths().front(), dataset);
    reader.add_faces(specification.option("category"));
    dataset.root = image_root(specification, options,
                              discover_images(specification.folder(), dataset.samples.front().image));
    for (Sample& sample : dataset.samples) sample.path = dataset.root / sample.image;
    return dataset;
}

}  // namespace fovea
