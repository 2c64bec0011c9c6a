import Foundation
import JSONText

/// The first bytes of a file, which formats recognize their files by.
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
    bytes.withUnsafeBufferPointer { text in
      let known = found.memberNames ?? Self.memberNames(text)
      found.memberNames = known
      guard let base = text.baseAddress else { return false }
      return known.contains { range in
        names.contains {
          $0.utf8CodeUnitCount == range.count && memcmp($0.utf8Start, base + range.lowerBound, range.count) == 0
        }
      }
    }
  }

  /// The ranges of members' names in the text.
  private static func memberNames(_ text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
    var at = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
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
