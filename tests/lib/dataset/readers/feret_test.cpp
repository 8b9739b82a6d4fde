#include <set>

#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
namespace fs = std::filesystem;

namespace {

std::size_t subjects_of(const Dataset& dataset) {
    std::set<std::string> subjects;
    for (const Sample& sample : dataset.samples) subjects.insert(sample.subject);
    return subjects.size();
}

std::size_t with_eyes(const Dataset& dataset) {
    std::size_t count = 0;
    for (const Sample& sample : dataset.samples) count += sample.eyes ? 1 : 0;
    return count;
}

}  // namespace

TEST_CASE("FERET: a list, coordinates beside it, images in their folder", "[dataset][feret]") {
    const TempDir dir;
    dir.write("probe.srt",
              "00001fa010_930831.sfi \t00001fb010_930831.sfi \t\r\n\r\n# comment\n00002fa.sfi\n00003fa.sfi "
              "00003fb.sfi\n");
    dir.write("coords.3368",
              "00001fa010_930831   101 167   163 166   134 202   133 234   "
              "\r\n00001fb010_930831\t97.5\t184\t154.5\t177\n"
              "00002fa 1 2 3 2\n00003fb 1 2 3 2\n");
    dir.write("images/00001fa010_930831.tif.bz2", "x");
    dir.write("images/00001/00001fb010_930831.ppm", "x");
    dir.write("images/00001/00001fb010_930831.pgm.gz", "x");
    dir.write("images/00002fa.pgm", "x");
    dir.write("images/00002fa.txt", "x");

    const Dataset dataset = read_dataset("feret:" + (dir.path() / "probe.srt").string());
    CHECK(dataset.format == "feret");
    CHECK(dataset.root == dir.path() / "images");
    // Absent files keep their place: reading them will say so.
    CHECK(images_of(dataset) == std::vector<std::string>{"00001fa010_930831.tif.bz2",
                                                         "00001/00001fb010_930831.ppm", "00002fa.pgm",
                                                         "00003fa", "00003fb"});
    CHECK(dataset.samples[1].path == dir.path() / "images/00001/00001fb010_930831.ppm");
    CHECK(dataset.samples[0].subject == "00001");
    CHECK(dataset.samples[1].subject == "00001");
    CHECK(dataset.samples[4].subject == "00003");
    CHECK(dataset.samples[0].eyes == Eyes{{101, 167}, {163, 166}});
    CHECK(dataset.samples[1].eyes == Eyes{{97.5, 184}, {154.5, 177}});
    CHECK_FALSE(dataset.samples[3].eyes);
    CHECK_FALSE(dataset.has_ground_truth());
    CHECK(dataset.samples[0].faces.empty());
    CHECK(warns(dataset, "2 of 5 images are not in"));
    CHECK(warns(dataset, "1 of 5 images have no eye coordinates, first: 00003fa"));
    CHECK(dataset.sources == std::vector<fs::path>{dir.path() / "probe.srt", dir.path() / "coords.3368"});

    // The set as a folder, bare, and with options.
    CHECK(images_of(read_dataset(dir.path().string())) == images_of(dataset));
    CHECK(images_of(read_dataset("feret:" + dir.path().string())) == images_of(dataset));
    dir.write("other/eyes.txt", "00003fa 5 6 9 6\n");
    dir.write("other/00003fa.png", "x");
    const Dataset chosen = read_dataset("feret:" + (dir.path() / "probe.srt").string() +
                                        ",coords=other/eyes.txt,images=" + (dir.path() / "other").string());
    CHECK(with_eyes(chosen) == 1);
    CHECK(chosen.samples[3].image == "00003fa.png");
    CHECK(chosen.samples[3].eyes == Eyes{{5, 6}, {9, 6}});
    const Dataset rooted = read_dataset("feret:" + (dir.path() / "probe.srt").string(),
                                        {.pattern = {}, .limit = 0, .root = dir.path() / "other"});
    CHECK(rooted.samples[3].image == "00003fa.png");
}

TEST_CASE("FERET: coordinates alone name images too", "[dataset][feret]") {
    const TempDir dir;
    const auto file = dir.write("c/coords.txt", "00001aa 1 2 9 2\n00002ab 1 2 9 2\n00001ab 1 2 9 2\n");
    dir.write("c/00002ab.pgm", "x");
    for (const std::string& specification :
         {file.string(), "feret:" + file.string(), "feret:" + (dir.path() / "c").string()}) {
        INFO(specification);
        const Dataset dataset = read_dataset(specification);
        CHECK(images_of(dataset) == std::vector<std::string>{"00001aa", "00002ab.pgm", "00001ab"});
        CHECK(with_eyes(dataset) == 3);
        CHECK(subjects_of(dataset) == 2);
        CHECK(dataset.sources == std::vector<fs::path>{file});
    }
}

TEST_CASE("FERET: several lists, several coordinates", "[dataset][feret]") {
    const TempDir dir;
    const auto a = dir.write("a.srt", "00001aa.sfi 00001ab.sfi\n");
    const auto b = dir.write("b.srt", "00001ab.sfi 00001ac.sfi\n00002aa.sfi\n");
    dir.write("coords.one", "00001aa 1 2 9 2\n00001ab 1 200 9 2\n00002aa 9 2 1 2\n");
    const Dataset both = read_dataset("feret:" + a.string() + "," + b.string());
    CHECK(images_of(both) == std::vector<std::string>{"00001aa", "00001ab", "00001ac", "00002aa"});
    CHECK(warns(both, "coords.one:2: the eyes of '00001ab' are implausible"));
    CHECK(warns(both, "coords.one:3: the eyes of '00002aa' are implausible"));
    CHECK(both.samples[1].eyes == Eyes{{1, 200}, {9, 2}});  // said, not changed

    // A second file with a plausible pair takes over.
    dir.write("coords.two", "00001ab 1 2 9 3\n00001aa 1 2 9 2\n");
    const Dataset corrected = read_dataset("feret:" + b.string());
    CHECK(corrected.samples[0].eyes == Eyes{{1, 2}, {9, 3}});
    CHECK(warns(corrected, "coords.two:1 is used"));
    CHECK_FALSE(warns(corrected, "00001aa"));  // the files agree

    CHECK_THAT(error_of("feret:" + a.string() + ",x=y"),
               Catch::Contains("'x=y'") && Catch::Contains("coords=FILE"));
    CHECK(is_usage_error("feret:" + a.string() + ",coords=absent"));
    CHECK(is_usage_error("feret:" + a.string() + ",images=absent"));
    CHECK(is_usage_error("feret:" + a.string() + ","));
    CHECK(is_usage_error("feret:coords=x"));
    CHECK(is_usage_error("feret:" + (dir.path() / "absent.srt").string()));
    fs::create_directories(dir.path() / "empty");
    CHECK_THAT(error_of("feret:" + (dir.path() / "empty").string()), Catch::Contains("no .srt list"));
}

TEST_CASE("FERET: coordinates are found above the list, or missed aloud", "[dataset][feret]") {
    const TempDir dir;
    const auto list = dir.write("lists/a.srt", "00001aa.sfi\n");
    CHECK(warns(read_dataset("feret:" + list.string()), "no coordinates file"));
    dir.write("coords.txt", "00001aa 1 2 9 2\n");
    CHECK(with_eyes(read_dataset("feret:" + list.string())) == 1);
}

TEST_CASE("FERET: signature sets", "[dataset][feret]") {
    const TempDir dir;
    const std::string set =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<biometric-signature-set>\n"
        "\t<biometric-signature name=\"1\">\n\t\t<presentation file-name=\"00001fa.tif\" />\n"
        "\t\t<presentation file-name=\"00001fb.tif\" />\n\t</biometric-signature>\n"
        "\t<biometric-signature name=\"2\">\n\t\t<presentation file-name=\"00002fa.tif\" />\n"
        "\t</biometric-signature>\n</biometric-signature-set>";
    const auto file = dir.write("fa.xml", set);
    dir.write("00001fb.pgm.bz2", "x");
    dir.write("coords.txt", "00001fb 1 2 9 2\n");
    for (const std::string& specification :
         {"feret:" + file.string(), file.string(), "feret:" + dir.path().string()}) {
        const Dataset dataset = read_dataset(specification);
        CHECK(images_of(dataset) ==
              std::vector<std::string>{"00001fa.tif", "00001fb.pgm.bz2", "00002fa.tif"});
        CHECK(dataset.samples[1].subject == "1");
        CHECK(dataset.samples[2].subject == "2");
        CHECK(with_eyes(dataset) == 1);
    }
    const auto message = [&](const std::string& text) {
        return error_of("feret:" + dir.write("t.xml", text).string());
    };
    CHECK_THAT(message("<biometric-signature-set>\n<biometric-signature><presentation file-name='a'/>"
                       "</biometric-signature></biometric-signature-set>"),
               Catch::Contains("t.xml:2:") && Catch::Contains("name='...'"));
    CHECK_THAT(message("<biometric-signature-set><biometric-signature name='1'>\n<presentation/>"
                       "</biometric-signature></biometric-signature-set>"),
               Catch::Contains("t.xml:2:") && Catch::Contains("file-name='...'"));
    CHECK_THAT(message("<biometric-signature-set><biometric-signature name='1'/></biometric-signature-set>"),
               Catch::Contains("presentation"));
    CHECK_THAT(
        message("<biometric-signature-set>\n<biometric-signature name='1'><presentation file-name='a.tif'/>"
                "</biometric-signature>\n<biometric-signature name='2'><presentation file-name='a.tif'/>"
                "</biometric-signature></biometric-signature-set>"),
        Catch::Contains("t.xml:3:") && Catch::Contains("subject '1' too"));
    CHECK_THAT(message("<biometric-signature-set/>"), Catch::Contains("names no image"));
    CHECK_THAT(message("<dataset/>"), Catch::Contains("t.xml:1:"));
    CHECK(read_truncated("feret:", dir, "t.xml", set) >= set.size() - 2);
}

TEST_CASE("FERET: repeated and contradicting entries", "[dataset][feret]") {
    const TempDir dir;
    const auto list = [&](const std::string& text) { return "feret:" + dir.write("l.srt", text).string(); };
    const Dataset repeated =
        read_dataset(list("00001aa.sfi 00001aa.sfi 00001ab.sfi\n00002aa.sfi\n00001ac.sfi\n"));
    CHECK(images_of(repeated) == std::vector<std::string>{"00001aa", "00001ab", "00002aa", "00001ac"});
    CHECK(warns(repeated, "1 image more than once"));
    CHECK(warns(repeated, "'00001' in lines 1 and 3"));
    // Names without FERET's digits: the line's first name stands for the subject.
    const Dataset free = read_dataset(list("ann_x.sfi ann_y.sfi\nbob.sfi\n"));
    CHECK(free.samples[1].subject == "ann_x");
    CHECK(free.samples[2].subject == "bob");

    CHECK_THAT(error_of(list("00001aa.sfi\n00002aa.sfi 00003aa.sfi\n")),
               Catch::Contains("l.srt:2: cannot read '00002aa.sfi 00003aa.sfi'") &&
                   Catch::Contains("subject '00003'"));
    CHECK_THAT(error_of(list("ann.sfi joe.sfi\njoe.sfi\n")),
               Catch::Contains("l.srt:2:") && Catch::Contains("'ann' too"));
    CHECK_THAT(error_of(list("00001aa.sfi\n00001ab 1 2 3 4\n")), Catch::Contains("l.srt:2:"));
    CHECK_THAT(error_of(list("\n# nothing\n")), Catch::Contains("names no image"));

    const auto coordinates = [&](const std::string& text) {
        dir.write("coords.txt", text);
        return error_of(list("00001aa.sfi\n"));
    };
    CHECK(coordinates("00001aa 1 2 9 2\n00001aa 1 2 9 2\n") == "read");
    CHECK_THAT(
        coordinates("00001aa 1 2 9 2\n00001aa 1 2 9 3\n"),
        Catch::Contains("coords.txt:2: cannot read '00001aa 1 2 9 3'") && Catch::Contains("coords.txt:1"));
    CHECK_THAT(coordinates("00001aa 1 2 9\n"), Catch::Contains("coords.txt:1:") && Catch::Contains("4 or 8"));
    CHECK_THAT(coordinates("00001aa 1 2 9 2 5\n"), Catch::Contains("coords.txt:1:"));
    CHECK_THAT(coordinates("00001aa 1 2 9 inf\n"), Catch::Contains("coords.txt:1:"));
    CHECK_THAT(coordinates("00001aa 1 2 9 2 1 2 3 -\n"), Catch::Contains("coords.txt:1:"));
    CHECK_THAT(coordinates("00001aa 1 2 9 1e99\n"), Catch::Contains("coords.txt:1:"));
    CHECK_THAT(coordinates(""), Catch::Contains("names no image"));
    fs::remove(dir.path() / "coords.txt");
    CHECK(read_truncated("feret:", dir, "c.txt",
                         "00001aa 101 167 163 166 134 202 133 234\n00002aa 1 2 9 2\n") > 0);
}

TEST_CASE("FERET: the lists that CSU and OpenBR distribute", "[dataset][feret][data]") {
    const std::string data = fovea_data();
    if (data.empty()) return;
    struct Count {
        const char* list;
        std::size_t images;
        std::size_t subjects;
    };
    // Figures of the FERET protocol; feret_all has 3541 names, 234 of them repeated within their line.
    for (const auto& [list, images, subjects] :
         {Count{"feret_gallery", 1196, 1196}, Count{"fafb", 1195, 1195}, Count{"fafc", 194, 194},
          Count{"dup1", 722, 243}, Count{"dup2", 234, 75}, Count{"feret_training", 501, 428},
          Count{"feret_all", 3307, 1196}}) {
        INFO(list);
        const Dataset dataset = read_dataset("feret:" + data + "/lists/feret-csu/" + list + ".srt");
        CHECK(dataset.samples.size() == images);
        CHECK(subjects_of(dataset) == subjects);
        CHECK(with_eyes(dataset) == images);
        CHECK(warns(dataset, "234 images more than once") == (std::string(list) == "feret_all"));
    }
    const std::string coordinates = data + "/lists/feret-csu/coords.3368";
    const Dataset all = read_dataset(coordinates);
    CHECK(all.samples.size() == 3368);
    CHECK(subjects_of(all) == 1204);
    CHECK_FALSE(warns(all, "implausible"));

    const Dataset fa = read_dataset("feret:" + data + "/lists/feret-sigsets/fa.xml,coords=" + coordinates);
    CHECK(fa.samples.size() == 1196);
    CHECK(subjects_of(fa) == 1196);
    CHECK(fa.samples[0].eyes == Eyes{{101, 167}, {163, 166}});
    CHECK(read_dataset(data + "/lists/feret-sigsets/fb.xml").samples.size() == 1195);
}

TEST_CASE("FERET: CSU's snapshots", "[dataset][feret][data]") {
    const std::string data = fovea_data();
    if (data.empty()) return;
    const std::string folder = data + "/benchmark/csu-scrapshots";
    const Dataset all = read_dataset(folder);
    CHECK(all.format == "feret");
    CHECK(all.samples.size() == 173);
    CHECK(subjects_of(all) == 30);
    CHECK(with_eyes(all) == 173);
    for (const Sample& sample : all.samples) CHECK(fs::is_regular_file(sample.path));
    // The slip of coords.scraps (1000 for 100) is said, and the other file's pair taken.
    CHECK(warns(all, "coords.scraps:3 and "));
    const Dataset scraps = read_dataset("feret:" + folder + "/scrap_all.srt,coords=coords.scraps");
    CHECK(warns(scraps, "coords.scraps:3: the eyes of '00001ac' are implausible"));
    CHECK(scraps.warnings.size() == 1);
    const Dataset clean = read_dataset("feret:" + folder + "/scrap_all.srt,coords=coords.txt");
    CHECK(clean.warnings.empty());
    CHECK(clean.samples[2].eyes == all.samples[2].eyes);
    CHECK(read_dataset("feret:" + folder + "/scrap_gallery.srt").samples.size() == 30);
    CHECK(read_dataset("feret:" + folder + "/scrap_probe.srt").samples.size() == 30);
}

TEST_CASE("ORL, Yale and LFW are folders of subjects", "[dataset][data]") {
    const std::string data = fovea_data();
    if (data.empty()) return;
    const Dataset orl = read_dataset(data + "/benchmark/orl");
    CHECK(orl.samples.size() == 400);
    CHECK(subjects_of(orl) == 40);
    const Dataset yale = read_dataset(data + "/benchmark/yale");
    CHECK(yale.samples.size() == 162);
    CHECK(subjects_of(yale) == 15);
}
