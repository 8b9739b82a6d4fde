#pragma once

namespace fovea {

/// Makes this program's allocations count against the ceilings of its threads (MemoryCeiling), in all
/// libraries. main() calls it, which brings this folder's malloc() and its kin into the program.
void count_allocations();

}  // namespace fovea
