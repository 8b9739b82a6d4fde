#include "lib/files/shortage.hpp"

#include <cerrno>
#include <system_error>

namespace fovea {
namespace {

// Advice; empty where none helps.
const char* advice(int error) {
    switch (error) {
        case EMFILE:
            return "; raise the limit of open files (ulimit -n) or lower --threads";
        case ENFILE:
            return "; the whole system has too many files open";
        case ENOMEM:
            return "; lower --threads, or end other programs";
        case EIO:
        case EREMOTEIO:
            return "; check the disk, and move the file away if it stays unreadable";
        default:
            return "";
    }
}

// True for values of errno that tell of the machine and not of the file: EMFILE, ENOMEM, EIO, a network file
// system that does not answer, ...
bool is_shortage(int error) {
    switch (error) {
        case EMFILE:
        case ENFILE:
        case ENOMEM:
        case ENOBUFS:
        case EAGAIN:
        case EIO:
        case EREMOTEIO:
        case ESTALE:
        case ETIMEDOUT:
        case EHOSTDOWN:
        case EHOSTUNREACH:
        case ENETDOWN:
        case ENETUNREACH:
        case ENETRESET:
        case ECONNABORTED:
        case ECONNREFUSED:
        case ECONNRESET:
        case ENOTCONN:
        case ESHUTDOWN:
        case ENOLINK:
        case ECOMM:
        // Tickets of network file systems that have run out.
        case ENOKEY:
        case EKEYEXPIRED:
        case EKEYREVOKED:
        case EKEYREJECTED:
            return true;
        default:
            return false;
    }
}

}  // namespace

void throw_if_short(const std::string& what, int error, const char* end) {
    if (is_shortage(error))
        throw ShortageError(what + ": " + std::generic_category().message(error) + advice(error) + end);
}

}  // namespace fovea
