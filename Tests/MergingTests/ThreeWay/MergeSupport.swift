import Content
import JSONText
import Merging
import TestSupport
import Testing

/// Merges of records that are written as lines or as Swift values.
enum Merge {
  /// Merges three versions of a line.
  static func lines(
    _ base: String?, _ ours: String, _ theirs: String, kind: RecordKind = .item,
    own: ThreeWayMerge.OwnMembers = .ours, choice: MergeConflict.Choice = .undecided
  ) throws -> Merged {
    let old = try base.map { try JSONDocument(parsing: $0) }
    let mine = try JSONDocument(parsing: ours)
    let other = try JSONDocument(parsing: theirs)
    var asked: [MergeConflict] = []
    let outcome = mine.withNode(mine.root.tokenIndex) { mine in
      other.withNode(other.root.tokenIndex) { other in
        func run(_ base: JSONNode?) -> ThreeWayMerge.Outcome {
          ThreeWayMerge(kind, own: own).merge(base: base, ours: mine, theirs: other) { conflict in
            asked.append(conflict)
            return choice
          }
        }
        guard let old else { return run(nil) }
        return old.withNode(old.root.tokenIndex) { run($0) }
      }
    }
    #expect(asked.count == outcome.conflicts.count)
    #expect(outcome.conflicts.allSatisfy(asked.contains))
    #expect(outcome.undecided == (choice == .undecided ? asked.count : 0))
    let line = String(decoding: outcome.line, as: UTF8.self)
    // Whatever the result, it is valid JSON.
    let document = try JSONDocument(parsing: line)
    return Merged(outcome: outcome, line: line, document: document)
  }

  /// Merges three versions of an item.
  static func items(
    _ base: LibraryItem?, _ ours: LibraryItem, _ theirs: LibraryItem, choice: MergeConflict.Choice = .undecided
  ) throws -> Merged {
    try lines(
      base.map { try TypedRecord.item($0).canonicalLine() }, TypedRecord.item(ours).canonicalLine(),
      TypedRecord.item(theirs).canonicalLine(), choice: choice)
  }

  /// Merges three versions of a checklist item.
  static func checklists(
    _ base: Checklist?, _ ours: Checklist, _ theirs: Checklist, choice: MergeConflict.Choice = .undecided
  ) throws -> Merged {
    try items(base.map(item), item(ours), item(theirs), choice: choice)
  }

  static func item(_ checklist: Checklist) -> LibraryItem {
    var item = LibraryItem(.checklist(checklist))
    item.id = "3A473796-4407-4338-B2DC-132362E6088A"
    item.title = "Departure"
    return item
  }
}

/// The result of a merge.
struct Merged {
  let outcome: ThreeWayMerge.Outcome
  let line: String
  let document: JSONDocument

  var conflicts: [MergeConflict] { outcome.conflicts }

  /// The conflicts by place: the pointer, the titles in the label, and the side on which the value is missing.
  var places: [String] {
    conflicts.map { conflict in
      let titles = conflict.label.quoted.map { " \"\($0)\"" }.joined()
      let gone = conflict.ours == nil ? " gone from ours" : conflict.theirs == nil ? " gone from theirs" : ""
      return conflict.pointer + titles + gone
    }
  }

  /// Returns the text at a pointer.
  func text(_ pointer: String) -> String? { JSONPointer(pointer).flatMap { document.root.at($0)?.text } }

  /// The sections with their steps, as `Engine: Oil, Belt`.
  var outline: [String] {
    (document.root.at(JSONPointer("/content_data/sections") ?? JSONPointer())?.elements ?? []).map { section in
      let steps = section["items"]?.elements.map { $0["title"]?.string ?? "?" } ?? []
      return (section["title"]?.string ?? "?") + ": " + steps.joined(separator: ", ")
    }
  }

  /// The titles of the cards.
  var cards: [String] {
    (document.root.at(JSONPointer("/content_data/cards") ?? JSONPointer())?.elements ?? [])
      .map { $0["front"]?.string ?? "?" }
  }
}

extension MergeConflict {
  /// Whether the conflict is about the order of a list, so that the values are lists of titles.
  var isOfOrder: Bool { [ours, theirs].allSatisfy { $0?.first == "[" } }

  /// Whether the conflict is about the section of a step, so that the values are section titles.
  var isOfSection: Bool { pointer.contains(/\/items\/[0-9]+$/) && [ours, theirs].allSatisfy { $0?.first == "\"" } }
}

/// Example checklists. A section consists of a title and step titles, and ids are derived from the original titles.
enum Example {
  static func id(_ name: String) -> String { CanonicalUUID.derived(["merge", name]) }

  static func checklist(_ sections: [(String, [String])]) -> Checklist {
    var checklist = Checklist(title: "Departure")
    checklist.sections = sections.map { title, steps in section(title, steps) }
    return checklist
  }

  static func section(_ title: String, _ steps: [String]) -> ChecklistSection {
    ChecklistSection(id: id("section " + title), title: title, items: steps.map(step))
  }

  static func step(_ title: String) -> ChecklistItem { ChecklistItem(id: id(title), title: title) }

  static let plain = checklist([("Engine", ["Oil", "Belt", "Filter"]), ("Deck", ["Lines", "Fenders"])])
}
