#pragma once

// Stands for lib/core/error.hpp, which is installed in its place.
#include "lib/core/error.hpp"
