import Foundation

/// One element of a scripted merge: the whole content, a section, a step, or a card.
struct MergeElement {
  /// The kind of the element.
  enum Kind: Equatable {
    case checklist, guide, deck, section, step
  }

  var kind: Kind
  /// The short id; `record` for the whole content.
  var id: String
  var title: String
  var isRequired = false
  var isOptional = false
  var minutes: Int?
  var tags: [String] = []
  /// The joined lines after `|`; nil if there are none.
  var text: String?
  /// Members that have no sign in the notation, as a name or dotted path and a JSON value.
  var members: [(path: [String], json: String)] = []
  var children: [MergeElement] = []
  /// Whether the element is a card.
  var isOfDeck = false
}

/// A syntax error in a scenario.
struct NotationError: Error, CustomStringConvertible {
  let description: String
  init(_ text: String) { description = text }
}

/// A parser for the whole content of a checklist, guide or deck.
enum MergeNotation {
  /// Whether a line begins a whole checklist, guide or deck.
  static func begins(_ line: String) -> Bool {
    line.hasPrefix("checklist ") || line.hasPrefix("guide ") || line.hasPrefix("deck ")
  }

  static func parse(_ lines: [String]) throws -> MergeElement {
    guard let first = lines.first, begins(first) else { throw NotationError("no checklist, guide or deck") }
    let word = String(first.prefix { $0 != " " })
    let kind: MergeElement.Kind = word == "checklist" ? .checklist : word == "guide" ? .guide : .deck
    var root = head(kind, id: "record", first.dropFirst(word.count + 1))
    // The element to which lines after `|` and `.` belong.
    var path: [Int] = []
    func change(_ edit: (inout MergeElement) -> Void) {
      switch path.count {
      case 0: edit(&root)
      case 1: edit(&root.children[path[0]])
      default: edit(&root.children[path[0]].children[path[1]])
      }
    }
    for line in lines.dropFirst() {
      let body = line.drop { $0 == " " }
      if body.hasPrefix("|") {
        var text = String(body.dropFirst())
        if text.hasPrefix(" ") { text.removeFirst() }
        text = text.replacingOccurrences(of: "␍", with: "\r")
        change { $0.text = $0.text.map { $0 + "\n" + text } ?? text }
      } else if body.hasPrefix(".") {
        let (name, json) = try cut(String(body.dropFirst()), at: " = ")
        change { $0.members.append((name.split(separator: ".").map(String.init), json)) }
      } else if body.hasPrefix("- ") {
        let (id, rest) = try cut(String(body.dropFirst(2)), at: ": ")
        let step = head(.step, id: id, rest[...])
        if kind == .deck {
          root.children.append(step)
          path = [root.children.count - 1]
        } else {
          guard !root.children.isEmpty else { throw NotationError("a step without a section: \(line)") }
          root.children[root.children.count - 1].children.append(step)
          path = [root.children.count - 1, root.children[root.children.count - 1].children.count - 1]
        }
      } else {
        let (id, rest) = try cut(String(body), at: ": ")
        root.children.append(head(.section, id: id, rest[...]))
        path = [root.children.count - 1]
      }
    }
    return root
  }

  /// Parses a title with its signs, such as `Seacocks open ! ? 3m #hull`.
  static func head(_ kind: MergeElement.Kind, id: String, _ text: Substring) -> MergeElement {
    var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    var element = MergeElement(kind: kind, id: id, title: "")
    while words.count > 1, let last = words.last {
      if last.hasPrefix("#"), last.count > 1 {
        element.tags.insert(String(last.dropFirst()), at: 0)
      } else if last == "!" {
        element.isRequired = true
      } else if last == "?" {
        element.isOptional = true
      } else if last.hasSuffix("m"), let minutes = Int(last.dropLast()) {
        element.minutes = minutes
      } else {
        break
      }
      words.removeLast()
    }
    element.title = words.joined(separator: " ")
    return element
  }

  static func cut(_ text: String, at separator: String) throws -> (String, String) {
    guard let range = text.range(of: separator) else { throw NotationError("'\(separator)' is missing in: \(text)") }
    return (String(text[..<range.lowerBound]), String(text[range.upperBound...]))
  }
}
