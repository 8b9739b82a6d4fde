// The tables of formats: whole, in the document, and true of what is written.
#include <fstream>
#include <iterator>
#include <set>

#include "lib/dataset/formats/dataset_formats.hpp"
#include "lib/dataset/formats/write_dataset.hpp"
#include "lib/files/publish.hpp"
#include "lib/results/formats/results_formats.hpp"
#include "tests/lib/dataset/support.hpp"
#include "tests/support/sources.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

template <class Kind>
void check_rows(const FormatTable<Kind>& formats) {
    std::set<std::string_view> names;
    for (const FormatRecord<Kind>& format : formats) {
        CAPTURE(format.name);
        CHECK(names.insert(format.name).second);
        CHECK(formats.find(format.name) == &format);
        CHECK_FALSE(format.content.empty());
        CHECK(format.example.starts_with(std::string(format.name) + ":"));
        CHECK((format.recognise != nullptr) == !format.recognised_by.empty());
        CHECK((format.read != nullptr || format.is_written()));
        CHECK(format.is_written() != !format.why_not_written.empty());
        CHECK(format.is_written() == !format.rules.empty());
        if (!format.is_written()) CHECK(format.write == nullptr);
    }
    CHECK(formats.find("") == nullptr);
    CHECK(formats.find("no format") == nullptr);
}

std::string in_cells(const std::vector<std::string>& cells) {
    std::string line = "|";
    for (const std::string& cell : cells) line += " " + cell + " |";
    return line + "\n";
}

std::string table_head(const std::vector<std::string>& names) {
    std::string line = "|";
    for (std::size_t i = 0; i < names.size(); ++i) line += "---|";
    return in_cells(names) + line + "\n";
}

template <class Record>
std::string in_recognised_cell(const Record& format) {
    return format.recognise == nullptr ? "(must be named)" : std::string(format.recognised_by);
}

std::string table_of_read_datasets() {
    std::string text =
        table_head({"name", "content", "ground truth", "a bare path that is read so", "example"});
    for (const DatasetFormat& format : dataset_formats()) {
        const std::string name(format.name);
        const std::string section(format.section.empty() ? format.name : format.section);
        text += in_cells({"[`" + name + ":`](#" + section + ")", std::string(format.content),
                          std::string(format.gives), in_recognised_cell(format),
                          "`" + std::string(format.example) + "`"});
    }
    return text;
}

/// "boxes, ignore marks, image sizes, `pose`".
std::string in_words(const DatasetFields& held) {
    const std::pair<bool, const char*> parts[] = {
        {held.faces, "boxes"},         {held.ignored, "ignore marks"},
        {held.crowds, "crowds"},       {held.ellipses, "ellipses"},
        {held.areas, "areas"},         {held.image_eyes || held.face_eyes, "eyes"},
        {held.landmarks, "landmarks"}, {held.keypoints, "their visibility"},
        {held.subjects, "subjects"},   {held.pairs, "pairs"},
        {held.sizes, "image sizes"},   {held.all_attributes, "attributes"}};
    std::vector<std::string> words;
    for (const auto& [is_held, word] : parts) {
        if (is_held) words.emplace_back(word);
    }
    for (const FormatAttribute& attribute : held.attributes)
        words.push_back("`" + std::string(attribute.name) + "`");
    return in_one_list(words);
}

std::string table_of_written_datasets() {
    std::string text = table_head({"`--to`", "what is kept", "rules", "faces left out"});
    for (const DatasetFormat& format : dataset_formats()) {
        if (!format.is_written()) continue;
        const DatasetFields& held = format.holds;
        std::string left_out = held.faces && !held.ignored && !held.ignored_unmarked ? "marked ignore" : "";
        if (held.left_out.are != nullptr)
            left_out += (left_out.empty() ? "" : "; ") + std::string(held.left_out.why);
        text += in_cells({"`" + std::string(format.name) + "`" + (format.is_folder ? ", a folder" : ""),
                          in_words(held), std::string(format.rules), left_out});
    }
    return text;
}

std::string table_of_read_results() {
    std::string text = table_head({"format", "content", "recognised by"});
    for (const ResultsFormat& format : results_formats()) {
        if (format.read == nullptr) continue;
        const std::string content = format.section.empty() ? std::string(format.content)
                                                           : "[" + std::string(format.content) + "](" +
                                                                 std::string(format.section) + ")";
        text += in_cells({"`" + std::string(format.name) + "`", content, in_recognised_cell(format)});
    }
    return text;
}

std::string table_of_written_results() {
    std::string text = table_head({"`--to`", "rules"});
    for (const ResultsFormat& format : results_formats()) {
        if (!format.is_written()) continue;
        text += in_cells({"`" + std::string(format.name) + "`" + (format.is_folder ? ", a folder" : ""),
                          std::string(format.rules)});
    }
    return text;
}

/// All kinds of things, so that each format finds what it holds.
Dataset dataset_of_everything(const std::filesystem::path& root) {
    Dataset dataset;
    dataset.name = "everything";
    dataset.root = root;
    for (const std::string image : {"a/A_0001.jpg", "b/B_0001.jpg"}) {
        Sample& sample = dataset.samples.emplace_back();
        sample.image = image;
        sample.path = root / image;
        sample.annotated = true;
        sample.size = ImageSize{100, 80};
        Face& face = sample.faces.emplace_back();
        face.box = {10, 20, 30, 40};
        face.landmarks = {{10, 20}, {40, 60}, {20, 30}};
        face.attributes = {{"track", "1"}};
        sample.eyes = face.eyes = Eyes{{15, 30}, {30, 31}};
    }
    dataset.pairs = {{0, 0, true, 0}, {0, 1, false, 0}};
    return dataset;
}

}  // namespace

TEST_CASE("every row of the tables of formats is whole", "[formats]") {
    check_rows(dataset_formats());
    check_rows(results_formats());
}

TEST_CASE("datasets.md has the tables of formats", "[formats][documents]") {
    std::ifstream stream(test::source_dir() / "datasets.md");
    const std::string document{std::istreambuf_iterator<char>(stream), {}};
    const std::pair<std::string, std::string> tables[] = {{"read", table_of_read_datasets()},
                                                          {"written", table_of_written_datasets()},
                                                          {"read results", table_of_read_results()},
                                                          {"written results", table_of_written_results()}};
    for (const auto& [name, table] : tables) {
        const std::string expected = "<!-- formats, " + name + " -->\n" + table + "<!-- end -->\n";
        if (document.find(expected) == std::string::npos)
            FAIL_CHECK("datasets.md has another table than there are formats. This is to stand there:\n"
                       << expected);
    }
    for (const DatasetFormat& format : dataset_formats()) {
        const std::string section(format.section.empty() ? format.name : format.section);
        CAPTURE(section);
        CHECK((document.find("\n### " + section + "\n") != std::string::npos ||
               (section == "videos" && document.find("\n### Videos\n") != std::string::npos)));
    }
}

TEST_CASE("what is written in a format is recognised as it", "[formats]") {
    const TempDir folder;
    int recognised = 0;
    for (const DatasetFormat& format : dataset_formats()) {
        if (!format.is_written() || format.recognise == nullptr) continue;
        CAPTURE(format.name);
        const std::filesystem::path place = folder.path() / format.name;
        std::vector<std::string> losses;
        publish(render_dataset(dataset_of_everything(folder.path()), format.name, {}, losses), place.string(),
                true);
        // The labels of YOLO stand beside the images.
        if (format.name == "yolo") std::filesystem::create_directories(place / "images");
        // A bare folder is asked for its own files alone, and these formats have one beside each image.
        const bool is_below = format.name == "pts" || format.name == "voc";
        CHECK(format_and_path((is_below ? place / "a" : place).string()).format == format.name);
        // A name decides nothing here.
        CHECK(format_and_path(std::string(format.name) + ":" + place.string()).is_named);
        ++recognised;
    }
    CHECK(recognised >= 10);
}

TEST_CASE("the most certain format is taken, and of equals the first", "[formats]") {
    struct Kind {
        using Recogniser = Certainty(const int&);
        using Reader = void();
        using Writer = void();
        using Fields = int;
    };
    const FormatTable<Kind> table(
        {{.name = "any", .recognise = [](const int&) { return Certainty::fallback; }},
         {.name = "named alone"},
         {.name = "even", .recognise = [](const int& n) { return shaped_if(n % 2 == 0); }},
         {.name = "four", .recognise = [](const int& n) { return shaped_if(n % 4 == 0); }},
         {.name = "ten", .recognise = [](const int& n) { return certain_if(n == 10); }},
         {.name = "also ten", .recognise = [](const int& n) { return certain_if(n == 10); }}});
    const auto name_of = [&](int n) { return std::string(table.recognise(n).first->name); };
    CHECK(name_of(1) == "any");
    CHECK(name_of(2) == "even");
    CHECK(name_of(4) == "even");
    CHECK(name_of(10) == "ten");
    const FormatTable<Kind> none(
        {{.name = "ten", .recognise = [](const int& n) { return certain_if(n == 10); }}});
    CHECK(none.recognise(3).first == nullptr);
}
