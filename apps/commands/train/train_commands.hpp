#pragma once

#include "apps/commands/commands.hpp"

namespace fovea {

// Each stands in the file of its command.
AddCommand add_train_mct_command, add_train_net_command, add_train_cascade_command, add_train_samples_command,
    add_train_landmarks_command, add_train_boxes_command, add_train_lbp_weights_command,
    add_train_thresholds_command;

}  // namespace fovea
