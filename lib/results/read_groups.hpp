#pragma once

#include <string>
#include <vector>

namespace fovea {

/// An image, by the one face of it that counts.
struct GroupEntry {
    std::string image;
    std::string group;  ///< empty: the face is in no group
};

/// Groups of faces that a program made without knowing whom they show.
struct GroupList {
    std::string file;
    std::vector<GroupEntry> entries;  ///< in the file's order, each image once
};

/// Reads groups; "-" is standard input.
///
/// The file has a line per image, "NAME GROUP", separated as for read_scores(); a first line of CSV whose
/// second field is "group", "cluster" or "person" is a heading. Or it begins with '{' and is Fovea's JSON
/// Lines, whose detections have "person", the number of their group; a detection with "apart" or without
/// "person" is in no group. One detection of each image counts: the one whose centre is nearest to the
/// image's; of two equally near, the larger one.
/// \throws UsageError if the file is not there; Error naming file, line and what was expected if it is
/// broken, if an image stands twice, if no detection has "person" or "apart", and if the size of an image
/// with several detections is not recorded.
GroupList read_groups(const std::string& file);

}  // namespace fovea
