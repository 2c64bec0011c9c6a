import Foundation
import Interchange
import JSONText

/// Texts that wait for their turn in a file that has no name: written one after the other, then read in any order.
final class TextSpool {
  private let descriptor: Int32
  private let sink: ByteSink
  private var mapping: UnsafeRawBufferPointer?
  /// How many bytes were appended.
  var count: Int { sink.count }

  /// Makes an empty spool in the folder for temporary files.
  /// - Throws: `RunFailure` when that folder cannot be written.
  init() throws {
    descriptor = try UnlinkedFile.descriptor()
    sink = ByteSink(descriptor: descriptor, name: "a temporary file in \(TemporaryFolder.root)")
  }

  deinit {
    if let mapping, let base = mapping.baseAddress { munmap(UnsafeMutableRawPointer(mutating: base), mapping.count) }
    close(descriptor)
  }

  /// Appends a text.
  /// - Returns: where it lies.
  /// - Throws: `RunFailure` when the disk is full.
  func append(_ text: UnsafeBufferPointer<UInt8>) throws -> Range<Int> {
    let start = sink.count
    try sink.write(text)
    return start..<start + text.count
  }

  /// Ends appending; texts can be read from now on.
  /// - Throws: `RunFailure` when the disk is full or there is no room to look at the file.
  func seal() throws {
    try sink.flush()
    guard sink.count > 0 else { return }
    guard let base = mmap(nil, sink.count, PROT_READ, MAP_PRIVATE, descriptor, 0), base != MAP_FAILED else {
      throw RunFailure(.failed, "read a temporary file: \(SystemError.last)")
    }
    mapping = UnsafeRawBufferPointer(start: base, count: sink.count)
  }

  /// A text, valid while the spool is.
  func text(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    guard let mapping, range.upperBound <= mapping.count else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: mapping[range]).bindMemory(to: UInt8.self)
  }
}
