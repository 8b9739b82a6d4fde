#include "apps/options/bench_work_folder.hpp"

#include <cstdlib>
#include <system_error>

#include "lib/core/error.hpp"

namespace fovea {
namespace fs = std::filesystem;

BenchWorkFolder::BenchWorkFolder(const std::optional<std::string>& given, const std::string& name)
    : is_temporary_(!given) {
    if (given) {
        if (given->empty()) throw UsageError("--work names no folder");
        path_ = fs::path(*given) / name;
        return;
    }
    std::string made = (fs::temp_directory_path() / (name + "-XXXXXX")).string();
    if (::mkdtemp(made.data()) == nullptr)
        throw Error("cannot make the folder " + made + "; name one with --work");
    path_ = made;
}

BenchWorkFolder::~BenchWorkFolder() {
    std::error_code none;
    if (is_temporary_) fs::remove_all(path_, none);
}

}  // namespace fovea
