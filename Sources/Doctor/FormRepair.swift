import Content
import Diagnostics
import JSONText
import SQLiteLibrary

/// Converts a record that the reader recovered to the form that the app would have written.
struct FormRepair {
  /// The author name of this library's publications, for a publication that has lost its author.
  let author: String

  /// Returns the record's canonical line without extras and without values that are unknown to the app.
  /// - Throws: `ModelError`; `JSONError` if the line is not one that a reader returns.
  func line(of found: LibraryScan.Found) throws -> String {
    var record = try TypedRecord(json: JSONDocument(parsing: found.line.span).root)
    switch record {
    case .item(var item):
      repair(&item, found)
      record = .item(item)
    case .charter(var charter):
      Self.fall(back: &charter.visibility, TableMaps.charters, "visibility")
      charter.extras = []
      record = .charter(charter)
    case .execution(var execution):
      Self.fall(back: &execution.syncStatus, TableMaps.executions, "syncStatus")
      for id in execution.itemStates.keys { execution.itemStates[id]?.extras = [] }
      execution.extras = []
      record = .execution(execution)
    case .syncOperation(var operation):
      operation.extras = []
      record = .syncOperation(operation)
    case .other: break
    }
    return try record.canonicalLine()
  }

  private func repair(_ item: inout LibraryItem, _ found: LibraryScan.Found) {
    Self.fall(back: &item.visibility, TableMaps.content, "visibility")
    Self.fall(back: &item.syncStatus, TableMaps.content, "syncStatus")
    item.extras = []
    if found.findings.contains(where: { $0.code == .publicMetadataUndecodable }) {
      item.publicMetadata = metadata(of: item)
    }
    switch item.content {
    case .checklist(var checklist)?:
      Self.fall(back: &checklist.syncStatus, TableMaps.checklists, "syncStatus")
      Self.fall(back: &checklist.checklistType, TableMaps.checklists, "checklistType")
      checklist.extras = []
      Self.separate(&checklist)
      item.content = .checklist(checklist)
    case .practiceGuide(var guide)?:
      Self.fall(back: &guide.syncStatus, TableMaps.practiceGuides, "syncStatus")
      guide.extras = []
      item.content = .practiceGuide(guide)
    case .flashcardDeck?, nil: break
    }
  }

  /// Replaces a word that is unknown to the app with the app's fallback.
  private static func fall(back value: inout String, _ map: TableMap, _ column: String) {
    guard let kind = map.columns.first(where: { $0.column == column })?.kind,
      case .choice(let known, let fallback) = kind, !known.contains(value)
    else { return }
    value = fallback
  }

  /// Removes members that are unknown to the app, and gives new ids to sections and steps that have the same id.
  private static func separate(_ checklist: inout Checklist) {
    var seen = Set<String>()
    // The last element that got a new id, by its former id and title: thousands of steps may share both.
    var twins: [String: (number: Int, id: String)] = [:]
    func own(_ id: String, _ title: String) -> String {
      if seen.insert(id).inserted { return id }
      var twin = twins[id + title] ?? (1, id)
      repeat {
        twin.number += 1
        twin.id = CanonicalUUID.derived([checklist.id, "twin", twin.id, title, String(twin.number)])
      } while !seen.insert(twin.id).inserted
      twins[id + title] = twin
      return twin.id
    }
    // Steps come first, because ticks refer to their ids, while nothing refers to the ids of sections.
    for section in checklist.sections.indices {
      for step in checklist.sections[section].items.indices {
        checklist.sections[section].items[step].extras = []
        let item = checklist.sections[section].items[step]
        checklist.sections[section].items[step].id = own(item.id, item.title)
      }
    }
    for section in checklist.sections.indices {
      checklist.sections[section].extras = []
      checklist.sections[section].id = own(checklist.sections[section].id, checklist.sections[section].title)
    }
  }

  // MARK: Public metadata

  /// Returns the known data of a publication, in the form that the app decodes; nil if nothing is known.
  private func metadata(of item: LibraryItem) -> PublicMetadata? {
    let old = item.publicMetadata ?? PublicMetadata()
    func extra(_ names: String...) -> JSONValue? {
      for name in names {
        if let extra = old.extras.last(where: { $0.name == name }),
          let value = try? JSONDocument(parsing: extra.json).root, !value.isNull
        {
          return value
        }
      }
      return nil
    }
    guard let publicID = old.publicID ?? extra("public_id", "publicId")?.string ?? item.publicID, !publicID.isEmpty
    else { return nil }
    var published = old.publishedAt
    if published == nil, let value = extra("publishedAt", "published_at") {
      published = value.double ?? value.string.flatMap { Timestamp.parse($0)?.0 }.map(\.secondsSince2001)
    }
    let instead = item.publishedAt ?? item.updatedAt ?? item.createdAt
    let authorID = old.authorUserID ?? extra("author_user_id", "authorUserID")?.string
    return PublicMetadata(
      publishedAt: published ?? instead?.secondsSince2001 ?? 0, publicID: publicID,
      canFork: old.canFork ?? extra("can_fork", "canFork").flatMap { $0.bool ?? $0.integer.map { $0 != 0 } } ?? true,
      authorUsername: old.authorUsername ?? extra("author_username")?.string ?? author,
      authorUserID: authorID.flatMap { CanonicalUUID.form(of: $0) == .none ? nil : $0.uppercased() })
  }
}
