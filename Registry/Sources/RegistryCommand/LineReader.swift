import Content
import Foundation

/// Reads a file line by line.
final class LineReader {
  /// A longer line is refused: no bundle has one, and it would have to fit into memory.
  private static let longest = 64 << 20
  private static let block = 1 << 20
  private let path: String
  private let file: FileHandle
  private var buffer: [UInt8] = []
  private var start = 0
  /// The number of the next line, from 1.
  private(set) var line: Int64 = 1

  /// - Throws: `StartFailure` if the file cannot be opened.
  init(_ path: String) throws(StartFailure) {
    self.path = path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue,
      let file = FileHandle(forReadingAtPath: path)
    else {
      throw StartFailure(
        .failed, "cannot read '\(path)'", advice: "Name a bundle (.jsonl) that exists and that you may read.")
    }
    self.file = file
  }

  /// Returns a digest of the whole file, and begins at its first line again.
  func digest() throws -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    while let block = try read() {
      let all = digest + block
      digest = Digest.sha256(all.span)
    }
    try file.seek(toOffset: 0)
    (buffer, start, line) = ([], 0, 1)
    return digest
  }

  /// Skips the lines before a line.
  func skip(to first: Int64) throws {
    while line < first, try next() != nil {}
  }

  /// Returns the next line without its end; nil after the last one.
  func next() throws -> [UInt8]? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: 10) {
        defer { (start, line) = (end + 1, line + 1) }
        return Array(buffer[start..<end])
      }
      searched = buffer.count
      guard searched - start <= Self.longest else {
        throw StartFailure(.failed, "\(path):\(line): the line is longer than 64 MiB", advice: "Split the file.")
      }
      if start > 0 {
        buffer.removeFirst(start)
        (searched, start) = (searched - start, 0)
      }
      guard let block = try read() else {
        guard !buffer.isEmpty else { return nil }
        defer { (buffer, start, line) = ([], 0, line + 1) }
        return buffer
      }
      buffer += block
    }
  }

  private func read() throws -> Data? {
    do {
      let block = try file.read(upToCount: Self.block)
      return block?.isEmpty ?? true ? nil : block
    } catch { throw StartFailure(.failed, "cannot read '\(path)'", advice: "Check the file and its disk.") }
  }
}

/// Writes refused lines to the end of a file, which is made with the first one.
final class RejectedLines {
  private let path: String
  private var file: FileHandle?
  /// Where the lines of the current batch begin.
  private var start: UInt64?

  init(_ path: String) { self.path = path }

  /// Writes the lines of a batch, and returns when they are on disk. The batch may be written again until `endBatch`.
  func write(_ lines: [[UInt8]]) throws {
    if lines.isEmpty, start == nil { return }
    do {
      let file = try file ?? open()
      self.file = file
      let start = try start ?? file.seekToEnd()
      self.start = start
      try file.truncate(atOffset: start)
      for line in lines { try file.write(contentsOf: line + [10]) }
      try file.synchronize()
    } catch {
      throw StartFailure(.failed, "cannot write '\(path)'", advice: "Name another file with --rejects.")
    }
  }

  /// Records that the batch is complete.
  func endBatch() { start = nil }

  private func open() throws -> FileHandle {
    let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}
