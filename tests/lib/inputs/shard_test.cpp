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
        for (const char* name : {"SLURM_ARRAY_TASK_ID",
                                 "SLURM_ARRAY_TASK_MIN",
                                 "SLURM_ARRAY_TASK_MAX",
                                 "SLURM_ARRAY_TASK_STEP",
                                 "SLURM_ARRAY_TASK_COUNT",
                                 "SLURM_PROCID",
                                 "SLURM_NTASKS",
                                 "OMPI_COMM_WORLD_RANK",
                                 "OMPI_COMM_WORLD_SIZE",
                                 "PMI_RANK",
                                 "PMI_SIZE",
                                 "FLUX_TASK_RANK",
                                 "FLUX_JOB_SIZE",
                                 "FLUX_JOB_CC",
                                 "JOB_COMPLETION_INDEX",
                                 "AWS_BATCH_JOB_ARRAY_INDEX",
                                 "AWS_BATCH_JOB_ARRAY_SIZE",
                                 "BATCH_TASK_INDEX",
                                 "BATCH_TASK_COUNT",
                                 "CLOUD_RUN_TASK_INDEX",
                                 "CLOUD_RUN_TASK_COUNT",
                                 "SGE_TASK_ID",
                                 "SGE_TASK_FIRST",
                                 "SGE_TASK_LAST",
                                 "SGE_TASK_STEPSIZE",
                                 "LSB_JOBINDEX",
                                 "LSB_JOBINDEX_END",
                                 "LSB_JOBINDEX_STEP",
                                 "PBS_ARRAY_INDEX",
                                 "PBS_ARRAYID",
                                 "PARALLEL_SEQ"}) {
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

using Variables = std::map<std::string, std::string>;

/// The variables of a task of a Slurm array of so many indices, as its script sees them without --ntasks.
Variables slurm_task(int index, int first, int last, int count, int step = 1) {
    return {
        {"SLURM_ARRAY_TASK_ID", std::to_string(index)},  {"SLURM_ARRAY_TASK_MIN", std::to_string(first)},
        {"SLURM_ARRAY_TASK_MAX", std::to_string(last)},  {"SLURM_ARRAY_TASK_COUNT", std::to_string(count)},
        {"SLURM_ARRAY_TASK_STEP", std::to_string(step)}, {"SLURM_PROCID", "0"}};
}

TEST_CASE("a Slurm array is the whole job, or its indices are parts of one", "[shard]") {
    CHECK(shard_text("auto", slurm_task(0, 0, 39, 40)) == "1/40");
    CHECK(shard_text("auto", slurm_task(39, 0, 39, 40)) == "40/40");
    CHECK(shard_text("auto", slurm_task(3, 1, 8, 8)) == "3/8");
    CHECK(shard_text("auto/40", slurm_task(39, 0, 39, 40)) == "40/40");
    // Sent again: --array=3,17 and --array=3-5. Their parts keep their numbers, or nobody knows them.
    CHECK(shard_text("auto/40", slurm_task(17, 3, 17, 2, 14)) == "18/40");
    CHECK(shard_text("auto/40", slurm_task(4, 3, 5, 3)) == "5/40");
    CHECK(shard_text("auto/40", slurm_task(1, 1, 39, 39)) == "2/40");
    for (const Variables& again :
         {slurm_task(17, 3, 17, 2, 14), slurm_task(4, 3, 5, 3), slurm_task(1, 0, 7, 3)})
        CHECK_THAT(shard_text("auto", again), Catch::Contains("does not begin at 0 or 1, or has gaps") &&
                                                  Catch::Contains("SLURM_ARRAY_TASK_MAX") &&
                                                  Catch::Contains("write auto/N with the N of all parts"));
    CHECK_THAT(shard_text("auto", slurm_task(10, 0, 30, 4, 10)), Catch::Contains("has gaps"));
    // An array from 1: its indices are not those of auto/N.
    CHECK_THAT(shard_text("auto/8", slurm_task(3, 1, 8, 8)),
               Catch::Contains("from 0") && Catch::Contains("submit 0-7"));
    CHECK_THAT(shard_text("auto/8", slurm_task(8, 3, 8, 2, 5)), Catch::Contains("no such part of 8"));
    CHECK_THAT(shard_text("auto", {{"SLURM_ARRAY_TASK_ID", "3"}}), Catch::Contains("write auto/N"));

    // Tasks of srun within a task of the array.
    Variables tasks = slurm_task(2, 0, 3, 4);
    tasks["SLURM_NTASKS"] = "1";
    CHECK(shard_text("auto", tasks) == "3/4");
    tasks["SLURM_NTASKS"] = "2";
    tasks["SLURM_PROCID"] = "1";
    CHECK(shard_text("auto", tasks) == "6/8");
    CHECK(shard_text("auto/8", tasks) == "6/8");
    CHECK_THAT(shard_text("auto/5", tasks), Catch::Contains("no such part of 5"));
    tasks["SLURM_PROCID"] = "2";
    CHECK_THAT(shard_text("auto", tasks), Catch::Contains("no such process"));
}

TEST_CASE("shards from the variables of other systems", "[shard]") {
    CHECK(shard_text("auto/8", {{"JOB_COMPLETION_INDEX", "7"}}) == "8/8");
    CHECK_THAT(shard_text("auto", {{"JOB_COMPLETION_INDEX", "7"}}), Catch::Contains("write auto/N"));
    CHECK_THAT(shard_text("auto/7", {{"JOB_COMPLETION_INDEX", "7"}}),
               Catch::Contains("JOB_COMPLETION_INDEX=7"));
    const Variables aws{{"AWS_BATCH_JOB_ARRAY_INDEX", "3"}, {"AWS_BATCH_JOB_ARRAY_SIZE", "5"}};
    CHECK(shard_text("auto", aws) == "4/5");
    CHECK(shard_text("auto/9", aws) == "4/9");
    CHECK(shard_text("auto", {{"BATCH_TASK_INDEX", "0"}, {"BATCH_TASK_COUNT", "6"}}) == "1/6");
    CHECK(shard_text("auto", {{"CLOUD_RUN_TASK_INDEX", "5"}, {"CLOUD_RUN_TASK_COUNT", "6"}}) == "6/6");
    // Grid Engine and LSF count from 1.
    const Variables sge{{"SGE_TASK_ID", "2"}, {"SGE_TASK_FIRST", "1"}, {"SGE_TASK_LAST", "4"}};
    CHECK(shard_text("auto", sge) == "2/4");
    CHECK(shard_text("auto/4", sge) == "2/4");
    CHECK(shard_text("auto/8", {{"SGE_TASK_ID", "8"}, {"SGE_TASK_FIRST", "7"}, {"SGE_TASK_LAST", "8"}}) ==
          "8/8");
    CHECK_THAT(shard_text("auto", {{"SGE_TASK_ID", "8"}, {"SGE_TASK_FIRST", "7"}, {"SGE_TASK_LAST", "8"}}),
               Catch::Contains("if the first array began at 1"));
    CHECK_THAT(shard_text("auto", {{"SGE_TASK_ID", "undefined"}}),
               Catch::Contains("none of the environment"));
    CHECK(shard_text("auto", {{"LSB_JOBINDEX", "3"}, {"LSB_JOBINDEX_END", "3"}}) == "3/3");
    CHECK_THAT(shard_text("auto", {{"LSB_JOBINDEX", "0"}}), Catch::Contains("none of the environment"));
    CHECK(shard_text("auto/3", {{"PBS_ARRAY_INDEX", "2"}}) == "3/3");
    CHECK(shard_text("auto/3", {{"PBS_ARRAYID", "0"}}) == "1/3");
    CHECK(shard_text("auto/3", {{"FLUX_JOB_CC", "1"}, {"FLUX_TASK_RANK", "0"}, {"FLUX_JOB_SIZE", "1"}}) ==
          "2/3");
    CHECK(shard_text("auto/3", {{"PARALLEL_SEQ", "3"}}) == "3/3");

    CHECK(shard_text("auto", {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}) == "1/4");
    CHECK(shard_text("auto", {{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}}) == "4/4");
    CHECK(shard_text("auto", {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}) == "2/2");
    CHECK(shard_text("auto", {{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}) == "1/1");
    CHECK(shard_text("auto", {{"FLUX_TASK_RANK", "1"}, {"FLUX_JOB_SIZE", "2"}}) == "2/2");
    CHECK_THAT(shard_text("auto/3", {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}), Catch::Contains("does not fit"));
    // mpirun within Slurm: its processes have the numbers of its own helpers.
    CHECK(shard_text("auto", {{"OMPI_COMM_WORLD_RANK", "3"},
                              {"OMPI_COMM_WORLD_SIZE", "4"},
                              {"SLURM_PROCID", "0"},
                              {"SLURM_NTASKS", "2"}}) == "4/4");
    CHECK_THAT(shard_text("auto", {{"PMI_RANK", "2"}, {"PMI_SIZE", "2"}}), Catch::Contains("PMI_RANK=2"));
    CHECK_THAT(shard_text("auto", {{"PMI_RANK", "x"}, {"PMI_SIZE", "2"}}),
               Catch::Contains("PMI_RANK is 'x'"));
    CHECK_THAT(shard_text("auto", {{"PMI_RANK", "-1"}, {"PMI_SIZE", "2"}}),
               Catch::Contains("PMI_RANK is '-1'"));
    CHECK_THAT(shard_text("auto"), Catch::Contains("SLURM_ARRAY_TASK_ID") && Catch::Contains("PMI_RANK") &&
                                       Catch::Contains("JOB_COMPLETION_INDEX (Kubernetes"));
    CHECK_THAT(shard_text("auto", {{"SLURM_PROCID", "0"}}), Catch::Contains("none of the environment"));
    Variables two = aws;
    two["PARALLEL_SEQ"] = "2";
    CHECK_THAT(shard_text("auto", two), Catch::Contains("two numberings"));
}

TEST_CASE("parts of another division beside these are seen", "[shard]") {
    const TempDir dir;
    for (const char* name :
         {"p-1.jsonl", "p-3.jsonl", "p-3.jsonl.journal", "p-x.jsonl", "q-17.jsonl", "17/a"})
        dir.write(name, "x");
    const auto other = [&](const std::string& pattern, const Shard& shard) {
        const auto found = part_of_other_division((dir.path() / pattern).string(), shard);
        return found ? found->filename().string() : "none";
    };
    CHECK(other("p-{shard}.jsonl", {1, 3}) == "none");
    CHECK(other("p-{shard}.jsonl", {1, 2}) == "p-3.jsonl");
    CHECK(other("p-{index}.jsonl", {1, 4}) == "none");
    CHECK(other("p-{index}.jsonl", {1, 3}) == "p-3.jsonl");
    // Widths differ.
    CHECK_THAT(other("p-{shard}.jsonl", {1, 40}), Catch::StartsWith("p-"));
    CHECK(other("q-{shard}.jsonl", {1, 17}) == "none");
    CHECK(other("q-{shard}.jsonl", {1, 16}) == "q-17.jsonl");
    CHECK(other("{shard}/a", {1, 9}) == "17");
    CHECK(other("{shard}/a", {1, 20}) == "none");
    CHECK(other("p-1.jsonl", {1, 2}) == "none");
    CHECK(other("nowhere/{shard}", {1, 2}) == "none");
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
    CHECK(with_shard("{index}.jsonl", {1, 100}) == "00.jsonl");
    CHECK(with_shard("{index}-{shard}-{shards}", {6, 40}) == "05-06-40");
    CHECK(with_shard("{index}", {1, 1}) == "0");
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
