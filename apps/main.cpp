#include "apps/cli.hpp"

int main(int argc, char** argv) {
    return fovea::run_cli(argc, argv);
}
