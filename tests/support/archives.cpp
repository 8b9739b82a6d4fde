#include "tests/support/archives.hpp"

#include <memory>
#include <stdexcept>

#include <archive.h>
#include <archive_entry.h>

namespace fovea::test {
namespace {

void set_format(::archive* archive, TestArchive format) {
    switch (format) {
        case TestArchive::ustar:
            ::archive_write_set_format_ustar(archive);
            break;
        case TestArchive::gnu_tar:
            ::archive_write_set_format_gnutar(archive);
            break;
        case TestArchive::pax:
            ::archive_write_set_format_pax_restricted(archive);
            break;
        default:
            ::archive_write_set_format_zip(archive);
            break;
    }
    if (format == TestArchive::zip_stored) ::archive_write_zip_set_compression_store(archive);
    if (format == TestArchive::zip_encrypted) {
        ::archive_write_set_options(archive, "zip:encryption=traditional");
        ::archive_write_set_passphrase(archive, "secret");
    }
}

void set_packing(::archive* archive, TestPacking packing) {
    switch (packing) {
        case TestPacking::none:
            break;
        case TestPacking::gzip:
            ::archive_write_add_filter_gzip(archive);
            break;
        case TestPacking::bzip2:
            ::archive_write_add_filter_bzip2(archive);
            break;
        case TestPacking::xz:
            ::archive_write_add_filter_xz(archive);
            break;
        case TestPacking::zstd:
            ::archive_write_add_filter_zstd(archive);
            break;
    }
}

void set_kind(::archive_entry* entry, const TestMember& member) {
    switch (member.kind) {
        case TestMember::Kind::file:
            ::archive_entry_set_filetype(entry, AE_IFREG);
            ::archive_entry_set_size(entry, static_cast<la_int64_t>(member.bytes.size()));
            break;
        case TestMember::Kind::folder:
            ::archive_entry_set_filetype(entry, AE_IFDIR);
            break;
        case TestMember::Kind::symbolic_link:
            ::archive_entry_set_filetype(entry, AE_IFLNK);
            ::archive_entry_set_symlink(entry, member.target.c_str());
            break;
        case TestMember::Kind::hard_link:
            ::archive_entry_set_filetype(entry, AE_IFREG);
            ::archive_entry_set_hardlink(entry, member.target.c_str());
            break;
        case TestMember::Kind::fifo:
            ::archive_entry_set_filetype(entry, AE_IFIFO);
            break;
    }
}

}  // namespace

std::filesystem::path write_archive(const std::filesystem::path& file, const std::vector<TestMember>& members,
                                    TestArchive format, TestPacking packing) {
    const std::unique_ptr<::archive, int (*)(::archive*)> archive(::archive_write_new(), &::archive_write_free);
    const auto check = [&](la_ssize_t outcome) {
        if (outcome < ARCHIVE_WARN) throw std::runtime_error(::archive_error_string(archive.get()));
    };
    set_format(archive.get(), format);
    set_packing(archive.get(), packing);
    check(::archive_write_open_filename(archive.get(), file.c_str()));
    for (const TestMember& member : members) {
        const std::unique_ptr<::archive_entry, void (*)(::archive_entry*)> entry(::archive_entry_new(),
                                                                                 &::archive_entry_free);
        ::archive_entry_set_pathname(entry.get(), member.name.c_str());
        ::archive_entry_set_perm(entry.get(), 0644);
        set_kind(entry.get(), member);
        check(::archive_write_header(archive.get(), entry.get()));
        if (member.kind == TestMember::Kind::file && !member.bytes.empty())
            check(::archive_write_data(archive.get(), member.bytes.data(), member.bytes.size()));
    }
    check(::archive_write_close(archive.get()));
    return file;
}

}  // namespace fovea::test
