/// The first bytes of a file, by which formats recognise their own.
///
/// What several formats look for is found once. Not for use from several threads.
public struct FileHead: RandomAccessCollection {
  private final class Found {
    var memberNames: Set<String>?
  }

  /// The bytes.
  public let bytes: [UInt8]
  private let found = Found()

  /// Takes bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Where they begin: 0.
  public var startIndex: Int { 0 }
  /// Their number.
  public var endIndex: Int { bytes.count }
  /// One of them.
  public subscript(position: Int) -> UInt8 { bytes[position] }

  /// The bytes in memory, so that searches need not go through the collection.
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? { try bytes.withUnsafeBufferPointer(body) }

  /// Names of members anywhere in the text, as they are written; empty where the text is not JSON.
  ///
  /// Names with escapes are missing.
  public var memberNames: Set<String> {
    if let known = found.memberNames { return known }
    let names = bytes.withUnsafeBufferPointer(Self.memberNames)
    found.memberNames = names
    return names
  }

  private static func memberNames(_ text: UnsafeBufferPointer<UInt8>) -> Set<String> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
    var at = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while at < text.count, isBlank(text[at]) { at += 1 }
    guard at < text.count, text[at] == UInt8(ascii: "{") || text[at] == UInt8(ascii: "[") else { return [] }
    var names: Set<String> = []
    while at < text.count {
      guard text[at] == UInt8(ascii: "\"") else {
        at += 1
        continue
      }
      let start = at + 1
      at = start
      while at < text.count, text[at] != UInt8(ascii: "\"") { at += text[at] == UInt8(ascii: "\\") ? 2 : 1 }
      guard at < text.count else { break }
      let end = at
      at += 1
      while at < text.count, isBlank(text[at]) { at += 1 }
      guard at < text.count, text[at] == UInt8(ascii: ":"), end - start <= longestName else { continue }
      names.insert(String(decoding: text[start..<end], as: UTF8.self))
    }
    return names
  }

  private static let longestName = 64
}
