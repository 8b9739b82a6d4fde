#include "lib/process/delayed_library.hpp"

#include <atomic>
#include <vector>

#include "lib/core/error.hpp"

namespace fovea {

const DynamicLibrary& DelayedLibrary::library() {
    const std::lock_guard lock(mutex_);
    if (library_ == nullptr) {
        auto loaded = std::make_unique<DynamicLibrary>(std::vector<std::string>{file_});
        if (!loaded->loaded()) {
            const std::string package = package_;
            throw Error(std::string(purpose_) + " without the library " + file_ +
                        (package.empty() ? "" : " (Debian's package " + package + ")") + ": " +
                        loaded->why_none());
        }
        library_ = loaded.release();
    }
    return *library_;
}

void* DelayedLibrary::address_of(unsigned index) {
    const auto address = library().find<void*>(names_[index]);
    if (address == nullptr)
        throw Error(std::string(purpose_) + ": the library " + file_ + " has no function " + names_[index]);
    std::atomic_ref<void*>(slots_[index]).store(address, std::memory_order_release);
    return address;
}

}  // namespace fovea

#if defined(__x86_64__)
extern "C" void* fovea_address_of(fovea::DelayedLibrary* library, unsigned index) {
    return library->address_of(index);
}

// A stub whose slot is empty goes on here: the library is in r10, the function's index in r11d, which are
// free at a call in System V's convention. All that may hold arguments is kept: six registers, rax (how many
// vector registers are in use, for variadic functions), xmm0 to xmm7. The frame is described (.cfi), so that
// an exception passes through to the stub's caller, as if the function had thrown it.
asm(R"(
    .text
    .globl fovea_first_call
    .hidden fovea_first_call
    .type fovea_first_call, @function
fovea_first_call:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %rax
    pushq %rax
    subq $128, %rsp
    movups %xmm0, 0(%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)
    movups %xmm6, 96(%rsp)
    movups %xmm7, 112(%rsp)
    movq %r10, %rdi
    movl %r11d, %esi
    call fovea_address_of
    movq %rax, %r11
    movups 0(%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    movups 96(%rsp), %xmm6
    movups 112(%rsp), %xmm7
    addq $128, %rsp
    popq %rax
    popq %rax
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    popq %rbp
    .cfi_def_cfa %rsp, 8
    jmp *%r11
    .cfi_endproc
    .size fovea_first_call, .-fovea_first_call
)");
#endif
