/// Checks the formats `hostname` and `idn-hostname`.
/// - Source: RFC 1123, section 2.1; RFC 5890, section 2.3; RFC 5891, sections 4.2 and 4.4.
enum HostnameFormats {
  /// Returns whether a text consists of labels of letters, digits and hyphens. A label that begins with `xn--` must be
  /// valid by RFC 5891.
  static func isHostname(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count <= 253 else { return false }
    var isInternational = false
    var start = 0
    for index in 0...text.count where index == text.count || text[index] == UInt8(ascii: ".") {
      let label = text.part(start..<index)
      guard isLabel(label) else { return false }
      isInternational = isInternational || isALabel(label)
      start = index + 1
    }
    // Labels are checked by RFC 5891 only if one of them is internationalized.
    return !isInternational || areLabels(String(decoding: text, as: UTF8.self).split(separator: "."))
  }

  /// Returns whether a text is a host name with labels in any script, separated by full stops of any width.
  static func isInternationalHostname(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    if text.allSatisfy({ $0 < 0x80 }) {
      // RFC 5891, 4.2.3.1 reserves "--" at this position, and so far only "xn--" has a meaning.
      return isHostname(text) && String(decoding: text, as: UTF8.self).split(separator: ".").allSatisfy(hasNoReserved)
    }
    // A name of 253 characters never has more bytes, so longer texts are rejected without a check.
    guard text.count <= 253 * 4 else { return false }
    let scalars = String(decoding: text, as: UTF8.self).unicodeScalars
    let labels = scalars.split(omittingEmptySubsequences: false) {
      ".\u{3002}\u{FF0E}\u{FF61}".unicodeScalars.contains($0)
    }
    return labels.allSatisfy { hasNoReserved(Substring($0)) } && areLabels(labels.map { Substring($0) })
  }

  private static func hasNoReserved(_ label: Substring) -> Bool {
    let bytes = Array(label.utf8)
    return bytes.count < 4 || bytes[2] != UInt8(ascii: "-") || bytes[3] != UInt8(ascii: "-")
      || label.lowercased().hasPrefix("xn--")
  }

  private static func isLabel(_ label: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = label.first, let last = label.last, label.count <= 63 else { return false }
    guard first.isAlphanumeric, last.isAlphanumeric else { return false }
    return label.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
  }

  private static func isALabel(_ label: UnsafeBufferPointer<UInt8>) -> Bool {
    label.count >= 4 && label[0] | 0x20 == UInt8(ascii: "x") && label[1] | 0x20 == UInt8(ascii: "n")
      && label[2] == UInt8(ascii: "-") && label[3] == UInt8(ascii: "-")
  }

  /// Returns whether labels are valid by RFC 5891, individually and together.
  static func areLabels(_ labels: [Substring]) -> Bool {
    var decoded: [[Unicode.Scalar]] = []
    var length = labels.count - 1
    for label in labels {
      var label = label
      let isASCII = label.withUTF8 { bytes in bytes.allSatisfy { $0 < 0x80 } }
      if isASCII {
        guard label.withUTF8(isLabel) else { return false }
        length += label.utf8.count
        if label.withUTF8(isALabel) {
          guard let scalars = Punycode.decode(label.lowercased().dropFirst(4)), InternationalLabel.isValid(scalars),
            Punycode.encode(scalars).map({ "xn--" + $0 }) == label.lowercased()
          else { return false }
          decoded.append(scalars)
        } else {
          decoded.append(Array(label.lowercased().unicodeScalars))
        }
      } else {
        let scalars = Array(label.unicodeScalars)
        guard InternationalLabel.isValid(scalars), let encoded = Punycode.encode(scalars) else { return false }
        guard encoded.utf8.count + 4 <= 63 else { return false }
        length += encoded.utf8.count + 4
        decoded.append(scalars)
      }
    }
    return length <= 253 && BidiRule.holds(decoded)
  }
}
