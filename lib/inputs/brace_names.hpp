#pragma once

#include <string>
#include <vector>

namespace fovea {

/// The names that a pattern in braces means, as those of WebDataset: "shard-{000..002}.tar" is shard-000.tar,
/// shard-001.tar and shard-002.tar, "{a,b}.jpg" is a.jpg and b.jpg. Numbers keep the zeros of the first one.
/// Several braces give all combinations, the last one changing first. \return the name alone if it has no
/// such braces, or if something has that very name. \throws UsageError for more than ten million names.
std::vector<std::string> expand_braces(const std::string& name);

}  // namespace fovea
