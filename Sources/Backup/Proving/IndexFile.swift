import Content
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
      root = try JSONDocument(parsing: text).root
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
