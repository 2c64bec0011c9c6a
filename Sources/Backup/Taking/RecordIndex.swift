import Content
import ContentPack
import Foundation
import Interchange
import JSONText

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
      digest.update(lines.bytes)
      try sink.write(lines.bytes)
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
    if let id = RecordLine.idRange(of: line), line[id.lowerBound] == UInt8(ascii: "\"") {
      lines.append(UnsafeBufferPointer(rebasing: line[id]))
    } else {
      lines.appendJSONString(RecordLine.id(of: line) ?? "")
    }
    lines.append(",\"sha256\":\"")
    for byte in Digest.sha256(line) {
      lines.append(digit(byte >> 4))
      lines.append(digit(byte & 15))
    }
    lines.append("\"}\n")
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}
