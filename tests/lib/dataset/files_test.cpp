// The common parts of all readers: names, order, folders, text.

#include <algorithm>

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/natural_order.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/text_file.hpp"
#include "tests/lib/dataset/support.hpp"
#include "tests/support/standard_input.hpp"

using namespace fovea;
using namespace fovea::test;
namespace fs = std::filesystem;

namespace {

int sign(int value) {
    return (value > 0) - (value < 0);
}

}  // namespace

TEST_CASE("natural order: numbers by value, folders together, total", "[dataset]") {
    CHECK(natural_compare("img2.jpg", "img10.jpg") < 0);
    CHECK(natural_compare("img10.jpg", "img10.jpg") == 0);
    CHECK(natural_compare("a9b10", "a9b9") > 0);
    CHECK(natural_compare("a/z.jpg", "a-1/a.jpg") < 0);
    CHECK(natural_compare("img", "img1") < 0);
    CHECK(natural_compare("99999999999999999999999998", "99999999999999999999999999") < 0);
    // Leading zeros decide last, but decide.
    CHECK(natural_compare("img01", "img1") != 0);
    CHECK(natural_compare("img01b", "img1a") > 0);
    CHECK(natural_compare("0", "00") != 0);

    // Antisymmetric and transitive over names that mix all cases.
    const std::vector<std::string> names{"",    "0",   "00",  "01",   "1",     "1a",  "1a2", "1a02", "a",
                                         "a/1", "a/b", "a-1", "a0",   "a00",   "a1",  "a01", "a1b",  "a001b",
                                         "a10", "b",   "/",   "\xC3", "a\xFF", "aB1", "ab1"};
    for (const auto& a : names) {
        for (const auto& b : names) {
            INFO("'" << a << "' and '" << b << "'");
            CHECK(sign(natural_compare(a, b)) == -sign(natural_compare(b, a)));
            CHECK((natural_compare(a, b) == 0) == (a == b));
            for (const auto& c : names) {
                if (natural_compare(a, b) < 0 && natural_compare(b, c) < 0) CHECK(natural_compare(a, c) < 0);
            }
        }
    }
}

TEST_CASE("image names and stems", "[dataset]") {
    for (const char* name : {"a.jpg",   "a.JPEG",    "a.png", "a.Tif",  "a.tiff", "a.pgm",     "a.ppm",
                             "a.pbm",   "a.pnm",     "a.bmp", "a.webp", "a.gif",  "a.ppm.bz2", "a.TIF.GZ",
                             "a.b.jpg", "DSCF1.MPO", "a.jps", "a.insp", "a.dib",  "a.pjpeg"}) {
        INFO(name);
        CHECK(is_image_name(name));
    }
    for (const char* name : {"a.txt", "a", "jpg", ".jpg", "a.jpg.xz", "a.gz", "a.jpgx", "", "a.sfi"}) {
        INFO(name);
        CHECK_FALSE(is_image_name(name));
    }
    CHECK(image_stem("00001fa010_930831.sfi") == "00001fa010_930831");
    CHECK(image_stem("x.tif.bz2") == "x");
    CHECK(image_stem("a.b.JPG") == "a.b");
    CHECK(image_stem("a.b") == "a.b");
    CHECK(image_stem("a.gz") == "a.gz");
}

TEST_CASE("image keys are relative to the root where they can be", "[dataset]") {
    CHECK(image_key("a/b.jpg", "photos", "photos") == "a/b.jpg");
    CHECK(image_key("./a/../b.jpg", "photos", "photos/") == "b.jpg");
    CHECK(image_key("a.jpg", ".", ".") == "a.jpg");
    CHECK(image_key("../a.jpg", "photos", "photos") == "../a.jpg");
    CHECK(image_key("../a.jpg", "/data/photos", "/data/photos") == "../a.jpg");
    CHECK(image_key("a.jpg", "photos/x", "photos") == "x/a.jpg");
    CHECK(image_key("/data/a.jpg", "/data", "/data") == "a.jpg");
    CHECK(image_key("/elsewhere/a.jpg", "/data", "/data") == "/elsewhere/a.jpg");
    CHECK(image_key(fs::current_path() / "a.jpg", ".", ".") == "a.jpg");
}

TEST_CASE("pixels: finite decimal numbers only", "[dataset]") {
    CHECK(parse_pixels("12") == 12.0);
    CHECK(parse_pixels("-1.5") == -1.5);
    CHECK(parse_pixels("1e3") == 1000.0);
    CHECK(parse_pixels("10000000") == 1e7);
    CHECK(std::signbit(*parse_pixels("-0")) == false);
    for (const char* text :
         {"", "nan", "inf", "-inf", "1e999", "10000001", "1,5", "12px", "0x10", " 1", "1 ", "--1"}) {
        INFO("'" << text << "'");
        CHECK_FALSE(parse_pixels(text));
    }
}

TEST_CASE("names that are not UTF-8 become sayable", "[dataset]") {
    CHECK(to_utf8("caf\xE9.jpg") == "caf%E9.jpg");
    CHECK(to_utf8("\xE2\x82z\xED\xA0\x80") == "%E2%82z%ED%A0%80");
    CHECK(to_utf8("Zo\xC3\xAB") == "Zo\xC3\xAB");
}

TEST_CASE("text files: lines, comments, CRLF, byte order mark", "[dataset]") {
    const TextFile file("t", "\xEF\xBB\xBF# comment\r\n\r\n  one \t\r\ntwo # not a comment\n\n#x\nlast");
    const auto lines = file.content_lines();
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].text == "one");
    CHECK(lines[0].number == 3);
    CHECK(lines[1].text == "two # not a comment");
    CHECK(lines[2].text == "last");
    CHECK(lines[2].number == 7);
    CHECK_THROWS_WITH(TextFile("t", "\xFF\xFEh\0i\0"), Catch::Contains("UTF-16"));
    CHECK_THROWS_WITH(file.fail(lines[1], "more"), "t:4: cannot read 'two # not a comment': expected more");
}

TEST_CASE("folder: recursive, natural order, filter, limit", "[dataset]") {
    const TempDir dir;
    for (const char* name :
         {"img10.jpg", "img2.JPG", "b/3.pgm.gz", "b/c/1.png", "notes.txt", ".hidden.jpg", ".git/x.jpg"}) {
        dir.write(name, "x");
    }
    const Dataset all = read_dataset("folder:" + dir.path().string());
    CHECK(images_of(all) == std::vector<std::string>{"b/3.pgm.gz", "b/c/1.png", "img2.JPG", "img10.jpg"});
    CHECK(all.format == "folder");
    CHECK(all.name == "folder:" + dir.path().string());
    CHECK(all.samples[1].path == dir.path() / "b/c/1.png");
    CHECK(all.samples[1].subject.empty());
    CHECK_FALSE(all.has_ground_truth());
    CHECK(all.face_count() == 0);
    CHECK(all.warnings.empty());

    CHECK(read_dataset(dir.path().string()).format == "folder");
    CHECK(images_of(read_dataset(dir.path().string(), {.pattern = "img*", .limit = 0, .root = {}})) ==
          std::vector<std::string>{"img2.JPG", "img10.jpg"});
    CHECK(images_of(read_dataset(dir.path().string(), {.pattern = "b/*", .limit = 0, .root = {}})) ==
          std::vector<std::string>{"b/3.pgm.gz"});
    CHECK(images_of(read_dataset(dir.path().string(), {.pattern = "*.png", .limit = 0, .root = {}})) ==
          std::vector<std::string>{"b/c/1.png"});
    CHECK(images_of(read_dataset(dir.path().string(), {.pattern = "img*", .limit = 1, .root = {}})) ==
          std::vector<std::string>{"img2.JPG"});
    CHECK_THAT(error_of(dir.path().string(), {.pattern = "*.bmp", .limit = 0, .root = {}}),
               Catch::Contains("None of the 4 images") && Catch::Contains("*.bmp"));
}

TEST_CASE("folder: the sub-folder is the subject where all images lie in sub-folders", "[dataset]") {
    const TempDir dir;
    dir.write("s1/1.pgm", "x");
    dir.write("s10/1.pgm", "x");
    dir.write("s2/1.pgm", "x");
    const Dataset dataset = read_dataset("folder:" + dir.path().string());
    CHECK(images_of(dataset) == std::vector<std::string>{"s1/1.pgm", "s2/1.pgm", "s10/1.pgm"});
    CHECK(dataset.samples[2].subject == "s10");
    dir.write("group.jpg", "x");
    CHECK(read_dataset("folder:" + dir.path().string()).samples[0].subject.empty());
}

TEST_CASE("folder: links, loops, pipes and unreadable folders", "[dataset]") {
    const TempDir dir;
    const TempDir elsewhere;
    dir.write("real/1.jpg", "x");
    elsewhere.write("2.jpg", "x");
    fs::create_directory_symlink(dir.path(), dir.path() / "real/loop");
    fs::create_directory_symlink("real", dir.path() / "alias");
    fs::create_directory_symlink(elsewhere.path(), dir.path() / "extern");
    fs::create_directory_symlink(elsewhere.path(), dir.path() / "extern2");
    fs::create_symlink("nowhere.jpg", dir.path() / "broken.jpg");
    REQUIRE(::mkfifo((dir.path() / "pipe.jpg").c_str(), 0600) == 0);

    const Dataset dataset = read_dataset("folder:" + dir.path().string());
    CHECK(images_of(dataset) == std::vector<std::string>{"broken.jpg", "extern/2.jpg", "real/1.jpg"});
    CHECK(warns(dataset, "pipe.jpg"));

    // Root may read everything: look with the eyes of somebody who may not.
    dir.write("locked/3.jpg", "x");
    fs::permissions(dir.path() / "locked", fs::perms::none);
    const bool was_root = ::geteuid() == 0;
    if (was_root) REQUIRE(::seteuid(65534) == 0);
    const Dataset partial = read_dataset("folder:" + dir.path().string());
    if (was_root) REQUIRE(::seteuid(0) == 0);
    fs::permissions(dir.path() / "locked", fs::perms::owner_all);
    CHECK(images_of(partial) == images_of(dataset));
    CHECK(warns(partial, "locked' cannot be read"));
}

TEST_CASE("folder: names that are not UTF-8 are made so, and said", "[dataset]") {
    const TempDir dir;
    dir.write("caf\xE9.jpg", "x");
    const Dataset dataset = read_dataset("folder:" + dir.path().string());
    CHECK(images_of(dataset) == std::vector<std::string>{"caf%E9.jpg"});
    CHECK(fs::exists(dataset.samples[0].path));
    CHECK(warns(dataset, "%XX"));
}

TEST_CASE("folder and specification: what is wrong is said", "[dataset]") {
    const TempDir dir;
    const std::string file = dir.write("a.jpg", "x").string();
    fs::create_directories(dir.path() / "empty");
    CHECK(is_usage_error("folder:" + (dir.path() / "empty").string()));
    CHECK_THAT(error_of("folder:" + (dir.path() / "empty").string()), Catch::Contains("no images"));
    CHECK(is_usage_error("folder:" + (dir.path() / "absent").string()));
    CHECK(is_usage_error("folder:" + file));
    CHECK(is_usage_error((dir.path() / "absent").string()));
    CHECK(is_usage_error("folder:"));
    CHECK(is_usage_error(""));
    CHECK(is_usage_error("nonsense:" + file));
    CHECK_THAT(error_of("afw:x"), Catch::Contains("'afw'") && Catch::Contains("mit-cmu:"));
    CHECK(is_usage_error("list:" + (dir.path() / "absent").string()));
    CHECK(is_usage_error("list:" + dir.path().string()));
}

TEST_CASE("a single image is a dataset of one", "[dataset]") {
    const TempDir dir;
    const std::string file = dir.write("a.jpg", "x").string();
    const Dataset dataset = read_dataset(file);
    CHECK(dataset.format == "image");
    CHECK(images_of(dataset) == std::vector<std::string>{"a.jpg"});
    CHECK(dataset.samples[0].path == file);
    CHECK(is_usage_error("image:" + dir.path().string()));
    CHECK(is_usage_error("image:" + file + "x"));
}

TEST_CASE("list: one path per line, images need not exist", "[dataset]") {
    const TempDir dir;
    const auto file =
        dir.write("lists/l.txt", "\xEF\xBB\xBF# photos\r\nb.jpg\r\n\r\n./sub/a b#1.jpg  \r\n../c.jpg\r\n" +
                                     (dir.path() / "lists/d.jpg").string() + "\r\n/abs/e.jpg");
    const Dataset dataset = read_dataset("list:" + file.string());
    CHECK(images_of(dataset) ==
          std::vector<std::string>{"b.jpg", "sub/a b#1.jpg", "../c.jpg", "d.jpg", "/abs/e.jpg"});
    CHECK(dataset.samples[0].path == dir.path() / "lists/b.jpg");
    CHECK(dataset.sources == std::vector<fs::path>{file});
    CHECK(read_dataset(file.string()).format == "list");

    const Dataset moved =
        read_dataset("list:" + file.string(), {.pattern = {}, .limit = 0, .root = "/photos"});
    CHECK(moved.samples[0].path == "/photos/b.jpg");
    CHECK(moved.samples[4].path == "/abs/e.jpg");
}

TEST_CASE("list: repeated images are read once, broken lists refused", "[dataset]") {
    const TempDir dir;
    const Dataset repeated =
        read_dataset("list:" + dir.write("r.txt", "a.jpg\nb.jpg\n./a.jpg\na.jpg\n").string());
    CHECK(images_of(repeated) == std::vector<std::string>{"a.jpg", "b.jpg"});
    CHECK(warns(repeated, "2 images more than once"));
    CHECK(warns(repeated, "a.jpg in lines 1 and 3"));

    CHECK_THAT(error_of("list:" + dir.write("n.txt", std::string("a.jpg\n\0b", 8)).string()),
               Catch::Contains("n.txt:2: cannot read"));
    CHECK_THAT(error_of("list:" + dir.write("f.txt", "a/\n").string()), Catch::Contains("f.txt:1:"));
    CHECK_THAT(error_of("list:" + dir.write("d.txt", "a.jpg\n.\n").string()), Catch::Contains("d.txt:2:"));
    CHECK_THAT(error_of("list:" + dir.write("e.txt", "# none\n\n").string()),
               Catch::Contains("names no image"));
    CHECK_THAT(error_of("list:" + dir.write("z.txt", "").string()), Catch::Contains("names no image"));
    CHECK_FALSE(is_usage_error("list:" + (dir.path() / "z.txt").string()));
}

TEST_CASE("list: standard input", "[dataset]") {
    {
        const StandardInput input(std::string("x/a.jpg\ny.jpg\n"));
        const Dataset dataset = read_dataset("-");
        CHECK(dataset.format == "list");
        CHECK(images_of(dataset) == std::vector<std::string>{"x/a.jpg", "y.jpg"});
        CHECK(dataset.sources.empty());
    }
    {
        const StandardInput input(std::string("y.jpg\n"));
        CHECK(read_dataset("list:-", {.pattern = {}, .limit = 0, .root = "/r"}).samples[0].path ==
              "/r/y.jpg");
    }
    const StandardInput input(std::string{});
    CHECK_THAT(error_of("-"), Catch::Contains("standard input"));
}

TEST_CASE("bare paths are recognised by what is in them", "[dataset]") {
    const TempDir dir;
    const std::string points = "a.png 1 2 5 2 3 4 1 6 3 6 5 6\n";
    CHECK(read_dataset(dir.write("six.txt", points).string()).format == "mit-cmu");
    CHECK(read_dataset(dir.write("boxes.txt", "a.png 1 2 3 4\n").string()).format == "mit-cmu");
    CHECK(read_dataset(dir.write("eyes.txt", "00001aa 1 2 3 2\n").string()).format == "feret");
    CHECK(read_dataset(dir.write("nine.txt", "00001aa 1 2 3 2 1 1 1 1\n").string()).format == "feret");
    CHECK(read_dataset(dir.write("g.srt", "00001aa.sfi\n").string()).format == "feret");
    CHECK(read_dataset(dir.write("names.txt", "00001aa\n").string()).format == "list");
    CHECK(
        read_dataset(dir.write("d.xml", "<!-- x --><dataset><images><image file='a.jpg'/></images></dataset>")
                         .string())
            .format == "dlib");
    CHECK(read_dataset(dir.write("s.xml",
                                 "<?xml version='1.0'?>\n<biometric-signature-set><biometric-signature "
                                 "name='1'><presentation file-name='a.tif'/></biometric-signature>"
                                 "</biometric-signature-set>")
                           .string())
              .format == "feret");
    CHECK_THAT(error_of(dir.write("c.xml", "<opencv_storage/>").string()), Catch::Contains("opencv_storage"));
    CHECK_THAT(error_of(dir.write("c.json", "{\"pictures\": []}").string()),
               Catch::Contains("fovea-dataset"));
    CHECK_THAT(error_of(dir.write("b.bin", std::string("\x89\0\1", 3)).string()), Catch::Contains("binary"));

    fs::create_directories(dir.path() / "m/test");
    dir.write("m/test/groundtruth.txt", points);
    CHECK(read_dataset((dir.path() / "m").string()).format == "mit-cmu");
    CHECK(read_dataset((dir.path() / "m/test").string()).format == "mit-cmu");
}

TEST_CASE("files named one by one are read as a list of them", "[dataset]") {
    const TempDir dir;
    for (const std::string name : {"b.jpg", "a.jpg", "c.png", "sub/d.jpg", "caf\xE9.jpg"})
        dir.write(name, "x");
    DatasetOptions options;
    options.root = dir.path();
    const std::vector<std::string> files{"b.jpg", "./a.jpg", "sub/../b.jpg", "c.png", "sub/d.jpg"};
    const Dataset all = dataset_of_files(files, options);
    CHECK(all.format == "files");
    CHECK(all.name == "5 files");
    CHECK(images_of(all) == std::vector<std::string>{"b.jpg", "a.jpg", "c.png", "sub/d.jpg"});
    CHECK(fs::equivalent(all.samples[3].path, dir.path() / "sub/d.jpg"));
    REQUIRE(all.warnings.size() == 1);
    CHECK_THAT(all.warnings[0], Catch::Contains("b.jpg as numbers 1 and 3"));

    // Pattern, limit and names mean what they mean for a list with the same lines.
    const std::string lines = "b.jpg\n./a.jpg\nsub/../b.jpg\nc.png\nsub/d.jpg\n";
    const std::string list = "list:" + dir.write("list.txt", lines).string();
    for (const std::string pattern : {"*.jpg", "sub/*", "s*d.jpg", "[ab].jpg", "*"}) {
        CAPTURE(pattern);
        options.pattern = pattern;
        const auto outcome = [&](const auto& read) {
            try {
                return images_of(read());
            } catch (const UsageError&) {
                return std::vector<std::string>{"no match"};
            }
        };
        CHECK(outcome([&] { return dataset_of_files(files, options); }) ==
              outcome([&] { return read_dataset(list, options); }));
    }
    options.pattern = "*.jpg";
    options.limit = 2;
    CHECK(images_of(dataset_of_files(files, options)) == std::vector<std::string>{"b.jpg", "a.jpg"});
    options = {};
    options.root = dir.path();
    CHECK(dataset_of_files({"caf\xE9.jpg"}, options).samples[0].image == "caf%E9.jpg");
    const std::string outside = (dir.path() / "a.jpg").string();
    options.root = dir.path() / "sub";
    CHECK(images_of(dataset_of_files({outside}, options)) == std::vector<std::string>{outside});

    CHECK_THROWS_AS(dataset_of_files({"missing.jpg"}, options), UsageError);
    CHECK_THROWS_WITH(dataset_of_files({"d.jpg", ".."}, options), Catch::Contains("is a folder"));
    options.pattern = "*.gif";
    CHECK_THROWS_AS(dataset_of_files({"d.jpg"}, options), UsageError);
}
