#include <cstdint>
#include <string>

#include <zlib.h>

#include "lib/json/field_json.hpp"
#include "lib/recognise/gallery_file.hpp"
#include "lib/recognise/networks/dlib_resnet.hpp"
#include "lib/recognise/networks/onnx_ports.hpp"
#include "lib/recognise/recogniser_config.hpp"
#include "lib/recognise/region_weights.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/targets.hpp"

namespace fovea::fuzz {
namespace {

constexpr std::size_t header_start = 16;
constexpr std::size_t checksum_bytes = 4;

std::size_t number_at(const std::string& bytes, std::size_t at) {
    std::size_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
    return value;
}

/// Makes the checksum right that stands at `end` for the bytes from `begin` on; false if the bytes end
/// before.
bool repair(std::string& bytes, std::size_t begin, std::size_t end) {
    if (end + checksum_bytes > bytes.size()) return false;
    const auto sum = crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()) + begin, end - begin);
    for (std::size_t i = 0; i < checksum_bytes; ++i) bytes[end + i] = static_cast<char>(sum >> 8 * i);
    return true;
}

/// The file with the checksums of its header and of all records that it has room for made right.
std::string with_right_checksums(std::string bytes) {
    if (bytes.size() < header_start) return bytes;
    std::size_t end = header_start + number_at(bytes, 12);
    if (!repair(bytes, 0, end)) return bytes;
    for (std::size_t at = end + checksum_bytes; repair(bytes, at, at + 12); at = end + checksum_bytes) {
        end = at + 16 + number_at(bytes, at + 4) + number_at(bytes, at + 8);
        if (!repair(bytes, at, end)) break;
    }
    return bytes;
}

}  // namespace

// An odd last byte leaves the file as it is; else its checksums are made right: few changes would pass them.
void read_gallery_target(std::string_view input) {
    const bool as_it_is = !input.empty() && (input.back() & 1) != 0;
    const auto file =
        write_input("gallery.fgal", as_it_is ? std::string(input) : with_right_checksums(std::string(input)));
    gallery_info(file);
    read_gallery(file);
}

/// A recogniser and a file of weights that it may name.
void read_recogniser_target(std::string_view input) {
    const auto parts = parts_of(input, 2);
    write_input("recogniser/weights.json", parts[1]);
    const auto file = write_input("recogniser/recogniser.json", parts[0]);
    load_unweighted_recogniser(file.string());
    const RecogniserConfig config = load_recogniser(file.string());
    recogniser_config_to_json(config).dump();
    feature_fingerprint(config);
    config.kind->metric(config);
}

void read_region_weights_target(std::string_view input) {
    json_of(read_region_weights(write_input("weights.json", input))).dump();
}

void read_dlib_resnet_target(std::string_view input) {
    parse_dlib_resnet(input, "model.dat");
}

void read_onnx_ports_target(std::string_view input) {
    parse_onnx_ports(input, "model.onnx");
}

}  // namespace fovea::fuzz
