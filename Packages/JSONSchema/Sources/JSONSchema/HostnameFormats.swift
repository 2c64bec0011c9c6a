import JSONText

/// Checks the formats `hostname` and `idn-hostname`.
/// - Source: RFC 1123, section 2.1; RFC 5890, section 2.3; RFC 5891, sections 4.2 and 4.4.
enum HostnameFormats {
  /// Returns whether `text` consists of labels of letters, digits and hyphens. A label that begins with `xn--` must be
  /// valid under RFC 5891.
  static func isHostname(_ text: Span<UInt8>) -> Bool {
    guard text.count <= 253 else { return false }
    var isInternational = false
    var start = 0
    for index in 0...text.count where index == text.count || text[index] == UInt8(ascii: ".") {
      let label = text.extracting(start..<index)
      guard isLabel(label) else { return false }
      isInternational = isInternational || isALabel(label)
      start = index + 1
    }
    // Labels are checked against RFC 5891 only if one of them is internationalized.
    return !isInternational || areLabels(String(decoding: text).split(separator: "."))
  }

  /// Returns whether `text` is a host name with labels in any script, separated by full stops of any width.
  static func isInternationalHostname(_ text: Span<UInt8>) -> Bool {
    if text.allSatisfy({ $0 < 0x80 }) {
      // RFC 5891, 4.2.3.1 reserves "--" at this position, and so far only "xn--" has a meaning.
      return isHostname(text) && String(decoding: text).split(separator: ".").allSatisfy(hasNoReserved)
    }
    // A name of 253 characters never has more bytes, so longer text is rejected without a check.
    guard text.count <= 253 * 4 else { return false }
    let scalars = String(decoding: text).unicodeScalars
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

  private static func isLabel(_ label: Span<UInt8>) -> Bool {
    guard let first = label.first, let last = label.last, label.count <= 63 else { return false }
    guard first.isAlphanumeric, last.isAlphanumeric else { return false }
    return label.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
  }

  private static func isALabel(_ label: Span<UInt8>) -> Bool {
    label.count >= 4 && label[0] | 0x20 == UInt8(ascii: "x") && label[1] | 0x20 == UInt8(ascii: "n")
      && label[2] == UInt8(ascii: "-") && label[3] == UInt8(ascii: "-")
  }

  /// Returns whether labels are valid under RFC 5891, individually and together.
  static func areLabels(_ labels: [Substring]) -> Bool {
    var decoded: [[Unicode.Scalar]] = []
    var length = labels.count - 1
    for label in labels {
      let isASCII = label.utf8.allSatisfy { $0 < 0x80 }
      if isASCII {
        guard isLabel(label.utf8.span) else { return false }
        length += label.utf8.count
        if isALabel(label.utf8.span) {
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

/// Encodes labels with characters beyond ASCII in ASCII.
/// - Source: RFC 3492.
enum Punycode {
  private static let base = 36
  private static let leastThreshold = 1
  private static let mostThreshold = 26
  private static let skew = 38
  private static let damp = 700
  private static let initialBias = 72
  private static let initialScalar = 0x80

  /// The length of the longest label that is processed. DNS allows 63.
  private static let maximumCount = 256

  /// Decodes lower-case ASCII without `xn--` to a label. Returns nil if the text is not valid.
  static func decode(_ text: some StringProtocol) -> [Unicode.Scalar]? {
    let input = Array(text.utf8)
    guard input.count <= maximumCount, input.allSatisfy({ $0 < 0x80 }) else { return nil }
    var output: [Unicode.Scalar] = []
    var position = 0
    if let delimiter = input.lastIndex(of: UInt8(ascii: "-")) {
      output = input[..<delimiter].map { Unicode.Scalar($0) }
      position = delimiter + 1
    }
    guard position < input.count else { return nil }
    var scalar = initialScalar
    var index = 0
    var bias = initialBias
    while position < input.count {
      let oldIndex = index
      var weight = 1
      var step = base
      while true {
        guard position < input.count, let digit = value(of: input[position]) else { return nil }
        position += 1
        index += digit * weight
        // This limit is far below overflow and far above any code point in a label.
        guard index < 1 << 40 else { return nil }
        let threshold = min(max(step - bias, leastThreshold), mostThreshold)
        if digit < threshold { break }
        weight *= base - threshold
        guard weight < 1 << 40 else { return nil }
        step += base
      }
      bias = adapted(index - oldIndex, count: output.count + 1, isFirst: oldIndex == 0)
      scalar += index / (output.count + 1)
      index %= output.count + 1
      guard scalar <= 0x10FFFF, let found = Unicode.Scalar(UInt32(scalar)) else { return nil }
      output.insert(found, at: index)
      index += 1
    }
    return output
  }

  /// Encodes a label as ASCII without `xn--`. Returns nil for a label that is too long for DNS.
  static func encode(_ label: [Unicode.Scalar]) -> String? {
    guard label.count <= maximumCount else { return nil }
    var output = label.filter(\.isASCII).map { UInt8($0.value) }
    let basicCount = output.count
    var handled = basicCount
    if basicCount > 0 { output.append(UInt8(ascii: "-")) }
    var scalar = initialScalar
    var delta = 0
    var bias = initialBias
    while handled < label.count {
      guard let next = label.lazy.map({ Int($0.value) }).filter({ $0 >= scalar }).min() else { return nil }
      delta += (next - scalar) * (handled + 1)
      scalar = next
      for member in label {
        if member.value < scalar { delta += 1 }
        guard member.value == scalar else { continue }
        var rest = delta
        var step = base
        while true {
          let threshold = min(max(step - bias, leastThreshold), mostThreshold)
          if rest < threshold { break }
          output.append(digit(threshold + (rest - threshold) % (base - threshold)))
          rest = (rest - threshold) / (base - threshold)
          step += base
        }
        output.append(digit(rest))
        bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
        delta = 0
        handled += 1
      }
      delta += 1
      scalar += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / damp : delta / 2
    delta += delta / count
    var steps = 0
    while delta > (base - leastThreshold) * mostThreshold / 2 {
      delta /= base - leastThreshold
      steps += base
    }
    return steps + (base - leastThreshold + 1) * delta / (delta + skew)
  }

  private static func value(of byte: UInt8) -> Int? {
    if byte.isDigit { return Int(byte) - 0x30 + 26 }
    return byte.isLetter ? Int(byte | 0x20) - 0x61 : nil
  }

  private static func digit(_ value: Int) -> UInt8 { UInt8(value < 26 ? 0x61 + value : 0x30 + value - 26) }
}
