import Foundation

/// A text file that is read again to show excerpts of it, by line and column.
///
/// The file is scanned forward once, as far as needed. Marks set during the scan make later requests fast, even on one
/// very long line. Memory is bounded by one block and a few thousand marks. A byte order mark does not count as a
/// column.
final class ExcerptSource {
  /// A position where a scan can begin. `column` is the column of the first character that starts at or after `offset`.
  private struct Mark {
    var offset: Int
    var line: Int
    var column: Int

    func isBehind(_ line: Int, _ column: Int) -> Bool { (self.line, self.column) > (line, column) }
  }

  /// Values that reveal that the file was changed.
  private struct Stamp: Equatable {
    let size: Int
    let seconds: Int
    let nanoseconds: Int
  }

  private static let blockSize = 1 << 16
  private let descriptor: Int32
  private let stamp: Stamp
  private let stride: Int
  private var marks: [Mark]
  /// The position of the last request. Findings mostly arrive in order, so the next one is usually near.
  private var last: Mark
  private var block: [UInt8] = []
  private var blockOffset = 0

  /// Opens a file; nil if it does not exist or is not a regular file.
  init?(path: String) {
    // Without O_NONBLOCK, opening a pipe without a writer would block.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    guard let stamp = Self.stamp(descriptor) else {
      close(descriptor)
      return nil
    }
    self.stamp = stamp
    stride = max(Self.blockSize, stamp.size / 8192)
    last = Mark(offset: 0, line: 1, column: 1)
    marks = []
    if bytes(at: 0).starts(with: [0xEF, 0xBB, 0xBF]) { last.offset = 3 }
    marks = [last]
  }

  deinit { close(descriptor) }

  /// Returns up to `limit` characters of a line, starting at a column. Returns nil if the file was changed or has no
  /// such position.
  func line(_ line: Int, from column: Int, limit: Int) -> SourceLine? {
    guard line > 0, column > 0, Self.stamp(descriptor) == stamp else { return nil }
    guard let mark = mark(line, column) else { return nil }
    last = mark
    return read(at: mark.offset, from: column, limit: limit)
  }

  /// Returns the mark for a position, which may be the end of a line.
  private func mark(_ line: Int, _ column: Int) -> Mark? {
    var low = 0
    var high = marks.count
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].isBehind(line, column) { high = middle } else { low = middle + 1 }
    }
    var at = marks[max(0, low - 1)]
    if !last.isBehind(line, column), last.offset > at.offset { at = last }
    while true {
      let bytes = bytes(at: at.offset)
      guard !bytes.isEmpty else { return at.line == line && at.column == column ? at : nil }
      let end = at.offset + bytes.count
      for byte in bytes {
        if byte & 0xC0 != 0x80 {
          if at.line == line, at.column == column { return at }
          if byte == UInt8(ascii: "\n") {
            if at.line == line { return nil }
            at.line += 1
            at.column = 1
          } else {
            at.column += 1
          }
        }
        at.offset += 1
      }
      at.offset = end
      if let end = marks.last, at.offset - end.offset >= stride { marks.append(at) }
    }
  }

  private func read(at start: Int, from column: Int, limit: Int) -> SourceLine {
    var scalars: [UnicodeScalar] = []
    var pending: [UInt8] = []
    var offset = start
    /// Ends a character. A character is a byte that begins one and all following bytes that do not, as in the counting
    /// of columns.
    func finish() {
      guard let first = pending.first else { return }
      if pending.count == 1, first < 0x80 {
        scalars.append(UnicodeScalar(first))
        return pending.removeAll(keepingCapacity: true)
      }
      let decoded = String(decoding: pending, as: UTF8.self).unicodeScalars
      scalars.append(decoded.count == 1 ? decoded.first ?? "\u{FFFD}" : "\u{FFFD}")
      pending.removeAll(keepingCapacity: true)
    }
    var goesOn = false
    // A damaged file may contain no byte that begins a character, so the scan's length is limited.
    scan: while offset - start <= 8 * limit + Self.blockSize {
      let bytes = bytes(at: offset)
      if bytes.isEmpty { break }
      offset += bytes.count
      for byte in bytes {
        if byte & 0xC0 != 0x80 {
          finish()
          if byte == UInt8(ascii: "\n") { break scan }
          if scalars.count == limit {
            goesOn = true
            break scan
          }
          pending.append(byte)
        } else if pending.count < 8 {
          pending.append(byte)
        }
      }
    }
    finish()
    if !goesOn, scalars.last == "\r" { scalars.removeLast() }
    return SourceLine(scalars: scalars, firstColumn: column, goesOn: goesOn)
  }

  /// Returns the rest of the block that contains `offset`; empty at the end of the file.
  private func bytes(at offset: Int) -> ArraySlice<UInt8> {
    if offset < blockOffset || offset >= blockOffset + block.count {
      blockOffset = offset - offset % Self.blockSize
      block = [UInt8](unsafeUninitializedCapacity: Self.blockSize) { buffer, count in
        count = max(0, pread(descriptor, buffer.baseAddress, Self.blockSize, off_t(blockOffset)))
      }
    }
    guard offset < blockOffset + block.count else { return [] }
    return block[(offset - blockOffset)...]
  }

  private static func stamp(_ descriptor: Int32) -> Stamp? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return Stamp(size: Int(status.st_size), seconds: time.tv_sec, nanoseconds: time.tv_nsec)
  }
}

/// The files that findings refer to. Only a few are open at a time.
final class SourceFiles {
  private static let limit = 8
  /// The files in the order of their use, the most recently used one last. Files that cannot be read are stored as nil.
  private var open: [(path: String, file: ExcerptSource?)] = []

  /// Returns up to `limit` characters of a line. Returns nil if the file cannot be read, was changed, or has no such
  /// position.
  func line(_ line: Int, of path: String, from column: Int, limit: Int) -> SourceLine? {
    let file: ExcerptSource?
    if let index = open.lastIndex(where: { $0.path == path }) {
      let entry = open.remove(at: index)
      open.append(entry)
      file = entry.file
    } else {
      file = ExcerptSource(path: path)
      if open.count == Self.limit { open.removeFirst() }
      open.append((path, file))
    }
    return file?.line(line, from: column, limit: limit)
  }
}

/// A line of source text, or as much of a long line as a code frame needs.
struct SourceLine {
  /// The characters, without the line end.
  let scalars: [UnicodeScalar]
  /// The column of the first character, from 1.
  let firstColumn: Int
  /// Whether the line continues after the last character.
  let goesOn: Bool

  init(scalars: [UnicodeScalar], firstColumn: Int, goesOn: Bool) {
    self.scalars = scalars
    self.firstColumn = firstColumn
    self.goesOn = goesOn
  }

  /// Makes a line from up to `limit` characters of a text's first line, starting at column `first`. Fails if the line
  /// ends before that column.
  init?(_ text: String, from first: Int, limit: Int) {
    var scalars: [UnicodeScalar] = []
    var column = 0
    var goesOn = false
    for scalar in text.unicodeScalars {
      if scalar == "\n" { break }
      column += 1
      if column < first { continue }
      if scalars.count == limit {
        goesOn = true
        break
      }
      scalars.append(scalar)
    }
    guard column >= first - 1 else { return nil }
    if !goesOn, scalars.last == "\r" { scalars.removeLast() }
    self.init(scalars: scalars, firstColumn: first, goesOn: goesOn)
  }
}
