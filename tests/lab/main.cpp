#include "lib/process/allocation/allocation_calls.hpp"
#include "lib/process/process.hpp"
#include "tests/lab/lab.hpp"

int main(int argc, char** argv) {
    fovea::count_allocations();
    fovea::prepare_process();
    fovea::end_process(fovea::run_lab(argc, argv));
}
