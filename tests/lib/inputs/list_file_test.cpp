// List files: what 'fovea list' writes, and what jobs and their parts read.

#include "lib/inputs/list_file.hpp"

#include <algorithm>
#include <random>

#include "lib/core/natural_order.hpp"
#include "lib/files/file.hpp"
#include "lib/inputs/make_list_file.hpp"
#include "lib/inputs/ordered_walk.hpp"
#include "tests/lib/inputs/archive_cases.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

fs::path make_list(const TempDir& dir, const ImageListRequest& request) {
    fs::path file = dir.path() / "made.fvl";
    make_list_file(request, file, {});
    return file;
}

ImageList part_of_list(const fs::path& file, int index, int count) {
    return read_list_part({file.string(), {}, {}}, {index, count});
}

/// Checks that the parts of a division are the list, one behind the other, with the sizes that are told.
void check_parts(const fs::path& file, int count) {
    CAPTURE(count);
    const ImageList whole = list_of(file.string());
    const std::vector<PartSize> sizes = ListFile(file).part_sizes(count);
    REQUIRE(sizes.size() == static_cast<std::size_t>(count));
    std::size_t next = 0;
    std::uint64_t bytes = 0;
    for (int index = 1; index <= count; ++index) {
        const ImageList part = part_of_list(file, index, count);
        const PartSize& size = sizes[static_cast<std::size_t>(index - 1)];
        CHECK(part.size() == size.images);
        CHECK(part.is_part());
        CHECK(part.whole_size() == whole.size());
        CHECK(part.names_sha256() == whole.names_sha256());
        CHECK(part.list_sha256() == whole.list_sha256());
        for (std::size_t i = 0; i < part.size(); ++i, ++next) {
            if (part.position(i) != next || part.name(i) != whole.name(next) ||
                part.place(i) != whole.place(next))
                FAIL("image " << next << " is not where it should be");
        }
        bytes += size.bytes;
    }
    CHECK(next == whole.size());
    CHECK(bytes == ListFile(file).bytes());
}

/// Files with names that are hard to sort.
void write_tree(const TempDir& dir) {
    for (const char* name :
         {"img10.jpg", "img2.JPG", "b/3.pgm.gz", "b/c/1.png", "notes.txt", ".hidden.jpg", ".git/x.jpg",
          "caf\xE9.jpg", "a1/z.jpg", "a01/y.jpg", "a1/x.jpg", "a1/2/p.jpg", "a01/02/q.jpg", "a001/1/r.jpg",
          "b.jpg", "b-1/s.jpg", "b/a.jpg", "b/d.jpg", "picture.psd"})
        dir.write(std::string("f/") + name, name);
    fs::create_directory_symlink("b", dir.path() / "f/link");
    write_archive(dir.path() / "f/b.tar", {{"1.jpg", "one"}, {"0.jpg", "none"}});
    write_archive(dir.path() / "f/a1.zip", {{"3.jpg", "three"}}, TestArchive::zip);
}

}  // namespace

TEST_CASE("a list file holds what the folder holds", "[list-file]") {
    const TempDir dir;
    write_tree(dir);
    const std::string folder = (dir.path() / "f").string();
    const ImageList plain = list_of(folder);
    const fs::path file = make_list(dir, {folder, {}, {}});
    const ImageList listed = list_of(file.string());
    CHECK(listed.format() == "list-file");
    CHECK(listed.specification() == file.string());
    CHECK(names_of(listed) == names_of(plain));
    CHECK(listed.names_sha256() == plain.names_sha256());
    CHECK(listed.skipped() == plain.skipped());
    CHECK(listed.skipped_files() == 1);
    CHECK(listed.warnings() == plain.warnings());
    CHECK(listed.passed_over() == plain.passed_over());
    CHECK(listed.list_sha256() == ListFile(file).sha256());
    CHECK(plain.list_sha256().empty());
    CHECK(all_bytes_of(listed) == all_bytes_of(plain));
    for (std::size_t i = 0; i < plain.size(); ++i) CHECK(listed.place(i) == plain.place(i));
    // The bytes of a journal keep what is new in it.
    const ImageList back = ImageList::from_bytes(listed.to_bytes());
    CHECK(back.list_sha256() == listed.list_sha256());
    CHECK(all_bytes_of(back) == all_bytes_of(listed));
    for (const int count : {1, 2, 3, 7, 100}) check_parts(file, count);

    CHECK(names_of(list_of(file.string(), {.pattern = "*.jpg", .limit = 2, .root = {}})) ==
          names_of(list_of(folder, {.pattern = "*.jpg", .limit = 2, .root = {}})));
    const fs::path some = make_list(dir, {folder, {}, {.pattern = "b/*", .limit = 0, .root = {}}});
    CHECK(names_of(list_of(some.string())) == Names{"b/3.pgm.gz", "b/a.jpg", "b/d.jpg"});
    const fs::path first = make_list(dir, {folder, {}, {.pattern = "", .limit = 5, .root = {}}});
    CHECK(names_of(list_of(first.string())) ==
          names_of(list_of(folder, {.pattern = "", .limit = 5, .root = {}})));
    // A list of a list.
    const fs::path again = dir.path() / "again.fvl";
    make_list_file({first.string(), {}, {.pattern = "", .limit = 2, .root = {}}}, again, {});
    CHECK(names_of(list_of(again.string())) ==
          names_of(list_of(folder, {.pattern = "", .limit = 2, .root = {}})));
}

TEST_CASE("list files of other sources", "[list-file]") {
    const TempDir dir;
    dir.write("p/1.jpg", "one");
    dir.write("p/2.jpg", "two");
    write_archive(dir.path() / "t.tar", {{"x/1.jpg", "first"}, {"2.jpg", "second"}});
    write_archive(dir.path() / "t.tgz", {{"1.jpg", "first"}, {"2.jpg", "second"}}, TestArchive::ustar,
                  TestPacking::gzip);
    const std::string list = dir.write("l.txt", "p/2.jpg\nt.tar\np/absent.jpg\n").string();
    for (const std::string& specification :
         {(dir.path() / "t.tar").string(), "archive:" + (dir.path() / "t.tgz").string(), list,
          (dir.path() / "p/1.jpg").string()}) {
        CAPTURE(specification);
        const ImageList plain = list_of(specification);
        const fs::path file = make_list(dir, {specification, {}, {}});
        const ImageList listed = list_of(file.string());
        CHECK(names_of(listed) == names_of(plain));
        CHECK(all_bytes_of(listed) == all_bytes_of(plain));
        for (const int count : {1, 2, 5}) check_parts(file, count);
    }
    DatasetOptions options;
    options.root = dir.path();
    const fs::path files = make_list(dir, {"", {"p/2.jpg", "p/1.jpg"}, options});
    CHECK(all_bytes_of(list_of(files.string())) == Names{"two", "one"});
}

TEST_CASE("parts have about the same bytes", "[list-file][shard]") {
    const TempDir dir;
    const auto write = [&](const char* name, std::size_t bytes) {
        dir.write(std::string("f/") + name, std::string(bytes, 'x'));
    };
    write("1.jpg", 100);
    write("2.jpg", 100);
    write("3.jpg", 700);
    write("4.jpg", 100);
    const fs::path file = make_list(dir, {(dir.path() / "f").string(), {}, {}});
    CHECK(ListFile(file).bytes() == 1000);
    // The middles lie at 50, 150, 550 and 950.
    CHECK(names_of(part_of_list(file, 1, 2)) == Names{"1.jpg", "2.jpg"});
    CHECK(names_of(part_of_list(file, 2, 2)) == Names{"3.jpg", "4.jpg"});
    CHECK(names_of(part_of_list(file, 1, 10)) == Names{"1.jpg"});
    CHECK(names_of(part_of_list(file, 2, 10)) == Names{"2.jpg"});
    CHECK(names_of(part_of_list(file, 5, 10)).empty());
    CHECK(names_of(part_of_list(file, 6, 10)) == Names{"3.jpg"});
    // The first half ends where the middle of an image lies.
    write("3.jpg", 600);
    const fs::path even = make_list(dir, {(dir.path() / "f").string(), {}, {}});
    CHECK(names_of(part_of_list(even, 1, 9)) == Names{"1.jpg"});
    CHECK(names_of(part_of_list(even, 5, 9)).empty());
    CHECK(names_of(part_of_list(even, 6, 9)) == Names{"3.jpg"});

    std::mt19937 random(7);
    for (int i = 0; i < 300; ++i)
        write((std::to_string(i) + ".png").c_str(), 1 + random() % (i % 50 == 0 ? 30'000 : 1'000));
    const fs::path many = make_list(dir, {(dir.path() / "f").string(), {}, {}});
    for (const int count : {1, 3, 20, 299, 1000}) check_parts(many, count);
}

TEST_CASE("a list of several blocks", "[list-file]") {
    const TempDir dir;
    std::string names;
    for (int i = 0; i < 10'000; ++i) names += "folder/" + std::to_string(i) + ".jpg\n";
    const fs::path file = make_list(dir, {dir.write("l.txt", names).string(), {}, {}});
    const ListFile list(file);
    CHECK(list.blocks() == 3);
    CHECK(list.images() == 10'000);
    CHECK(list.bytes() == 10'000);  // of files that are not there, each counts
    for (const int count : {1, 2, 7, 1000}) check_parts(file, count);
    for (const PartSize& size : list.part_sizes(7)) CHECK((size.images == 1428 || size.images == 1429));
    CHECK(all_bytes_of(part_of_list(file, 3, 10'000)) == Names{"unreadable: no such file"});
}

TEST_CASE("parts of a video that are decoded together stay together", "[list-file][video]") {
    const TempDir dir;
    VideoPlan plan;
    plan.frames = 400;
    plan.gop = 10;
    plan.options = {{"preset", "ultrafast"}, {"x264-params", "scenecut=0"}};
    fs::create_directories(dir.path() / "f");
    make_video(dir.path() / "f/long.mp4", plan);
    dir.write("f/a.jpg", std::string(100, 'x'));
    const fs::path file = make_list(dir, {(dir.path() / "f").string(), {}, {}});
    const ImageList whole = list_of(file.string());
    REQUIRE(whole.size() == 401);
    const VideoSource& video = *whole.frame(1)->video;
    REQUIRE(video.cuts.size() > 2);
    for (const int count : {1, 2, 3, 5, 50}) {
        check_parts(file, count);
        for (int index = 1; index <= count; ++index) {
            const ImageList part = part_of_list(file, index, count);
            if (part.size() == 0 || !part.frame(0)) continue;
            const std::int64_t first = part.frame(0)->number;
            CHECK(std::any_of(video.cuts.begin(), video.cuts.end(),
                              [&](const VideoCut& cut) { return cut.frame == first; }));
        }
    }
}

TEST_CASE("a file that was replaced since it was listed is named", "[list-file]") {
    const TempDir dir;
    dir.write("f/1.jpg", "one");
    dir.write("f/2.jpg", "two");
    const fs::path file = make_list(dir, {(dir.path() / "f").string(), {}, {}});
    dir.write("f/2.jpg", "three");
    dir.write("f/3.jpg", "added");
    CHECK(
        all_bytes_of(list_of(file.string())) ==
        Names{"one", "unreadable: the file was replaced since its list was made: it has 5 bytes and had 3"});
}

TEST_CASE("the images of a list file may lie elsewhere", "[list-file]") {
    const TempDir dir;
    dir.write("f/b/1.jpg", "one");
    write_archive(dir.path() / "f/t.tar", {{"2.jpg", "two"}});
    dir.write("f/caf\xE9.jpg", "coffee");
    const fs::path file = make_list(dir, {(dir.path() / "f").string(), {}, {}});
    fs::rename(dir.path() / "f", dir.path() / "g");
    CHECK_THAT(all_bytes_of(list_of(file.string()))[0], Contains("no such file"));
    DatasetOptions options;
    options.root = dir.path() / "g";
    CHECK(all_bytes_of(list_of(file.string(), options)) == Names{"one", "coffee", "two"});
    CHECK(all_bytes_of(read_list_part({file.string(), {}, options}, {1, 1})) ==
          Names{"one", "coffee", "two"});
}

TEST_CASE("damaged list files are refused", "[list-file]") {
    const TempDir dir;
    dir.write("f/1.jpg", "one");
    dir.write("f/2.jpg", "two");
    const fs::path file = make_list(dir, {(dir.path() / "f").string(), {}, {}});
    const std::string bytes = read_file(file);
    const auto read = [&](const std::string& changed) {
        const fs::path broken = dir.write("broken.fvl", changed);
        return message_of([&] {
            list_of("list-file:" + broken.string());
            part_of_list("list-file:" + broken.string(), 1, 1);
        });
    };
    CHECK(read(bytes) == "none");
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        CAPTURE(length);
        CHECK_THAT(read(bytes.substr(0, length)), Contains("broken.fvl' cannot be read: "));
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const unsigned char flip : {0x01, 0x80, 0xFF}) {
            CAPTURE(at, static_cast<int>(flip));
            std::string changed = bytes;
            changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ flip);
            CHECK_THAT(read(changed), Contains("broken.fvl' cannot be read: "));
        }
    }
    CHECK_THAT(read(bytes + "x"), Contains("its end is missing; make it again with 'fovea list'"));
    CHECK_THAT(message_of([&] { list_of("list-file:" + (dir.path() / "absent.fvl").string()); }),
               Contains("There is no list file"));
    // Nothing is left of a list that was not finished.
    { ListFileWriter unfinished(dir.path() / "unfinished.fvl"); }
    CHECK_FALSE(fs::exists(dir.path() / "unfinished.fvl"));
    CHECK_FALSE(fs::exists(dir.path() / "unfinished.fvl.part"));
}

TEST_CASE("requests that make no list file", "[list-file]") {
    const TempDir dir;
    dir.write("f/notes.txt", "x");
    const fs::path out = dir.path() / "out.fvl";
    const auto message = [&](const ImageListRequest& request) {
        return message_of([&] { make_list_file(request, out, {}); });
    };
    const std::string folder = (dir.path() / "f").string();
    CHECK_THAT(message({folder, {}, {}}), Contains("holds no images"));
    CHECK_THAT(message({folder + "/absent", {}, {}}), Contains("absent"));
    dir.write("f/1.jpg", "one");
    CHECK_THAT(message({folder, {}, {.pattern = "*.png", .limit = 0, .root = {}}}), Contains("*.png"));
    dir.write("voc/Annotations/1.xml", "<annotation><filename>1.jpg</filename></annotation>");
    CHECK_THAT(message({"voc:" + (dir.path() / "voc").string(), {}, {}}),
               Contains("annotated dataset (voc)"));
    CHECK_FALSE(fs::exists(out));
    make_list_file({folder, {}, {}}, out, {});
    CHECK_THAT(message_of([&] {
                   read_list_part({out.string(), {}, {.pattern = "*.jpg", .limit = 0, .root = {}}}, {1, 2});
               }),
               Contains("give --pattern and --limit to 'fovea list'"));
    DatasetOptions second;
    second.frames.every = 2;
    CHECK_THAT(message_of([&] { list_of(out.string(), second); }), Contains("--every"));
    CHECK_THAT(message_of([&] { read_dataset(out.string()); }),
               Contains("fovea detect and fovea track read"));
    // Two names that are one once they are UTF-8.
    dir.write("f/caf\xE9.jpg", "x");
    dir.write("f/caf%E9.jpg", "x");
    CHECK_THAT(message({folder, {}, {}}), Contains("caf%E9.jpg"));
    // In folders that are listed one after the other, too.
    fs::remove(dir.path() / "f/caf%E9.jpg");
    fs::remove(dir.path() / "f/caf\xE9.jpg");
    dir.write("f/\xE9/1.jpg", "x");
    dir.write("f/%E9/1.jpg", "x");
    CHECK_THAT(message({folder, {}, {}}), Contains("%E9/1.jpg"));
}

TEST_CASE("a folder is walked in natural order, in parts of any size", "[list-file][ordered-walk]") {
    const TempDir dir;
    write_tree(dir);
    std::mt19937 random(11);
    const std::vector<std::string> pieces = {"a", "1", "01", "10", "2", "b", "-", "a1", "0", "00"};
    for (int i = 0; i < 400; ++i) {
        std::string name = "f/r";
        for (int level = static_cast<int>(random() % 4); level >= 0; --level) {
            name += '/';
            for (int k = static_cast<int>(1 + random() % 3); k > 0; --k)
                name += pieces[random() % pieces.size()];
        }
        dir.write(name + ".d/" + std::to_string(random() % 30) + ".jpg", "x");
    }
    Names expected;
    for (const auto& entry : fs::recursive_directory_iterator(dir.path() / "f")) {
        if (!entry.is_regular_file()) continue;
        std::string name = entry.path().lexically_relative(dir.path() / "f").string();
        if (name.front() == '.' || name.ends_with(".txt") || name.ends_with(".psd")) continue;
        if (is_archive_name(name)) name += '/';
        expected.push_back(name);
    }
    std::sort(expected.begin(), expected.end(), NaturalLess{});
    REQUIRE(expected.size() > 200);
    for (const std::size_t count : {std::size_t{1}, std::size_t{3}, std::size_t{100'000}}) {
        CAPTURE(count);
        OrderedWalk walk(dir.path() / "f");
        Names found;
        for (;;) {
            ImageListData data;
            const bool any = walk.next(count, data);
            CHECK(any == !data.names.empty());
            if (!any) break;
            for (std::size_t i = 0; i < data.names.size(); ++i) found.emplace_back(data.name(i));
        }
        CHECK(found == expected);
    }
}
