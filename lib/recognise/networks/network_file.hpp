#pragma once

#include <filesystem>
#include <string>

namespace fovea {

class FieldVisitor;

/// The file of a network that turns a face into a vector.
struct NetworkFile {
    std::string name;    ///< without a folder
    std::string sha256;  ///< of its bytes, hexadecimal
    /// The folder in which it is looked for first; it is not written.
    std::filesystem::path folder;
};

/// The members "file" and "sha256". Without the second, it becomes that of the file, which must be there.
/// \param folder that a path in "file" is relative to. \param hint what to do where the file is missing, for
/// the end of a message: "; ...".
void describe_network_file(FieldVisitor& members, NetworkFile& network, const std::filesystem::path& folder,
                           const std::string& hint);

/// Finds a network in its folder, or in recognisers/ of the folders of models.
/// \throws UsageError naming the places that were searched, or if the file is not the recogniser's.
std::filesystem::path find_checked_network(const NetworkFile& network, const std::string& hint);

}  // namespace fovea
