#include "tests/fuzz/files.hpp"

#include <fstream>
#include <stdexcept>

#include <unistd.h>

namespace fovea::fuzz {
namespace fs = std::filesystem;
namespace {

class WorkFolder {
  public:
    WorkFolder() : path_(fs::temp_directory_path() / ("fovea-fuzz-" + std::to_string(::getpid()))) {
        fs::create_directories(path_);
    }
    ~WorkFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

}  // namespace

std::vector<std::string_view> parts_of(std::string_view input, std::size_t count) {
    std::vector<std::string_view> parts;
    while (parts.size() + 1 < count) {
        const std::size_t end = input.find(separator);
        parts.push_back(input.substr(0, end));
        input = end == std::string_view::npos ? std::string_view() : input.substr(end + separator.size());
    }
    parts.push_back(input);
    return parts;
}

const fs::path& work_folder() {
    static const WorkFolder folder;
    return folder.path();
}

fs::path write_input(const std::string& name, std::string_view bytes) {
    const fs::path file = work_folder() / name;
    const auto write = [&] {
        std::ofstream stream(file, std::ios::binary | std::ios::trunc);
        stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        stream.close();
        return !stream.fail();
    };
    if (write()) return file;
    fs::create_directories(file.parent_path());
    if (!write()) throw std::runtime_error("cannot write " + file.string());
    return file;
}

void provide(const std::string& name, std::string_view bytes) {
    if (!fs::exists(work_folder() / name)) write_input(name, bytes);
}

}  // namespace fovea::fuzz
