#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer with the command line's options. `one` gets each input and returns 0, or -1 to keep it out of the
/// corpus. Returns when -runs or -max_total_time is reached; exits the process on a finding.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one)(const uint8_t *data, size_t size));
