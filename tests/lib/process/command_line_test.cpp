#include "lib/process/command_line.hpp"

#include <catch2/catch.hpp>

namespace fovea {

TEST_CASE("a command line can be given to a shell again", "[process]") {
    using namespace std::string_literals;
    CHECK(shell_command("fovea\0run\0--out\0out/a-1_b.d\0"s) == "fovea run --out out/a-1_b.d");
    CHECK(shell_command("fovea\0--require\0ap >= 0.9\0it's\0\0"s) ==
          "fovea --require 'ap >= 0.9' 'it'\\''s' ''");
    CHECK(shell_command("a;b"s) == "'a;b'");
    CHECK(shell_command("").empty());
    // This test's own command names a program.
    CHECK_FALSE(command_line().empty());
    CHECK_FALSE(host_name().empty());
}

}  // namespace fovea
