#pragma once

#include <nlohmann/json.hpp>

#include "lib/json/json_fwd.hpp"
