/// The fields of `bag-info.txt`: labels and values in the order of the file. Labels may repeat.
public struct BagInfo: Sendable, Hashable {
  /// The labels and values.
  public var fields: [(label: String, value: String)]

  /// Creates the fields of a bag.
  public init(_ fields: [(label: String, value: String)] = []) { self.fields = fields }

  /// The first value of a label, ignoring case.
  public subscript(label: String) -> String? {
    fields.first { $0.label.lowercased() == label.lowercased() }?.value
  }

  /// Returns whether both have the same fields in the same order.
  public static func == (left: Self, right: Self) -> Bool {
    left.fields.elementsEqual(right.fields) { $0.label == $1.label && $0.value == $1.value }
  }

  /// Hashes the labels and values.
  public func hash(into hasher: inout Hasher) {
    for field in fields {
      hasher.combine(field.label)
      hasher.combine(field.value)
    }
  }
}

extension BagInfo {
  /// The text of `bag-info.txt`. Line ends in values become spaces, and long values are not wrapped.
  var text: String {
    var text = ""
    for field in fields {
      let value = field.value.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : String($0) }
      text += "\(field.label): \(value.joined())\n"
    }
    return text
  }
}
