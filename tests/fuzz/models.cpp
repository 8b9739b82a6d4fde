#include <cstdint>
#include <string>

#include "kernels/face_net/run_face_net.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/detect/face_net_model.hpp"
#include "lib/detect/mct_model.hpp"
#include "lib/files/sha256.hpp"
#include "lib/landmark/box_convention.hpp"
#include "lib/landmark/landmark_file.hpp"
#include "lib/landmark/quantised_model.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/targets.hpp"

namespace fovea::fuzz {

void read_cascade_target(std::string_view input) {
    parse_cascade({input.data(), input.size()}, "cascade.xml");
}

void read_mct_target(std::string_view input) {
    const auto file = write_input("model.json", input);
    is_mct_model(file);
    read_mct_model(file);
}

// A network that can be read can be run.
void read_face_net_target(std::string_view input) {
    const FaceNetModel model = read_face_net_model(write_input("model.json", input));
    const std::uint8_t pixels[4]{0, 255, 128, 7};
    run_face_net(model.net, {pixels, 2, 2, 2}, 0);
}

void read_landmark_target(std::string_view input) {
    read_landmark_model(write_input("model.dat", input));
}

// The input is the file without its hash at the end; that and the number of bytes are made right, so that the
// reader comes to what lies between.
void read_own_landmark_target(std::string_view input) {
    constexpr std::size_t size_at = 16, hash_bytes = 64;
    std::string bytes(input);
    if (bytes.size() >= size_at + sizeof(std::uint64_t)) {
        const std::uint64_t size = bytes.size() + hash_bytes;
        for (std::size_t i = 0; i < sizeof size; ++i) bytes[size_at + i] = static_cast<char>(size >> 8 * i);
    }
    bytes += sha256_of(bytes);
    parse_quantised_model(bytes, "model.fvlm");
}

void read_conventions_target(std::string_view input) {
    read_conventions(write_input("boxes.json", input));
}

}  // namespace fovea::fuzz
