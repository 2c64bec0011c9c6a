import Foundation

/// A text file that is read again to show lines of it, by line and column.
///
/// The file is scanned forward as far as someone asks, once; marks on the way make later questions cheap, also on one
/// endless line. Memory is bounded by a block and some thousand marks. A byte order mark counts as no column.
final class SourceFile {
  /// Where a scan can begin: `column` is that of the next character that starts at or behind `offset`.
  private struct Mark {
    var offset: Int
    var line: Int
    var column: Int

    func isBehind(_ line: Int, _ column: Int) -> Bool { (self.line, self.column) > (line, column) }
  }

  /// What tells that a file was changed.
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
  /// The place that was last asked for: findings mostly come in order.
  private var last: Mark
  private var block: [UInt8] = []
  private var blockOffset = 0

  /// Opens a file; nil when it is not there or no regular file.
  init?(path: String) {
    // Without O_NONBLOCK, opening a pipe that no one writes to would wait for ever.
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

  /// Up to `limit` characters of a line from a column on; nil when the file was changed or has no such place.
  func line(_ line: Int, from column: Int, limit: Int) -> SourceLine? {
    guard line > 0, column > 0, Self.stamp(descriptor) == stamp else { return nil }
    guard let mark = mark(line, column) else { return nil }
    last = mark
    return read(at: mark.offset, from: column, limit: limit)
  }

  /// The mark of a place; the end of a line is a place too.
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
    /// A character is one byte that begins one and all bytes behind it that do not: just as columns are counted.
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
    // A damaged file may hold nothing that begins a character; a line of it is not read to its end.
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

  /// The rest of the block that holds `offset`; empty at the end of the file.
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

/// The files that findings point into, a few of them open at a time.
final class SourceFiles {
  private static let limit = 8
  /// The last one that was asked for is last; a file that cannot be read stays known as such.
  private var open: [(path: String, file: SourceFile?)] = []

  /// Up to `limit` characters of a line; nil when the file cannot be read, was changed, or has no such place.
  func line(_ line: Int, of path: String, from column: Int, limit: Int) -> SourceLine? {
    let file: SourceFile?
    if let index = open.lastIndex(where: { $0.path == path }) {
      let entry = open.remove(at: index)
      open.append(entry)
      file = entry.file
    } else {
      file = SourceFile(path: path)
      if open.count == Self.limit { open.removeFirst() }
      open.append((path, file))
    }
    return file?.line(line, from: column, limit: limit)
  }
}

/// A line of source text, or as much of a long line as a code frame needs.
struct SourceLine {
  /// The characters that are there, without the line's end.
  let scalars: [UnicodeScalar]
  /// The column of the first of them, from 1.
  let firstColumn: Int
  /// Whether the line goes on behind the last of them.
  let goesOn: Bool

  init(scalars: [UnicodeScalar], firstColumn: Int, goesOn: Bool) {
    self.scalars = scalars
    self.firstColumn = firstColumn
    self.goesOn = goesOn
  }

  /// Takes up to `limit` characters from column `first` of a text's first line; nil when the line ends before.
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
