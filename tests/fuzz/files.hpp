#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::fuzz {

/// A line of this between the parts of an input makes several files of it.
inline constexpr std::string_view separator = "%%%%\n";

/// The parts of an input, exactly `count`: absent ones are empty, and the last one keeps what separators are
/// left.
std::vector<std::string_view> parts_of(std::string_view input, std::size_t count);

/// A folder of this process alone, below the folder for temporary files (TMPDIR), removed when the process
/// ends.
const std::filesystem::path& work_folder();

/// Writes a file in the work folder, over an older one; folders in `name` are made.
std::filesystem::path write_input(const std::string& name, std::string_view bytes);

/// The same, if it is not there yet: images that datasets refer to.
void provide(const std::string& name, std::string_view bytes);

}  // namespace fovea::fuzz
