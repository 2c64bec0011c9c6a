import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// The location of an unparsed record in the input's buffer.
struct RecordSpan {
  /// The record's offset and length in the buffer.
  var start: Int
  var length: Int
  /// The line and column of the first byte, from 1.
  var line: Int
  var column: Int
  /// The kind of the list that contains the record; nil if only the record itself can name its kind.
  var listed: RecordKind?
}

/// Finds the boundaries of a bundle's records.
protocol RecordSplitter: AnyObject {
  /// Finds records until a chunk is approximately full.
  /// - Returns: the spans in the input's buffer, and the offset up to which the buffer is consumed; nil at the end.
  /// - Throws: `RunFailure` if the input outside the records does not have the form of a bundle.
  func next() throws -> (spans: [RecordSpan], end: Int)?
}

/// Splits a `.jsonl` file with one record per line after an optional header.
final class LineSplitter: RecordSplitter {
  private let input: BundleInput
  private let context: RunContext
  private var line = 1
  private var sawFirst = false
  /// Whether the buffer still contains complete lines because the last batch was full.
  private var hasLines = false

  /// The maximum length of a line, in bytes. Longer lines are refused to limit memory.
  private static let lineLimit = 512 << 20

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
              .notJSON, "the file is empty and therefore not a bundle", at: Place(file: input.name, line: 1, column: 1),
              advice: "A bundle has at least a header line. Use a complete copy.")
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

  /// Returns the offset after the last line break at or after `start`; nil if no line break follows.
  private func lastLineEnd(from start: Int) -> Int? {
    let bytes = input.buffer.bytes
    var at = bytes.count - 1
    while at >= start {
      if bytes[at] == 0x0A { return at + 1 }
      at -= 1
    }
    return nil
  }

  /// - Returns: the offset after the last line that was consumed.
  private func split(upTo end: Int, into spans: inout [RecordSpan]) throws -> Int {
    var start = 0
    let bytes = input.buffer.bytes.span.extracting(first: end)
    while start < end, spans.count < BundleInput.batchRecords {
      let next = bytes.firstIndex(of: 0x0A, from: start) ?? end
      var stop = next
      if stop > start, bytes[stop - 1] == 0x0D { stop -= 1 }
      var first = start
      if line == 1, bytes.extracting(first..<stop).starts(with: "\u{FEFF}") { first += 3 }
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

  /// Whether the first line is a header. If it is, checks that this FleetKit can read the bundle.
  private func readHeader(_ span: RecordSpan) throws -> Bool {
    let bytes = input.buffer.bytes.span.extracting(span.start..<span.start + span.length)
    if span.length < 65_536, let document = try? JSONDocument(parsing: bytes),
      document.root["kind"]?.string == "bundle"
    {
      try BundleHeader.check(document.root, place: Place(file: input.name, line: span.line, column: 1), context)
      return true
    }
    context.findings.report(
      Diagnostic(
        .noHeader, "the first line is not a bundle header", at: Place(file: input.name, line: span.line, column: 1)))
    return false
  }
}

/// The header members that specify a bundle's version and the reader version that it requires.
enum BundleHeader {
  /// Checks a header.
  /// - Throws: `RunFailure` with status 6 if the bundle requires a newer reader, 2 if the header is not a bundle's
  ///   header.
  static func check(_ header: JSONValue, place: Place, _ context: RunContext) throws {
    if let twice = header.duplicateName {
      throw RunFailure(.duplicateMember, "the member \(twice.text) occurs twice in the header", at: place)
    }
    func at(_ name: String) -> Place {
      var place = place
      place.pointer = "/" + name
      return place
    }
    for (name, _) in header.members where name != "kind" && !BundleLists.headerNames.contains(name) {
      context.losses.record(
        RecordKind("bundle"), id: "", field: "/" + name, reason: .unknownHeader)
    }
    if let format = header["format"], format.string != JSONBundleFormat.formatName {
      throw RunFailure(
        .notABundle, "'format' is \(format.text), not \"\(JSONBundleFormat.formatName)\"", at: at("format"),
        advice: "Specify the correct format with --from-format.")
    }
    var version: Int64 = 1
    if let member = header["version"] {
      guard let number = member.integer else {
        throw RunFailure(.typeMismatch, "'version' must be an integer, not \(member.text)", at: at("version"))
      }
      version = number
    }
    var minimum: Int64 = 1
    if let member = header["min_reader"], !member.isNull {
      guard let number = member.integer else {
        throw RunFailure(.typeMismatch, "'min_reader' must be an integer, not \(member.text)", at: at("min_reader"))
      }
      minimum = number
    }
    if minimum > JSONBundleFormat.version {
      throw RunFailure(
        .newer,
        "\(place): this bundle requires reader version \(minimum); this one has "
          + "\(JSONBundleFormat.version)", advice: "Update FleetKit.")
    }
    if version > JSONBundleFormat.version {
      context.findings.report(Diagnostic(.newerBundle, "the bundle has version \(version)", at: place))
    }
  }
}
