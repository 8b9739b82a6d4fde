// Ctrl-C, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 and SIGXCPU end every command within a second, whatever it is
// doing, and leave nothing that cannot be gone on from.
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <thread>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/files/descriptor.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

using Arguments = std::vector<std::string>;

// A second, and half of one for a machine that is busy.
constexpr double max_seconds = 1.5;

// Photographs, annotation, results, and a pipe that is never closed.
struct Scene {
    explicit Scene(int photographs = 3)
        : folder([&] {
              std::vector<std::pair<std::string, std::string>> list;
              for (int i = 0; i < photographs; ++i) {
                  list.emplace_back(std::to_string(i) + ".pgm",
                                    noise_pgm(200, 150, static_cast<std::uint32_t>(i)));
              }
              return list;
          }()) {
        pipe = folder.path("pipe");
        REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    }
    std::string path(const std::string& name) const { return folder.path(name); }

    PhotoFolder folder;
    std::string pipe;
};

struct Ending {
    ProgramResult result;
    double seconds = 0;  // from the signal to the end
};

std::unique_ptr<StartedProgram> start(Arguments arguments, const ProgramOptions& options = {}) {
    arguments.insert(arguments.begin(), fovea_program());
    return std::make_unique<StartedProgram>(arguments, options);
}

Ending end_by(int signal, StartedProgram& program) {
    const auto sent = Clock::now();
    program.send_signal(signal);
    Ending ending{program.wait(), 0};
    ending.seconds = std::chrono::duration<double>(Clock::now() - sent).count();
    return ending;
}

// Its own exit code, or that of the system's default action where the signal comes before the program is up.
void check_heard(const Ending& ending) {
    CAPTURE(ending.result.out, ending.result.err);
    CHECK((ending.result.exit_code == 130 || ending.result.exit_code == 128 + SIGTERM));
    CHECK(ending.seconds < max_seconds);
}

// Starts the commands, lets them come to where they wait, and interrupts one after the other.
void check_heard_while_waiting(const std::vector<Arguments>& commands, const ProgramOptions& options = {}) {
    std::vector<std::unique_ptr<StartedProgram>> programs;
    for (const Arguments& command : commands) programs.push_back(start(command, options));
    std::this_thread::sleep_for(milliseconds(1500));
    for (std::size_t i = 0; i < programs.size(); ++i) {
        std::string command;
        for (const std::string& argument : commands[i]) command += argument + " ";
        CAPTURE(command);
        check_heard(end_by(i % 2 == 0 ? SIGINT : SIGTERM, *programs[i]));
    }
}

// Faces of 2,000 images, and as many detections.
void write_truth(const Scene& scene) {
    std::string xml = "<?xml version='1.0' encoding='UTF-8'?>\n<dataset>\n<images>\n";
    std::string text;
    for (int i = 0; i < 2000; ++i) {
        const std::string image = std::to_string(i) + ".pgm";
        xml += "<image file='" + image + "'><box top='30' left='30' width='25' height='25'/></image>\n";
        text += image + " " + std::to_string(i % 40) + " 30 25 25 " + std::to_string(i * 7919 % 2003) + "\n";
    }
    scene.folder.folder.write("truth.xml", xml + "</images>\n</dataset>\n");
    scene.folder.folder.write("found.txt", text);
}

Arguments evaluation(const Scene& scene, const Arguments& more) {
    Arguments arguments{"evaluate",  "detection",
                        "--dataset", "dlib:" + scene.path("truth.xml"),
                        "--results", "text:" + scene.path("found.txt"),
                        "--out",     scene.path("report")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

// Whether the process has ended; what nobody has waited for yet counts, too.
bool has_ended(const std::string& process) {
    std::ifstream stat("/proc/" + process + "/stat");
    std::string number;
    std::string name;
    std::string state;
    return !(stat >> number >> name >> state) || state == "Z" || state == "X";
}

}  // namespace

TEST_CASE("Ctrl-C and SIGTERM are heard while a pipe is read that nobody writes to", "[cli][interrupt]") {
    const Scene s;
    write_truth(s);
    const std::string truth = "dlib:" + s.path("truth.xml");
    // "opened": half a line comes, and no end. "unopened": opening the pipe waits already.
    const bool is_opened = GENERATE(false, true);
    FileDescriptor writer;
    if (is_opened) {
        writer = FileDescriptor(::open(s.pipe.c_str(), O_RDWR | O_CLOEXEC));
        REQUIRE(::write(writer.get(), "0.p", 3) == 3);
    }
    check_heard_while_waiting({
        {"detect", "list:" + s.pipe, "--model", s.folder.model, "--out", s.path("a.jsonl")},
        {"run", s.pipe, "--out", s.path("run")},
        {"run", "--dataset", "list:" + s.pipe, "--model", s.folder.model, "--out", s.path("run2")},
        {"enroll", "list:" + s.pipe, "--gallery", s.path("g.fvg")},
        {"identify", "list:" + s.pipe, "--gallery", s.path("g.fvg"), "--out", s.path("b.jsonl")},
        {"evaluate", "detection", "--dataset", truth, "--results", "text:" + s.pipe},
        {"evaluate", "detection", "--dataset", "dlib:" + s.pipe, "--results", "text:" + s.path("found.txt")},
        {"evaluate", "landmarks", "--dataset", "dlib:" + s.pipe, "--results", "text:" + s.path("found.txt")},
        {"evaluate", "verification", "--pairs", s.pipe},
        {"compare", s.pipe, s.path("report.json")},
        {"convert", "dlib:" + s.pipe, "--out", s.path("converted.json")},
        {"healthcheck", "dlib:" + s.pipe},
        {"label", "dlib:" + s.pipe, "--out", s.path("label.html")},
        {"train", "mct", "--config", s.pipe, "--out", s.path("m.json")},
        {"train", "landmarks", "--config", s.pipe, "--out", s.path("m.fvlm")},
        {"train", "boxes", "--dataset", "dlib:" + s.pipe, "--model", s.folder.model, "--out",
         s.path("c.json")},
        {"verify", "list:" + s.pipe, "--model", s.folder.model},
        {"bench", "detect", "list:" + s.pipe, "--model", s.folder.model, "--device", "cpu"},
    });
    for (const char* output :
         {"a.jsonl", "b.jsonl", "g.fvg", "converted.json", "m.json", "m.fvlm", "c.json"}) {
        CAPTURE(output);
        CHECK_FALSE(std::filesystem::exists(s.path(output)));
    }
}

TEST_CASE("Ctrl-C and SIGTERM are heard while standard input is read", "[cli][interrupt]") {
    const Scene s;
    ProgramOptions options;
    options.input = GENERATE("", "0.pgm\n1.p");
    options.input_stays_open = true;
    check_heard_while_waiting(
        {
            {"detect", "-", "--model", s.folder.model, "--out", s.path("a.jsonl")},
            {"detect", "-", "--model", s.folder.model},
            {"run", "-", "--out", s.path("run")},
            {"enroll", "-", "--gallery", s.path("g.fvg")},
            {"identify", "-", "--gallery", s.path("g.fvg"), "--out", s.path("b.jsonl")},
        },
        options);
    CHECK_FALSE(std::filesystem::exists(s.path("a.jsonl")));
}

TEST_CASE("Ctrl-C and SIGTERM are heard in every phase of a long evaluation", "[cli][interrupt]") {
    const Scene s;
    write_truth(s);
    int signal = SIGINT;
    for (const int after : {50, 150, 400, 1000, 2500}) {
        CAPTURE(after);
        const auto program = start(evaluation(s, {"--resamples", "1000000"}));
        std::this_thread::sleep_for(milliseconds(after));
        check_heard(end_by(signal, *program));
        CHECK_FALSE(std::filesystem::exists(s.path("report/report.json")));
        signal = signal == SIGINT ? SIGTERM : SIGINT;
    }
}

TEST_CASE("Ctrl-C and SIGTERM end gnuplot with the program", "[cli][interrupt]") {
    const int signal = GENERATE(SIGINT, SIGTERM);
    const Scene s;
    write_truth(s);
    const std::string number = s.path("number");
    const auto gnuplot =
        s.folder.folder.write("bin/gnuplot", "#!/bin/sh\necho $$ > '" + number + ".part'\nmv '" + number +
                                                 ".part' '" + number + "'\nexec sleep 600\n");
    std::filesystem::permissions(gnuplot, std::filesystem::perms::owner_all);
    ProgramOptions options;
    options.environment["PATH"] = gnuplot.parent_path().string() + ":/usr/bin:/bin";
    const auto program = start(evaluation(s, {"--resamples", "0"}), options);
    const auto limit = Clock::now() + std::chrono::seconds(30);
    while (!std::filesystem::exists(number) && Clock::now() < limit) {
        std::this_thread::sleep_for(milliseconds(10));
    }
    REQUIRE(std::filesystem::exists(number));
    std::string process;
    std::ifstream(number) >> process;
    REQUIRE_FALSE(has_ended(process));
    const Ending ending = end_by(signal, *program);
    check_heard(ending);
    CHECK(ending.result.exit_code == 130);
    // It was killed before the program ended; on a busy machine it takes its turn to go.
    const auto gone_by = Clock::now() + std::chrono::seconds(10);
    while (!has_ended(process) && Clock::now() < gone_by) std::this_thread::sleep_for(milliseconds(10));
    CHECK(has_ended(process));
    CHECK_FALSE(std::filesystem::exists(s.path("report/report.json")));
}

TEST_CASE("Ctrl-C and SIGTERM do not wait for an image in flight, and the job goes on", "[cli][interrupt]") {
    Scene s(20);
    // Some seconds of work for one thread.
    s.folder.folder.write("photos/large.pgm", noise_pgm(2000, 2000, 5));
    const auto detect = [&](const std::string& out, const Arguments& more) {
        Arguments arguments{"detect",   s.folder.photos, "--model",        s.folder.model,
                            "--out",    s.path(out),     "--scale-factor", "1.02",
                            "--device", "cpu",           "--threads",      "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    REQUIRE(run_fovea(detect("whole.jsonl", {})).exit_code == 0);
    int interrupted = 0;
    for (const int after : {30, 200, 700, 1200}) {
        CAPTURE(after);
        const auto program = start(detect("parts.jsonl", {"--resume"}));
        std::this_thread::sleep_for(milliseconds(after));
        const Ending ending = end_by(after % 400 == 0 ? SIGTERM : SIGINT, *program);
        if (ending.result.exit_code == 0) break;  // on a fast machine
        check_heard(ending);
        ++interrupted;
    }
    CHECK(interrupted > 0);
    REQUIRE(run_fovea(detect("parts.jsonl", {"--resume"})).exit_code == 0);
    CHECK(read_bytes(s.path("parts.jsonl")) == read_bytes(s.path("whole.jsonl")));
}

TEST_CASE("Ctrl-C and SIGTERM are heard in a job of very many names", "[cli][interrupt]") {
    const Scene s;
    std::string names;
    for (int i = 0; i < 500000; ++i) names += "photographs of a long voyage/" + std::to_string(i) + ".jpg\n";
    const std::string list = "list:" + s.folder.folder.write("names.txt", names).string();
    const std::vector<Arguments> commands{
        {"detect", list, "--model", s.folder.model, "--out", s.path("a.jsonl"), "--overwrite"},
        {"healthcheck", list},
        {"convert", list, "--out", s.path("a.json")},
        {"enroll", list, "--gallery", s.path("g.fvg")},
        {"verify", list, "--model", s.folder.model},
    };
    for (const Arguments& command : commands) {
        int interrupted = 0;
        for (const int after : {100, 500, 1500}) {
            CAPTURE(command.front(), after);
            const auto program = start(command);
            std::this_thread::sleep_for(milliseconds(after));
            const Ending ending = end_by(after == 500 ? SIGTERM : SIGINT, *program);
            if (ending.result.exit_code <= 3) continue;  // it was done before
            check_heard(ending);
            ++interrupted;
        }
        CAPTURE(command.front());
        CHECK(interrupted > 0);
    }
}

TEST_CASE("the end of the terminal and the signals of clusters end a job as SIGTERM does",
          "[cli][interrupt]") {
    Scene s(20);
    s.folder.folder.write("photos/large.pgm", noise_pgm(3000, 3000, 5));
    const Arguments detect{
        "detect", s.folder.photos, "--model", s.folder.model, "--out", s.path("a.jsonl"), "--scale-factor",
        "1.02",   "--device",      "cpu",     "--threads",    "1",     "--resume"};
    int interrupted = 0;
    for (const int signal : {SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU}) {
        CAPTURE(signal);
        // Tests that outlive their terminal ignore SIGHUP, and so would the program.
        Arguments command{"env", "--default-signal=HUP", fovea_program()};
        command.insert(command.end(), detect.begin(), detect.end());
        StartedProgram program(command);
        std::this_thread::sleep_for(milliseconds(150));
        const Ending ending = end_by(signal, program);
        CAPTURE(ending.result.err);
        CHECK((ending.result.exit_code == 130 || ending.result.exit_code == 0));
        CHECK(ending.seconds < max_seconds);
        if (ending.result.exit_code != 130) continue;  // it was done before
        CHECK_THAT(ending.result.err, Catch::Contains("interrupted: finishing what is in flight"));
        ++interrupted;
    }
    CHECK(interrupted > 0);
    CHECK(run_fovea(detect).exit_code == 0);
}

TEST_CASE("a job that was started to outlive its terminal does", "[cli][interrupt]") {
    const Scene s;
    ProgramOptions options;
    options.input_stays_open = true;
    StartedProgram program(
        {"nohup", fovea_program(), "convert", "list:-", "--to", "coco", "--out", s.path("a.json")}, options);
    std::this_thread::sleep_for(milliseconds(700));
    program.send_signal(SIGHUP);
    std::this_thread::sleep_for(milliseconds(300));
    program.send_signal(SIGTERM);
    // It was still there to hear the second one.
    CHECK(program.wait().exit_code == 130);
}

TEST_CASE("a job with features goes on behind images without a face", "[cli][interrupt]") {
    // Batches without a face follow those with some, and the other way round.
    Scene s(0);
    for (int i = 0; i < 240; ++i) {
        const std::string name = "photos/" + std::to_string(1000 + i) + ".pgm";
        const bool has_face = i % 60 < 3;
        s.folder.folder.write(
            name, has_face ? edge_pgm(120, 90) : std::string("P5 120 90 255\n") + std::string(120 * 90, 'x'));
    }
    const auto detect = [&](const std::string& out, const Arguments& more) {
        Arguments arguments{"detect",      s.folder.photos,
                            "--model",     s.folder.model,
                            "--out",       s.path(out + ".jsonl"),
                            "--device",    "cpu",
                            "--features",  s.path(out + ".npy"),
                            "--crops",     s.path(out + "-crops"),
                            "--threads",   "1",
                            "--landmarks", "helen"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    const ProgramResult whole = run_fovea(detect("whole", {}));
    CAPTURE(whole.err);
    REQUIRE(whole.exit_code == 0);
    int interrupted = 0;
    for (int kill = 0; kill < 40; ++kill) {
        const auto program = start(detect("parts", {"--resume"}));
        std::this_thread::sleep_for(milliseconds(60 + 7 * kill));
        const Ending ending = end_by(kill % 2 == 0 ? SIGTERM : SIGKILL, *program);
        CAPTURE(ending.result.err);
        if (ending.result.exit_code == 0) break;
        CHECK((ending.result.exit_code == 130 || ending.result.exit_code == 128 + SIGTERM ||
               ending.result.exit_code == 128 + SIGKILL));
        ++interrupted;
    }
    CHECK(interrupted > 0);
    const ProgramResult last = run_fovea(detect("parts", {"--resume"}));
    CAPTURE(last.err);
    REQUIRE(last.exit_code == 0);
    CHECK(read_bytes(s.path("parts.jsonl")) == read_bytes(s.path("whole.jsonl")));
    CHECK(read_bytes(s.path("parts.npy")) == read_bytes(s.path("whole.npy")));
}
