import Foundation
import Interchange

/// Writes a tar archive in zstd frames or gzip members.
///
/// Files are packed as they arrive, to an unnamed file next to the target. The head is packed last, in its own frames,
/// and the packed files are copied after it. Both formats allow a sequence of units that can be unpacked independently.
final class TarPacking: ArchivePacking {
  private let file: AtomicFile
  private let spool: Int32
  private let rest: any PackedOutput
  private let output: (Int32) -> any PackedOutput
  private let time: Int64
  private var padding = 0

  /// Begins an archive.
  /// - Parameter output: creates the object that packs bytes and writes them to an open file.
  init(_ file: AtomicFile, time: Int64, output: @escaping (Int32) -> any PackedOutput) throws {
    self.file = file
    self.time = time
    self.output = output
    spool = try FileBytes.unnamed(in: URL(fileURLWithPath: file.target).deletingLastPathComponent().path)
    rest = output(spool)
  }

  deinit { close(spool) }

  func begin(_ name: String, size: Int) throws {
    padding = TarHeader.padding(size)
    try write(TarHeader(name, size: size, time: time).bytes, to: rest)
  }

  func add(_ bytes: Span<UInt8>) throws { try rest.write(bytes) }

  func end() throws {
    if padding > 0 { try write([UInt8](repeating: 0, count: padding), to: rest) }
  }

  func complete(head: [(name: String, bytes: [UInt8])]) throws {
    try write(TarHeader.end, to: rest)
    let count = try rest.finish()
    // The head is packed separately and does not end the archive.
    let first = output(file.descriptor)
    for (name, bytes) in head {
      try write(TarHeader(name, size: bytes.count, time: time).bytes, to: first)
      try write(bytes, to: first)
      try write([UInt8](repeating: 0, count: TarHeader.padding(bytes.count)), to: first)
    }
    _ = try first.finish()
    try FileBytes.copy(count, from: spool, to: file.descriptor, name: file.target)
  }

  func publish() throws -> Int { try file.publish() }

  func discard() { file.discard() }

  private func write(_ bytes: [UInt8], to output: any PackedOutput) throws {
    try output.write(bytes.span)
  }
}

/// The header of a file in a tar archive: a ustar header, preceded by a pax header for values that do not fit in ustar.
///
/// FleetKit does not use a library to write headers, because the same content must give the same bytes regardless of
/// installed versions.
/// - Source: POSIX.1-2017, pax, "ustar Interchange Format"
struct TarHeader {
  /// The blocks that precede the file's bytes.
  let bytes: [UInt8]

  /// The end of an archive, which is two blocks of zeros.
  static let end = [UInt8](repeating: 0, count: 1024)

  /// Creates the header of a file.
  init(_ name: String, size: Int, time: Int64) {
    let path = Array(name.utf8)
    var records: [UInt8] = []
    let parts = Self.split(path)
    if parts == nil || path.contains(where: { $0 >= 0x80 }) { records += Self.record("path", path) }
    if size >= 1 << 33 { records += Self.record("size", Array(String(size).utf8)) }
    if time < 0 || time >= 1 << 33 { records += Self.record("mtime", Array(String(time).utf8)) }
    var blocks: [UInt8] = []
    if !records.isEmpty {
      let name = Array("PaxHeader/".utf8) + path.suffix(80)
      blocks += Self.block([], name[...], size: records.count, time: time, type: "x")
      blocks += records + [UInt8](repeating: 0, count: Self.padding(records.count))
    }
    let (prefix, rest) = parts ?? ([], path.suffix(100))
    blocks += Self.block(prefix, rest, size: size, time: time, type: "0")
    bytes = blocks
  }

  /// Returns the number of zeros that follow a file of `count` bytes.
  static func padding(_ count: Int) -> Int { (512 - count % 512) % 512 }

  /// Splits a name at a slash so that both parts fit. Returns nil if that is impossible.
  private static func split(_ path: [UInt8]) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
    if path.count <= 100 { return ([], path[...]) }
    guard path.count <= 256 else { return nil }
    for at in stride(from: min(155, path.count - 2), through: 1, by: -1)
    where path[at] == UInt8(ascii: "/") && path.count - at - 1 <= 100 {
      return (path[..<at], path[(at + 1)...])
    }
    return nil
  }

  /// Returns a line that starts with its own length, such as `27 path=data/guides/anker.md`.
  private static func record(_ key: String, _ value: [UInt8]) -> [UInt8] {
    let rest = Array(" \(key)=".utf8) + value + [UInt8(ascii: "\n")]
    var count = rest.count + 1
    while String(count).utf8.count + rest.count != count { count += 1 }
    return Array(String(count).utf8) + rest
  }

  private static func block(
    _ prefix: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>, size: Int, time: Int64, type: Character
  ) -> [UInt8] {
    var block = [UInt8](repeating: 0, count: 512)
    func set(_ bytes: some Sequence<UInt8>, at: Int) {
      for (index, byte) in bytes.enumerated() { block[at + index] = byte }
    }
    func octal(_ value: Int, digits: Int, at: Int) {
      let text = String(value, radix: 8)
      set(String(repeating: "0", count: max(0, digits - text.utf8.count)).utf8, at: at)
      set(text.utf8, at: at + max(0, digits - text.utf8.count))
    }
    set(name, at: 0)
    octal(0o644, digits: 7, at: 100)
    octal(0, digits: 7, at: 108)
    octal(0, digits: 7, at: 116)
    octal(size < 1 << 33 ? size : 0, digits: 11, at: 124)
    octal(Int(min(max(0, time), 1 << 33 - 1)), digits: 11, at: 136)
    set(String(type).utf8, at: 156)
    set("ustar\0".utf8, at: 257)
    set("00".utf8, at: 263)
    set(prefix, at: 345)
    // The checksum is the sum of all bytes, with the checksum field counted as spaces.
    set(repeatElement(0x20, count: 8), at: 148)
    octal(block.reduce(0) { $0 + Int($1) }, digits: 6, at: 148)
    block[154] = 0
    return block
  }
}
