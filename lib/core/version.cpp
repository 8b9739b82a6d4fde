#include "lib/core/version.hpp"

namespace fovea {

std::string fovea_version() {
    return FOVEA_VERSION;
}

}  // namespace fovea
