/// The meaning of a plain scalar.
/// - Source: YAML 1.2.2, 10.3.2 "Tag resolution" of the core schema.
enum CoreScalar: Equatable {
  case null
  case bool(Bool)
  /// A number as JSON writes it.
  case number(String)
  case text
  /// A number that JSON cannot represent, with the reason.
  case refused(String)

  /// Resolves the text of a plain scalar.
  init(_ text: [UInt8]) {
    guard let first = text.first else {
      self = .null
      return
    }
    switch first {
    case UInt8(ascii: "~"), UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "t"), UInt8(ascii: "T"),
      UInt8(ascii: "f"), UInt8(ascii: "F"):
      self = Self.word(text)
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      self = Self.number(text)
    default:
      self = .text
    }
  }

  private static func word(_ text: [UInt8]) -> CoreScalar {
    guard text.count <= 5 else { return .text }
    switch String(decoding: text, as: UTF8.self) {
    case "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return .bool(true)
    case "false", "False", "FALSE": return .bool(false)
    default: return .text
    }
  }

  private static func number(_ text: [UInt8]) -> CoreScalar {
    if text.count > 2, text[0] == UInt8(ascii: "0") {
      if text[1] == UInt8(ascii: "x") { return based(text.dropFirst(2), 16) }
      if text[1] == UInt8(ascii: "o") { return based(text.dropFirst(2), 8) }
    }
    return isNotFinite(text) ? .refused("JSON has no such number; quote it if it is meant as text") : decimal(text)
  }

  private static func based(_ digits: ArraySlice<UInt8>, _ base: UInt64) -> CoreScalar {
    var value: UInt64 = 0
    var tooLarge = false
    for byte in digits {
      guard let digit = Character(UnicodeScalar(byte)).hexDigitValue.map(UInt64.init), digit < base else {
        return .text
      }
      let (product, over) = value.multipliedReportingOverflow(by: base)
      let (sum, more) = product.addingReportingOverflow(digit)
      tooLarge = tooLarge || over || more
      value = sum
    }
    return tooLarge
      ? .refused("the number does not fit in 64 bits; quote it if it is meant as text") : .number(String(value))
  }

  private static func isNotFinite(_ text: [UInt8]) -> Bool {
    guard (4...5).contains(text.count) else { return false }
    switch String(decoding: text, as: UTF8.self) {
    case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", ".nan", ".NaN", ".NAN":
      return true
    default: return false
    }
  }

  /// Reads `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?` and rewrites it where JSON is stricter:
  /// without a leading plus or leading zeros, and with a digit on both sides of the point.
  private static func decimal(_ text: [UInt8]) -> CoreScalar {
    var json: [UInt8] = []
    var at = 0
    func digits() -> ArraySlice<UInt8> {
      let first = at
      while at < text.count, text[at] >= 0x30, text[at] <= 0x39 { at += 1 }
      return text[first..<at]
    }
    if text[0] == UInt8(ascii: "-") { json.append(UInt8(ascii: "-")) }
    if text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+") { at += 1 }
    let whole = digits()
    var significant = whole
    while significant.count > 1, significant.first == UInt8(ascii: "0") { significant.removeFirst() }
    json += significant.isEmpty ? [UInt8(ascii: "0")] : significant
    if at < text.count, text[at] == UInt8(ascii: ".") {
      at += 1
      let fraction = digits()
      if whole.isEmpty, fraction.isEmpty { return .text }
      json += [UInt8(ascii: ".")] + (fraction.isEmpty ? [UInt8(ascii: "0")] : fraction)
    } else if whole.isEmpty {
      return .text
    }
    if at < text.count, text[at] | 0x20 == UInt8(ascii: "e") {
      json.append(text[at])
      at += 1
      if at < text.count, text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-") {
        json.append(text[at])
        at += 1
      }
      let exponent = digits()
      if exponent.isEmpty { return .text }
      json += exponent
    }
    return at == text.count ? .number(String(decoding: json, as: UTF8.self)) : .text
  }
}
