#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace fovea::test {

struct ProgramResult {
    int exit_code = -1;  ///< 128 + the signal's number if one ended the program, as a shell says it
    std::string out;
    std::string err;
};

struct ProgramOptions {
    std::string input;                               ///< standard input; the end of it follows
    std::map<std::string, std::string> environment;  ///< set in addition; an empty value unsets
    std::filesystem::path folder;                    ///< working directory; empty = this process's
    std::chrono::seconds timeout{300};               ///< then the program is killed
    bool input_stays_open = false;                   ///< standard input has no end: it waits after `input`
};

/// A program that runs beside the test. Standard output and error are read all the time, so that it never
/// blocks there.
class StartedProgram {
  public:
    StartedProgram(const std::vector<std::string>& command, const ProgramOptions& options = {});
    ~StartedProgram();  ///< kills it if it still runs
    StartedProgram(const StartedProgram&) = delete;
    StartedProgram& operator=(const StartedProgram&) = delete;

    void send_signal(int signal);
    /// Waits until standard error holds the text; false if the program ends or the timeout passes before.
    bool wait_for_error_text(const std::string& text);
    ProgramResult wait();

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// Runs a program to its end.
ProgramResult run_program(const std::vector<std::string>& command, const ProgramOptions& options = {});

/// Runs the fovea that was built with the tests.
ProgramResult run_fovea(std::vector<std::string> arguments, const ProgramOptions& options = {});

/// Its path.
std::string fovea_program();

/// Runs the fovea-lab that was built with the tests.
ProgramResult run_lab_program(std::vector<std::string> arguments, const ProgramOptions& options = {});

}  // namespace fovea::test
