import ArchiveIO
import Content
import Foundation
import Interchange
import JSONText

/// Texts that are packed together.
///
/// An entry is: 8 bytes of the hash that it belongs to, the time as milliseconds (8 bytes), the lengths of id and text
/// (4 bytes each), the id, the text. Numbers are little-endian.
struct BaseBlock: Sendable {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  /// How much of it is put together before it is packed.
  static let size = 256 << 10
  /// A number has 15 bits in a reference.
  static let mostEntries = 1 << 15
  /// Longer texts are not kept: their next import has no base.
  static let longestText = 16 << 20
  private static let headLength = 24
  private static let hashLength = 8
  private static let noTime = Int64.min

  var isEmpty: Bool { count == 0 }

  /// Whether another entry belongs here; the first one always does.
  func takes(_ length: Int) -> Bool {
    count == 0 || count < Self.mostEntries && bytes.count + Self.headLength + length <= Self.size
  }

  /// Adds an entry and answers its number.
  mutating func add(
    _ text: UnsafeBufferPointer<UInt8>, id: UnsafeBufferPointer<UInt8>, of hash: [UInt8], changed: Timestamp?
  ) -> Int {
    if bytes.isEmpty { bytes.reserveCapacity(max(Self.size, Self.headLength + id.count + text.count)) }
    bytes.append(contentsOf: hash.prefix(Self.hashLength))
    append(changed?.milliseconds ?? Self.noTime)
    append(UInt32(id.count))
    append(UInt32(text.count))
    bytes.append(contentsOf: id)
    bytes.append(contentsOf: text)
    count += 1
    return count - 1
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  func pack() throws -> [UInt8] { try bytes.withUnsafeBytes { try ZstdBlock.pack($0) } }

  /// Unpacks a block; nil when it is damaged.
  static func unpack(_ packed: UnsafeRawBufferPointer) -> Entries? {
    ZstdBlock.unpack(packed, limit: size + headLength + 2 * longestText).flatMap(Entries.init)
  }

  /// The entries of a block that was read.
  struct Entries {
    private let bytes: [UInt8]
    private var starts: [Int] = []

    var count: Int { starts.count }

    /// Finds where each begins; nil when they do not fill the bytes.
    init?(_ bytes: [UInt8]) {
      self.bytes = bytes
      var at = 0
      while at < bytes.count {
        guard bytes.count - at >= headLength else { return nil }
        let length = headLength + length(at, 16) + length(at, 20)
        guard bytes.count - at >= length else { return nil }
        starts.append(at)
        at += length
      }
    }

    private func length(_ start: Int, _ offset: Int) -> Int { Int(number(at: start + offset) as UInt32) }

    private func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
      bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }

    func base(_ index: Int, id: UnsafeBufferPointer<UInt8>, of hash: [UInt8]) -> BaseTexts.Base? {
      let start = starts[index]
      let idLength = length(start, 16)
      let text = start + headLength + idLength
      guard bytes[start..<start + hashLength].elementsEqual(hash.prefix(hashLength)),
        bytes[start + headLength..<text].elementsEqual(id)
      else { return nil }
      let time: Int64 = number(at: start + hashLength)
      return BaseTexts.Base(
        line: Array(bytes[text..<text + length(start, 20)]),
        changed: time == noTime ? nil : Timestamp(milliseconds: time))
    }

    /// Copies an entry into another block and answers its number there; nil when that is full.
    func copy(_ index: Int, into block: inout BaseBlock) -> Int? {
      let start = starts[index]
      let length = headLength + length(start, 16) + length(start, 20)
      guard block.takes(length - headLength) else { return nil }
      block.bytes.append(contentsOf: bytes[start..<start + length])
      block.count += 1
      return block.count - 1
    }
  }
}
