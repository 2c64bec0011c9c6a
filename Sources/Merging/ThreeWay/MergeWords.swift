import JSONText

/// The words that conflicts use.
package enum MergeWords {
  /// Members whose names say little to people.
  private static let names: [String: String] = [
    "itemDescription": "description", "content_data": "document", "content_type": "kind of content",
    "isOptional": "optional", "isRequired": "required", "estimatedMinutes": "minutes",
    "isExpandedByDefault": "expanded", "sections": "sections", "markdown": "text", "item_states": "ticks",
    "checkedAt": "time of the tick", "checklistType": "kind of checklist", "is_pinned": "pinned",
  ]

  /// A member as people call it: `boat name`.
  package static func member(_ name: String) -> String {
    if let known = names[name] { return known }
    var words = ""
    var wasSmall = false
    for scalar in name.unicodeScalars.prefix(60) {
      if scalar == "_" {
        words += " "
      } else if scalar.properties.isUppercase, wasSmall {
        words += " " + scalar.properties.lowercaseMapping
      } else {
        words.unicodeScalars.append(scalar)
      }
      wasSmall = scalar.properties.isLowercase
    }
    return words
  }

  /// `step "Check oil"`; long titles are cut.
  package static func quoted(_ noun: String, _ title: JSONNode?) -> String {
    quoted(noun, title: title?.string)
  }

  /// The same with a title that is known.
  static func quoted(_ noun: String, title: String?) -> String {
    guard let title, !title.isEmpty else { return noun + " without a title" }
    let scalars = title.unicodeScalars
    guard scalars.count > 60 else { return "\(noun) \"\(title)\"" }
    return "\(noun) \"\(String(String.UnicodeScalarView(scalars.prefix(59))))…\""
  }

  /// `lines 3–5 and 9`; nothing more than three stretches.
  static func lines(_ ranges: [Range<Int>]) -> String {
    let parts = ranges.prefix(3).map { range in
      range.count > 1 ? "\(range.lowerBound + 1)–\(range.upperBound)" : "\(range.lowerBound + 1)"
    }
    let isOne = ranges.count == 1 && ranges[0].count <= 1
    let last = parts.last ?? ""
    let list = parts.count > 1 ? parts.dropLast().joined(separator: ", ") + " and " + last : last
    return (isOne ? "line " : "lines ") + list + (ranges.count > 3 ? ", and more" : "")
  }
}
