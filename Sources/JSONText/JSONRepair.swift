/// Makes JSON of a text that is nearly JSON: cut off, with commas too many, control characters in strings,
/// broken UTF-8 or escapes, words of other languages.
///
/// Nothing is invented: what is there is kept, what is missing stays missing, open brackets are closed. Used on
/// damaged content, beside the original, never instead of it.
public enum JSONRepair {
  /// The repaired text.
  public struct Result: Sendable, Equatable {
    /// Text that the strict parser takes.
    public let text: [UInt8]
    /// Whether everything in the original is in the result.
    public let isComplete: Bool
  }

  /// Repairs `text`; nil when there is no array, object or string at its start.
  public static func repair(_ text: UnsafeBufferPointer<UInt8>) -> Result? {
    guard let base = text.baseAddress else { return nil }
    var repairer = Repairer(base: base, end: text.count)
    return repairer.run()
  }
}

/// One pass over a damaged text.
private struct Repairer: ~Copyable {
  private let base: UnsafePointer<UInt8>
  private let end: Int
  private var at = 0
  private var out = ByteBuffer(capacity: 1024)
  private var isComplete = true
  /// Set when nothing sensible follows.
  private var isStopped = false

  init(base: UnsafePointer<UInt8>, end: Int) {
    self.base = base
    self.end = end
  }

  mutating func run() -> JSONRepair.Result? {
    if end >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF { at = 3 }
    skipSpace()
    guard at < end, [UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\"")].contains(base[at]) else {
      return nil
    }
    guard value(depth: 0) else { return nil }
    skipSpace()
    if at < end { isComplete = false }
    return JSONRepair.Result(text: Array(out.bytes), isComplete: isComplete)
  }

  private mutating func skipSpace() {
    while at < end, base[at] <= 0x20 { at += 1 }
  }

  private mutating func stop() -> Bool {
    isComplete = false
    isStopped = true
    return false
  }

  /// Writes the value that starts here; false when there is none.
  private mutating func value(depth: Int) -> Bool {
    skipSpace()
    guard at < end, depth < JSONLimits.depth else { return stop() }
    switch base[at] {
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      _ = string()
      return true
    case UInt8(ascii: "{"):
      container(UInt8(ascii: "{"), UInt8(ascii: "}"), depth: depth)
      return true
    case UInt8(ascii: "["):
      container(UInt8(ascii: "["), UInt8(ascii: "]"), depth: depth)
      return true
    case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return number()
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
      return word()
    default: return stop()
    }
  }

  /// Writes an array or object: what can be read of it, closed whether or not it was.
  private mutating func container(_ open: UInt8, _ close: UInt8, depth: Int) {
    at += 1
    out.append(open)
    let start = out.count
    while !isStopped {
      skipSpace()
      guard at < end else {
        isComplete = false
        break
      }
      if base[at] == close {
        at += 1
        break
      }
      if base[at] == UInt8(ascii: ",") {
        at += 1
        continue
      }
      let mark = out.count
      if mark != start { out.append(UInt8(ascii: ",")) }
      let isKept = close == UInt8(ascii: "]") ? value(depth: depth + 1) : member(depth: depth)
      if !isKept { out.truncate(to: mark) }
    }
    out.append(close)
  }

  private mutating func member(depth: Int) -> Bool {
    guard base[at] == UInt8(ascii: "\"") || base[at] == UInt8(ascii: "'") else { return stop() }
    guard string() else { return false }  // a name that breaks off names nothing
    skipSpace()
    guard at < end, base[at] == UInt8(ascii: ":") else { return stop() }
    at += 1
    out.append(UInt8(ascii: ":"))
    return value(depth: depth + 1)
  }

  /// Writes a number as it is, or as a string when JSON does not know it; a number at the very end may be cut.
  private mutating func number() -> Bool {
    let start = at
    while at < end, "+-.eE0123456789".utf8.contains(base[at]) { at += 1 }
    if at == end { return stop() }
    let text = UnsafeBufferPointer(start: base + start, count: at - start)
    var tape = JSONTape(capacity: 16)
    if (try? tape.parse(text)) != nil { out.append(text) } else { out.appendJSONString(text) }
    return true
  }

  private mutating func word() -> Bool {
    let start = at
    while at < end, base[at] | 0x20 >= UInt8(ascii: "a"), base[at] | 0x20 <= UInt8(ascii: "z") { at += 1 }
    if at == end { return stop() }
    let text = String(decoding: UnsafeBufferPointer(start: base + start, count: at - start), as: UTF8.self)
    switch text.lowercased() {
    case "true", "yes": out.append("true")
    case "false", "no": out.append("false")
    case "null", "none", "nil", "undefined", "nan", "infinity": out.append("null")
    default: out.appendJSONString(text)
    }
    return true
  }

  /// Writes a string with everything that is wrong in it put right; false when it breaks off.
  private mutating func string() -> Bool {
    let quote = base[at]
    at += 1
    out.append(UInt8(ascii: "\""))
    var closed = false
    while at < end, !closed {
      let byte = base[at]
      if byte == quote {
        at += 1
        closed = true
      } else if byte == UInt8(ascii: "\\") {
        escape()
      } else if byte >= 0x80 {
        let length = UTF8Check.sequenceLength(base + at, available: end - at)
        if length == 0 {
          isComplete = false
          out.append("\u{FFFD}")
          at += 1
        } else {
          out.append(base + at, length)
          at += length
        }
      } else if byte < 0x20 || byte == UInt8(ascii: "\"") {
        out.appendEscape(byte)
        at += 1
      } else {
        out.append(byte)
        at += 1
      }
    }
    out.append(UInt8(ascii: "\""))
    if !closed { isComplete = false }
    return closed
  }

  private mutating func escape() {
    guard at + 1 < end else {
      at = end
      return
    }
    switch base[at + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      out.append(base + at, 2)
      at += 2
    case UInt8(ascii: "u"):
      for length in [12, 6] where at + length <= end {
        var quoted = ByteBuffer(capacity: 16)
        quoted.append("\"")
        quoted.append(base + at, length)
        quoted.append("\"")
        var tape = JSONTape(capacity: 16)
        if (try? tape.parse(quoted.bytes)) != nil {
          out.append(base + at, length)
          at += length
          return
        }
      }
      isComplete = false
      out.append("\u{FFFD}")
      at += 2
      var digits = 0
      while at < end, digits < 4, JSONStrings.hexValue(base[at]) != nil {
        at += 1
        digits += 1
      }
    default:
      // The backslash meant nothing: the character stays.
      at += 1
    }
  }
}
