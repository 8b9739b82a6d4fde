#include "tests/support/video/mp4_boxes.hpp"

#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <vector>

namespace fovea::test {
namespace {

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes.at(at + i));
    return value;
}

std::string number(std::uint32_t value, int bytes = 4) {
    std::string text;
    for (int i = bytes; i-- > 0;) text += static_cast<char>(value >> (8 * i));
    return text;
}

/// The beginnings of boxes, each in the one before: "moov", "trak", ... the first of each name.
std::vector<std::size_t> places_of(const std::string& bytes, const std::vector<std::string>& path) {
    std::vector<std::size_t> places;
    std::size_t at = 0, end = bytes.size();
    for (const std::string& name : path) {
        while (at + 8 <= end && bytes.compare(at + 4, 4, name) != 0) at += number_at(bytes, at);
        if (at + 8 > end) throw std::runtime_error("there is no box " + name);
        places.push_back(at);
        end = at + number_at(bytes, at);
        at += 8;
    }
    return places;
}

std::string box(const std::string& name, const std::string& content) {
    return number(static_cast<std::uint32_t>(content.size() + 8)) + name + content;
}

std::string numbers(const std::vector<std::uint32_t>& values) {
    std::string bytes;
    for (const std::uint32_t value : values) bytes += number(value);
    return bytes;
}

/// The boxes of a file with other tables of samples.
std::string with_tables(const std::string& boxes, const std::map<std::string, std::string>& tables,
                        int tracks) {
    std::string changed;
    for (std::size_t at = 0; at + 8 <= boxes.size(); at += number_at(boxes, at)) {
        const std::string name = boxes.substr(at + 4, 4);
        std::string content = boxes.substr(at + 8, number_at(boxes, at) - 8);
        const auto table = tables.find(name);
        // It lists key frames; without it, all are.
        if (name == "stss") continue;
        if (table != tables.end()) content = table->second;
        for (const char* const folder : {"moov", "trak", "mdia", "minf", "stbl"})
            if (name == folder) content = with_tables(content, tables, tracks);
        for (int i = 0; i < (name == "trak" ? tracks : 1); ++i) changed += box(name, content);
    }
    return changed;
}

std::string alias_of(const std::filesystem::path& file) {
    const std::string path = file.string();
    std::string alias(10, '\0');
    alias += static_cast<char>(1);
    alias += 'v' + std::string(26, '\0') + std::string(12, '\0');
    const std::string name = file.filename().string();
    alias += static_cast<char>(name.size());
    alias += name + std::string(63 - name.size(), '\0') + std::string(16, '\0');
    alias += number(0xFFFF, 2) + number(0xFFFF, 2) + std::string(16, '\0');
    alias += number(2, 2) + number(static_cast<std::uint32_t>(path.size()), 2) + path +
             (path.size() % 2 == 1 ? std::string(1, '\0') : "");
    alias += number(0xFFFF, 2) + number(0, 2);
    return number(static_cast<std::uint32_t>(alias.size() + 12)) + "alis" + number(0) + alias;
}

}  // namespace

std::string read_file_bytes(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::string with_edit(std::string mp4, std::uint32_t skipped, std::uint32_t duration) {
    const std::size_t list = places_of(mp4, {"moov", "trak", "edts", "elst"}).back();
    const std::size_t entry = list + 16;  // behind size, name, version and count
    if (duration != 0) mp4.replace(entry, 4, number(duration));
    mp4.replace(entry + 4, 4, number(number_at(mp4, entry + 4) + skipped));
    return mp4;
}

std::string with_samples_elsewhere(const std::string& mov, const std::filesystem::path& samples) {
    const std::size_t first = places_of(mov, {"moov"}).back();
    std::string movie = mov.substr(first, number_at(mov, first));
    const std::vector<std::string> path{"moov", "trak", "mdia", "minf", "dinf", "dref"};
    const std::vector<std::size_t> places = places_of(movie, path);
    const std::size_t entry = places.back() + 16;
    const std::uint32_t before = number_at(movie, entry);
    const std::string alias = alias_of(samples);
    movie.replace(entry, before, alias);
    for (const std::size_t place : places) {
        const auto longer = static_cast<std::uint32_t>(alias.size()) - before;
        movie.replace(place, 4, number(number_at(movie, place) + longer));
    }
    return mov.substr(0, number_at(mov, 0)) + movie;
}

std::string with_samples(const std::string& mp4, std::uint32_t samples, int tracks) {
    return with_tables(mp4,
                       {{"ctts", numbers({0, 1, samples, 1024})},
                        {"stts", numbers({0, 1, samples, 512})},
                        {"stsz", numbers({0, 16, samples})},
                        {"stsc", numbers({0, 1, 1, samples, 1})},
                        {"stco", numbers({0, 1, 48})}},
                       tracks);
}

}  // namespace fovea::test
