#include "lib/inputs/shard.hpp"

#include <map>
#include <set>

#include <stdlib.h>

#include "tests/lib/inputs/archive_cases.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

/// Exactly these of the variables that parse_shard looks at, as long as it lives.
class ShardVariables {
  public:
    explicit ShardVariables(const std::map<std::string, std::string>& values) {
        clear();
        for (const auto& [name, value] : values) ::setenv(name.c_str(), value.c_str(), 1);
    }
    ~ShardVariables() { clear(); }

  private:
    static void clear() {
        for (const char* name :
             {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP",
              "SLURM_ARRAY_TASK_COUNT", "SLURM_PROCID", "SLURM_NTASKS", "OMPI_COMM_WORLD_RANK",
              "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "JOB_COMPLETION_INDEX"}) {
            ::unsetenv(name);
        }
    }
};

std::string shard_text(const std::string& text, const std::map<std::string, std::string>& values = {}) {
    const ShardVariables variables(values);
    try {
        const Shard shard = parse_shard(text);
        return std::to_string(shard.index) + "/" + std::to_string(shard.count);
    } catch (const UsageError& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("shards are written I/N", "[shard]") {
    CHECK(shard_text("1/1") == "1/1");
    CHECK(shard_text("2/8") == "2/8");
    CHECK(shard_text("1000000/1000000") == "1000000/1000000");
    for (const char* text :
         {"", "/", "1", "0/8", "9/8", "-1/8", "+1/8", "1/0", "1/8/2", " 1/8", "1/8 ", "a/b", "1.0/8",
          "1/1000001", "auto/", "auto/0", "auto/x", "auto8", "99999999999999999999/8"}) {
        CAPTURE(text);
        CHECK_THAT(shard_text(text), Catch::Contains("neither I/N") && Catch::Contains("auto/N"));
    }
}

TEST_CASE("shards from the environment", "[shard]") {
    using Variables = std::map<std::string, std::string>;
    const Variables array{
        {"SLURM_ARRAY_TASK_ID", "3"}, {"SLURM_ARRAY_TASK_MIN", "1"}, {"SLURM_ARRAY_TASK_MAX", "8"}};
    CHECK(shard_text("auto", array) == "3/8");
    CHECK(shard_text("auto/8", array) == "3/8");
    CHECK_THAT(shard_text("auto/4", array), Catch::Contains("SLURM_ARRAY_TASK_ID=3"));
    Variables stepped{{"SLURM_ARRAY_TASK_ID", "20"},
                      {"SLURM_ARRAY_TASK_MIN", "10"},
                      {"SLURM_ARRAY_TASK_MAX", "30"},
                      {"SLURM_ARRAY_TASK_STEP", "5"},
                      {"SLURM_ARRAY_TASK_COUNT", "5"}};
    CHECK(shard_text("auto", stepped) == "3/5");
    stepped["SLURM_ARRAY_TASK_COUNT"] = "4";
    CHECK_THAT(shard_text("auto", stepped), Catch::Contains("SLURM_ARRAY_TASK_COUNT=4"));
    stepped["SLURM_ARRAY_TASK_COUNT"] = "5";
    stepped["SLURM_ARRAY_TASK_ID"] = "21";
    CHECK_THAT(shard_text("auto", stepped), Catch::Contains("SLURM_ARRAY_TASK_ID=21"));
    CHECK_THAT(shard_text("auto", {{"SLURM_ARRAY_TASK_ID", "3"}}),
               Catch::Contains("SLURM_ARRAY_TASK_MIN is not set"));

    CHECK(shard_text("auto", {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}) == "1/4");
    CHECK(shard_text("auto", {{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}}) == "4/4");
    CHECK(shard_text("auto", {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}) == "2/2");
    CHECK(shard_text("auto", {{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}) == "1/1");
    // mpirun within Slurm: its processes have the numbers of its own helpers.
    CHECK(shard_text("auto", {{"OMPI_COMM_WORLD_RANK", "3"},
                              {"OMPI_COMM_WORLD_SIZE", "4"},
                              {"SLURM_PROCID", "0"},
                              {"SLURM_NTASKS", "2"}}) == "4/4");
    CHECK(shard_text("auto/8", {{"JOB_COMPLETION_INDEX", "7"}}) == "8/8");
    CHECK_THAT(shard_text("auto", {{"JOB_COMPLETION_INDEX", "7"}}), Catch::Contains("write auto/N"));
    CHECK_THAT(shard_text("auto/7", {{"JOB_COMPLETION_INDEX", "7"}}),
               Catch::Contains("JOB_COMPLETION_INDEX=7"));
    CHECK_THAT(shard_text("auto", {{"PMI_RANK", "2"}, {"PMI_SIZE", "2"}}), Catch::Contains("PMI_RANK=2"));
    CHECK_THAT(shard_text("auto", {{"PMI_RANK", "x"}, {"PMI_SIZE", "2"}}),
               Catch::Contains("PMI_RANK is 'x'"));
    CHECK_THAT(shard_text("auto", {{"PMI_RANK", "-1"}, {"PMI_SIZE", "2"}}),
               Catch::Contains("PMI_RANK is '-1'"));
    CHECK_THAT(shard_text("auto"), Catch::Contains("SLURM_ARRAY_TASK_ID") && Catch::Contains("PMI_SIZE") &&
                                       Catch::Contains("JOB_COMPLETION_INDEX"));

    // A task of an array is one process; if it is several, which numbers count?
    Variables both = array;
    both.insert({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}});
    CHECK(shard_text("auto", both) == "3/8");
    both["SLURM_NTASKS"] = "2";
    CHECK_THAT(shard_text("auto", both),
               Catch::Contains("SLURM_NTASKS=2") && Catch::Contains("two numberings"));
}

TEST_CASE("the shard of an image depends on its name alone", "[shard]") {
    // SHA-256 of "abc" begins with ba7816bf8f01cfea; that number is 2 modulo 8 and 0 modulo 3.
    CHECK(shard_of("abc", 1) == 1);
    CHECK(shard_of("abc", 8) == static_cast<int>(0xba7816bf8f01cfeaULL % 8) + 1);
    CHECK(shard_of("abc", 8) == 3);
    CHECK(shard_of("abc", 1000) == static_cast<int>(0xba7816bf8f01cfeaULL % 1000) + 1);
    std::map<int, int> counts;
    for (int i = 0; i < 4000; ++i) ++counts[shard_of("image-" + std::to_string(i) + ".jpg", 4)];
    REQUIRE(counts.size() == 4);
    for (const auto& [shard, count] : counts) {
        CAPTURE(shard);
        CHECK(count > 880);  // 1000 +- more than four standard deviations
        CHECK(count < 1120);
    }
}

TEST_CASE("file names of shards", "[shard]") {
    CHECK(with_shard("part-{shard}-of-{shards}.jsonl", {2, 8}) == "part-2-of-8.jsonl");
    CHECK(with_shard("{shard}{shard}", {7, 100}) == "007007");
    CHECK(with_shard("{shard}.jsonl", {100, 100}) == "100.jsonl");
    CHECK(with_shard("{other}/{shard", {1, 10}) == "{other}/{shard");
    CHECK(with_shard("", {1, 2}).empty());
}

TEST_CASE("the shards of a list are disjoint and complete, and know their places", "[shard][image-list]") {
    const TempDir dir;
    for (int i = 0; i < 50; ++i) dir.write("f/" + std::to_string(i) + ".jpg", "x");
    const ImageList whole = list_of("folder:" + dir.path().string());
    std::set<std::string> seen;
    std::set<std::size_t> positions;
    for (int shard = 1; shard <= 3; ++shard) {
        const ImageList part = whole.part([&](std::size_t i) { return shard_of(whole.name(i), 3) == shard; });
        CHECK(part.is_part());
        CHECK(part.whole_size() == 50);
        CHECK(part.names_sha256() == whole.names_sha256());
        for (std::size_t i = 0; i < part.size(); ++i) {
            CHECK(seen.insert(std::string(part.name(i))).second);
            CHECK(positions.insert(part.position(i)).second);
            CHECK(whole.name(part.position(i)) == part.name(i));
            CHECK(part.place(i) == whole.place(part.position(i)));
        }
        const ImageList back = ImageList::from_bytes(part.to_bytes());
        CHECK(names_of(back) == names_of(part));
        REQUIRE(back.size() > 1);
        CHECK(back.position(1) == part.position(1));
        CHECK(back.whole_size() == 50);
    }
    CHECK(seen.size() == 50);
    CHECK_FALSE(whole.is_part());
    CHECK(whole.position(7) == 7);
}
