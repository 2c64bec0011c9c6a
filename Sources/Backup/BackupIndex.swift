import Content
import ContentPack
import Foundation
import Interchange
import JSONText

/// Reads `index.jsonl` line by line: the kind, id and SHA-256 of each record. The file is mapped, so memory does not
/// grow with it.
package final class IndexFile {
  /// A record of the index.
  package struct Entry: Hashable {
    package let kind: String
    package let id: String
    package let sha256: String
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private let owner: AnyObject?
  private var at = 0
  /// The number of the last line that was read, counted from 1.
  package private(set) var line = 0
  /// The name of the index in messages.
  package let name: String

  /// Opens a file on disk.
  /// - Throws: `RunFailure` with status 2 if the file cannot be read.
  package convenience init(_ path: String, name: String) throws {
    do {
      let data = try NSData(contentsOfFile: path, options: .alwaysMapped)
      let start = data.length == 0 ? nil : data.bytes.assumingMemoryBound(to: UInt8.self)
      self.init(UnsafeBufferPointer(start: start, count: start == nil ? 0 : data.length), owner: data, name: name)
    } catch {
      throw RunFailure(.failed, "read '\(name)': \(error.localizedDescription)")
    }
  }

  /// Reads bytes whose memory `owner` keeps valid.
  package init(_ bytes: UnsafeBufferPointer<UInt8>, owner: AnyObject?, name: String) {
    self.bytes = bytes
    self.owner = owner
    self.name = name
  }

  /// The error for a malformed line.
  package struct Malformed: Error {
    package let line: Int
    package let message: String
  }

  /// Returns the next record; nil at the end.
  package func next() throws(Malformed) -> Entry? {
    guard at < bytes.count else { return nil }
    let end = bytes[at...].firstIndex(of: UInt8(ascii: "\n"))
    let text = UnsafeBufferPointer(rebasing: bytes[at..<(end ?? bytes.count)])
    at = end.map { $0 + 1 } ?? bytes.count
    line += 1
    guard end != nil else { throw Malformed(line: line, message: "the last line has no end: the index is cut off") }
    let root: JSONValue
    do {
      root = try JSONDocument(parsing: text.span).root
    } catch {
      throw Malformed(line: line, message: "it is not JSON: \(error.message)")
    }
    guard root.kind == .object, let kind = root["kind"]?.string, !kind.isEmpty, let value = root["id"] else {
      throw Malformed(line: line, message: "its kind or id is missing")
    }
    // The ids of operations are numbers, and rows of unknown tables may have no id.
    let id: String
    switch value.kind {
    case .string: id = value.string ?? ""
    case .number: id = value.text
    case .null: id = ""
    default: throw Malformed(line: line, message: "its id is not valid")
    }
    guard let hash = root["sha256"]?.string, hash.utf8.count == 64,
      hash.utf8.allSatisfy({ $0 &- 0x30 < 10 || $0 >= 0x61 && $0 <= 0x66 })
    else { throw Malformed(line: line, message: "its sha256 is not valid") }
    return Entry(kind: kind, id: id, sha256: hash)
  }
}

/// Writes `index.jsonl`: the kind, id and SHA-256 of the canonical line of every record of a reader, in the reader's
/// order.
struct RecordIndex {
  /// The SHA-256 of the index.
  var sha256 = ""
  /// The number of records of each kind, in the order of the reader.
  var counts: [BackupInfo.Count] = []
  /// The number of records that could not be read and are not in the index.
  var unreadable = 0

  /// Reads all records and writes the index.
  /// - Parameter path: the path of the index, where no file exists yet. Only the file's owner can read it.
  /// - Throws: `RunFailure` if the library is damaged or the disk is full.
  init(of reader: any ContentReader, to path: String, progress: (Int, Int) throws -> Void = { _, _ in }) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw RunFailure(.failed, "write '\(path)': \(SystemError.last)") }
    defer { close(file) }
    let sink = ByteSink(descriptor: file, name: path)
    var digest = DigestStream()
    var lines = ByteBuffer(capacity: 1 << 18)
    var places: [RecordKind: Int] = [:]
    while let batch = try reader.next() {
      try Interruption.check()
      unreadable += batch.rejectedCount
      for slot in batch.slots {
        Self.append(batch.line(slot), slot.kind, to: &lines)
        if let place = places[slot.kind] {
          counts[place].number += 1
        } else {
          places[slot.kind] = counts.count
          counts.append(BackupInfo.Count(kind: slot.kind.name, number: 1))
        }
      }
      digest.update(lines.bytes.span)
      try sink.write(lines.bytes.span)
      lines.removeAll()
      try progress(reader.progress.done, reader.progress.total ?? reader.progress.done)
    }
    try sink.flush()
    sha256 = Digest.hex(digest.finish())
  }

  private static func append(_ line: UnsafeBufferPointer<UInt8>, _ kind: RecordKind, to lines: inout ByteBuffer) {
    lines.append("{\"kind\":")
    lines.appendJSONString(kind.name)
    lines.append(",\"id\":")
    // The id is always written as a string, although the ids of operations are numbers.
    if let id = RecordLine.idRange(of: line.span), line[id.lowerBound] == UInt8(ascii: "\"") {
      lines.append(line.span.extracting(id))
    } else {
      lines.appendJSONString(RecordLine.id(of: line.span) ?? "")
    }
    lines.append(",\"sha256\":\"")
    for byte in Digest.sha256(line.span) {
      lines.append(digit(byte >> 4))
      lines.append(digit(byte & 15))
    }
    lines.append("\"}\n")
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}
