#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace fovea {

/// The name of a member among an archive's images: as stored, without empty, "." and ".." parts, and so
/// without a leading "/". It is only a name, never a path to open. Members may so have equal names.
std::string member_key(std::string_view stored);

/// True if a part of the name begins with '.' (as folders pass over such files, too) or is macOS' "__MACOSX".
bool is_hidden_member(std::string_view stored);

// --- commands --------------------------------------------------------------------------------------

/// An archive that a command of the shell gives on its standard output has "pipe:COMMAND" in place of a path.
inline constexpr std::string_view archive_command_prefix = "pipe:";
bool is_archive_command(const std::filesystem::path& archive);
/// The command. \param archive for which is_archive_command() holds
std::string_view command_of_archive(const std::filesystem::path& archive);

/// The name of what a command gives: its first word that ends as archives do, without "s3://", or else
/// "pipe": "bucket/shard-000001.tar" of "aws s3 cp s3://bucket/shard-000001.tar -".
std::string name_of_command(std::string_view command);

}  // namespace fovea
