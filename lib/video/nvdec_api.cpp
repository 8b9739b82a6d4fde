#include "lib/video/nvdec_api.hpp"

#include <vector>

#include "kernels/core/device.hpp"
#include "lib/video/nvdec.hpp"

namespace fovea {
namespace nvdec {

Api::Api()
    : decoder(std::vector<std::string>{"libnvcuvid.so.1"}),
      driver(std::vector<std::string>{"libcuda.so.1"}) {}

const Api& api() {
    // Never unloaded: its own static objects may still be in use when the program ends.
    static const auto* const loaded = new Api;
    return *loaded;
}

std::string error_name(CUresult status) {
    const char* name = nullptr;
    if (api().error_name != nullptr && api().error_name(status, &name) == CUDA_SUCCESS && name != nullptr)
        return name;
    return "CUDA error " + std::to_string(static_cast<int>(status));
}

void check(CUresult status, int gpu, const char* doing) {
    if (status == CUDA_SUCCESS) return;
    throw DeviceError("cuda:" + std::to_string(gpu) + " failed in " + doing + ": " + error_name(status));
}

}  // namespace nvdec

namespace {

NvdecLibrary describe_nvdec() {
    const nvdec::Api& api = nvdec::api();
    NvdecLibrary library;
    library.file = api.decoder.file();
    library.loaded = api.decoder.loaded() && api.driver.loaded() && api.is_complete;
    if (library.loaded) return library;
    const DynamicLibrary& missing = api.driver.loaded() ? api.decoder : api.driver;
    library.why_none =
        missing.loaded() ? library.file + " lacks functions of NVDEC 11.1; the driver is too old"
                         : "NVDEC cannot be loaded, which comes with NVIDIA's driver: " + missing.why_none();
    return library;
}

}  // namespace

const NvdecLibrary& nvdec_library() {
    static const NvdecLibrary library = describe_nvdec();
    return library;
}

}  // namespace fovea
