#pragma once

#include <string>
#include <string_view>

namespace fovea {

/// Holds what the bytes of a MATLAB file of level 5 say of their lengths and dimensions against what is
/// there: libmatio takes as much memory as they say. Cells, structs, text and numbers in full arrays are let
/// through, packed or not; files of level 7.3 are not looked into. \throws Error naming the file, and where
/// it is damaged
void check_mat_bytes(std::string_view bytes, const std::string& name);

}  // namespace fovea
