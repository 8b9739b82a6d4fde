#pragma once

#include <filesystem>

#include "lib/json/json_fwd.hpp"

namespace fovea {

/// Writes a JSON file in full or not at all (through a temporary file beside it), with a closing newline.
/// Links are followed; a device, a pipe and anything in /dev or /proc is written to and never replaced.
/// \throws Error if it cannot be written.
void write_json_file(const std::filesystem::path& file, const Json& json);

/// The content of a manifest; null if it is not JSON, because it was cut off or another program wrote it.
/// \throws Error if it cannot be read.
Json read_manifest(const std::filesystem::path& manifest);

/// Removes an older manifest, which does not fit the results any more once the first new one is written. Does
/// nothing if there is none. \throws Error if it cannot be removed.
void remove_stale_manifest(const std::filesystem::path& manifest);

/// The place of a results file's manifest: run.json beside results.jsonl, NAME.run.json beside NAME.jsonl;
/// empty for standard output and for anything in /dev or /proc.
std::filesystem::path manifest_path(const std::filesystem::path& results);

}  // namespace fovea
