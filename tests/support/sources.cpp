#include "tests/support/sources.hpp"

namespace fovea::test {

std::filesystem::path source_dir() {
    return FOVEA_SOURCE_DIR;
}

std::string source_file(const std::string& name) {
    return (source_dir() / name).string();
}

}  // namespace fovea::test
