import JSONText
import Validation

/// The edits of one record. Selects the edits that can be made together, and computes the changes to the record's text.
struct RecordEdits {
  private let document: JSONDocument
  private var children = ChildIndex()
  /// The values that are changed or removed, by token.
  private var targets: Set<Int> = []
  /// The values that contain a changed value, by token.
  private var touched: Set<Int> = []
  private var replacements: [TextEdit] = []
  /// The containers from which values are removed, with those values, by token.
  private var removals: [Int: Set<Int>] = [:]

  init(_ document: JSONDocument) { self.document = document }

  /// Plans an edit in addition to the earlier ones.
  /// - Returns: The reason why the edit is not made, in a few words; nil if it is made.
  mutating func take(_ fix: Fix) -> String? {
    let path: [JSONValue]
    do {
      path = try self.path(to: fix.pointer)
    } catch {
      return error.reason
    }
    guard let value = path.last else { return "left: the value is missing" }
    if let before = fix.before, (try? JSONDocument(parsing: before))?.root.means(value) != true {
      return "left: the value is not the one that was checked"
    }
    let token = value.tokenIndex
    if touched.contains(token) || path.contains(where: { targets.contains($0.tokenIndex) }) {
      return "left for the next round: another fix changes the same value"
    }
    switch fix.edit {
    case .text(let text):
      guard let old = value.string else { return "left: the value is not a string" }
      // The strings are compared as bytes, so that two encodings of an accented letter count as different.
      if old.utf8.elementsEqual(text.utf8) { return "left: the value is already correct" }
      var spelled = ByteBuffer(capacity: text.utf8.count + 2)
      spelled.appendJSONString(text)
      replacements.append(TextEdit(range: value.span, text: Array(spelled.bytes)))
    case .json(let json):
      guard let new = try? JSONDocument(parsing: json) else { return "left: the new value is not JSON" }
      if new.root.text == value.text { return "left: the value is already correct" }
      // Line ends can only occur between values. In a file with one record per line, they would end the record.
      let text = new.root.text.utf8.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
      replacements.append(TextEdit(range: value.span, text: text))
    case .remove:
      guard path.count > 1 else { return "left: whole records must be removed by hand" }
      removals[path[path.count - 2].tokenIndex, default: []].insert(token)
    }
    targets.insert(token)
    for outer in path.dropLast() { touched.insert(outer.tokenIndex) }
    return nil
  }

  /// Returns the edits in text order; nil if they overlap, which should never happen.
  func edits() -> [TextEdit]? {
    var all = replacements
    for (container, removed) in removals { all += removing(removed, from: container) }
    all.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
    for (edit, next) in zip(all, all.dropFirst()) where edit.range.upperBound > next.range.lowerBound { return nil }
    return all
  }

  /// Whether the record is still JSON after the edits.
  func isSound(_ edits: [TextEdit]) -> Bool {
    document.withNode(document.root.tokenIndex) { root in
      let raw = root.raw
      let start = root.span.lowerBound
      var text: [UInt8] = []
      var at = 0
      for edit in edits {
        text += raw[at..<edit.range.lowerBound - start]
        text += edit.text
        at = edit.range.upperBound - start
      }
      text += raw[at...]
      return (try? JSONDocument(parsing: text)) != nil
    }
  }

  // MARK: Removing

  /// Returns the edits that remove elements or members. An edit includes a comma and the white space up to the next
  /// value, or up to the previous value if the last one is removed. So a value on its own line is removed with its
  /// line.
  private func removing(_ removed: Set<Int>, from container: Int) -> [TextEdit] {
    document.withNode(container) { node in
      var pieces: [(span: Range<Int>, isRemoved: Bool)] = []
      node.forEachElement { pieces.append(($0.span, removed.contains($0.index))) }
      node.forEachMember { name, value in
        pieces.append((name.span.lowerBound..<value.span.upperBound, removed.contains(value.index)))
      }
      let inside = node.span.lowerBound + 1..<node.span.upperBound - 1
      guard pieces.contains(where: { !$0.isRemoved }) else { return [TextEdit(range: inside, text: [])] }
      var edits: [TextEdit] = []
      var index = 0
      while index < pieces.count {
        guard pieces[index].isRemoved else {
          index += 1
          continue
        }
        let first = index
        while index < pieces.count, pieces[index].isRemoved { index += 1 }
        let range =
          index < pieces.count
          ? pieces[first].span.lowerBound..<pieces[index].span.lowerBound
          : pieces[first - 1].span.upperBound..<pieces[index - 1].span.upperBound
        edits.append(TextEdit(range: range, text: []))
      }
      return edits
    }
  }

  // MARK: Finding

  private struct Missing: Error {
    let reason: String
  }

  /// Returns the values from the outermost one down to the one at `pointer`.
  private mutating func path(to pointer: JSONPointer) throws(Missing) -> [JSONValue] {
    var path = [document.root]
    for step in pointer.steps {
      guard let value = path.last else { break }
      var name: String?
      switch step {
      case .member(let member): name = member
      case .element(let index): name = value.kind == .object ? String(index) : nil
      }
      var next: JSONValue?
      if let name {
        let same = value.members.filter { $0.name.utf8.elementsEqual(name.utf8) }
        if same.count > 1 { throw Missing(reason: "left: the member '\(name)' occurs twice") }
        next = same.first?.value
      } else if case .element(let index) = step {
        next = children.element(index, of: value)
      }
      guard let next else { throw Missing(reason: "left: the source has no value at '\(pointer)'") }
      path.append(next)
    }
    return path
  }
}
