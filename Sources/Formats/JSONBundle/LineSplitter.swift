import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// Splits `.jsonl`: one record a line, an optional header first.
final class LineSplitter: RecordSplitter {
  private let input: BundleInput
  private let context: RunContext
  private var line = 1
  private var sawFirst = false
  /// Whether the buffer still has whole lines, because the last batch had enough.
  private var hasLines = false

  /// Longest line that is read; longer ones are refused, for the memory's sake.
  static let lineLimit = 512 << 20

  init(input: BundleInput, context: RunContext) {
    self.input = input
    self.context = context
  }

  func next() throws -> (spans: [RecordSpan], end: Int)? {
    var spans: [RecordSpan] = []
    var searched = 0
    while true {
      let filled = try hasLines || input.fill()
      hasLines = false
      let end = filled ? lastLineEnd(from: searched) : input.buffer.count
      if let end {
        if end == 0 {
          guard sawFirst else {
            throw RunFailure(
              .notJSON, "the file is empty, no bundle", at: Place(file: input.name, line: 1, column: 1),
              advice: "A bundle has at least its header line. Look for a complete copy.")
          }
          return nil
        }
        let done = try split(upTo: end, into: &spans)
        hasLines = done < end
        return (spans, done)
      }
      searched = input.buffer.count
      if searched > Self.lineLimit {
        throw RunFailure(.failed, "read '\(input.name):\(line)': the line is longer than 512 MiB")
      }
    }
  }

  /// Offset behind the last line end at or after `start`, nil when there is none.
  private func lastLineEnd(from start: Int) -> Int? {
    let bytes = input.buffer.bytes
    var at = bytes.count - 1
    while at >= start {
      if bytes[at] == 0x0A { return at + 1 }
      at -= 1
    }
    return nil
  }

  /// - Returns: the offset behind the last line that was taken.
  private func split(upTo end: Int, into spans: inout [RecordSpan]) throws -> Int {
    var start = 0
    let base = input.buffer.start
    while start < end, spans.count < BundleInput.batchRecords {
      let found = memchr(base + start, 0x0A, end - start)
      let next = found.map { UnsafeRawPointer($0) - UnsafeRawPointer(base) } ?? end
      var stop = next
      if stop > start, base[stop - 1] == 0x0D { stop -= 1 }
      var first = start
      if line == 1, stop - first >= 3, base[first] == 0xEF, base[first + 1] == 0xBB, base[first + 2] == 0xBF {
        first += 3
      }
      if !isBlank(first, stop) {
        let span = RecordSpan(start: first, length: stop - first, line: line, column: 1, listed: nil)
        if sawFirst {
          spans.append(span)
        } else {
          sawFirst = true
          if try !readHeader(span) { spans.append(span) }
        }
      }
      line += 1
      start = min(end, next + 1)
    }
    return start
  }

  private func isBlank(_ start: Int, _ end: Int) -> Bool {
    var at = start
    while at < end {
      let byte = input.buffer.start[at]
      if byte != 0x20, byte != 0x09 { return false }
      at += 1
    }
    return true
  }

  /// Whether the first line is a header; checks that this FleetKit may read what follows.
  private func readHeader(_ span: RecordSpan) throws -> Bool {
    let bytes = UnsafeBufferPointer(start: input.buffer.start + span.start, count: span.length)
    if span.length < 65_536, let document = try? JSONDocument(parsing: bytes),
      document.root["kind"]?.string == "bundle"
    {
      try BundleHeader.check(document.root, place: Place(file: input.name, line: span.line, column: 1), context)
      return true
    }
    context.findings.report(
      Diagnostic(
        .noHeader, "the first line is no bundle header", at: Place(file: input.name, line: span.line, column: 1)))
    return false
  }
}
