import Foundation
import Interchange
import JSONText

/// Canonical values as they are written, compared and changed.
enum RawJSON {
  /// Whether two values are the same; 38 and 38.0 are one number.
  static func equal(_ left: JSONNode, _ right: JSONNode) -> Bool {
    let mine = left.raw
    let theirs = right.raw
    if mine.count == theirs.count, let first = mine.baseAddress, let second = theirs.baseAddress,
      memcmp(first, second, mine.count) == 0
    {
      return true
    }
    guard left.kind == .number, right.kind == .number else { return false }
    // Whole numbers are compared exactly: floating point does not hold all of 64 bits. Others as libraries keep them.
    let isWhole = left.token.flags.contains(.integer) && right.token.flags.contains(.integer)
    return isWhole ? JSONNumber.equal(mine, theirs) : left.double == right.double
  }

  /// Whether there is no value, or a text without letters: an empty cell of a table may be either.
  static func isBlank(_ value: JSONNode?) -> Bool {
    guard let value else { return true }
    return value.kind == .string && value.inner.isEmpty
  }

  /// Writes a record with other ids in some places and all else as it is.
  /// - Parameters:
  ///   - ids: what stands in each place instead, in any order; a place is that of one whole value of the record.
  ///   - out: holds nothing else afterwards.
  static func replaceIDs(_ ids: [(span: Range<Int>, id: String)], in record: JSONNode, into out: inout ByteBuffer) {
    out.removeAll()
    let raw = record.raw
    let start = record.span.lowerBound
    var at = 0
    for (span, id) in ids.sorted(by: { $0.span.lowerBound < $1.span.lowerBound }) {
      out.append(UnsafeBufferPointer(rebasing: raw[at..<span.lowerBound - start]))
      out.appendJSONString(id)
      at = span.upperBound - start
    }
    out.append(UnsafeBufferPointer(rebasing: raw[at...]))
  }
}

/// One line of JSON and its tokens, in memory that is used again for the next line.
final class ScratchLine {
  /// The line. Remove the one before, then append.
  var bytes: ByteBuffer
  private var tape: JSONTape

  init(capacity: Int = 1 << 10, tokens: Int = 256) {
    bytes = ByteBuffer(capacity: capacity)
    tape = JSONTape(capacity: tokens)
  }

  /// The outermost value of the line in `bytes`; valid until the next change of either.
  func parse() throws -> JSONNode { try parse(bytes.bytes) }

  /// The outermost value of a line that lies elsewhere; valid as long as that line is, and until the next parse.
  /// - Throws: `RunFailure` with status 70: every line of an import is the canonical line of a record.
  func parse(_ line: UnsafeBufferPointer<UInt8>) throws -> JSONNode {
    tape.removeAll()
    do throws(JSONError) {
      let parse = try tape.parse(line)
      guard let start = line.baseAddress else { throw JSONError(.empty, at: 0) }
      return JSONNode(text: start, tokens: tape.tokens, index: parse.root)
    } catch {
      throw RunFailure(.internalError, "a record is not JSON: \(error.message)", advice: "Please report this.")
    }
  }

  /// Lends the outermost value of a line, in memory of its own.
  static func reading<Result>(
    _ line: UnsafeBufferPointer<UInt8>, _ body: (JSONNode) throws -> Result
  ) throws -> Result {
    let scratch = ScratchLine(capacity: 0)
    return try withExtendedLifetime(scratch) { try body(try scratch.parse(line)) }
  }
}
