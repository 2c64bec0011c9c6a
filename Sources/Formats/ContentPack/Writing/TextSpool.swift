import Foundation
import Interchange
import JSONText

/// An unnamed temporary file of texts, which are written one after another and then read in any order.
final class TextSpool {
  private let descriptor: Int32
  private let sink: ByteSink
  private var mapping: UnsafeRawBufferPointer?
  /// The number of appended bytes.
  var count: Int { sink.count }

  /// Creates an empty spool in the folder for temporary files.
  /// - Throws: `RunFailure` if that folder is not writable.
  init() throws {
    descriptor = try UnlinkedFile.descriptor()
    sink = ByteSink(descriptor: descriptor, name: "a temporary file in \(TemporaryFolder.root)")
  }

  deinit {
    if let mapping, let base = mapping.baseAddress { munmap(UnsafeMutableRawPointer(mutating: base), mapping.count) }
    close(descriptor)
  }

  /// Appends a text.
  /// - Returns: the text's position.
  /// - Throws: `RunFailure` if the disk is full.
  func append(_ text: UnsafeBufferPointer<UInt8>) throws -> Range<Int> {
    let start = sink.count
    try sink.write(text)
    return start..<start + text.count
  }

  /// Ends the writing. Texts can be read after this call.
  /// - Throws: `RunFailure` if the disk is full or the file cannot be mapped into memory.
  func seal() throws {
    try sink.flush()
    guard sink.count > 0 else { return }
    guard let base = mmap(nil, sink.count, PROT_READ, MAP_PRIVATE, descriptor, 0), base != MAP_FAILED else {
      throw RunFailure(.failed, "read a temporary file: \(SystemError.last)")
    }
    mapping = UnsafeRawBufferPointer(start: base, count: sink.count)
  }

  /// Returns a text, which is valid as long as the spool exists.
  func text(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    guard let mapping, range.upperBound <= mapping.count else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: mapping[range]).bindMemory(to: UInt8.self)
  }
}
