import Interchange

/// The chain of a pack's versions. It prevents an older version, or another file with the same version, from being
/// accepted as a new version.
public struct PackChain: Sendable {
  /// The relation of a version to the version that the user has.
  public enum Step: Sendable, Equatable {
    /// Both are the same file.
    case same
    /// The chain proves that the version is a successor of the user's version.
    case newer
  }

  /// The pack's name.
  public let name: String
  /// The version that is checked, with its file's checksum.
  public let version: PackPrevious
  /// The earlier versions that the version names, newest first: the one in the signature, followed by those in the
  /// pack.
  public let ancestors: [PackPrevious]

  /// Creates a version's chain.
  public init(name: String, version: PackPrevious, ancestors: [PackPrevious]) {
    self.name = name
    self.version = version
    self.ancestors = ancestors
  }

  /// Compares the version with the version that the user has.
  /// - Parameter doing: the beginning of error messages, such as `verify 'x.fleetpack'`.
  /// - Throws: `RunFailure` with status 5 if the version is a downgrade or a fork, or if no chain links the two
  ///   versions.
  public func step(from known: PackPrevious, doing: String) throws -> Step {
    if version.version.precedes(known.version) {
      throw RunFailure(
        .mismatch,
        "\(doing): a downgrade: it is version \(version.version) of '\(name)', but you have \(known.version)",
        advice: "Get the newest version; the file may have been replaced with an old one.")
    }
    guard known.version.precedes(version.version) else {
      if known.sha256 == version.sha256 { return .same }
      throw RunFailure(
        .mismatch,
        "\(doing): a fork: another file that you have is also version \(version.version) of '\(name)'",
        advice: "Ask the publisher which of the two is correct: \(short(version)) or \(short(known)).")
    }
    if ancestors.contains(where: { isSameVersion($0, known) && $0.sha256 == known.sha256 }) { return .newer }
    if let other = ancestors.first(where: { isSameVersion($0, known) }) {
      throw RunFailure(
        .mismatch,
        "\(doing): a fork of the chain: it follows a version \(known.version) of '\(name)' that is not yours",
        advice: "Ask the publisher which of the two is correct: \(short(other)) or \(short(known)).")
    }
    guard let parent = ancestors.first else {
      throw RunFailure(
        .mismatch,
        "\(doing): a fork of the chain: it names no earlier version, but you have version \(known.version)",
        advice: "Ask the publisher to sign it with --previous.")
    }
    if parent.version.precedes(known.version) {
      throw RunFailure(
        .mismatch,
        "\(doing): a fork of the chain: the version before it is \(parent.version), which leaves out "
          + "version \(known.version), which you have",
        advice: "Ask the publisher which of the two is correct.")
    }
    var missing: [String] = []
    for ancestor in ancestors.reversed() where known.version.precedes(ancestor.version) {
      if missing.last != ancestor.version.text { missing.append(ancestor.version.text) }
    }
    throw RunFailure(
      .mismatch,
      "\(doing): nothing shows that version \(version.version) follows version \(known.version), which you have",
      advice: "First import the versions between them, in this order: \(missing.joined(separator: ", ")).")
  }

  private func isSameVersion(_ left: PackPrevious, _ right: PackPrevious) -> Bool {
    !left.version.precedes(right.version) && !right.version.precedes(left.version)
  }

  private func short(_ version: PackPrevious) -> String { "SHA-256 \(version.sha256.prefix(16))…" }
}
