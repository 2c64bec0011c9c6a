import Content
import Foundation
import Interchange
import JSONText

/// Reads back the records of a bundle that this process is writing: one a line in both spellings.
struct WrittenLines {
  let input: BundleInput

  func forEach(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    var more = true
    while more {
      more = try input.fill()
      var start = 0
      while start < input.buffer.count {
        let rest = input.buffer.count - start
        let found = memchr(input.buffer.start + start, 0x0A, rest)
        if found == nil, more { break }
        let end = found.map { UnsafeRawPointer($0) - UnsafeRawPointer(input.buffer.start) } ?? input.buffer.count
        var line = UnsafeBufferPointer(start: input.buffer.start + start, count: end - start)
        if line.last == UInt8(ascii: ",") { line = UnsafeBufferPointer(rebasing: line.dropLast()) }
        if let kind = RecordLine.kind(of: line), kind.name != "bundle" { try body(line) }
        start = end + 1
      }
      input.buffer.removeFirst(min(start, input.buffer.count))
    }
  }
}
