import Content
import Diagnostics
import JSONText

/// The records that a command uses, as given by its selectors.
///
/// Words within one selector are alternatives; separate selectors must all match. A selection applies to items. Records
/// of other kinds are used if `--type` or `--id` names them.
public struct Selection: Sendable, Hashable {
  /// Ids, or their first characters (at least four).
  public var ids: [String] = []
  /// Patterns for titles, with `*` and `?` as wildcards. Letter case is ignored.
  public var titles: [String] = []
  /// Tags. Letter case is ignored.
  public var tags: [String] = []
  /// Content types or record kinds.
  public var types: [String] = []
  /// Patterns for source paths.
  public var paths: [String] = []
  /// The kinds that may be used; nil for every kind.
  public var kinds: Set<RecordKind>?
  /// Kinds that are used whatever the selectors are.
  public var always: Set<RecordKind> = []
  /// Other selections that must match as well.
  public var others: [Selection] = []

  /// Creates a selection that matches everything.
  public init() {}

  /// Whether the selection has no selectors.
  public var isEmpty: Bool {
    hasNoWords && kinds == nil && others.allSatisfy(\.isEmpty)
  }

  private var hasNoWords: Bool {
    ids.isEmpty && titles.isEmpty && tags.isEmpty && types.isEmpty && paths.isEmpty
  }

  /// Whether a record matches.
  public func takes(_ record: Record) -> Bool {
    if always.contains(record.kind) { return true }
    if let kinds, !kinds.contains(record.kind) { return false }
    return matchesWords(record) && others.allSatisfy { $0.takes(record) }
  }

  private func matchesWords(_ record: Record) -> Bool {
    if hasNoWords { return kinds != nil || record.kind == .item }
    guard let document = try? record.document() else { return false }
    let root = document.root
    return matches(
      kind: record.kind, type: root["content_type"]?.string ?? "", id: record.id,
      title: (root["title"] ?? root["name"])?.string ?? "",
      tags: { root["tags"]?.elements.compactMap(\.string) ?? [] },
      path: {
        let place = record.place()
        return place.member ?? place.file
      })
  }

  /// Whether the selection needs only data that an index of items contains.
  public var asksForIndexOnly: Bool {
    tags.isEmpty
      && types.allSatisfy { word in
        ContentType.allCases.contains { Self.means(Self.typeWord(word), $0.rawValue, .item) }
      }
  }

  /// Whether an item matches, given only its data in an index.
  public func takes(item id: String, type: String, title: String, path: String) -> Bool {
    matches(kind: .item, type: type, id: id, title: title, tags: { [] }, path: { path })
  }

  /// Whether a record that cannot be read may match, given its known values. A value that is nil is unknown and matches
  /// every selector. `kinds` does not matter, because a broken record of any kind is reported.
  package func mayTake(
    _ kind: RecordKind, type: String?, id: String?, title: String?, tags: [String]?, path: String
  ) -> Bool {
    if always.contains(kind) { return true }
    let matchesWords =
      hasNoWords || matches(kind: kind, type: type, id: id, title: title, tags: { tags }, path: { path })
    return matchesWords
      && others.allSatisfy { $0.mayTake(kind, type: type, id: id, title: title, tags: tags, path: path) }
  }

  /// Whether a word for a type, in the form of `typeWord`, matches this type.
  private static func means(_ word: String, _ type: String, _ kind: RecordKind) -> Bool {
    word == type || word == kind.name || word == type + "s" || word == kind.name + "s"
      || (word == "guide" && type == "practice_guide") || (word == "deck" && type == "flashcard_deck")
  }

  private func matches(
    kind: RecordKind, type: String?, id: String?, title: String?, tags own: () -> [String]?, path: () -> String
  ) -> Bool {
    if !types.isEmpty {
      if let type, !types.contains(where: { Self.means(Self.typeWord($0), type, kind) }) { return false }
    } else if kind != .item, ids.isEmpty {
      return false
    }
    if !ids.isEmpty, let id = id?.uppercased() {
      if !ids.contains(where: { id == $0.uppercased() || ($0.count >= 4 && id.hasPrefix($0.uppercased())) }) {
        return false
      }
    }
    if !titles.isEmpty, let title = title?.lowercased() {
      if !titles.contains(where: { Glob.matches(title, pattern: $0.lowercased()) }) { return false }
    }
    if !tags.isEmpty, let own = own().map({ Set($0.map { $0.lowercased() }) }) {
      if !tags.contains(where: { tag in own.contains { Glob.matches($0, pattern: tag.lowercased()) } }) { return false }
    }
    if !paths.isEmpty {
      let path = path()
      if !paths.contains(where: { Glob.matches(path, pattern: $0) }) { return false }
    }
    return true
  }

  /// The words allowed in `types`: content types, record kinds, their plurals and short names.
  public static let knownTypes: [String] =
    ContentType.allCases.flatMap { [$0.rawValue, $0.rawValue + "s"] } + ["guide", "deck"]
    + RecordKind.known.flatMap { [$0.name, $0.name + "s"] }

  /// Returns a type that a person wrote, in the form of `knownTypes`.
  public static func typeWord(_ word: String) -> String {
    word.lowercased().replacing("-", with: "_").replacing(" ", with: "_")
  }
}

/// Shell patterns: `*` matches any characters, `?` matches any one character.
package enum Glob {
  package static func matches(_ text: String, pattern: String) -> Bool {
    let text = Array(text)
    let pattern = Array(pattern)
    var at = 0
    var next = 0
    var star: Int?
    var retry = 0
    while at < text.count {
      if next < pattern.count, pattern[next] == "?" || pattern[next] == text[at], pattern[next] != "*" {
        at += 1
        next += 1
      } else if next < pattern.count, pattern[next] == "*" {
        star = next
        retry = at
        next += 1
      } else if let star {
        next = star + 1
        retry += 1
        at = retry
      } else {
        return false
      }
    }
    while next < pattern.count, pattern[next] == "*" { next += 1 }
    return next == pattern.count
  }
}

/// Keeps the first item of each id and rejects later ones, for formats that identify items by their ids.
///
/// Stores sixteen bytes for each item.
package struct DuplicateIDFilter {
  /// Two hashes of an id. Two ids practically never have both hashes in common.
  private struct Key: Hashable {
    let first, second: Int

    init(_ id: String) {
      var hasher = Hasher()
      hasher.combine(id)
      first = hasher.finalize()
      hasher = Hasher()
      hasher.combine(1)
      hasher.combine(id)
      second = hasher.finalize()
    }
  }

  private let context: RunContext
  /// The name of the target in messages: `the table`.
  private let target: String
  private var seen: Set<Key> = []

  package init(_ context: RunContext, in target: String) {
    self.context = context
    self.target = target
  }

  /// Rejects items of a batch with ids that occurred before.
  /// - Throws: `RunFailure` with status 2 if rejects stop the run.
  package mutating func rejectOthers(in batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    var repeated: Set<Int> = []
    for (index, slot) in batch.slots.enumerated() where slot.kind == .item {
      guard let id = RecordLine.id(of: batch.line(slot).span), !seen.insert(Key(id)).inserted else { continue }
      repeated.insert(index)
    }
    if repeated.isEmpty { return }
    for index in repeated.sorted() {
      try reject(Record(batch: batch, index: index), tally: &tally, rejects: rejects)
    }
    batch.slots = batch.slots.enumerated().filter { !repeated.contains($0.offset) }.map(\.element)
  }

  private func reject(_ record: Record, tally: inout Tally, rejects: RejectsWriter) throws {
    let place = record.place()
    let message = "\(target) already has an item \(record.id); the first one is kept"
    context.findings.report(
      Diagnostic(
        .duplicateRecord, message, at: place, record: "item \(record.id)", title: record.title,
        why: "rows with the same id are one item, so the second would be merged into the first"))
    if context.onInvalid == .stop {
      throw RunFailure(
        .failed, "\(place): \(message); nothing was written",
        advice: "Correct the record, or add --on-invalid reject to continue without it.")
    }
    tally[.item].rejected += 1
    tally.rows.rejected += Int(record.slot.rows)
    try rejects.add(
      RejectedRecord(
        record, place: place.description,
        reasons: [RejectReason(code: DiagnosticCode.duplicateRecord.id, message: message, place: place.description)]))
  }
}
