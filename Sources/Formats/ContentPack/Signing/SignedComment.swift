import Minisign

/// The statement about a pack in its signature. It is the signature's trusted comment, a single line.
///
/// `fleetkit-pack name=first-charter version=1.2.0 previous=1.1.0:<sha256> file=first-charter-1.2.0.fleetpack`; the
/// first version has `previous=none`. Members may come in any order, and readers skip unknown members. Percent signs,
/// and all bytes other than visible ASCII characters, are written as `%` and two hexadecimal digits.
/// - Source: docs/signing-packs.md
public struct SignedComment: Sendable, Equatable {
  /// The pack's name.
  public var name: String
  /// The pack's version.
  public var version: SemanticVersion
  /// The previous version; nil for the first version.
  public var previous: PackPrevious?
  /// The file's name when it was signed.
  public var file: String

  /// The first word of the statement.
  public static let mark = "fleetkit-pack"

  /// Creates the statement about a pack.
  public init(name: String, version: SemanticVersion, previous: PackPrevious?, file: String) {
    self.name = name
    self.version = version
    self.previous = previous
    self.file = file
  }

  /// The error for a malformed comment that begins like a FleetKit comment.
  public struct Malformed: Error {
    /// The reason why the comment cannot be used.
    public let reason: String
  }

  /// Parses a trusted comment; returns nil if the comment was not written by FleetKit.
  /// - Throws: `Malformed` if the comment begins like a FleetKit comment and the rest is invalid.
  public init?(parsing comment: [UInt8]) throws(Malformed) {
    let words = comment.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard let first = words.first, first.elementsEqual(Self.mark.utf8) else { return nil }
    var members: [String: String] = [:]
    for word in words.dropFirst() {
      guard let sign = word.firstIndex(of: UInt8(ascii: "=")), let value = Self.unescape(word[(sign + 1)...]) else {
        throw Malformed(reason: "'\(String(decoding: word, as: UTF8.self))' is not a member with a value")
      }
      let name = String(decoding: word[..<sign], as: UTF8.self)
      if members.updateValue(value, forKey: name) != nil { throw Malformed(reason: "'\(name)' is repeated") }
    }
    guard let name = members["name"], PackName.isValid(name) else { throw Malformed(reason: "it has no name") }
    guard let version = members["version"].flatMap(SemanticVersion.init) else {
      throw Malformed(reason: "it has no version")
    }
    guard let file = members["file"], !file.isEmpty else { throw Malformed(reason: "it has no file") }
    self.init(name: name, version: version, previous: nil, file: file)
    guard let previous = members["previous"] else { throw Malformed(reason: "it has no previous version") }
    if previous.utf8.elementsEqual("none".utf8) { return }
    let parts = previous.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let former = SemanticVersion(String(parts[0])), Self.isChecksum(parts[1]) else {
      throw Malformed(reason: "'previous' is not a version and SHA-256")
    }
    self.previous = PackPrevious(version: former, sha256: String(parts[1]))
  }

  /// The statement as one line.
  public var text: String {
    let former = previous.map { "\($0.version.text):\($0.sha256)" } ?? "none"
    return "\(Self.mark) name=\(Self.escape(name)) version=\(Self.escape(version.text)) "
      + "previous=\(Self.escape(former)) file=\(Self.escape(file))"
  }

  private static func isChecksum(_ text: Substring) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  private static func escape(_ text: String) -> String {
    var bytes: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      if (0x21...0x7E).contains(byte), byte != UInt8(ascii: "%") {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func unescape(_ text: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 0x37
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x57
    default: nil
    }
  }
}
