// The functions are in the toolchain (libclang_rt.fuzzer).
#include "fuzzer.h"
