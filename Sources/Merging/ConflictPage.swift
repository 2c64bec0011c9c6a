import Content
import Diagnostics
import Interchange
import JSONText

/// Shows the conflicts of an import or a pull as a Markdown page in the folder of rejected records.
///
/// The page is created at the first conflict. It gets its name when the run succeeds.
final class ConflictPage {
  private let name: String
  private let folder: OpenFolder
  private let words: ConflictLabels
  private var file: AtomicFile?
  private var sink: ByteSink?
  /// The path of the page; nil if there was no conflict or the run failed.
  private(set) var path: String?

  init(_ name: String, in folder: OpenFolder, _ words: ConflictLabels) {
    self.name = name
    self.folder = folder
    self.words = words
  }

  /// Adds a record and its conflicts.
  func add(_ record: MergedRecord, _ conflicts: [MergeConflict]) throws {
    if sink == nil {
      let file = try AtomicFile(name, in: folder, overwrites: true)
      self.file = file
      sink = ByteSink(descriptor: file.descriptor, name: file.target)
      try sink?.write("# Conflicts\n\n\(words.introduction)\n")
    }
    try sink?.write(ConflictRenderer.section(record, conflicts, words))
  }

  /// Gives the page its name.
  func publish() throws {
    guard let file else { return }
    try sink?.flush()
    try file.publish()
    path = file.target
  }

  /// Removes the page unless it was published.
  func discard() {
    file?.discard()
    if path == nil { file = nil }
  }
}

/// Renders conflicts for people, with the version of the last import, the library's version and the source's version.
public enum ConflictRenderer {
  /// Renders a record and its conflicts as a section of a Markdown page.
  static func section(_ record: MergedRecord, _ conflicts: [MergeConflict], _ words: ConflictLabels) -> String {
    var text = "\n## \(line(record.title))\n\n\(record.kind) `\(line(record.id))`, from `\(line(record.place))`\n"
    let commands = words.commands(record.id).map(line)
    if !commands.isEmpty { text += "\n```sh\n" + commands.map { $0 + "\n" }.joined() + "```\n" }
    for conflict in conflicts {
      text += "\n### \(line(conflict.label))\n\n"
      let body = lines(conflict, words)
      let fence = fence(around: body)
      text += "\(fence)diff\n" + body.map { $0 + "\n" }.joined() + "\(fence)\n"
    }
    return text
  }

  /// Renders a conflict as lines: a diff from the base to each side, so that the edits are visible.
  ///
  /// Characters that a terminal or an editor would act on are escaped.
  public static func lines(_ conflict: MergeConflict, _ words: ConflictLabels = .ofImport) -> [String] {
    let ours = texts(conflict.ours)
    let theirs = texts(conflict.theirs)
    guard let base = conflict.base else {
      return ["--- \(words.library)", "+++ \(words.source)"] + diff(ours, theirs)
    }
    let old = texts(base)
    return ["--- \(words.base)", "+++ \(words.library)"] + diff(old, ours)
      + ["--- \(words.base)", "+++ \(words.source)"] + diff(old, theirs)
  }

  /// The maximum number of lines that are compared one by one.
  private static let mostLines = 2_000
  /// The maximum length of a line in characters. Longer lines are cut.
  private static let longestLine = 1_000
  /// The number of lines shown around a change.
  private static let context = 2

  /// Returns the lines of a value: a string's own lines, otherwise the lines of the value's JSON.
  private static func texts(_ json: String?) -> [String] {
    guard let json else { return [] }
    guard let value = try? JSONDocument(parsing: json).root else { return [json] }
    if let text = value.string {
      return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line(String($0)) }
    }
    return ConflictValue.lines(value)
  }

  private static func line(_ text: String) -> String { TerminalEscaping.escape(text) }

  /// Returns the displayed form of a line. Very long lines are cut at their end.
  ///
  /// Whole lines are compared, so two lines may differ although their displayed forms are equal.
  private static func capped(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard text.utf8.count > longestLine, scalars.count > longestLine else { return text }
    let beginning = String(String.UnicodeScalarView(scalars.prefix(longestLine)))
    return "\(beginning)… (\(scalars.count) characters)"
  }

  /// Returns a unified diff without its header.
  private static func diff(_ old: [String], _ new: [String]) -> [String] {
    guard old.count + new.count <= mostLines else {
      return old.map { "-" + capped($0) } + new.map { "+" + capped($0) }
    }
    let mine = old.map { Array($0.utf8) }
    let theirs = new.map { Array($0.utf8) }
    let change = theirs.difference(from: mine)
    let removed = Set(change.removals.map(offset))
    let inserted = Set(change.insertions.map(offset))
    var marked: [(mark: String, text: String)] = []
    var (left, right) = (0, 0)
    while left < old.count || right < new.count {
      if left < old.count, removed.contains(left) {
        marked.append(("-", old[left]))
        left += 1
      } else if right < new.count, inserted.contains(right) {
        marked.append(("+", new[right]))
        right += 1
      } else {
        guard left < old.count, right < new.count else { break }
        marked.append((" ", old[left]))
        left += 1
        right += 1
      }
    }
    let changed = marked.indices.filter { marked[$0].mark != " " }
    if changed.isEmpty { return marked.isEmpty ? [] : [" (unchanged)"] }
    var shown: [String] = []
    var last = -1
    var next = 0
    for index in marked.indices {
      while next < changed.count, changed[next] < index - context { next += 1 }
      guard next < changed.count, abs(changed[next] - index) <= context else { continue }
      if index != last + 1 || shown.isEmpty, index > 0 { shown.append("@@ line \(index + 1) @@") }
      last = index
      shown.append(marked[index].mark + capped(marked[index].text))
    }
    return shown
  }

  private static func offset(_ change: CollectionDifference<[UInt8]>.Change) -> Int {
    switch change {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }

  /// Returns a fence that is longer than any fence in the text.
  private static func fence(around lines: [String]) -> String {
    var longest = 2
    for line in lines {
      var run = 0
      for byte in line.utf8 {
        run = byte == UInt8(ascii: "`") ? run + 1 : 0
        longest = max(longest, run)
      }
    }
    return String(repeating: "`", count: longest + 1)
  }
}

/// Renders a value of a record as lines for people: sections, steps and cards by their titles, and JSON only for other
/// values.
enum ConflictValue {
  /// The maximum nesting depth. Deeper values, which records do not have, are shown as JSON.
  private static let deepest = 6

  /// Returns the lines of an object, a list or a plain value.
  static func lines(_ value: JSONValue) -> [String] {
    var lines: [String] = []
    switch value.kind {
    case .array: add(list: value, 0, to: &lines)
    case .object: add(members: value, isPart: false, 0, to: &lines)
    default: lines.append(TerminalEscaping.escape(value.text))
    }
    return lines.isEmpty ? [TerminalEscaping.escape(value.text)] : lines
  }

  /// Adds one line for each element: its title, and below that its other members.
  private static func add(list: JSONValue, _ depth: Int, to lines: inout [String]) {
    let indent = String(repeating: "  ", count: depth)
    for element in list.elements {
      if depth < deepest, let name = name(of: element) {
        lines.append("\(indent)- \(TerminalEscaping.escape(name))")
        add(members: element, isPart: true, depth + 1, to: &lines)
      } else {
        lines.append(indent + TerminalEscaping.escape(element.string ?? element.text))
      }
    }
  }

  /// - Parameter isPart: whether the object's title is already shown above, so that its id is not needed.
  private static func add(members value: JSONValue, isPart: Bool, _ depth: Int, to lines: inout [String]) {
    let indent = String(repeating: "  ", count: depth)
    for (name, member) in value.members where !isPart || !["id", "title", "front"].contains(where: name.isSame) {
      let head = indent + TerminalEscaping.escape(name) + ":"
      if depth < deepest, member.kind == .object, !member.members.isEmpty {
        lines.append(head)
        add(members: member, isPart: false, depth + 1, to: &lines)
      } else if depth < deepest, member.elements.contains(where: { self.name(of: $0) != nil }) {
        lines.append(head)
        add(list: member, depth + 1, to: &lines)
      } else {
        lines.append("\(head) \(TerminalEscaping.escape(member.text))")
      }
    }
  }

  /// Returns the title of a section, a step or a card; nil for other values.
  private static func name(of value: JSONValue) -> String? {
    guard value.kind == .object else { return nil }
    if let front = value["front"] { return ConflictTerms.quoted("card", title: front.string) }
    guard let title = value["title"] else { return nil }
    return ConflictTerms.quoted(value["items"] == nil ? "step" : "section", title: title.string)
  }
}

extension String {
  fileprivate func isSame(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// The words for the two sides of a conflict, and for how to resolve a conflict.
public struct ConflictLabels: Sendable {
  /// The name of the current version.
  public let library: String
  /// The name of the new version.
  public let source: String
  /// The name of the base.
  public let base: String
  /// The end of a conflict's label if one side deleted the value: one for each side.
  private let deleted: (library: String, source: String)
  /// The words for both sides at the beginning of a sentence.
  private let both: (changed: String, have: String)
  /// The words after the name of the conflict.
  private let since: String
  /// The introduction of the conflict page.
  let introduction: String
  /// Returns commands that resolve the conflicts of an item, by its id; nil if the introduction is sufficient.
  private let commands: (@Sendable (String) -> [String])?

  /// The words of an import.
  public static let ofImport = ConflictLabels(
    library: "library", source: "source", base: "last import", deleted: ("in the library", "in the source"),
    both: ("both sides changed", "both sides have"), since: " since the last import",
    introduction: """
      Both sides changed these values. The library keeps its version; the rejects file has the source's. Resolve
      the conflicts in the source or in the app and import again, or let one side win with `--ours` or `--theirs`.
      """, commands: nil)

  /// Returns the words of a pull.
  /// - Parameter path: the path of the library, as the user gave it.
  public static func ofPull(into path: String) -> ConflictLabels {
    ConflictLabels(
      library: "this library", source: "the registry", base: "common base",
      deleted: ("in this library", "in the registry"),
      both: ("this library and the registry both changed", "this library and the registry have"), since: "",
      introduction: """
        This library and the registry both changed these values. This library keeps its version; the registry's
        version is also in the rejects file. Choose a side for each item. This resolves the conflicts; everything
        else in the item is merged.
        """,
      commands: { id in
        [
          "fleetkit pull \(path) --id \(id) --take local     # this library wins",
          "fleetkit pull \(path) --id \(id) --take remote    # the registry wins",
        ]
      })
  }

  /// Returns a conflict of a branch merge, with its label in these words.
  func name(_ conflict: MergeConflict) -> MergeConflict {
    for (words, place) in [(", deleted by ours", deleted.library), (", deleted by theirs", deleted.source)]
    where conflict.label.utf8.suffix(words.utf8.count).elementsEqual(words.utf8) {
      let head = String(decoding: conflict.label.utf8.dropLast(words.utf8.count), as: UTF8.self)
      return MergeConflict(
        pointer: conflict.pointer, label: "\(head), deleted \(place)", base: conflict.base, ours: conflict.ours,
        theirs: conflict.theirs)
    }
    return conflict
  }

  /// Returns a message about conflicts in one line.
  /// - Parameter hasBase: whether the base is known.
  func message(_ conflicts: [MergeConflict], hasBase: Bool) -> String {
    let first = conflicts.first?.label ?? "the record"
    let more = conflicts.count > 1 ? " (and \(conflicts.count - 1) more)" : ""
    return hasBase ? "\(both.changed) \(first)\(more)\(since)" : "\(both.have) \(first)\(more) differently"
  }

  /// Returns the commands that resolve the conflicts of an item, one for each line.
  func commands(_ id: String) -> [String] { commands?(id) ?? [] }
}
