extension DiagnosticCode {
  /// An unsigned pack is older than the version that was imported before.
  public static let olderPack = DiagnosticCode(
    "PCK0401", "older-pack", .warning,
    "An unsigned pack is older than the version that was imported before.",
    why: "it may overwrite newer content in the library with content that the publisher has corrected since",
    fix: "import the newest version; FleetKit would refuse an older pack that is signed")
  /// No trusted key is known for a signed pack.
  public static let unprovedPack = DiagnosticCode(
    "PCK0402", "unproved-pack", .warning, "A pack is signed, but no trusted key is known.",
    why: "without the publisher's key, FleetKit cannot check whether the signature is the publisher's",
    fix: "get the key from the publisher and add --trust KEY; FleetKit remembers the key for the next import")
  /// A pack is signed with a different key than before.
  public static let otherPackKey = DiagnosticCode(
    "PCK0403", "other-pack-key", .warning, "A pack is signed with a different trusted key than the previous version.",
    why: "the pack starts a new chain of versions and is not checked against the previous ones",
    fix: "nothing needs to be done if the publisher has a new key; otherwise ask the publisher")

  static let packTrust = [olderPack, unprovedPack, otherPackKey]
}
