import Diagnostics
import Foundation
import Interchange
import JSONText
import MarkdownText
import Synchronization

/// A text of delimited rows: its letters as UTF-8, and what was found out about it.
///
/// UTF-8 is read where it lies; what comes through a pipe and every other encoding is copied to a temporary file first.
/// Used by any number of threads. Memory does not grow with the text.
package final class DelimitedSource: Sendable {
  /// The source as findings name it.
  package let name: String
  /// How its letters are written.
  package let encoding: TextEncoding
  /// Whether a byte order mark stood in front.
  package let hadBOM: Bool
  /// How sure the encoding is, in percent.
  package let certainty: Int
  /// How cells and rows are separated.
  package let dialect: DelimitedDialect
  /// How many bytes of the text were read so far, all readings together.
  package let bytesRead = Atomic(0)
  /// Where the first row begins in the text, behind a byte order mark and a `sep=` line.
  package let start: Int
  /// Bytes of the text.
  package let size: Int
  /// Whether some bytes of UTF-8 are none: their rows cannot be used, the others can.
  let isDamaged: Bool
  /// Whether a zero byte stands somewhere: its row cannot be used.
  let hasZeros: Bool

  /// The row that `text(of:)` read last: findings and rejects ask several times for the same one.
  let lastRow = Mutex<(offset: Int, text: [UInt8])>((-1, []))

  private let descriptor: Int32

  /// Opens a text and finds out its encoding and its dialect.
  /// - Parameters:
  ///   - known: how it is written, where somebody knows.
  ///   - delimiter: what separates cells, where somebody knows that much.
  ///   - isSaid: whether the user says so, against whatever the text says itself.
  ///   - preferred: what separates cells where several delimiters might.
  /// - Throws: `RunFailure` when it cannot be read, or is no text.
  package init(
    _ source: Source, dialect known: DelimitedDialect? = nil, delimiter: UInt8? = nil, isSaid: Bool = false,
    preferred: UInt8? = nil
  ) throws {
    name = source.name
    let file = try Self.open(source)
    do {
      let encoded = try EncodedText(descriptor: file, name: name)
      encoding = encoded.encoding
      hadBOM = encoded.hadBOM
      certainty = encoded.certainty
      isDamaged = encoded.isDamaged
      hasZeros = encoded.hasZeros
      descriptor = try encoded.utf8()
      if descriptor != file { close(file) }
    } catch {
      close(file)
      throw error
    }
    size = Self.size(of: descriptor)
    let text = encoding == .utf8 && hadBOM ? 3 : 0
    var head = ByteBuffer(capacity: DelimitedLimits.head)
    try Self.read(descriptor, at: text, count: DelimitedLimits.head, into: &head, name: name)
    var found =
      known
      ?? DelimitedDialect(
        of: head.bytes, isWhole: text + head.count >= size, expected: source.pathExtension == "tsv" ? 0x09 : nil,
        preferred: preferred)
    if let delimiter, isSaid || found.separatorLine == 0 { found.delimiter = delimiter }
    dialect = found
    start = text + dialect.separatorLine
  }

  deinit { close(descriptor) }

  /// The rows of the text.
  package func rows() -> DelimitedRows { DelimitedRows(self) }

  /// The bytes of a stretch of the text, as its source wrote them.
  package func original(_ range: Range<Int>) -> [UInt8] {
    var text = ByteBuffer(capacity: max(64, range.count))
    guard (try? read(at: range.lowerBound, count: range.count, into: &text)) != nil else { return [] }
    return EncodedText.encode(text.bytes, encoding)
  }

  /// What stands before the first row: the byte order mark, and the line that says `sep=`.
  package var preamble: [UInt8] { mark + original(start - dialect.separatorLine..<start) }

  /// The byte order mark.
  var mark: [UInt8] {
    switch encoding {
    case .utf8: hadBOM ? [0xEF, 0xBB, 0xBF] : []
    case .utf16LittleEndian: hadBOM ? [0xFF, 0xFE] : []
    case .utf16BigEndian: hadBOM ? [0xFE, 0xFF] : []
    case .windows1251, .windows1252: []
    }
  }

  /// The line end between rows, as the source writes it.
  package var lineEnd: [UInt8] {
    dialect.lineEnd.withUnsafeBufferPointer { EncodedText.encode($0, encoding) }
  }

  /// Appends up to `count` bytes from an offset; fewer at the end of the text.
  /// - Throws: `RunFailure` when the source cannot be read.
  func read(at offset: Int, count: Int, into buffer: inout ByteBuffer) throws {
    let before = buffer.count
    try Self.read(descriptor, at: offset, count: count, into: &buffer, name: name)
    bytesRead.add(buffer.count - before, ordering: .relaxed)
  }

  /// Appends up to `count` bytes of a file.
  static func read(_ descriptor: Int32, at offset: Int, count: Int, into buffer: inout ByteBuffer, name: String) throws
  {
    var left = count
    while left > 0 {
      let got = try buffer.append(room: left) { (room: UnsafeMutableRawBufferPointer) throws -> Int in
        while true {
          let got = pread(descriptor, room.baseAddress, room.count, off_t(offset + count - left))
          if got >= 0 { return got }
          if errno != EINTR { throw RunFailure(.failed, "read '\(name)': \(String(cString: strerror(errno)))") }
        }
      }
      if got == 0 { return }
      left -= got
    }
  }

  /// Bytes of a file.
  static func size(of descriptor: Int32) -> Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Opens a file; what is none is copied to one.
  private static func open(_ source: Source) throws -> Int32 {
    let name = source.isStandardInput ? "standard input" : source.path
    let opened = source.isStandardInput ? dup(0) : Foundation.open(source.path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { throw RunFailure(.failed, "read '\(name)': \(String(cString: strerror(errno)))") }
    var status = stat()
    if !source.isStandardInput, fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return opened }
    defer { close(opened) }
    let spool = try UnlinkedFile.descriptor()
    do {
      let sink = ByteSink(descriptor: spool, name: "a temporary file")
      var buffer = ByteBuffer(capacity: 1 << 16)
      while true {
        buffer.removeAll()
        let got = try buffer.append(room: 1 << 16) { (room: UnsafeMutableRawBufferPointer) throws -> Int in
          let got = FileRead.some(opened, into: room)
          if got < 0 { throw RunFailure(.failed, "read '\(name)': \(String(cString: strerror(errno)))") }
          return got
        }
        if got == 0 { break }
        try sink.write(buffer.bytes)
      }
      try sink.flush()
    } catch {
      close(spool)
      throw error
    }
    return spool
  }
}
