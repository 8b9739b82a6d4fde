#pragma once

#include <string>

namespace fovea {

/// This program's version, e.g. "0.1.0".
std::string fovea_version();

/// The commit that the program was built from, e.g. "8178b9bf", followed by "+changes" if files differed from
/// it; empty if it was not built in a clone.
std::string fovea_commit();

/// The compiler and the kind of build, e.g. "GCC 12.2.0, x86-64, Release".
std::string build_description();

/// The version with commit and date, e.g. "fovea 0.1.0 (commit 8178b9bf of 2026-11-26)".
std::string fovea_version_line();

}  // namespace fovea
