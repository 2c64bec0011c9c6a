import FleetKitCore

/// Finds the members in which two records differ.
enum FieldComparison {
  /// Paths and values that differ by meaning; null and a member that is not there are the same. How the note is typed
  /// and where it lies, which `extras.markdown` keeps, is no content.
  static func compare(_ left: [UInt8], _ right: [UInt8]) -> [(pointer: String, left: String?, right: String?)] {
    guard let first = try? JSONDocument(parsing: left), let second = try? JSONDocument(parsing: right) else {
      return [("", String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))]
    }
    var found: [(pointer: String, left: String?, right: String?)] = []
    compare(first.root, second.root, JSONPointer(), &found)
    return found
  }

  /// How a note was typed, and which of its times are those of its file, is nothing that an item says.
  private static let typing = ["/extras/markdown", "/extras/provenance"]

  private static func compare(
    _ left: JSONValue?, _ right: JSONValue?, _ path: JSONPointer,
    _ found: inout [(pointer: String, left: String?, right: String?)]
  ) {
    if path.steps.count == 2, typing.contains(path.description) { return }
    let left = left.flatMap { $0.isNull ? nil : $0 }
    let right = right.flatMap { $0.isNull ? nil : $0 }
    guard let left, let right else {
      if let only = left ?? right {
        if path.description == "/extras", only.kind == .object {
          for (name, value) in only.members {
            compare(left == nil ? nil : value, right == nil ? nil : value, path.appending(.member(name)), &found)
          }
          return
        }
        found.append((path.description, left == nil ? nil : only.text, right == nil ? nil : only.text))
      }
      return
    }
    switch (left.kind, right.kind) {
    case (.object, .object):
      let theirs = right.members
      var seen = Set<String>()
      for (name, value) in left.members {
        seen.insert(name)
        let other = theirs.first { $0.name == name }?.value
        compare(value, other, path.appending(.member(name)), &found)
      }
      for (name, value) in theirs where !seen.contains(name) {
        compare(nil, value, path.appending(.member(name)), &found)
      }
    case (.array, .array):
      let mine = left.elements
      let theirs = right.elements
      for index in 0..<max(mine.count, theirs.count) {
        compare(
          index < mine.count ? mine[index] : nil, index < theirs.count ? theirs[index] : nil,
          path.appending(.element(index)), &found)
      }
    default:
      if !left.means(right) { found.append((path.description, left.text, right.text)) }
    }
  }
}
