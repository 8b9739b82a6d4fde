#include "lib/core/version.hpp"

#include <fovea_commit.hpp>

namespace fovea {

std::string fovea_version() {
    return FOVEA_VERSION;
}

std::string fovea_commit() {
    return FOVEA_COMMIT;
}

std::string build_description() {
#if defined(__clang__)
    const std::string compiler = "Clang " + std::to_string(__clang_major__) + "." +
                                 std::to_string(__clang_minor__) + "." + std::to_string(__clang_patchlevel__);
#elif defined(__GNUC__)
    const std::string compiler = "GCC " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) +
                                 "." + std::to_string(__GNUC_PATCHLEVEL__);
#else
    const std::string compiler = "a C++ compiler";
#endif
    return compiler + ", " FOVEA_PROCESSOR ", " FOVEA_BUILD_TYPE;
}

std::string fovea_version_line() {
    const std::string commit = fovea_commit(), date = FOVEA_COMMIT_DATE;
    return "fovea " + fovea_version() + (commit.empty() ? "" : " (commit " + commit + " of " + date + ")");
}

}  // namespace fovea
