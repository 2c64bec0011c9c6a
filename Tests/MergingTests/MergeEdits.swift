import Foundation

/// The edits in scripted merges.
extension MergeElement {
  /// Makes the edit that one line describes. `text` contains the lines after `|` that follow.
  mutating func apply(_ line: String) throws {
    let words = line.split(separator: " ").map(String.init)
    guard words.count > 1 else { throw NotationError("no edit: \(line)") }
    if words[0] == "remove" {
      guard take(words[1]) != nil else { throw NotationError("nothing to remove: \(line)") }
    } else if words[0] == "move" {
      guard let element = take(words[1]) else { throw NotationError("nothing to move: \(line)") }
      try place(element, words.dropFirst(2).joined(separator: " "))
    } else if let plus = line.range(of: " + ") {
      var rest = String(line[plus.upperBound...])
      var kind = Kind.step
      if rest.hasPrefix("section ") {
        kind = .section
        rest = String(rest.dropFirst("section ".count))
      }
      let (id, title) = try MergeNotation.cut(rest, at: ": ")
      try place(MergeNotation.head(kind, id: id, title[...]), String(line[..<plus.lowerBound]))
    } else if words[1].hasSuffix(":") {
      let (_, change) = try MergeNotation.cut(line, at: ": ")
      let (old, new) = try MergeNotation.cut(change, at: " -> ")
      try replace(words[0], String(words[1].dropLast()), try Self.text(old), try Self.text(new))
    } else {
      guard let sign = line.range(of: " =") else { throw NotationError("no edit: \(line)") }
      var value = String(line[sign.upperBound...])
      if value.hasPrefix(" ") { value.removeFirst() }
      guard try change(words[0], { try $0.set(words[1], value) }) else { throw NotationError("nobody: \(line)") }
    }
  }

  private static func text(_ json: String) throws -> String {
    guard json.hasPrefix("\"") else { return json }
    return try JSONDecoder().decode(String.self, from: Data(json.utf8))
  }

  private mutating func replace(_ id: String, _ field: String, _ old: String, _ new: String) throws {
    let isFound = try change(id) { element in
      let whole = field == "title" || field == "front" ? element.title : element.text ?? ""
      guard whole.ranges(of: old).count == 1, let range = whole.range(of: old, options: .literal) else {
        throw NotationError("not there once in \(id) \(field): \(old)")
      }
      let changed = whole.replacingCharacters(in: range, with: new)
      if field == "title" || field == "front" { element.title = changed } else { element.text = changed }
    }
    guard isFound else { throw NotationError("nobody is called \(id)") }
  }

  private mutating func set(_ field: String, _ value: String) throws {
    switch field {
    case "title", "front": title = try Self.text(value)
    case "description", "body", "back": text = value == "none" ? nil : try Self.text(value)
    case "minutes":
      minutes = Int(value)
      members.removeAll { $0.path == ["estimatedMinutes"] }
      if value == "null" { members.append((["estimatedMinutes"], "null")) }
    case "required": isRequired = value == "yes"
    case "optional": isOptional = value == "yes"
    case "tags": tags = value.split(separator: " ").map { String($0.dropFirst()) }
    case "type": setMember(["content_data", "checklistType"], "\"\(value)\"")
    case "icon", "language", "hint", "source":
      setMember([field], value == "none" ? nil : "\"\(value)\"")
    default:
      guard field.hasPrefix(".") else { throw NotationError("no field: \(field)") }
      setMember(field.split(separator: ".").map(String.init), value == "none" ? nil : value)
    }
  }

  private mutating func setMember(_ path: [String], _ json: String?) {
    members.removeAll { $0.path == path }
    if let json { members.append((path, json)) }
  }

  // MARK: Positions

  private mutating func change(_ id: String, _ edit: (inout MergeElement) throws -> Void) rethrows -> Bool {
    if self.id == id {
      try edit(&self)
      return true
    }
    for index in children.indices where try children[index].change(id, edit) { return true }
    return false
  }

  private mutating func take(_ id: String) -> MergeElement? {
    if let index = children.firstIndex(where: { $0.id == id }) { return children.remove(at: index) }
    for index in children.indices {
      if let found = children[index].take(id) { return found }
    }
    return nil
  }

  /// Inserts an element at `after id`, `before id`, `first in section`, `last in section`, `first` or `last`.
  private mutating func place(_ element: MergeElement, _ place: String) throws {
    let words = place.split(separator: " ").map(String.init)
    switch (words.first, words.count) {
    case ("first", 1): children.insert(element, at: 0)
    case ("last", 1): children.append(element)
    case ("first", 3), ("last", 3):
      let isFound = change(words[2]) { section in
        section.children.insert(element, at: words[0] == "first" ? 0 : section.children.count)
      }
      guard isFound else { throw NotationError("no section: \(place)") }
    case ("after", 2), ("before", 2):
      guard insert(element, beside: words[1], offset: words[0] == "after" ? 1 : 0) else {
        throw NotationError("nobody is there: \(place)")
      }
    default: throw NotationError("no place: \(place)")
    }
  }

  private mutating func insert(_ element: MergeElement, beside id: String, offset: Int) -> Bool {
    if let index = children.firstIndex(where: { $0.id == id }) {
      children.insert(element, at: index + offset)
      return true
    }
    for index in children.indices where children[index].insert(element, beside: id, offset: offset) { return true }
    return false
  }
}
