#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/unnamed_format.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/inputs/archive_names.hpp"
#include "lib/inputs/archive_reader.hpp"
#include "lib/inputs/brace_names.hpp"
#include "lib/inputs/image_list_data.hpp"
#include "lib/inputs/ordered_walk.hpp"

namespace fovea {
namespace {

// Between the headers of photographs lies more than this: reading ahead would read what is passed over.
constexpr std::size_t listing_block = std::size_t{32} << 10;

/// Why a member with an image's name is no image that is read; empty if it is.
std::string refusal(const MemberHeader& member) {
    switch (member.kind) {
        case MemberHeader::Kind::symbolic_link:
            return "is a symbolic link, which is never followed in an archive";
        case MemberHeader::Kind::hard_link:
            return "is a hard link, which is never followed in an archive";
        case MemberHeader::Kind::file:
            if (!member.size) return "the archive does not say how long it is";
            return *member.size <= ArchiveMember::largest
                       ? ""
                       : "the archive says that it is longer than any file";
        default:
            return "is no regular file";
    }
}

/// \param reader stands at the member.
FileContent content_of_member(const MemberHeader& member, ArchiveReader& reader) {
    if (member.kind != MemberHeader::Kind::file || member.encrypted) return FileContent::other;
    std::array<std::uint8_t, media_head_bytes> head{};
    try {
        return content_of(codec::Bytes(head).first(reader.read(head.data(), head.size())));
    } catch (const ImageError&) {
        return FileContent::other;
    }
}

class ArchiveListing {
  public:
    ArchiveListing(const std::filesystem::path& file, const std::string& prefix, ImageListData& data)
        : prefix_(prefix),
          data_(data),
          is_command_(is_archive_command(file)),
          first_(data.names.size()),
          archive_(static_cast<std::uint32_t>(data.archives.size())),
          table_(data.arena, data.names) {
        data.archives.push_back(file);
        data.prefixes.push_back(prefix);
    }

    /// \param reader stands at the member.
    void add(const MemberHeader& member, ArchiveReader& reader) {
        if (member.kind == MemberHeader::Kind::folder || is_hidden_member(member.name)) return;
        const std::string name = prefix_ + member_key(member.name);
        const bool is_archive = is_archive_name(member.name);
        const bool is_video = is_video_name(member.name);
        bool is_image = is_image_name(member.name);
        if (!is_image && !is_archive && !is_video) {
            const FileContent content = content_of_member(member, reader);
            is_image = is_unnamed_image(member.name, content);
            if (!is_image) {
                data_.passed_over.add(member.name, content);
                return;
            }
        }
        const std::string reason = is_archive                ? "is an archive within an archive"
                                   : is_video && is_command_ ? "is a video, which is not read from a command"
                                                             : refusal(member);
        if (!reason.empty()) {
            data_.skipped.push_back({name, reason});
            return;
        }
        data_.add(name, data_.members.size() | ImageListData::member_bit);
        // Pictures of .zip files are read through, so that their CRC-32 is checked.
        const auto offset = is_video && member.zip_offset ? member.zip_offset : member.offset;
        data_.members.push_back({*member.size, offset.value_or(ArchiveMember::in_sequence), member.header_crc,
                                 archive_, member.ordinal});
        const std::size_t number = data_.names.size() - 1;
        if (const std::size_t earlier = table_.add(number); earlier != number) {
            table_.replace(number);
            replaced_.push_back(earlier);
        }
    }

    /// The last member of a name counts, the same as when an archive is unpacked.
    void drop_replaced() {
        if (replaced_.empty()) return;
        std::sort(replaced_.begin(), replaced_.end());
        auto next = replaced_.begin();
        std::size_t kept = first_;
        for (std::size_t i = first_; i < data_.names.size(); ++i) {
            if (next != replaced_.end() && *next == i) {
                ++next;
                data_.skipped.push_back(
                    {std::string(data_.name(i)), "a later member of the archive has the same name"});
                continue;
            }
            data_.names[kept] = data_.names[i];
            data_.places[kept] = data_.places[i];
            ++kept;
        }
        data_.names.resize(kept);
        data_.places.resize(kept);
    }

  private:
    const std::string& prefix_;
    ImageListData& data_;
    const bool is_command_;
    std::size_t first_;
    std::uint32_t archive_;
    NameIndex table_;
    std::vector<std::size_t> replaced_;
};

/// How messages name what the archive has up to some member.
std::string behind(const std::string& last) {
    return last.empty() ? "at its beginning" : "behind its member '" + excerpt(last) + "'";
}

// Adds the images of an archive to a list, their names behind `prefix`; what is no image and why to
// `skipped`. Returns why the archive cannot be read at all; nothing if it can, at least at its beginning.
std::string list_archive(const std::filesystem::path& archive, const std::string& prefix,
                         std::size_t max_unpacker_bytes, ImageListData& data) {
    ArchiveListing listing(archive, prefix, data);
    std::string last;
    std::string damage;
    bool any = false;
    try {
        ArchiveReader reader(archive, listing_block, max_unpacker_bytes);
        while (const auto member = reader.next()) {
            listing.add(*member, reader);
            last = member->name;
            any = true;
        }
        damage = reader.missing_end();
        if (!damage.empty())
            damage = "the archive " + damage + " ('" + excerpt(last) + "'): it may be incomplete";
    } catch (const ImageError& error) {
        if (!any) return error.what();
        damage = "the archive cannot be read " + behind(last) + ": " + error.what();
    }
    listing.drop_replaced();
    if (!damage.empty())
        data.skipped.push_back({prefix.empty() ? valid_utf8(archive.native()) : prefix, damage});
    return {};
}

/// Lists an archive that is the only one. \throws Error, UsageError if it has no images.
void list_alone(const std::filesystem::path& archive, std::size_t max_unpacker_bytes, ImageListData& data) {
    const std::string why = list_archive(archive, "", max_unpacker_bytes, data);
    if (!why.empty()) {
        throw Error("'" + archive.string() +
                    "' cannot be read as an archive (.tar, also packed by gzip, bzip2, xz or "
                    "Zstandard, or .zip): " +
                    why + ".");
    }
    if (data.names.empty()) {
        throw UsageError("The archive '" + archive.string() + "' holds no images" +
                         (data.skipped.empty() ? "."
                                               : " that can be read: " + data.skipped.front().name + " " +
                                                     data.skipped.front().reason + "."));
    }
}

/// Lists one of several archives. One that cannot be read is told in `skipped`.
void list_beside_others(const std::filesystem::path& archive, const std::string& prefix,
                        std::size_t max_unpacker_bytes, ImageListData& data) {
    const std::string why = list_archive(archive, prefix, max_unpacker_bytes, data);
    if (!why.empty()) data.skipped.push_back({prefix, "the archive cannot be read: " + why});
}

}  // namespace

ImageListData list_one_archive(const std::filesystem::path& archive, std::size_t max_unpacker_bytes) {
    if (!is_there(archive))
        throw UsageError("There is no archive '" + archive.string() + "'; check the path.");
    if (is_folder(archive)) {
        throw UsageError("'" + archive.string() +
                         "' is a folder where an archive is needed; use folder:" + archive.string() + ".");
    }
    ImageListData data;
    data.root = folder_of(archive);
    data.sources.push_back(archive);
    list_alone(archive, max_unpacker_bytes, data);
    return data;
}

ImageListData list_archive_commands(const std::string& command, std::size_t max_unpacker_bytes) {
    const std::vector<std::string> commands = expand_braces(command);
    ImageListData data;
    data.root = std::filesystem::current_path();
    if (commands.size() == 1) {
        list_alone(std::string(archive_command_prefix) + command, max_unpacker_bytes, data);
        return data;
    }
    std::map<std::string, int> uses;
    for (const std::string& one : commands) {
        std::string name = name_of_command(one);
        if (const int number = ++uses[name]; number > 1) name += "-" + std::to_string(number);
        list_beside_others(std::string(archive_command_prefix) + one, name + '/', max_unpacker_bytes, data);
    }
    return data;
}

void expand_archives(ImageListData& data, std::size_t max_unpacker_bytes) {
    const bool any = std::any_of(data.names.begin(), data.names.end(), [&](NameArena::Span name) {
        return is_archive_entry(data.arena.get(name));
    });
    if (!any) return;
    const std::vector<NameArena::Span> names = std::exchange(data.names, {});
    const std::vector<ImageListData::Place> places = std::exchange(data.places, {});
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string_view name = data.arena.get(names[i]);
        const ImageListData::Place place = places.empty() ? ImageListData::at_root : places[i];
        if (!is_archive_entry(name)) {
            data.names.push_back(names[i]);
            if (place != ImageListData::at_root || !data.places.empty())
                data.set_place(data.names.size() - 1, place);
            continue;
        }
        const std::filesystem::path file =
            place == ImageListData::at_root
                ? data.root / std::filesystem::path(name.substr(0, name.size() - 1))
                : std::filesystem::path(data.arena.get(place & ~ImageListData::path_bit));
        data.sources.push_back(file);
        list_beside_others(file, std::string(name), max_unpacker_bytes, data);
    }
}

}  // namespace fovea
