#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace fovea::test {

/// Bytes by path below a folder.
using FileSet = std::map<std::string, std::string>;

FileSet read_file_set(const std::filesystem::path& folder);
/// Replaces the folder.
void write_file_set(const std::filesystem::path& folder, const FileSet& files);

/// The part of outputs that equal work gives each time: manifests and reports without times and places, a
/// gallery as its faces, all others as they are. \param folder that of the job, whose name is in some of them
FileSet comparable(const FileSet& files, const std::filesystem::path& folder);

/// The faces of a gallery's bytes, a line for each; what is damaged is said instead.
std::string gallery_faces(const std::string& bytes);

/// The first difference in words; empty if there is none.
std::string difference(const FileSet& expected, const FileSet& found);

}  // namespace fovea::test
