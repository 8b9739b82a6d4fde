#include "lib/files/thread_shortage.hpp"

#include <cstring>
#include <system_error>

namespace fovea {

bool is_lack_of_threads(const std::exception& error) {
    const auto* const system = dynamic_cast<const std::system_error*>(&error);
    if (system != nullptr) return system->code() == std::errc::resource_unavailable_try_again;
    return std::strstr(error.what(), "pthread_create") != nullptr;
}

}  // namespace fovea
