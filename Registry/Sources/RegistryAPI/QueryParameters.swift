import Content
import Hummingbird

/// The decoded parameters of a query, in their order.
///
/// `%XX` and `+` are decoded as in forms (WHATWG URL, application/x-www-form-urlencoded); a `%` without two digits is
/// kept.
struct QueryParameters: Sendable {
  /// The names and decoded values; a value that is not UTF-8 or contains a NUL is nil.
  private(set) var all: [(name: String, value: String?)] = []
  private(set) var findings: [ParameterFinding] = []

  /// Reads the query of a request's target.
  init(target: String) {
    let bytes = target.utf8
    guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return }
    for pair in bytes[bytes.index(after: mark)...].split(separator: UInt8(ascii: "&")) {
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      guard let name = Self.decode(pair[..<equals]) else { continue }
      all.append((name, Self.decode(equals == pair.endIndex ? pair[equals...] : pair[pair.index(after: equals)...])))
    }
  }

  /// Reads the query of a target that a form may have sent: browsers send empty fields too, and these are left out.
  init(form target: String) {
    self.init(target: target)
    all.removeAll { $0.value?.isEmpty == true }
  }

  /// Returns the value of a parameter that may occur once; nil if it does not occur.
  mutating func single(_ name: String) -> String? {
    var found: String?
    for pair in all where pair.name.utf8.elementsEqual(name.utf8) {
      guard let value = pair.value else {
        refuseText(name)
        return nil
      }
      guard found == nil else {
        refuse(
          name, code: "REG0102", "`\(name)` is given more than once", why: "it can have only one value",
          fix: "keep only one of them")
        return nil
      }
      found = value
    }
    return found
  }

  /// Returns all values of a parameter that may be repeated.
  mutating func repeated(_ name: String) -> [String] {
    var values: [String] = []
    for pair in all where pair.name.utf8.elementsEqual(name.utf8) {
      if let value = pair.value { values.append(value) } else { refuseText(name) }
    }
    return values
  }

  /// Returns a parameter's value as a whole number within bounds; nil, with a finding, for anything else.
  mutating func number(_ name: String, in range: ClosedRange<Int>) -> Int? {
    guard let text = single(name) else { return nil }
    let isPlain = !text.isEmpty && text.utf8.count <= 18 && text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    guard isPlain, let value = Int(text), range.contains(value) else {
      refuse(
        name, "`\(name)` must be a whole number from \(range.lowerBound) to \(range.upperBound)",
        why: "pages have a limit, so that no request costs more than others",
        fix: "give a number from \(range.lowerBound) to \(range.upperBound), or leave `\(name)` out")
      return nil
    }
    return value
  }

  /// Records that a parameter is not accepted.
  mutating func refuse(_ name: String, code: String = "REG0101", _ message: String, why: String, fix: String) {
    findings.append(ParameterFinding(name, code: code, message: message, why: why, fix: fix))
  }

  /// Throws the findings, if there are any.
  func check() throws {
    if !findings.isEmpty { throw Problem.invalidParameters(findings) }
  }

  private mutating func refuseText(_ name: String) {
    refuse(
      name, code: "REG0103", "`\(name)` is not UTF-8, or contains a NUL",
      why: "the text of publications is UTF-8 without NUL", fix: "percent-encode the text as UTF-8")
  }

  /// Decodes a value; returns nil if it is not UTF-8 or contains a NUL.
  private static func decode(_ text: Substring.UTF8View) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var at = text.startIndex
    while at < text.endIndex {
      let byte = text[at]
      at = text.index(after: at)
      if byte == UInt8(ascii: "+") {
        bytes.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), let (value, behind) = hex(text, at) {
        bytes.append(value)
        at = behind
      } else {
        bytes.append(byte)
      }
    }
    guard !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func hex(_ text: Substring.UTF8View, _ at: String.Index) -> (UInt8, String.Index)? {
    guard at < text.endIndex else { return nil }
    let second = text.index(after: at)
    guard second < text.endIndex, let high = digit(text[at]), let low = digit(text[second]) else { return nil }
    return (high << 4 | low, text.index(after: second))
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}

/// Parses a date and time in a parameter: strictly RFC 3339.
enum WireDate {
  /// Parses a string like `2026-01-05T10:11:12Z`, optionally with a fraction or an offset.
  static func parse(_ text: String) -> Timestamp? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.count <= 40 else { return nil }
    func digits(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= bytes.count else { return nil }
      var value = 0
      for byte in bytes[range] {
        guard byte >= 0x30, byte <= 0x39 else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      return value
    }
    guard digits(0..<4) != nil, bytes[4] == UInt8(ascii: "-"), digits(5..<7) != nil, bytes[7] == UInt8(ascii: "-"),
      digits(8..<10) != nil, bytes[10] | 0x20 == UInt8(ascii: "t"), let hour = digits(11..<13), hour < 24,
      bytes[13] == UInt8(ascii: ":"), let minute = digits(14..<16), minute < 60, bytes[16] == UInt8(ascii: ":"),
      let second = digits(17..<19), second <= 60
    else { return nil }
    var at = 19
    if bytes[at] == UInt8(ascii: ".") {
      at += 1
      let start = at
      while at < bytes.count, bytes[at] >= 0x30, bytes[at] <= 0x39 { at += 1 }
      guard at > start, at < bytes.count else { return nil }
    }
    if bytes[at] | 0x20 == UInt8(ascii: "z") {
      guard at + 1 == bytes.count else { return nil }
    } else {
      guard bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-"), at + 6 == bytes.count,
        let hours = digits(at + 1..<at + 3), hours < 24, bytes[at + 3] == UInt8(ascii: ":"),
        let minutes = digits(at + 4..<at + 6), minutes < 60
      else { return nil }
    }
    // The app's parser accepts only upper case and no leap second, which is read as the preceding second.
    var plain = bytes
    if second == 60 { plain.replaceSubrange(17..<19, with: Array("59".utf8)) }
    guard let (time, quirks) = Timestamp.parse(String(decoding: plain, as: UTF8.self).uppercased()),
      !quirks.contains(.rollsOver)
    else { return nil }
    return time
  }
}
