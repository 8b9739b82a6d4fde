#include "lib/inputs/image_list.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/sha256.hpp"
#include "lib/job/output_guard.hpp"
#include "tests/lib/inputs/archive_cases.hpp"
#include "tests/support/standard_input.hpp"

using namespace fovea;
using namespace fovea::test;
namespace fs = std::filesystem;

namespace {

/// A list names images as the dataset does, and opens the same files.
void check_equals_dataset(const std::string& specification, const DatasetOptions& options = {}) {
    CAPTURE(specification);
    const Dataset dataset = read_dataset(specification, options);
    const ImageList read = list_of(specification, options);
    const ImageList made = ImageList::of(dataset);
    for (const ImageList* list : {&read, &made}) {
        CHECK(list->format() == dataset.format);
        CHECK(list->specification() == specification);
        CHECK(list->sources() == dataset.sources);
        REQUIRE(list->size() == dataset.samples.size());
        for (std::size_t i = 0; i < list->size(); ++i) {
            CHECK(list->name(i) == dataset.samples[i].image);
            CHECK(list->file(i).lexically_normal() == dataset.samples[i].path.lexically_normal());
            CHECK(list->place(i) == list->file(i).string());
        }
    }
    CHECK(read.names_sha256() == made.names_sha256());
}

}  // namespace

TEST_CASE("a list of a folder is the dataset's", "[image-list]") {
    const TempDir dir;
    for (const char* name : {"img10.jpg", "img2.JPG", "b/3.pgm.gz", "b/c/1.png", "notes.txt", ".hidden.jpg",
                             ".git/x.jpg", "caf\xE9.jpg", "a1/z.jpg", "a01/y.jpg", "a1/x.jpg"}) {
        dir.write(name, name);
    }
    const std::string folder = dir.path().string();
    check_equals_dataset(folder);
    check_equals_dataset("folder:" + folder);
    check_equals_dataset(folder, {.pattern = "img*", .limit = 0, .root = {}});
    check_equals_dataset(folder, {.pattern = "*.jpg", .limit = 2, .root = {}});
    check_equals_dataset(folder + "/img2.JPG");
    const ImageList list = list_of(folder);
    CHECK(names_of(list) == std::vector<std::string>{"a1/x.jpg", "a01/y.jpg", "a1/z.jpg", "b/3.pgm.gz",
                                                     "b/c/1.png", "caf%E9.jpg", "img2.JPG", "img10.jpg"});
    std::vector<std::string> warnings = read_dataset(folder).warnings;
    warnings.push_back("1 file is no image and was passed over: 1 txt");
    CHECK(list.warnings() == warnings);
    CHECK(all_bytes_of(list)[5] == "caf\xE9.jpg");
    CHECK_FALSE(list.is_part());
    CHECK(list.whole_size() == 8);
    std::string names;
    for (const std::string& name : names_of(list)) names += name + '\0';
    CHECK(list.names_sha256() == sha256_of(names));

    CHECK(message_of([&] { list_of(folder, {.pattern = "*.bmp", .limit = 0, .root = {}}); }) ==
          message_of([&] { read_dataset(folder, {.pattern = "*.bmp", .limit = 0, .root = {}}); }));
    dir.write("empty/notes.txt", "x");
    CHECK(message_of([&] { list_of(folder + "/empty"); }) ==
          message_of([&] { read_dataset(folder + "/empty"); }));
    CHECK(message_of([&] { list_of(folder + "/absent"); }) ==
          message_of([&] { read_dataset(folder + "/absent"); }));
}

TEST_CASE("names that become equal as UTF-8 are refused", "[image-list]") {
    const TempDir dir;
    dir.write("caf\xE9.jpg", "x");
    dir.write("caf%E9.jpg", "x");
    const std::string message = message_of([&] { list_of(dir.path().string()); });
    CHECK_THAT(message, Catch::Contains("two images named 'caf%E9.jpg': '") &&
                            Catch::Contains("/caf%E9.jpg'") && Catch::Contains("/caf\\xE9.jpg'"));
    CHECK(message == message_of([&] { read_dataset(dir.path().string()); }));
}

TEST_CASE("what a folder holds beside images is named", "[image-list]") {
    const TempDir dir;
    dir.write("real/1.jpg", "x");
    dir.write("locked/3.jpg", "x");
    fs::create_directory_symlink(dir.path(), dir.path() / "real/loop");
    fs::create_symlink("nowhere.jpg", dir.path() / "broken.jpg");
    REQUIRE(::mkfifo((dir.path() / "pi\xFFpe.jpg").c_str(), 0600) == 0);
    fs::permissions(dir.path() / "locked", fs::perms::none);
    const bool was_root = ::geteuid() == 0;
    if (was_root) REQUIRE(::seteuid(65534) == 0);
    const ImageList list = list_of(dir.path().string());
    if (was_root) REQUIRE(::seteuid(0) == 0);
    fs::permissions(dir.path() / "locked", fs::perms::owner_all);
    CHECK(names_of(list) == std::vector<std::string>{"broken.jpg", "real/1.jpg"});
    REQUIRE(list.skipped().size() == 2);
    CHECK(reason_of(list, "locked/") == "the folder cannot be read: Permission denied");
    CHECK(reason_of(list, "pi%FFpe.jpg") == "is no regular file");
    CHECK(all_bytes_of(list) == std::vector<std::string>{"unreadable: no such file", "x"});
}

TEST_CASE("lists and files named one by one are the dataset's", "[image-list]") {
    const TempDir dir;
    for (const char* name : {"a.jpg", "b.jpg", "lists/sub/c.jpg", "lists/caf\xE9.jpg"}) dir.write(name, name);
    const auto file =
        dir.write("lists/l.txt",
                  "\xEF\xBB\xBF# photos\r\nb.jpg\r\n\r\n./sub/c.jpg  \r\n../a.jpg\r\ncaf\xE9.jpg\nb.jpg\n" +
                      (dir.path() / "lists/d.jpg").string() + "\r\n/abs/e.jpg\nsub/../b.jpg");
    check_equals_dataset("list:" + file.string());
    check_equals_dataset(file.string());
    check_equals_dataset("list:" + file.string(), {.pattern = "*.jpg", .limit = 3, .root = "/photos"});
    const ImageList list = list_of(file.string());
    CHECK(list.warnings() == read_dataset(file.string()).warnings);
    REQUIRE(list.warnings().size() == 2);
    CHECK_THAT(list.warnings()[0],
               Catch::Contains("2 images more than once") && Catch::Contains("lines 2 and 7"));
    CHECK(all_bytes_of(list)[1] == "lists/sub/c.jpg");
    const std::string binary = dir.write("n.txt", std::string("a.jpg\n\0b", 8)).string();
    CHECK(message_of([&] { list_of(binary); }) == message_of([&] { read_dataset(binary); }));

    DatasetOptions options;
    options.root = dir.path();
    const std::vector<std::string> files{"b.jpg", "./a.jpg", "lists/../b.jpg", "lists/sub/c.jpg"};
    const Dataset dataset = dataset_of_files(files, options);
    const ImageList named = read_image_list({"", files, options});
    CHECK(names_of(named) == std::vector<std::string>{"b.jpg", "a.jpg", "lists/sub/c.jpg"});
    CHECK(named.format() == dataset.format);
    CHECK(named.specification() == dataset.name);
    CHECK(named.warnings() == dataset.warnings);
    CHECK(all_bytes_of(named) == std::vector<std::string>{"b.jpg", "a.jpg", "lists/sub/c.jpg"});
    CHECK_THROWS_AS(read_image_list({"", {"absent.jpg"}, options}), UsageError);

    const ImageList plain = ImageList::of(std::vector<fs::path>{dir.path() / "a.jpg", "no\xFF.jpg"});
    CHECK(plain.name(0) == (dir.path() / "a.jpg").string());
    CHECK(plain.name(1) == "no%FF.jpg");
    CHECK(plain.file(1) == "no\xFF.jpg");
    CHECK(all_bytes_of(plain)[0] == "a.jpg");

    const StandardInput input((dir.path() / "a.jpg").string() + "\n");
    CHECK(all_bytes_of(list_of("-")) == std::vector<std::string>{"a.jpg"});
}

TEST_CASE("specifications of plain images", "[image-list]") {
    const TempDir dir;
    const std::string image = dir.write("a.jpg", "x").string();
    const std::string xml =
        dir.write("d.xml", "<dataset><images><image file='a.jpg'/></images></dataset>").string();
    CHECK(is_unannotated("-"));
    CHECK(is_unannotated("list:-"));
    CHECK(is_unannotated("folder:" + dir.path().string()));
    CHECK(is_unannotated(image));
    CHECK(is_unannotated(write_archive(dir.path() / "x.tar", {{"a.jpg", "x"}}).string()));
    CHECK(is_unannotated("archive:x"));
    CHECK_FALSE(is_unannotated(xml));
    CHECK_FALSE(is_unannotated(dir.path().string()));  // with imglab's file in it
    CHECK_FALSE(is_unannotated("mit-cmu:x"));
    CHECK_THROWS_AS(is_unannotated((dir.path() / "absent").string()), UsageError);
    CHECK_THROWS_AS(is_unannotated("nonsense:x"), UsageError);
}

TEST_CASE("a list comes back from its bytes", "[image-list]") {
    const TempDir dir;
    dir.write("f/2.jpg", "two");
    dir.write("f/caf\xE9.jpg", "coffee");
    for (const char* name : {"f/a.psd", "f/b.psd", "f/c.txt"}) dir.write(name, "x");
    write_archive(dir.path() / "f/x.tar",
                  {{"1.jpg", "one"}, {"l.jpg", "", TestMember::Kind::symbolic_link, "1.jpg"}});
    write_archive(dir.path() / "f/y.zip", {{"3.jpg", "three"}}, TestArchive::zip);
    const ImageList list = list_of((dir.path() / "f").string());
    const std::string bytes = list.to_bytes();
    const ImageList back = ImageList::from_bytes(bytes);
    CHECK(names_of(back) == names_of(list));
    CHECK(back.format() == list.format());
    CHECK(back.specification() == list.specification());
    CHECK(back.sources() == list.sources());
    CHECK(back.skipped() == list.skipped());
    CHECK(back.skipped_files() == 3);  // the link, and two pictures in a format that is not read
    CHECK(back.passed_over() == list.passed_over());
    CHECK(back.passed_over() == PassedOver::Counts{{"txt", 1}});
    CHECK(back.warnings() == list.warnings());
    CHECK(back.names_sha256() == list.names_sha256());
    CHECK_FALSE(back.is_part());
    CHECK(back.to_bytes() == bytes);
    CHECK(all_bytes_of(back) == std::vector<std::string>{"two", "coffee", "one", "three"});
    CHECK(all_bytes_of(back) == all_bytes_of(list));
    const ImageList empty =
        ImageList::from_bytes(ImageList().part([](std::size_t) { return true; }).to_bytes());
    CHECK(empty.size() == 0);
    CHECK(empty.is_part());

    // Outside data: every truncation is refused, and no change of a byte does more than that or give another
    // list.
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        CAPTURE(length);
        CHECK_THROWS_AS(ImageList::from_bytes(bytes.substr(0, length)), Error);
    }
    CHECK_THROWS_WITH(ImageList::from_bytes(bytes + "x"), Catch::Contains("behind its end"));
    CHECK_THROWS_WITH(ImageList::from_bytes("FVIMLIST\7"), Catch::Contains("version 7"));
    std::size_t refused = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const unsigned char flip : {0x01, 0x80, 0xFF}) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ flip);
            try {
                const ImageList other = ImageList::from_bytes(changed);
                CHECK(names_of(other) == names_of(list));
                all_bytes_of(other);
            } catch (const Error&) {
                ++refused;
            }
        }
    }
    CHECK(refused > bytes.size() / 2);
}

TEST_CASE("few bytes do not unfold to many", "[image-list]") {
    // A part whose images all share all of a name of 100,000 bytes with the one before: three bytes per
    // image.
    std::string bytes = ImageList().part([](std::size_t) { return true; }).to_bytes();
    bytes.resize(bytes.size() - 4);  // whole_size, has_places, has_marks, images
    const auto number = [&](std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
        bytes += static_cast<char>(value);
    };
    constexpr std::size_t images = 50'000, length = 100'000;
    number(images);
    number(0);
    number(0);
    number(images);
    number(0);
    number(length);
    bytes.append(length, 'a');
    number(0);
    for (std::size_t i = 1; i < images; ++i) {
        number(length);
        number(0);
        number(0);
    }
    CHECK_THROWS_WITH(ImageList::from_bytes(bytes), Catch::Contains("names are too long"));
}

TEST_CASE("no output may replace what a list reads", "[image-list]") {
    const TempDir dir;
    dir.write("a.jpg", "x");
    const auto archive = write_archive(dir.path() / "x.tar", {{"b.jpg", "x"}});
    const ImageList list = list_of("folder:" + dir.path().string());
    InputFiles inputs;
    add_inputs(list, inputs);
    CHECK_THROWS_AS(inputs.refuse(dir.path() / "a.jpg"), UsageError);
    CHECK_THROWS_AS(inputs.refuse(archive), UsageError);
    CHECK_NOTHROW(inputs.refuse(dir.path() / "b.jpg"));
    CHECK_NOTHROW(inputs.refuse(dir.write("results.jsonl", "x")));
    CHECK_NOTHROW(inputs.refuse("-"));
}
