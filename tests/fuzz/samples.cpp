#include "lib/files/file.hpp"
#include "lib/train/samples/vec_file.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/targets.hpp"

namespace fovea::fuzz {

/// A .vec file of samples of 3x2 pixels: what is read is written again and reads the same.
void read_vec_target(std::string_view input) {
    const auto file = write_input("samples.vec", input);
    constexpr std::size_t few = 2;
    if_readable([&] { return read_vec(file, {3, 2}, {few, few}); });
    const WindowSamples samples = read_vec(file, {3, 2});
    const auto copy = work_folder() / "copy.vec";
    must([&] {
        write_vec(copy, samples);
        require(read_vec(copy, {3, 2}).pixels == samples.pixels, "samples change as they are written");
        require(read_file(copy).size() == input.size(), "a written file of samples has another size");
    });
}

}  // namespace fovea::fuzz
