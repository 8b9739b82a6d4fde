#include "lib/recognise/gallery_contents.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

JsonValue box_value(std::optional<Box>& box) {
    return {[&box] {
                return box ? Json{box->x, box->y, box->w, box->h} : Json();
            },
            [&box](const JsonPlace& place) {
                box.emplace();
                number_list({&box->x, &box->y, &box->w, &box->h}, "[x, y, width, height]").set(place);
            }};
}

JsonValue eyes_value(std::optional<Eyes>& eyes) {
    return {[&eyes] {
                return eyes ? Json{{eyes->left.x, eyes->left.y}, {eyes->right.x, eyes->right.y}} : Json();
            },
            [&eyes](const JsonPlace& place) {
                if (place.array_size() != 2) place.fail("two points");
                eyes.emplace();
                number_list({&eyes->left.x, &eyes->left.y}, "[x, y]").set(place[0]);
                number_list({&eyes->right.x, &eyes->right.y}, "[x, y]").set(place[1]);
            }};
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

void describe(FieldVisitor& visitor, GalleryFace& face) {
    visitor.value({.key = "subject", .presence = Presence::optional}, &face.subject);
    visitor.value({.key = "image"}, &face.image);
    visitor.value({.key = "dataset"}, &face.dataset);
    visitor.value({.key = "box", .presence = Presence::optional}, box_value(face.box));
    visitor.value({.key = "eyes", .presence = Presence::optional}, eyes_value(face.eyes));
    visitor.value({.key = "quality", .presence = Presence::optional}, kept_object(face.quality));
    visitor.value({.key = "found_by", .presence = Presence::optional}, &face.found_by);
}

GalleryContents::GalleryContents(const std::filesystem::path& file, const std::string& header) {
    info_.file = file;
    info_.version = static_cast<int>(gallery_version);
    const auto fail = [&](const std::string& what) {
        throw Error("The gallery '" + file.string() + "' cannot be used by this program: " + what +
                    ". Use the program that wrote it, or enrol its images into a new gallery.");
    };
    try {
        const Json json = parse_json(header);
        const JsonPlace place(json);
        info_.recogniser = recogniser_config_from_json(place["recogniser"].json(), file.parent_path());
        info_.fingerprint = place["feature_fingerprint"].text();
    } catch (const Json::exception&) {
        fail("its header is not JSON");
    } catch (const UsageError& error) {
        fail(std::string("in its header, ") + error.what());
    }
    if (const std::string fingerprint = feature_fingerprint(info_.recogniser);
        fingerprint != info_.fingerprint) {
        fail("its recogniser's fingerprint is " + info_.fingerprint + ", and would be " + fingerprint +
             " here, so features would not be comparable");
    }
    length_ = info_.recogniser.kind->metric(info_.recogniser).length;
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
        if (bytes != length_ && bytes != 2 * length_) {
            reader.fail_at_record("holds " + counted(bytes, "byte") + " of counts, where " +
                                  counted(length_, "count") + " are expected");
        }
        add(from_metadata(record, reader, [](const JsonPlace& place) {
            GalleryFace face;
            read_fields(place, fields_of(face), Absent::is_error);
            return face;
        }));
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
    face.features = {};
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
    return compact_text(json_of(face));
}

std::string packed_words(const std::vector<std::uint16_t>& words) {
    const bool wide = std::any_of(words.begin(), words.end(), [](std::uint16_t word) { return word > 255; });
    std::string bytes;
    bytes.reserve(words.size() * (wide ? 2 : 1));
    for (const std::uint16_t word : words) {
        bytes += static_cast<char>(word & 0xFF);
        if (wide) bytes += static_cast<char>(word >> 8);
    }
    return bytes;
}

std::vector<std::uint16_t> unpacked_words(const std::string& data, std::size_t length) {
    const bool wide = data.size() == 2 * length;
    const auto byte = [&](std::size_t i) {
        return static_cast<std::uint16_t>(static_cast<std::uint8_t>(data[i]));
    };
    std::vector<std::uint16_t> words(length);
    for (std::size_t i = 0; i < length; ++i) {
        words[i] = wide ? static_cast<std::uint16_t>(byte(2 * i) | byte(2 * i + 1) << 8) : byte(i);
    }
    return words;
}

std::string removal_metadata(std::size_t number) {
    return compact_text({{"number", number}});
}

}  // namespace fovea
