extension DiagnosticCode {
  /// A value that was read back is another one.
  public static let unprovedValue = DiagnosticCode(
    "RUN0301", "unproved-value", .error, "A value that was read back is not what the source says.",
    why: "neither the list of losses nor the target's format explains it: what was written is not a faithful copy",
    fix: "do not use the target; try again, on another disk for example, and report it if it happens again")

  /// A record is missing, or is one too many.
  public static let unprovedRecord = DiagnosticCode(
    "RUN0302", "unproved-record", .error, "A record is missing from what was read back, or is one too many.",
    why: "neither the list of losses nor the list of rejects explains it: what was written is not a faithful copy",
    fix: "do not use the target; try again, on another disk for example, and report it if it happens again")

  /// What was written cannot be read.
  public static let unprovedUnreadable = DiagnosticCode(
    "RUN0303", "unproved-unreadable", .error, "A record that was written cannot be read back.",
    why: "whoever opens the target would not find it",
    fix: "do not use the target; try again, on another disk for example, and report it if it happens again")

  /// What proofs find.
  public static let proof: [DiagnosticCode] = [.unprovedValue, .unprovedRecord, .unprovedUnreadable]
}
