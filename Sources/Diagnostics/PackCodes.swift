extension DiagnosticCode {
  /// A pack that nobody signed is older than the one before.
  public static let olderPack = DiagnosticCode(
    "PCK0401", "older-pack", .warning,
    "A pack is older than the version that was imported before, and nobody signed it.",
    why: "what is newer in the library may be written over with what the publisher has corrected since",
    fix: "import the newest version; a signed pack that is older is refused")
  /// Nobody said whom to trust.
  public static let unprovedPack = DiagnosticCode(
    "PCK0402", "unproved-pack", .warning, "A pack is signed, and nobody said which key to trust.",
    why: "without the publisher's key nobody knows whether the signature is the publisher's",
    fix: "get the publisher's key from the publisher and say --trust KEY; it is remembered for the next import")
  /// Another key than before.
  public static let otherPackKey = DiagnosticCode(
    "PCK0403", "other-pack-key", .warning, "A pack is signed by another trusted key than the version before.",
    why: "the chain of versions begins anew with it: what came before is not held against it",
    fix: "nothing, if the publisher has a new key; else ask the publisher")

  static let packTrust = [olderPack, unprovedPack, otherPackKey]
}
