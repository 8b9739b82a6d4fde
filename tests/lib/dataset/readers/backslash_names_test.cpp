// Names that Windows wrote: m\a.jpg.
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/dataset/formats/write_dataset.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

/// A list in each format, with NAME for the image's name.
struct ListFormat {
    std::string format;
    std::string file;
    std::string text;
};

const std::vector<ListFormat> formats{
    {"list", "list.txt", "NAME\n"},
    {"opencv", "info.dat", "NAME 1 1 2 3 4\n"},
    {"dlib", "t.xml",
     "<dataset><images><image file='NAME'><box top='1' left='1' width='2' "
     "height='2'/></image></images></dataset>"},
    {"fddb", "list.txt", "NAME\n1\n3 2 0 10 20 1\n"},
    {"wider", "list.txt", "NAME\n1\n1 2 3 4 0 0 0 0 0 0\n"},
    {"coco", "gt.json", R"({"images":[{"id":1,"file_name":"NAME"}],"annotations":[]})"},
    {"voc", "a.xml", "<annotation><filename>NAME</filename></annotation>"},
    {"mit-cmu", "groundtruth.txt", "NAME 1 2 3 4\n"},
    {"feret", "a.srt", "NAME\n"},
    {"fovea", "d.json",
     R"({"format":"fovea-dataset","version":1,"name":"n","root":".","images":[{"image":"NAME","annotated":false,"faces":[]}]})"},
};

std::string with_name(const ListFormat& format, std::string name) {
    if (format.file.ends_with(".json")) {
        for (std::size_t at = name.find('\\'); at != std::string::npos; at = name.find('\\', at + 2))
            name.insert(at, "\\");
    }
    std::string text = format.text;
    return text.replace(text.find("NAME"), 4, name);
}

}  // namespace

TEST_CASE("a backslash in a name stands for a slash where there is no such file", "[dataset][backslash]") {
    for (const ListFormat& format : formats) {
        CAPTURE(format.format);
        const TempDir dir;
        dir.write("m/a.jpg", "x");
        const auto file = dir.write(format.file, with_name(format, "m\\a.jpg"));
        const Dataset dataset = read_dataset(format.format + ":" + file.string());
        CHECK(images_of(dataset) == std::vector<std::string>{"m/a.jpg"});
        CHECK(std::filesystem::equivalent(dataset.samples[0].path, dir.path() / "m/a.jpg"));
    }
}

TEST_CASE("a file whose name has a backslash is that file", "[dataset][backslash]") {
    for (const ListFormat& format : formats) {
        CAPTURE(format.format);
        const TempDir dir;
        dir.write("m/a.jpg", "x");
        dir.write("m\\a.jpg", "y");
        const auto file = dir.write(format.file, with_name(format, "m\\a.jpg"));
        const Dataset dataset = read_dataset(format.format + ":" + file.string());
        CHECK(dataset.samples[0].image == "m\\a.jpg");
        CHECK(dataset.samples[0].path.filename() == "m\\a.jpg");
    }
}

TEST_CASE("images that are nowhere have names with slashes, too", "[dataset][backslash]") {
    for (const ListFormat& format : formats) {
        CAPTURE(format.format);
        const TempDir dir;
        const auto file = dir.write(format.file, with_name(format, "m\\n\\a.jpg"));
        CHECK(images_of(read_dataset(format.format + ":" + file.string())) ==
              std::vector<std::string>{"m/n/a.jpg"});
    }
    const TempDir dir;
    const auto list = dir.write("lists/l.txt", "..\\m\\a.jpg\n..\\m/a.jpg\n");
    const Dataset dataset = read_dataset("list:" + list.string());
    CHECK(images_of(dataset) == std::vector<std::string>{"../m/a.jpg"});
    CHECK(warns(dataset, "names 1 image more than once"));
}

TEST_CASE("what is written of names with backslashes has folders", "[dataset][backslash][convert]") {
    const TempDir dir;
    const auto file =
        dir.write("gt.json", R"({"images":[{"id":1,"file_name":"m\\a.jpg","width":10,"height":10}],
        "annotations":[{"image_id":1,"bbox":[1,1,2,2]}]})");
    const Dataset dataset = read_dataset("coco:" + file.string());
    for (const char* const format : {"yolo", "voc"}) {
        CAPTURE(format);
        std::vector<std::string> losses;
        const OutputFiles files = render_dataset(dataset, format, {}, losses);
        REQUIRE_FALSE(files.files.empty());
        for (const auto& written : files.files) CHECK(written.name.find('\\') == std::string::npos);
    }
}
