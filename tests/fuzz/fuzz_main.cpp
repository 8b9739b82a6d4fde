// Entry points of libFuzzer. The environment variable FOVEA_FUZZ_TARGET names the target; "all" lists them,
// one a line: name, dictionary, longest input.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <typeinfo>

#include <oneapi/tbb/global_control.h>
#include <opencv2/core/utility.hpp>
#include <spdlog/spdlog.h>

#include "tests/fuzz/targets.hpp"

using namespace fovea::fuzz;

namespace {

const Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    // One thread: what a finding needs is the same every time.
    static const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    cv::setNumThreads(1);
    spdlog::set_level(spdlog::level::off);
    const char* const name = std::getenv("FOVEA_FUZZ_TARGET");
    if (name != nullptr && std::string_view(name) == "all") {
        for (const Target& target : targets())
            std::printf("%s %s %zu\n", target.name, target.dictionary, target.longest);
        std::exit(0);
    }
    chosen = name == nullptr ? nullptr : find_target(name);
    if (chosen == nullptr) {
        std::fprintf(stderr,
                     "fovea_fuzz: FOVEA_FUZZ_TARGET must name a target; FOVEA_FUZZ_TARGET=all lists them\n");
        std::exit(2);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        run(*chosen, {reinterpret_cast<const char*>(data), size});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fovea_fuzz: %s: not an Error but %s: %s\n", chosen->name, typeid(error).name(),
                     error.what());
        std::abort();
    }
    return 0;
}

extern "C" const char* __asan_default_options() {
    return "detect_leaks=1:allocator_may_return_null=0:detect_stack_use_after_return=0";
}
