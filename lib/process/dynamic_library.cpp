#include "lib/process/dynamic_library.hpp"

#include <dlfcn.h>
#include <link.h>

namespace fovea {

DynamicLibrary::DynamicLibrary(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle_ == nullptr) {
            const char* reason = ::dlerror();
            why_none_ = reason == nullptr ? name + " cannot be loaded" : reason;
            continue;
        }
        const link_map* map = nullptr;
        const bool known = ::dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] != '\0';
        file_ = known ? map->l_name : name;
        why_none_.clear();
        return;
    }
}

DynamicLibrary::~DynamicLibrary() {
    if (handle_ != nullptr) ::dlclose(handle_);
}

void* DynamicLibrary::address(const char* name) const {
    return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

}  // namespace fovea
