// The schemas that the binary carries.
