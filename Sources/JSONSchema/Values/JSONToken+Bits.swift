import JSONText

extension JSONToken {
  // The named flags are in another module, so accessing them requires a call. In these loops, the call would be a tenth
  // of the work.

  /// Whether a string has a backslash escape.
  @inline(__always) var isEscaped: Bool { flags.rawValue & 1 != 0 }
  /// Whether a string has bytes above 0x7F.
  @inline(__always) var isNonASCII: Bool { flags.rawValue & 2 != 0 }
  /// Whether a number has neither fraction nor exponent.
  @inline(__always) var isInteger: Bool { flags.rawValue & 8 != 0 }
}
