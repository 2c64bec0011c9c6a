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

  func add(_ bytes: UnsafeRawBufferPointer) throws { try rest.write(bytes) }

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
    try bytes.withUnsafeBytes { try output.write($0) }
  }
}
