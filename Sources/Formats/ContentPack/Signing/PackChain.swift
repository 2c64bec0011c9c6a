import Interchange

/// The order of a pack's versions: which one follows which. It prevents an older version, or another file of the same
/// version, from being accepted as a new one.
public struct PackChain: Sendable {
  /// How a version relates to the one that the user has.
  public enum Step: Sendable, Equatable {
    /// It is the same file.
    case same
    /// It comes from it, which its chain proves.
    case newer
  }

  /// The name of the pack.
  public let name: String
  /// The version that is checked, with the checksum of its file.
  public let version: PackPrevious
  /// The earlier versions that it names, the newest first: the one in the signature, then those in the pack.
  public let ancestors: [PackPrevious]

  /// Creates the chain of a version.
  public init(name: String, version: PackPrevious, ancestors: [PackPrevious]) {
    self.name = name
    self.version = version
    self.ancestors = ancestors
  }

  /// Compares the version with the one that the user has.
  /// - Parameter doing: the beginning of error messages: `verify 'x.fleetpack'`.
  /// - Throws: `RunFailure` with status 5: a downgrade, a fork, or nothing that links the two.
  public func step(from known: PackPrevious, doing: String) throws -> Step {
    if version.version.precedes(known.version) {
      throw RunFailure(
        .mismatch,
        "\(doing): a downgrade: it is version \(version.version) of '\(name)', and you have \(known.version)",
        advice: "Get the newest version; the file may have been replaced with an old one.")
    }
    guard known.version.precedes(version.version) else {
      if known.sha256 == version.sha256 { return .same }
      throw RunFailure(
        .mismatch,
        "\(doing): a fork: it is version \(version.version) of '\(name)', and so is another file that you have",
        advice: "Ask the publisher which of the two is right: \(short(version)) or \(short(known)).")
    }
    if ancestors.contains(where: { isSameVersion($0, known) && $0.sha256 == known.sha256 }) { return .newer }
    if let other = ancestors.first(where: { isSameVersion($0, known) }) {
      throw RunFailure(
        .mismatch,
        "\(doing): a fork of the chain: it comes from another \(known.version) of '\(name)' than the one you have",
        advice: "Ask the publisher which of the two is right: \(short(other)) or \(short(known)).")
    }
    guard let parent = ancestors.first else {
      throw RunFailure(
        .mismatch,
        "\(doing): a fork of the chain: it names no earlier version, and you have version \(known.version)",
        advice: "Its publisher has to sign it with --previous.")
    }
    if parent.version.precedes(known.version) {
      throw RunFailure(
        .mismatch,
        "\(doing): a fork of the chain: it names \(parent.version) as the version right before it, which leaves out "
          + "version \(known.version) that you have",
        advice: "Ask the publisher which of the two is right.")
    }
    var missing: [String] = []
    for ancestor in ancestors.reversed() where known.version.precedes(ancestor.version) {
      if missing.last != ancestor.version.text { missing.append(ancestor.version.text) }
    }
    throw RunFailure(
      .mismatch,
      "\(doing): nothing shows that version \(version.version) comes from \(known.version), which you have",
      advice: "Import the versions between them first, in this order: \(missing.joined(separator: ", ")).")
  }

  private func isSameVersion(_ left: PackPrevious, _ right: PackPrevious) -> Bool {
    !left.version.precedes(right.version) && !right.version.precedes(left.version)
  }

  private func short(_ version: PackPrevious) -> String { "SHA-256 \(version.sha256.prefix(16))…" }
}
