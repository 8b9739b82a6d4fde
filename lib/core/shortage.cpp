#include "lib/core/shortage.hpp"

#include <cerrno>

namespace fovea {

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
            return true;
        default:
            return false;
    }
}

std::string shortage_advice(int error) {
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

}  // namespace fovea
