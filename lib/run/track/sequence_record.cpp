#include "lib/run/track/sequence_record.hpp"

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include "lib/files/block_reader.hpp"
#include "lib/files/packed.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_place.hpp"

namespace fovea {
namespace {

struct NamedCount {
    const char* name;
    std::size_t FollowedCounts::*count;
};
constexpr NamedCount counts[]{{"frames", &FollowedCounts::images},
                              {"tracks", &FollowedCounts::tracks},
                              {"boxes", &FollowedCounts::boxes},
                              {"detected", &FollowedCounts::detected},
                              {"damaged", &FollowedCounts::damaged},
                              {"named", &FollowedCounts::named},
                              {"pages_left_out", &FollowedCounts::pages_left_out}};

}  // namespace

void FollowedCounts::add(const FollowedCounts& other) {
    ImageCounts::add(other);
    tracks += other.tracks;
    boxes += other.boxes;
    detected += other.detected;
    named += other.named;
}

std::string part_name::face(int track) {
    return "faces/*-" + std::to_string(track) + ".png";
}

bool is_shared(const std::string& part) {
    return part.find('*') == std::string::npos;
}

std::string file_of_part(std::string part, const std::string& stem) {
    return part.replace(part.find('*'), 1, stem);
}

UnreadableImage unreadable_at(const JsonPlace& place) {
    return {place["image"].text(), place["reason"].text()};
}

Json to_json(const SequenceRecord& record) {
    Json json{{"name", record.name}};
    for (const NamedCount& count : counts) json[count.name] = record.found.*count.count;
    json["first_seconds"] = record.first_seconds;
    json["last_seconds"] = record.last_seconds;
    json["unreadable"] = record.found.unreadable.size();
    json["parts"] = Json::object();
    for (const auto& [name, extent] : record.parts)
        json["parts"][name] = {{"bytes", extent.bytes}, {"crc32", extent.crc32}};
    return json;
}

SequenceRecord read_sequence_record(const JsonPlace& place, std::vector<UnreadableImage> unreadable) {
    SequenceRecord record;
    record.name = place["name"].text();
    for (const NamedCount& count : counts) record.found.*count.count = place[count.name].exact_count();
    record.first_seconds = place["first_seconds"].number();
    record.last_seconds = place["last_seconds"].number();
    record.found.unreadable = std::move(unreadable);
    const JsonPlace parts = place["parts"];
    parts.require_object();
    for (const auto& [name, unused] : parts.json().items()) {
        const JsonPlace part = parts[name];
        record.parts[name] = {
            part["bytes"].exact_count(),
            static_cast<std::uint32_t>(part["crc32"].integer(0, std::numeric_limits<std::uint32_t>::max()))};
    }
    return record;
}

std::vector<SequenceRecord> read_sequence_records(const JsonPlace& manifest) {
    const JsonPlace reasons = manifest["unreadable"];
    const std::size_t all = reasons.array_size();
    std::size_t next = 0;
    return manifest["sequences"].list_of([&](const JsonPlace& place) {
        std::vector<UnreadableImage> unreadable;
        for (std::size_t i = place["unreadable"].exact_count(); i > 0; --i, ++next) {
            if (next == all) reasons.fail("the unreadable images of all sequences");
            unreadable.push_back(unreadable_at(reasons[next]));
        }
        return read_sequence_record(place, std::move(unreadable));
    });
}

bool read_part(const PartPlace& place, const FileExtent& extent,
               const std::function<void(std::string_view bytes)>& take) {
    constexpr std::uint64_t block = std::uint64_t{1} << 20;
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(place.file, error);
    if (error || size < place.offset || size - place.offset < extent.bytes) return false;
    BlockReader reader(place.file, place.offset, std::min(block, std::max<std::uint64_t>(1, extent.bytes)));
    std::uint32_t checksum = 0;
    for (std::uint64_t left = extent.bytes; left > 0;) {
        const std::string_view bytes = reader.next_bytes(std::min(left, block));
        checksum = crc32_of(bytes, checksum);
        take(bytes);
        left -= bytes.size();
    }
    return checksum == extent.crc32;
}

}  // namespace fovea
