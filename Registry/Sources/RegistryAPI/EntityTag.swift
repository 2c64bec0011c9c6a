import HTTPTypes
import RegistryModel

/// Entity tags of items: the digest of the publication in hexadecimal, in quotes.
///
/// Counts are not included: viewing an item does not change its tag.
/// - Source: RFC 9110, 8.8.3, 13.1.1, 13.1.2
enum EntityTag {
  /// Returns the tag for a digest, quotes included.
  static func text(_ digest: [UInt8]) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 * digest.count + 2)
    bytes.append(UInt8(ascii: "\""))
    for byte in digest {
      bytes.append(digit(byte >> 4))
      bytes.append(digit(byte & 15))
    }
    bytes.append(UInt8(ascii: "\""))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the precondition in `If-Match`; nil without the header.
  ///
  /// Weak tags, foreign tags and unreadable headers match nothing: an unnecessary 412 is better than an unwanted
  /// change.
  static func precondition(_ headers: HTTPFields) -> ContentOperation.Precondition? {
    let values = headers[values: .ifMatch]
    return values.isEmpty ? nil : precondition(values.joined(separator: ","))
  }

  /// Returns the precondition in an `If-Match` header with this value.
  static func precondition(_ value: String) -> ContentOperation.Precondition {
    guard let list = tags(value) else { return .digests([]) }
    if list.isAny { return .any }
    return .digests(list.tags.filter { !$0.isWeak }.compactMap(\.digest))
  }

  /// Whether `If-None-Match` contains the tag of `digest`, so that nothing needs to be sent. An unreadable header
  /// contains no tags.
  static func isKnown(_ digest: [UInt8], _ headers: HTTPFields) -> Bool {
    let values = headers[values: .ifNoneMatch]
    guard !values.isEmpty, let list = tags(values.joined(separator: ",")) else { return false }
    // The comparison is weak: a cache in between may have weakened the tag that it stored.
    return list.isAny || list.tags.contains { $0.digest == digest }
  }

  /// Returns the precondition of both headers for a change to an item.
  ///
  /// `If-None-Match` forbids changing the items that it names; `*` names every existing item. As with `If-Match`, an
  /// unreadable header is never met.
  /// - Parameter digest: the item's digest, if it is known; nil if the item does not exist.
  static func precondition(_ headers: HTTPFields, for digest: [UInt8]?) -> ContentOperation.Precondition? {
    let values = headers[values: .ifNoneMatch]
    guard !values.isEmpty, let digest else { return precondition(headers) }
    guard let list = tags(values.joined(separator: ",")) else { return .digests([]) }
    return list.isAny || list.tags.contains { $0.digest == digest } ? .digests([]) : precondition(headers)
  }

  private struct Tag {
    let isWeak: Bool
    /// The digest in the tag; nil for foreign tags.
    let digest: [UInt8]?
  }

  /// Parses `*` or a list of tags; returns nil if the header is neither.
  private static func tags(_ value: String) -> (isAny: Bool, tags: [Tag])? {
    let bytes = Array(value.utf8)
    var at = 0
    func blanks() { while at < bytes.count, bytes[at] == 0x20 || bytes[at] == 0x09 || bytes[at] == 0x2C { at += 1 } }
    blanks()
    if at < bytes.count, bytes[at] == UInt8(ascii: "*") {
      at += 1
      blanks()
      return at == bytes.count ? (true, []) : nil
    }
    var found: [Tag] = []
    while at < bytes.count {
      let isWeak = at + 1 < bytes.count && bytes[at] == UInt8(ascii: "W") && bytes[at + 1] == UInt8(ascii: "/")
      if isWeak { at += 2 }
      guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else { return nil }
      let start = at + 1
      guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
      found.append(Tag(isWeak: isWeak, digest: digest(bytes[start..<end])))
      at = end + 1
      let before = at
      blanks()
      // Two tags without a comma or a space between them are not a list.
      guard at == bytes.count || at > before else { return nil }
    }
    return found.isEmpty ? nil : (false, found)
  }

  private static func digest(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count == 64 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    var at = text.startIndex
    while at < text.endIndex {
      guard let high = value(text[at]), let low = value(text[at + 1]) else { return nil }
      bytes.append(high << 4 | low)
      at += 2
    }
    return bytes
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

  /// Returns the value of a hexadecimal digit in lower case only: tags are compared byte by byte.
  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x57
    default: nil
    }
  }
}
