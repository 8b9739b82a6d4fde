#pragma once

#include <string>
#include <string_view>

namespace fovea {

/// The name of a member among an archive's images: as stored, without empty, "." and ".." parts, so also
/// without a leading "/". It is only a name, never a path to follow. Two members that differ in such parts
/// alone have one name.
std::string member_key(std::string_view stored);

/// True for what is passed over in folders, too: a part that begins with '.', and what macOS keeps in
/// "__MACOSX".
bool is_hidden_member(std::string_view stored);

}  // namespace fovea
