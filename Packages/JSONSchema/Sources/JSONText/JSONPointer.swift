/// A path into a JSON value (RFC 6901): `/0/items/3/title`.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
  /// One step: a member name or an element index.
  public enum Step: Hashable, Sendable {
    case member(String)
    case element(Int)
  }

  /// The steps from the outermost value inwards; empty means the value itself.
  public var steps: [Step]

  /// Creates a pointer from steps.
  public init(_ steps: [Step] = []) { self.steps = steps }

  /// Parses the text form. Returns nil if the text is not empty and does not start with `/`. Digits become an element
  /// step.
  public init?(_ text: String) {
    guard text.isEmpty || text.hasPrefix("/") else { return nil }
    steps = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { part in
      if let index = Int(part), String(index) == part { return .element(index) }
      return .member(String(part).replacing("~1", with: "/").replacing("~0", with: "~"))
    }
  }

  /// The text form, in which `~` and `/` in names are written as `~0` and `~1`.
  public var description: String {
    var text = ""
    for step in steps {
      text += "/"
      switch step {
      case .member(let name): text += Self.escaped(name)
      case .element(let index): text += String(index)
      }
    }
    return text
  }

  /// Returns a name with `~` and `/` escaped. Few names need escapes, and checking bytes takes a hundredth of the time
  /// of a string search.
  private static func escaped(_ name: String) -> String {
    guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return name }
    var text = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Returns this pointer with one more step.
  public func appending(_ step: Step) -> JSONPointer { JSONPointer(steps + [step]) }

  /// Returns this pointer without its first `count` steps.
  public func dropping(_ count: Int) -> JSONPointer { JSONPointer(Array(steps.dropFirst(count))) }
}

extension JSONNode {
  /// Returns the value that `pointer` finds from this value, or nil if there is no such value. If a name occurs twice,
  /// the last member is used.
  package func value(at pointer: JSONPointer) -> JSONNode? {
    var node = self
    for step in pointer.steps {
      var found: JSONNode?
      switch step {
      case .member(let wanted):
        let bytes = Array(wanted.utf8)
        node.forEachMember { name, value in
          if name.equals(bytes) { found = value }
        }
      case .element(let wanted):
        if node.kind == .object {
          let bytes = Array(String(wanted).utf8)
          node.forEachMember { name, value in
            if name.equals(bytes) { found = value }
          }
        } else {
          var position = 0
          node.forEachElement { element in
            if position == wanted { found = element }
            position += 1
          }
        }
      }
      guard let found else { return nil }
      node = found
    }
    return node
  }
}

/// A part of a value.
public enum ValuePart: Sendable, Hashable {
  /// The whole value.
  case value
  /// The name of the member that has the value.
  case name
  /// A range of bytes in a string's text with escapes resolved.
  case text(Range<Int>)
}
