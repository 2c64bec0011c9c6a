import Content
import Diagnostics
import Interchange
import JSONText

/// What both sides of an import or a pull changed, side by side, as a page in Markdown beside the rejected records.
///
/// Made at the first conflict; gets its name when the run succeeds.
final class ConflictPage {
  private let name: String
  private let folder: OpenFolder
  private let words: ConflictWords
  private var file: AtomicFile?
  private var sink: ByteSink?
  /// Where it is; nil when there was no conflict, or when the run came to nothing.
  private(set) var path: String?

  init(_ name: String, in folder: OpenFolder, _ words: ConflictWords) {
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
    try sink?.write(ConflictText.section(record, conflicts, words))
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

/// A conflict for people: what the last import said, what the library says, what the source says.
public enum ConflictText {
  /// A record and its conflicts as a section of a page in Markdown.
  static func section(_ record: MergedRecord, _ conflicts: [MergeConflict], _ words: ConflictWords) -> String {
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

  /// A conflict as lines: a diff from what both come from to either side, so that the edits can be seen.
  ///
  /// Characters that a terminal or an editor would act on are written out.
  public static func lines(_ conflict: MergeConflict, _ words: ConflictWords = .ofImport) -> [String] {
    let ours = texts(conflict.ours)
    let theirs = texts(conflict.theirs)
    guard let base = conflict.base else {
      return ["--- \(words.library)", "+++ \(words.source)"] + diff(ours, theirs)
    }
    let old = texts(base)
    return ["--- \(words.base)", "+++ \(words.library)"] + diff(old, ours)
      + ["--- \(words.base)", "+++ \(words.source)"] + diff(old, theirs)
  }

  /// More lines are not compared one by one.
  private static let mostLines = 2_000
  /// Longer lines are cut, in characters.
  private static let longestLine = 1_000
  /// How many lines stand around a change.
  private static let context = 2

  /// The lines of a value: those of a text, else of its JSON.
  private static func texts(_ json: String?) -> [String] {
    guard let json else { return [] }
    guard let value = try? JSONDocument(parsing: json).root else { return [json] }
    if let text = value.string {
      return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line(String($0)) }
    }
    return ConflictValue.lines(value)
  }

  private static func line(_ text: String) -> String { TerminalText.escape(text) }

  /// A line as it is shown: of a very long one the beginning.
  ///
  /// Lines are compared whole, so two may be different where it cannot be seen.
  private static func capped(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard text.utf8.count > longestLine, scalars.count > longestLine else { return text }
    let beginning = String(String.UnicodeScalarView(scalars.prefix(longestLine)))
    return "\(beginning)… (\(scalars.count) characters)"
  }

  /// A unified diff without its head.
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
    if changed.isEmpty { return marked.isEmpty ? [] : [" (as it was)"] }
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

  /// A fence that is longer than any in the text.
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

/// What people call the sides of a conflict, and how they settle it.
public struct ConflictWords: Sendable {
  /// The version that stays.
  public let library: String
  /// The version that comes in.
  public let source: String
  /// What both come from.
  public let base: String
  /// Where something was deleted: the end of a label.
  private let deleted: (library: String, source: String)
  /// Who both are, at the beginning of a sentence.
  private let both: (changed: String, have: String)
  /// What stands behind the name of what both changed.
  private let since: String
  /// What the page of conflicts says at its beginning.
  let introduction: String
  /// Commands that settle the conflicts of one item, by its id; none where the introduction says it all.
  private let commands: (@Sendable (String) -> [String])?

  /// Those of an import.
  public static let ofImport = ConflictWords(
    library: "library", source: "source", base: "last import", deleted: ("in the library", "in the source"),
    both: ("both sides changed", "both sides have"), since: " since the last import",
    introduction: """
      Both sides changed these. The library keeps what it says; what the source says is in the file of rejects. Settle
      them in the source or in the app and import again, or let one side win with `--ours` or `--theirs`.
      """, commands: nil)

  /// Those of a pull.
  /// - Parameter path: the library as the user named it.
  public static func ofPull(into path: String) -> ConflictWords {
    ConflictWords(
      library: "this library", source: "the registry", base: "what both come from",
      deleted: ("in this library", "in the registry"),
      both: ("this library and the registry both changed", "this library and the registry have"), since: "",
      introduction: """
        This library and the registry both changed these. This library keeps what it says; what the registry says is in
        the file of rejects, too. Say for each item who wins: that settles the places below, and merges all the rest of
        the item.
        """,
      commands: { id in
        [
          "fleetkit pull \(path) --id \(id) --take local     # this library wins",
          "fleetkit pull \(path) --id \(id) --take remote    # the registry wins",
        ]
      })
  }

  /// A conflict that a merge of branches found, in these words.
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

  /// What both changed, in a line.
  /// - Parameter hasBase: whether it is known what both come from.
  func message(_ conflicts: [MergeConflict], hasBase: Bool) -> String {
    let first = conflicts.first?.label ?? "the record"
    let more = conflicts.count > 1 ? " (and \(conflicts.count - 1) more)" : ""
    return hasBase ? "\(both.changed) \(first)\(more)\(since)" : "\(both.have) \(first)\(more) differently"
  }

  /// Commands that settle the conflicts of one item, a line each.
  func commands(_ id: String) -> [String] { commands?(id) ?? [] }
}
