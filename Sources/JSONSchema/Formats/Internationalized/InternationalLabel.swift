import Foundation

/// Checks a host name label with characters beyond ASCII.
/// - Source: RFC 5891, section 4.2; RFC 5892, appendix A.
enum InternationalLabel {
  /// Returns whether a label may be registered. The bidi rule, which applies to all labels together, is not checked.
  static func isValid(_ label: [Unicode.Scalar]) -> Bool {
    // The ASCII form is never shorter than the label.
    guard label.count <= 63, let first = label.first, let last = label.last, first != "-", last != "-" else {
      return false
    }
    if label.count >= 4, label[2] == "-", label[3] == "-" { return false }
    // A label without other characters would be written in ASCII.
    guard label.contains(where: { !$0.isASCII }) else { return false }
    switch first.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return false
    default: break
    }
    for (index, scalar) in label.enumerated() {
      switch LabelScalar(scalar) {
      case .valid: break
      case .disallowed: return false
      case .contextual: if !fitsContext(index, in: label) { return false }
      }
    }
    return isComposed(label)
  }

  /// Returns the form in which programs look up a label that a person wrote, which is in lower case and composed (RFC
  /// 5895, section 2).
  ///
  /// A label that exceeds the length limit is left unchanged, because composing it could take time quadratic in its
  /// length.
  static func mapped(_ label: Substring) -> Substring {
    label.utf8.count > 63 * 4 ? label : Substring(label.lowercased().precomposedStringWithCanonicalMapping)
  }

  /// Returns whether a label is in normalization form C.
  private static func isComposed(_ label: [Unicode.Scalar]) -> Bool {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: label)
    return String(text).precomposedStringWithCanonicalMapping.unicodeScalars.elementsEqual(label)
  }

  private static func fitsContext(_ index: Int, in label: [Unicode.Scalar]) -> Bool {
    let before = index > 0 ? label[index - 1] : nil
    let after = index + 1 < label.count ? label[index + 1] : nil
    switch label[index].value {
    case 0xB7: return before == "l" && after == "l"
    case 0x375: return after.map { isOf("Greek", $0) } ?? false
    case 0x5F3, 0x5F4: return before.map { isOf("Hebrew", $0) } ?? false
    case 0x30FB: return label.contains { isOf("Hiragana", $0) || isOf("Katakana", $0) || isOf("Han", $0) }
    case 0x660...0x669: return !label.contains { 0x6F0...0x6F9 ~= $0.value }
    case 0x6F0...0x6F9: return !label.contains { 0x660...0x669 ~= $0.value }
    case 0x200C: return isVirama(before) || JoiningType.joins(label, around: index)
    case 0x200D: return isVirama(before)
    default: return false
    }
  }

  private static func isVirama(_ scalar: Unicode.Scalar?) -> Bool {
    scalar?.properties.canonicalCombiningClass == .virama
  }

  private static func isOf(_ script: Substring, _ scalar: Unicode.Scalar) -> Bool {
    Scripts.ranges(of: script).map { UnicodeRanges.contains($0, scalar.value) } ?? false
  }
}

/// The joining types of letters in cursive scripts.
private enum JoiningType {
  private static let table = UnicodeRanges.entries(of: JoiningTable.text)

  private static func type(of scalar: Unicode.Scalar) -> Substring {
    table.first { UnicodeRanges.contains($0.ranges, scalar.value) }?.names.first ?? "U"
  }

  /// Returns whether letters would join across the character at `index`, ignoring marks.
  fileprivate static func joins(_ label: [Unicode.Scalar], around index: Int) -> Bool {
    let before = label[..<index].reversed().map(type).first { $0 != "T" }
    let after = label[(index + 1)...].map(type).first { $0 != "T" }
    return (before == "L" || before == "D") && (after == "R" || after == "D")
  }
}
