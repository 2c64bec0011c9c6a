import Diagnostics
import JSONText

/// A value of a record as lines for people: sections, steps and cards by their titles, JSON only for what is none.
enum ConflictValue {
  /// Values deeper inside are JSON; those of records are not.
  private static let deepest = 6

  /// The lines of an object, a list or a plain value.
  static func lines(_ value: JSONValue) -> [String] {
    var lines: [String] = []
    switch value.kind {
    case .array: add(list: value, 0, to: &lines)
    case .object: add(members: value, isPart: false, 0, to: &lines)
    default: lines.append(TerminalText.escape(value.text))
    }
    return lines.isEmpty ? [TerminalText.escape(value.text)] : lines
  }

  /// One line for each element: its title, and below it what else it says.
  private static func add(list: JSONValue, _ depth: Int, to lines: inout [String]) {
    let indent = String(repeating: "  ", count: depth)
    for element in list.elements {
      if depth < deepest, let name = name(of: element) {
        lines.append("\(indent)- \(TerminalText.escape(name))")
        add(members: element, isPart: true, depth + 1, to: &lines)
      } else {
        lines.append(indent + TerminalText.escape(element.string ?? element.text))
      }
    }
  }

  /// - Parameter isPart: whether the object's title stands above already, and its id says nothing.
  private static func add(members value: JSONValue, isPart: Bool, _ depth: Int, to lines: inout [String]) {
    let indent = String(repeating: "  ", count: depth)
    for (name, member) in value.members where !isPart || !["id", "title", "front"].contains(where: name.isSame) {
      let head = indent + TerminalText.escape(name) + ":"
      if depth < deepest, member.kind == .object, !member.members.isEmpty {
        lines.append(head)
        add(members: member, isPart: false, depth + 1, to: &lines)
      } else if depth < deepest, member.elements.contains(where: { self.name(of: $0) != nil }) {
        lines.append(head)
        add(list: member, depth + 1, to: &lines)
      } else {
        lines.append("\(head) \(TerminalText.escape(member.text))")
      }
    }
  }

  /// What people call a section, a step or a card; nil for all else.
  private static func name(of value: JSONValue) -> String? {
    guard value.kind == .object else { return nil }
    if let front = value["front"] { return MergeWords.quoted("card", title: front.string) }
    guard let title = value["title"] else { return nil }
    return MergeWords.quoted(value["items"] == nil ? "step" : "section", title: title.string)
  }
}

extension String {
  fileprivate func isSame(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
