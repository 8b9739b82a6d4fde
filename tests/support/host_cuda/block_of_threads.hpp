#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include <setjmp.h>
#include <ucontext.h>

#include "tests/support/host_cuda/cuda_fp16.h"
#include "tests/support/host_cuda/cuda_runtime.h"

namespace fovea::test {

/// Runs a kernel on the CPU by blocks of several warps. The threads of a block take turns: each runs until it
/// waits for others. Instructions of a warp act on its 32 lanes together, as NVIDIA's PTX manual describes
/// them (ldmatrix, mma of 16 × 8 × 32 bytes and of 16 × 8 × 16 halves).
class BlockOfThreads {
  public:
    /// \param shared the shared memory of all blocks. \throws std::logic_error if the threads of a block wait
    /// for ever, each for others.
    static void run(unsigned blocks, unsigned threads, const void* shared,
                    const std::function<void()>& kernel) {
        BlockOfThreads block(threads, kernel);
        running() = &block;
        thread_calls = {synchronise,   any_of_block,      of_lane,           ballot,
                        load_matrices, add_byte_products, add_half_products, shared};
        gridDim.x = blocks;
        blockDim.x = threads;
        for (unsigned b = 0; b < blocks; ++b) {
            blockIdx.x = b;
            block.run_block();
        }
        thread_calls = {};
        threadIdx.x = blockIdx.x = 0;
        gridDim.x = blockDim.x = 1;
        running() = nullptr;
    }

  private:
    static constexpr unsigned lanes = 32;
    static constexpr std::size_t stack_bytes = std::size_t{64} << 10;

    /// Counts those that wait, until all are there.
    struct Gate {
        unsigned waiting = 0;
        std::uint64_t opened = 0;
    };
    /// Words that a lane shows the others of its warp.
    struct LaneWords {
        std::array<std::uint64_t, 4> words{};
    };
    struct Turn {
        ucontext_t context{};  ///< where it begins
        jmp_buf place{};       ///< where it waits
        std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
        const Gate* gate = nullptr;  ///< for which it waits
        std::uint64_t opened = 0;    ///< how often that was open when it came
        std::uint64_t shown = 0;     ///< how often it showed words
        bool is_done = false;
    };
    struct Warp {
        Gate gate;
        // For this instruction and the one before: no lane can be two ahead of another.
        std::array<std::array<LaneWords, lanes>, 2> shown;
    };

    BlockOfThreads(unsigned threads, const std::function<void()>& kernel)
        : kernel_(kernel), turns_(threads), warps_(threads / lanes) {
        if (threads % lanes != 0) throw std::logic_error("a block of threads has no whole warps");
    }

    static BlockOfThreads*& running() {
        static BlockOfThreads* block = nullptr;
        return block;
    }

    void run_block() {
        for (Turn& turn : turns_) {
            turn.is_done = false;
            turn.gate = nullptr;
            getcontext(&turn.context);
            turn.context.uc_stack.ss_sp = turn.stack.get();
            turn.context.uc_stack.ss_size = stack_bytes;
            makecontext(&turn.context, begin_thread, 0);
        }
        for (unsigned left = static_cast<unsigned>(turns_.size()); left > 0;) {
            bool has_moved = false;
            for (unsigned t = 0; t < turns_.size(); ++t) {
                Turn& turn = turns_[t];
                if (turn.is_done || (turn.gate != nullptr && turn.gate->opened == turn.opened)) continue;
                threadIdx.x = current_ = t;
                give_turn(turn);
                has_moved = true;
                if (turn.is_done) --left;
            }
            if (!has_moved) throw std::logic_error("the threads of a block wait for each other");
        }
    }
    // Contexts only begin threads: each change between them asks the system for the signals' mask, which
    // takes longer than what the threads do.
    void give_turn(Turn& turn) {
        if (_setjmp(home_) != 0) return;
        if (turn.gate != nullptr) _longjmp(turn.place, 1);
        setcontext(&turn.context);
    }
    static void begin_thread() {
        running()->kernel_();
        running()->turns_[running()->current_].is_done = true;
        _longjmp(running()->home_, 1);
    }

    Warp& warp() { return warps_[current_ / lanes]; }

    void wait(Gate& gate, std::size_t all) {
        Turn& turn = turns_[current_];
        if (++gate.waiting == all) {
            gate.waiting = 0;
            ++gate.opened;
            return;
        }
        turn.gate = &gate;
        turn.opened = gate.opened;
        if (_setjmp(turn.place) == 0) _longjmp(home_, 1);
        turn.gate = nullptr;
    }
    /// Shows words to the warp and gives those of all lanes.
    const std::array<LaneWords, lanes>& show(const LaneWords& mine) {
        auto& shown = warp().shown[turns_[current_].shown++ % 2];
        shown[current_ % lanes] = mine;
        wait(warp().gate, lanes);
        return shown;
    }

    static void synchronise() { running()->wait(running()->gate_, running()->turns_.size()); }
    static bool any_of_block(bool mine) {
        BlockOfThreads& block = *running();
        block.any_ |= mine;
        synchronise();
        const bool any = block.any_;
        synchronise();
        block.any_ = false;
        synchronise();
        return any;
    }
    static std::uint64_t of_lane(std::uint64_t mine, unsigned lane) {
        return running()->show({{mine, 0, 0, 0}})[lane].words[0];
    }
    static std::uint32_t ballot(bool mine) {
        const auto& shown = running()->show({{mine ? 1U : 0U, 0, 0, 0}});
        std::uint32_t bits = 0;
        for (unsigned lane = 0; lane < lanes; ++lane) {
            bits |= static_cast<std::uint32_t>(shown[lane].words[0]) << lane;
        }
        return bits;
    }
    static void load_matrices(std::uint32_t (&out)[4], std::uint32_t shared) {
        const auto& shown = running()->show({{shared, 0, 0, 0}});
        const unsigned lane = running()->current_ % lanes;
        for (unsigned matrix = 0; matrix < 4; ++matrix) {
            const auto* const row =
                static_cast<const char*>(thread_calls.shared) + shown[matrix * 8 + lane / 4].words[0];
            std::memcpy(&out[matrix], row + lane % 4 * 4, 4);
        }
    }
    static std::uint64_t pair_of(std::uint32_t first, std::uint32_t second) {
        return first | static_cast<std::uint64_t>(second) << 32;
    }
    static void add_byte_products(int (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                  std::uint32_t b1, bool a_signed, bool b_signed) {
        const auto& shown = running()->show({{pair_of(a[0], a[1]), pair_of(a[2], a[3]), pair_of(b0, b1), 0}});
        const unsigned lane = running()->current_ % lanes;
        const auto four_products = [&](std::uint32_t first, std::uint32_t second) {
            int sum = 0;
            for (unsigned at = 0; at < 32; at += 8) {
                const int x = static_cast<int>(first >> at & 255), y = static_cast<int>(second >> at & 255);
                sum += (a_signed && x > 127 ? x - 256 : x) * (b_signed && y > 127 ? y - 256 : y);
            }
            return sum;
        };
        for (unsigned at = 0; at < 4; ++at) {
            const unsigned row = lane / 4 + at / 2 * 8, column = lane % 4 * 2 + at % 2;
            for (unsigned four = 0; four < 8; ++four) {
                // Rows from 8 on are in the second word of each half.
                const std::uint64_t of_a = shown[row % 8 * 4 + four % 4].words[four / 4];
                const std::uint64_t of_b = shown[column * 4 + four % 4].words[2];
                sums[at] += four_products(static_cast<std::uint32_t>(of_a >> (row / 8 * 32)),
                                          static_cast<std::uint32_t>(of_b >> (four / 4 * 32)));
            }
        }
    }

    static void add_half_products(float (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                  std::uint32_t b1) {
        const auto& shown = running()->show({{pair_of(a[0], a[1]), pair_of(a[2], a[3]), pair_of(b0, b1), 0}});
        const unsigned lane = running()->current_ % lanes;
        const auto half_of = [](std::uint64_t words, unsigned second_word, unsigned second_half) {
            return __half2float({static_cast<std::uint16_t>(words >> (32 * second_word + 16 * second_half))});
        };
        for (unsigned at = 0; at < 4; ++at) {
            const unsigned row = lane / 4 + at / 2 * 8, column = lane % 4 * 2 + at % 2;
            double sum = sums[at];
            for (unsigned k = 0; k < 16; ++k) {
                const unsigned four = k % 8 / 2;
                sum += static_cast<double>(half_of(shown[row % 8 * 4 + four].words[k / 8], row / 8, k % 2)) *
                       half_of(shown[column * 4 + four].words[2], k / 8, k % 2);
            }
            sums[at] = static_cast<float>(sum);
        }
    }

    std::function<void()> kernel_;
    std::vector<Turn> turns_;
    std::vector<Warp> warps_;
    Gate gate_;
    jmp_buf home_{};
    unsigned current_ = 0;
    bool any_ = false;
};

}  // namespace fovea::test
