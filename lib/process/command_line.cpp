#include "lib/process/command_line.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include <unistd.h>

namespace fovea {

std::string quoted_for_shell(const std::string& word) {
    const bool is_plain =
        word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,=@%") ==
        std::string::npos;
    if (is_plain && !word.empty()) return word;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string shell_command(const std::string& arguments) {
    std::string command;
    for (std::size_t begin = 0; begin < arguments.size();) {
        const std::size_t end = std::min(arguments.find('\0', begin), arguments.size());
        command += (begin == 0 ? "" : " ") + quoted_for_shell(arguments.substr(begin, end - begin));
        begin = end + 1;
    }
    return command;
}

std::string command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    return shell_command({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace fovea
