#include <set>

#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

constexpr const char* two_folds =
    "2\t1\n"
    "Ann\t1\t2\n"
    "Ann\t2\tBob\t11\n"
    "Cid\t1\t3\n"
    "Bob\t11\tCid\t1\n";

std::string refused(const std::string& pairs) {
    const TempDir dir;
    dir.write("pairs.txt", pairs);
    return error_of("lfw:" + dir.path().string());
}

void write_images(const TempDir& dir) {
    for (const char* const name : {"Ann/Ann_0001.jpg", "Ann/Ann_0002.jpg", "Ann/Ann_0003.jpg",
                                   "Bob/Bob_0011.png", "Cid/Cid_0001.jpg", "Cid/Cid_0003.jpg"}) {
        dir.write(name, "x");
    }
}

}  // namespace

TEST_CASE("lfw: pairs, folds and the images that they name", "[dataset][lfw]") {
    const TempDir dir;
    write_images(dir);
    dir.write("pairs.txt", two_folds);
    const Dataset dataset = read_dataset("lfw:" + dir.path().string());
    CHECK(dataset.format == "lfw");
    CHECK(images_of(dataset) == std::vector<std::string>{"Ann/Ann_0001.jpg", "Ann/Ann_0002.jpg",
                                                         "Bob/Bob_0011.png", "Cid/Cid_0001.jpg",
                                                         "Cid/Cid_0003.jpg"});
    CHECK(dataset.samples[2].subject == "Bob");
    CHECK(dataset.samples[2].path == dir.path() / "Bob/Bob_0011.png");
    CHECK_FALSE(dataset.has_ground_truth());
    REQUIRE(dataset.pairs.size() == 4);
    const auto is_pair = [&](std::size_t i, std::size_t first, std::size_t second, bool same, int fold) {
        const ImagePair& pair = dataset.pairs[i];
        return pair.first == first && pair.second == second && pair.same == same && pair.fold == fold;
    };
    CHECK(is_pair(0, 0, 1, true, 0));
    CHECK(is_pair(1, 1, 2, false, 0));
    CHECK(is_pair(2, 3, 4, true, 1));
    CHECK(is_pair(3, 2, 3, false, 1));
    CHECK(dataset.warnings.empty());

    // One number: one fold.
    const auto other = dir.write("dev.txt", "1\nAnn 1 2\nAnn 1 Zoe 4\n");
    const Dataset dev = read_dataset("lfw:" + dir.path().string() + ",pairs=" + other.string());
    CHECK(dev.pairs.size() == 2);
    CHECK(dev.pairs[1].fold == 0);
    CHECK(warns(dev, "1 of 3 images is not in"));
    CHECK(warns(dev, "Zoe/Zoe_0004.jpg"));
}

TEST_CASE("lfw: a pattern or limit keeps the pairs whose images are left", "[dataset][lfw]") {
    const TempDir dir;
    write_images(dir);
    dir.write("pairs.txt", two_folds);
    DatasetOptions options;
    // Leaves Bob and Cid at 0, 1, 2: the pairs of Cid 1, 3 and of Bob, Cid.
    options.pattern = "[BC]*/*";
    const Dataset some = read_dataset("lfw:" + dir.path().string(), options);
    REQUIRE(some.pairs.size() == 2);
    CHECK(some.samples[some.pairs[0].first].image == "Cid/Cid_0001.jpg");
    CHECK(some.samples[some.pairs[0].second].image == "Cid/Cid_0003.jpg");
    CHECK(some.samples[some.pairs[1].first].image == "Bob/Bob_0011.png");
    CHECK(some.pairs[1].fold == 1);
    CHECK(warns(some, "2 pairs lose an image"));
    options.pattern.clear();
    options.limit = 2;
    const Dataset first = read_dataset("lfw:" + dir.path().string(), options);
    CHECK(first.samples.size() == 2);
    CHECK(first.pairs.size() == 1);
    CHECK(warns(first, "3 pairs lose"));
    options.limit = 5;
    CHECK(read_dataset("lfw:" + dir.path().string(), options).warnings.empty());
}

TEST_CASE("lfw: broken lists of pairs", "[dataset][lfw]") {
    CHECK_THAT(refused(""), Contains("empty"));
    CHECK_THAT(refused("Ann 1 2\n"), Contains("pairs.txt:1:") && Contains("10 300"));
    CHECK_THAT(refused("1 0\n"), Contains("pairs.txt:1:"));
    CHECK_THAT(refused("1\nAnn 1 2\n"), Contains("announces 2 pairs") && Contains("holds 1"));
    CHECK_THAT(refused("1\nAnn 1 2\nAnn 1 Bob 2\nAnn 1 Bob 3\n"),
               Contains("pairs.txt:4:") && Contains("2 pairs"));
    CHECK_THAT(refused("1\nAnn 1 Bob 2\nAnn 1 2\n"), Contains("pairs.txt:2:") && Contains("one subject"));
    CHECK_THAT(refused("1\nAnn 1 2\nAnn 1 2\n"), Contains("pairs.txt:3:") && Contains("two subjects"));
    CHECK_THAT(refused("1\nAnn 1 2\nAnn 1 Ann 2\n"), Contains("pairs.txt:3:") && Contains("two subjects"));
    CHECK_THAT(refused("1\nAnn 1 x\nAnn 1 Bob 2\n"), Contains("pairs.txt:2:"));
    CHECK_THAT(refused("1\nAnn 0 1\nAnn 1 Bob 2\n"), Contains("pairs.txt:2:"));
    const TempDir dir;
    CHECK_THAT(error_of("lfw:" + dir.path().string()), Contains("pairs.txt") && Contains("pairs=FILE"));
    CHECK(read_truncated("lfw:" + dir.path().string() + ",pairs=", dir, "t.txt", two_folds) ==
          std::string(two_folds).size() - 1);
}

TEST_CASE("lfw: the set", "[dataset][lfw]") {
    const std::string data = fovea_data();
    if (data.empty()) return;
    const Dataset dataset = read_dataset("lfw:" + data + "/benchmark/lfw");
    CHECK(dataset.warnings.empty());
    CHECK(dataset.pairs.size() == 3000);
    std::vector<int> same(5);
    std::vector<int> all(5);
    for (const ImagePair& pair : dataset.pairs) {
        const auto fold = static_cast<std::size_t>(pair.fold);
        same.at(fold) += pair.same ? 1 : 0;
        ++all.at(fold);
        CHECK((dataset.samples[pair.first].subject == dataset.samples[pair.second].subject) == pair.same);
    }
    CHECK(same == std::vector<int>(5, 300));
    CHECK(all == std::vector<int>(5, 600));
    CHECK(dataset.samples.size() == 3811);
}
