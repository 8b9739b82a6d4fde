#pragma once

namespace fovea {

/// Makes the allocations of all libraries count against the ceilings of their threads (MemoryCeiling). A call
/// in main() is enough to link this folder's malloc() and its kin into the program.
void count_allocations();

}  // namespace fovea
