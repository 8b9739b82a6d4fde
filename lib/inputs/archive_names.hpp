#pragma once

#include <string>
#include <string_view>

namespace fovea {

/// The name of a member among an archive's images: as stored, without empty, "." and ".." parts, and so
/// without a leading "/". It is only a name, never a path to open. Members may so have equal names.
std::string member_key(std::string_view stored);

/// True if a part of the name begins with '.' (as folders pass over such files, too) or is macOS' "__MACOSX".
bool is_hidden_member(std::string_view stored);

}  // namespace fovea
