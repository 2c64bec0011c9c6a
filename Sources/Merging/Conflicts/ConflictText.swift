import Content
import Diagnostics
import JSONText

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
