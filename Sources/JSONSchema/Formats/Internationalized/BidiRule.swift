/// The rule for labels that are written from right to left.
/// - Source: RFC 5893, section 2.
enum BidiRule {
  private static let table = UnicodeRanges.entries(of: BidiTable.text)

  private static func bidiClass(_ scalar: Unicode.Scalar) -> Substring {
    table.first { UnicodeRanges.contains($0.ranges, scalar.value) }?.names.first ?? "L"
  }

  /// Returns whether all labels obey the rule, which applies if at least one label has a letter or number of a
  /// right-to-left script.
  static func holds(_ labels: [[Unicode.Scalar]]) -> Bool {
    let classes = labels.map { $0.map(bidiClass) }
    guard classes.contains(where: { $0.contains { ["R", "AL", "AN"].contains($0) } }) else { return true }
    return classes.allSatisfy(holds)
  }

  private static func holds(_ label: [Substring]) -> Bool {
    guard let first = label.first, let last = label.last(where: { $0 != "NSM" }) else { return false }
    switch first {
    case "R", "AL":
      return label.allSatisfy { ["R", "AL", "AN", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"].contains($0) }
        && ["R", "AL", "EN", "AN"].contains(last) && !(label.contains("EN") && label.contains("AN"))
    case "L":
      return label.allSatisfy { ["L", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"].contains($0) }
        && ["L", "EN"].contains(last)
    default: return false
    }
  }
}
