// The stand-in of a build without CUDA.

#include "kernels/core/gpu_device.hpp"
#include "kernels/measure/measure.hpp"

namespace fovea {
namespace {

[[noreturn]] void refuse() {
    throw cuda_backend::built_without_cuda("cannot measure a GPU");
}

}  // namespace

Timing measure_transfer(const Device&, CopyDirection, HostMemory, std::size_t, int) {
    refuse();
}
Timing measure_transfer_latency(const Device&, CopyDirection, std::size_t, int) {
    refuse();
}
Timing measure_device_copy(const Device&, std::size_t, int) {
    refuse();
}
Timing measure_launches(const Device&, int, bool, int) {
    refuse();
}
Timing measure_device_integer(const Device&, IntegerOperation, double, int) {
    refuse();
}
Timing measure_shared_loads(const Device&, double, int) {
    refuse();
}
std::size_t free_device_memory(const Device&) {
    refuse();
}
std::string cuda_pci_bus_id(int) {
    refuse();
}

}  // namespace fovea
