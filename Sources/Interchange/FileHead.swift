import Foundation
import JSONText

/// The first bytes of a file, by which formats recognize their files.
///
/// Results that several formats need are computed once. A head must not be used from several threads.
public struct FileHead: RandomAccessCollection {
  private final class Found {
    var memberNames: [Range<Int>]?
  }

  /// The bytes.
  public let bytes: [UInt8]
  private let found = Found()

  /// Creates a head from bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The index of the first byte: 0.
  public var startIndex: Int { 0 }
  /// The number of bytes.
  public var endIndex: Int { bytes.count }
  /// The byte at a position.
  public subscript(position: Int) -> UInt8 { bytes[position] }

  /// The bytes in memory, so that searches need not go through the collection.
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? { try bytes.withUnsafeBufferPointer(body) }

  /// Whether the text contains a member with one of these names; false if the text is not JSON.
  ///
  /// Names with escapes are not found.
  public func hasMember(_ names: StaticString...) -> Bool {
    let text = bytes.span
    let known = found.memberNames ?? Self.memberNames(text)
    found.memberNames = known
    return known.contains { range in names.contains { text.extracting(range).equals($0) } }
  }

  /// The ranges of members' names in the text.
  private static func memberNames(_ text: Span<UInt8>) -> [Range<Int>] {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
    var at = text.starts(with: "\u{FEFF}") ? 3 : 0
    while at < text.count, isBlank(text[at]) { at += 1 }
    guard at < text.count, text[at] == UInt8(ascii: "{") || text[at] == UInt8(ascii: "[") else { return [] }
    var names: [Range<Int>] = []
    while at < text.count {
      guard text[at] == UInt8(ascii: "\"") else {
        at += 1
        continue
      }
      let start = at + 1
      at = JSONStrings.plainEnd(text, from: start)
      while at < text.count, text[at] == UInt8(ascii: "\\") { at = JSONStrings.plainEnd(text, from: at + 2) }
      guard at < text.count else { break }
      let end = at
      at += 1
      while at < text.count, isBlank(text[at]) { at += 1 }
      guard at < text.count, text[at] == UInt8(ascii: ":"), end - start <= longestName else { continue }
      names.append(start..<end)
    }
    return names
  }

  private static let longestName = 64
}

/// Recognizes software licences by their words.
package enum LicenceClassifier {
  private static let longest = 1500
  /// Parts of words, at least one of which occurs in each licence but rarely in other texts.
  private static let signs = ["icens", "ICENS", "ermission is hereby", "edistribution and use", "CC0"].map {
    Array($0.utf8)
  }
  private static let phrases = [
    "permission is hereby granted, free of charge", "gnu general public license", "gnu lesser general public license",
    "apache license version 2.0", "redistribution and use in source and binary forms", "mozilla public license",
    "creative commons attribution", "cc0 1.0 universal", "this is free and unencumbered software",
  ]

  /// Whether a text begins like a licence.
  package static func begins(_ text: Span<UInt8>) -> Bool {
    let head = text.extracting(first: longest)
    // Almost no other text contains one of these parts.
    guard signs.contains(where: { has($0, head) }) else { return false }
    let words = String(decoding: head).lowercased().split(whereSeparator: \.isWhitespace)
    let joined = words.joined(separator: " ")
    return phrases.contains { joined.contains($0) }
  }

  private static func has(_ sign: [UInt8], _ text: Span<UInt8>) -> Bool {
    var at = 0
    while let found = text.firstIndex(of: sign[0], from: at), text.count - found >= sign.count {
      at = found + 1
      if text.extracting(found..<found + sign.count).equals(sign.span) { return true }
    }
    return false
  }
}
