#include "lib/inputs/archive_names.hpp"

#include <algorithm>
#include <cstddef>

#include "lib/files/media_names.hpp"

namespace fovea {
namespace {

template <class Visit>
void for_each_part(std::string_view path, const Visit& visit) {
    for (std::size_t start = 0; start < path.size();) {
        const std::size_t end = std::min(path.find('/', start), path.size());
        const std::string_view part = path.substr(start, end - start);
        if (!part.empty() && part != "." && part != "..") visit(part);
        start = end + 1;
    }
}

}  // namespace

std::string member_key(std::string_view stored) {
    std::string key;
    for_each_part(stored, [&](std::string_view part) {
        if (!key.empty()) key += '/';
        key += part;
    });
    return key;
}

bool is_hidden_member(std::string_view stored) {
    bool hidden = false;
    for_each_part(
        stored, [&](std::string_view part) { hidden = hidden || part.front() == '.' || part == "__MACOSX"; });
    return hidden;
}

bool is_archive_command(const std::filesystem::path& archive) {
    return archive.native().starts_with(archive_command_prefix);
}

std::string_view command_of_archive(const std::filesystem::path& archive) {
    return std::string_view(archive.native()).substr(archive_command_prefix.size());
}

std::string name_of_command(std::string_view command) {
    constexpr std::string_view between_words = " \t\n|;&<>()'\"";
    for (std::size_t start = 0; start < command.size();) {
        const std::size_t end = std::min(command.find_first_of(between_words, start), command.size());
        std::string_view word = command.substr(start, end - start);
        if (const std::size_t scheme = word.find("://"); scheme != std::string_view::npos)
            word.remove_prefix(scheme + 3);
        // An address may end in a question: "a.tar?version=2".
        word = word.substr(0, word.find('?'));
        if (is_archive_name(word) && !member_key(word).empty()) return member_key(word);
        start = end + 1;
    }
    return "pipe";
}

}  // namespace fovea
