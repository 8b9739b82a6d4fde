#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// One image of a FERET list.
struct FeretEntry {
    std::string name;  ///< as listed, without .sfi; in a signature set the whole file name
    std::string subject;
};

/// The images of one list.
struct FeretList {
    std::vector<FeretEntry> entries;  ///< each image once
    std::vector<std::string> warnings;
};

/// The eyes of one image, and their place in the file.
struct FeretEyes {
    Eyes eyes;
    std::string place;       ///< FILE:LINE
    bool plausible = false;  ///< left is left of right, and they are less apart in y than in x
};

/// The images of one coordinates file.
struct FeretCoordinates {
    std::vector<std::string> names;  ///< without extension, in the file's order
    std::map<std::string, FeretEyes, std::less<>> eyes;
    std::vector<std::string> warnings;
};

/// The kinds of files of the FERET world.
enum class FeretFile { list, coordinates, signature_set };

/// The kind of a file by its content: XML is a signature set, a first line of a name and 4 or 8 numbers means
/// coordinates, anything else is a list.
FeretFile feret_file_kind(const std::filesystem::path& path);

/// The subject in an image's name, by FERET's rule nnnnnxx...: the leading digits, or the whole name
/// without any.
std::string feret_subject(std::string_view name);

/// Reads a CSU .srt list: each line has the images of one subject, separated by blanks, with the suffix .sfi
/// of CSU's normalised images. The subject is feret_subject() of the line's first name, so that gallery and
/// probe lists agree.
/// \throws Error for images of different subjects in a line, an image under two subjects, or another kind
/// of file.
FeretList read_feret_srt(const std::filesystem::path& path);

/// Reads an XML signature set: <biometric-signature name="SUBJECT"> with <presentation file-name="..."/>.
FeretList read_feret_signature_set(const std::filesystem::path& path);

/// Reads CSU coordinates: "name left-x left-y right-x right-y", optionally followed by x and y of nose and
/// mouth, which are checked and not kept. Left is the eye on the image's left. \throws Error for a broken
/// line or two different lines for one image.
FeretCoordinates read_feret_coordinates(const std::filesystem::path& path);

}  // namespace fovea
