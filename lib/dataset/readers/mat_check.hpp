#pragma once

#include <string>
#include <string_view>

namespace fovea {

/// Checks the lengths and dimensions that a MATLAB file of level 5 states against its bytes: libmatio takes
/// as much memory as they state. Cells, structs, text and numbers in full arrays pass, packed or not; files
/// of level 7.3 are not checked. \throws Error naming the file and the place of the damage.
void check_mat_bytes(std::string_view bytes, const std::string& name);

}  // namespace fovea
