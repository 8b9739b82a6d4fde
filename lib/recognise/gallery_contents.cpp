#include "lib/recognise/gallery_contents.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json_place.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

Box box_at(const JsonPlace& place) {
    const std::vector<double> values = place.numbers(4, "[x, y, width, height]");
    return {values[0], values[1], values[2], values[3]};
}

Point point_at(const JsonPlace& place) {
    const std::vector<double> values = place.numbers(2, "[x, y]");
    return {values[0], values[1]};
}

GalleryFace face_from_json(const JsonPlace& place) {
    place.require_keys({"image", "dataset"}, {"subject", "box", "eyes", "quality", "found_by"});
    GalleryFace face;
    face.image = place["image"].text();
    face.dataset = place["dataset"].text();
    if (place.has("subject")) face.subject = place["subject"].text();
    if (place.has("box")) face.box = box_at(place["box"]);
    if (place.has("eyes")) {
        if (place["eyes"].array_size() != 2) place["eyes"].fail("two points");
        face.eyes = {point_at(place["eyes"][0]), point_at(place["eyes"][1])};
    }
    if (place.has("quality")) face.quality = place["quality"].json();
    if (place.has("found_by")) face.found_by = place["found_by"].text();
    return face;
}

// The result of `read` on the metadata; whatever is wrong with them is the record's fault.
template <class Read>
auto from_metadata(const GalleryRecord& record, const GalleryRecordReader& reader, const Read& read) {
    try {
        const Json json = parse_json(record.metadata);
        return read(JsonPlace(json, "metadata"));
    } catch (const Json::exception&) {
        reader.fail_at_record("has metadata that are not JSON");
    } catch (const Error& error) {
        reader.fail_at_record(std::string("cannot be understood: ") + error.what());
    }
}

}  // namespace

GalleryContents::GalleryContents(const std::filesystem::path& file, const std::string& header) {
    info_.file = file;
    info_.version = static_cast<int>(gallery_version);
    const auto fail = [&](const std::string& what) {
        throw Error("The gallery '" + file.string() + "' cannot be used by this program: " + what +
                    ". Use the program that wrote it, or enrol its images into a new gallery.");
    };
    try {
        const Json json = parse_json(header);
        info_.recogniser = recogniser_config_from_json(json.at("recogniser"), file.parent_path());
        info_.fingerprint = json.at("feature_fingerprint").get<std::string>();
    } catch (const Json::exception&) {
        fail("its header does not hold a recogniser");
    } catch (const UsageError& error) {
        fail(std::string("of its recogniser, ") + error.what());
    }
    if (const std::string fingerprint = feature_fingerprint(info_.recogniser);
        fingerprint != info_.fingerprint) {
        fail("its recogniser's fingerprint is " + info_.fingerprint + ", and would be " + fingerprint +
             " here, so features would not be comparable");
    }
    bins_ = histogram_layout(info_.recogniser).bins;
}

void GalleryContents::read(
    GalleryRecordReader& reader,
    const std::function<void(const GalleryRecord& record, std::size_t number)>& handle) {
    GalleryRecord record;
    while (reader.next(record)) {
        if (record.kind == GalleryRecordKind::synced) continue;
        handle(record, take(record, reader));
    }
    info_.bytes = reader.file_bytes();
    info_.torn_bytes = reader.file_bytes() - reader.end();
    info_.finished = reader.is_finished();
}

std::size_t GalleryContents::take(const GalleryRecord& record, const GalleryRecordReader& reader) {
    if (record.kind == GalleryRecordKind::face) {
        const std::size_t bytes = record.data.size();
        if (bytes != bins_ && bytes != 2 * bins_) {
            reader.fail_at_record("holds " + counted(bytes, "byte") + " of counts, where " +
                                  counted(bins_, "count") + " are expected");
        }
        add(from_metadata(record, reader, [](const JsonPlace& place) { return face_from_json(place); }));
        return last_number_;
    }
    const auto number = from_metadata(record, reader, [](const JsonPlace& place) {
        place.require_keys({"number"}, {});
        return static_cast<std::size_t>(place["number"].integer(1, std::numeric_limits<std::int64_t>::max()));
    });
    if (!remove(number)) {
        reader.fail_at_record("removes face " + std::to_string(number) + ", which is not there");
    }
    return number;
}

void GalleryContents::add(GalleryFace face) {
    ++info_.faces;
    std::size_t& faces_of_subject = info_.faces_of_subject[face.subject];
    if (++faces_of_subject == 1 && !face.subject.empty()) ++info_.subjects;
    face.counts = {};
    faces_.emplace(++last_number_, std::move(face));
}

bool GalleryContents::remove(std::size_t number) {
    const auto found = faces_.find(number);
    if (found == faces_.end()) return false;
    const auto subject = info_.faces_of_subject.find(found->second.subject);
    if (--subject->second == 0) {
        if (!subject->first.empty()) --info_.subjects;
        info_.faces_of_subject.erase(subject);
    }
    --info_.faces;
    ++info_.removed;
    faces_.erase(found);
    return true;
}

std::string gallery_header(const RecogniserConfig& recogniser) {
    Json json;
    json["recogniser"] = recogniser_config_to_json(recogniser);
    json["feature_fingerprint"] = feature_fingerprint(recogniser);
    return compact_text(json);
}

std::string face_metadata(const GalleryFace& face) {
    Json json;
    if (!face.subject.empty()) json["subject"] = face.subject;
    json["image"] = face.image;
    json["dataset"] = face.dataset;
    if (const auto& box = face.box) json["box"] = {box->x, box->y, box->w, box->h};
    if (const auto& eyes = face.eyes) {
        json["eyes"] = {{eyes->left.x, eyes->left.y}, {eyes->right.x, eyes->right.y}};
    }
    if (!face.quality.is_null()) json["quality"] = face.quality;
    if (!face.found_by.empty()) json["found_by"] = face.found_by;
    return compact_text(json);
}

std::string packed_counts(const std::vector<std::uint16_t>& counts) {
    const bool wide =
        std::any_of(counts.begin(), counts.end(), [](std::uint16_t count) { return count > 255; });
    std::string bytes;
    bytes.reserve(counts.size() * (wide ? 2 : 1));
    for (const std::uint16_t count : counts) {
        bytes += static_cast<char>(count & 0xFF);
        if (wide) bytes += static_cast<char>(count >> 8);
    }
    return bytes;
}

std::vector<std::uint16_t> unpacked_counts(const std::string& data, std::size_t bins) {
    const bool wide = data.size() == 2 * bins;
    const auto byte = [&](std::size_t i) {
        return static_cast<std::uint16_t>(static_cast<std::uint8_t>(data[i]));
    };
    std::vector<std::uint16_t> counts(bins);
    for (std::size_t i = 0; i < bins; ++i) {
        counts[i] = wide ? static_cast<std::uint16_t>(byte(2 * i) | byte(2 * i + 1) << 8) : byte(i);
    }
    return counts;
}

std::string removal_metadata(std::size_t number) {
    return compact_text({{"number", number}});
}

}  // namespace fovea
