import Foundation
import Interchange
import JSONText

/// Compares and changes canonical values in their written form.
enum CanonicalValue {
  /// Whether two values are the same. 38 and 38.0 are the same number.
  static func equal(_ left: JSONNode, _ right: JSONNode) -> Bool {
    let mine = left.raw
    let theirs = right.raw
    if mine.count == theirs.count, let first = mine.baseAddress, let second = theirs.baseAddress,
      memcmp(first, second, mine.count) == 0
    {
      return true
    }
    guard left.kind == .number, right.kind == .number else { return false }
    // Integers are compared exactly, because floating point cannot hold all 64 bits. Other numbers are compared as
    // libraries store them.
    let isWhole = left.token.flags.contains(.integer) && right.token.flags.contains(.integer)
    return isWhole ? JSONNumber.equal(mine.span, theirs.span) : left.double == right.double
  }

  /// Whether a value is missing, or is a string without letters. An empty cell of a table may be either.
  static func isBlank(_ value: JSONNode?) -> Bool {
    guard let value else { return true }
    return value.kind == .string && value.inner.isEmpty
  }

  /// Writes a record with some ids replaced and everything else unchanged.
  /// - Parameters:
  ///   - ids: the new ids with their positions, in any order. Each position is the range of one whole value of the
  ///     record.
  ///   - out: contains only the record afterwards.
  static func replaceIDs(_ ids: [(span: Range<Int>, id: String)], in record: JSONNode, into out: inout ByteBuffer) {
    out.removeAll()
    let raw = record.raw
    let start = record.span.lowerBound
    var at = 0
    for (span, id) in ids.sorted(by: { $0.span.lowerBound < $1.span.lowerBound }) {
      out.append(raw.span.extracting(at..<span.lowerBound - start))
      out.appendJSONString(id)
      at = span.upperBound - start
    }
    out.append(raw.span.extracting(droppingFirst: at))
  }
}

/// One line of JSON and its tokens, in memory that is reused for the next line.
final class ScratchLine {
  /// The line. Clear it before appending the next one.
  var bytes: ByteBuffer
  private var tape: JSONTape

  init(capacity: Int = 1 << 10, tokens: Int = 256) {
    bytes = ByteBuffer(capacity: capacity)
    tape = JSONTape(capacity: tokens)
  }

  /// Parses the line in `bytes` and returns its outermost value, which is valid until `bytes` or the tokens change.
  func parse() throws -> JSONNode { try parse(bytes.bytes) }

  /// Parses a line in other memory. Its outermost value is valid until that memory changes or another line is parsed.
  /// - Throws: `RunFailure` with status 70 if the line is not JSON, because every line of an import is the canonical
  ///   line of a record.
  func parse(_ line: UnsafeBufferPointer<UInt8>) throws -> JSONNode {
    tape.removeAll()
    do throws(JSONError) {
      let parse = try tape.parse(line.span)
      guard let start = line.baseAddress else { throw JSONError(.empty, at: 0) }
      return JSONNode(text: start, tokens: tape.tokens, index: parse.root)
    } catch {
      throw RunFailure(.internalError, "a record is not JSON: \(error.message)", advice: "Please report this.")
    }
  }

  /// Calls `body` with the outermost value of a line, parsed in separate memory.
  static func reading<Result>(
    _ line: UnsafeBufferPointer<UInt8>, _ body: (JSONNode) throws -> Result
  ) throws -> Result {
    let scratch = ScratchLine(capacity: 0)
    return try withExtendedLifetime(scratch) { try body(try scratch.parse(line)) }
  }
}
