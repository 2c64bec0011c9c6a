import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import Publishing
import RegistryClient
import SQLiteIO
import SQLiteLibrary
import SyncQueue
import Validation

/// Finds the changes that are new for a library, and makes records of fetched items. It keeps the library open for
/// reading as long as it exists, so it never calls a registry: a program that writes to the library would have to wait.
final class PullSearch {
  /// An item that has to be fetched.
  private struct Wanted {
    let owned: OwnedItem
    /// The library's item; nil if the library does not have it.
    let item: LocalPublicationIndex.Item?
    let entry: Int
  }

  private let pull: LibraryPull
  private let user: RegistryUser
  private let now: Timestamp
  private let file: LibraryFile
  private let held: LocalPublicationIndex
  private let intake: ItemIntake
  private let meanings: PublishedEquality
  private var wanted: [Wanted] = []
  private(set) var findings = PullFindings()

  init(
    _ pull: LibraryPull, _ user: RegistryUser, _ intake: ItemIntake, _ meanings: PublishedEquality, _ now: Timestamp
  ) throws {
    self.pull = pull
    self.intake = intake
    self.user = user
    self.meanings = meanings
    self.now = now
    file = try LibraryFile(pull.library, checkingPages: false)
    do {
      held = try LocalPublicationIndex(
        file.connection, file.schema, path: pull.library,
        state: StateStore.reading(of: pull.library))
    } catch let error as SQLiteError {
      throw LibraryFile.failure(error, pull.library)
    }
  }

  // MARK: Comparing

  /// Compares the account's items with the library's.
  /// - Throws: `RunFailure`: 2 if a selection matches no items.
  func compare(_ owned: [OwnedItem]) throws {
    findings.report.owned = owned.count
    for one in owned {
      do {
        try compare(one)
      } catch let error as SQLiteError {
        throw LibraryFile.failure(error, pull.library)
      }
    }
    guard let selection = pull.selection, !selection.isEmpty, findings.report.unselected == owned.count else { return }
    throw RunFailure(
      .failed, "pull into '\(pull.library)': no item of \(user.username) in the registry matches",
      advice:
        "'fleetkit list \(pull.library)' lists the library's items, and 'fleetkit pull \(pull.library) --dry-run' "
        + "what is public and missing here.")
  }

  private func compare(_ owned: OwnedItem) throws {
    let item = held.item(slug: owned.publicID)
    guard try isSelected(owned, item) else { return findings.report.unselected += 1 }
    // The library's item may now be public under another slug; this slug is then obsolete.
    let isHere = item.map { $0.publicID == owned.publicID } ?? false
    if owned.deletedAt != nil {
      guard let item, isHere else { return findings.report.gone += 1 }
      guard !held.hasWaiting(item.id) else { return add(owned, item, .skipped(Self.waits)) }
      findings.lines[item.id] = try held.line(of: item).map(PullFindings.hash)
      findings.withdrawals.append(
        PullParticipant.Withdrawal(id: item.id, isDeck: item.isDeck, entry: findings.report.entries.count))
      return add(owned, item, .withdrawn)
    }
    guard let item, isHere else {
      if let item {
        let why =
          held.hasWaiting(item.id)
          ? Self.waits
          : item.publicID.map { "the library's item is public as '\($0)'" } ?? "the library's item is private"
        if held.hasWaiting(item.id) || item.publicID != nil || !pull.bringsAll {
          return add(owned, item, .skipped(why))
        }
      } else if !pull.bringsAll {
        return add(owned, nil, .missing)
      }
      return want(owned, nil)
    }
    let isKnown = held.publication(of: item.id)?.digest == owned.digest
    let settles = item.status != LibraryItem.SyncStatus.synced && !held.hasWaiting(item.id)
    if isKnown && !settles { return findings.report.unchanged += 1 }
    if let meaning = try meaning(ofPublic: item, owned, isKnown: isKnown) {
      findings.news.append(
        PullParticipant.News(
          id: item.id, isDeck: item.isDeck, settles: settles,
          publication: KnownPublication(
            publicID: owned.publicID, registryID: owned.id, digest: owned.digest), meaning: settles ? meaning : []))
      return findings.report.unchanged += 1
    }
    if isKnown { return findings.report.unchanged += 1 }
    guard !held.hasWaiting(item.id) else { return add(owned, item, .skipped(Self.waits)) }
    want(owned, item)
  }

  /// Returns the meaning of an item that is known to equal the public version without fetching it; nil for other items.
  /// - Parameter isKnown: whether the public version is the one in the registry's last answer.
  private func meaning(
    ofPublic item: LocalPublicationIndex.Item, _ owned: OwnedItem, isKnown: Bool
  ) throws -> [UInt8]? {
    guard let line = try held.line(of: item),
      let own = try meanings.request(of: line, publicID: owned.publicID, now: now)
    else { return nil }
    let meaning = PublishedEquality.of(own)
    if Digest.hex(own.digest) == owned.digest { return meaning }
    // Times are not content: the version that was sent from this library may differ only in its times.
    guard isKnown, let payload = try held.lastSent(item), let sent = meanings.request(payload: payload, now: now) else {
      return nil
    }
    return Digest.hex(sent.digest) == owned.digest && PublishedEquality.of(sent) == meaning ? meaning : nil
  }

  private static let waits = "an operation on it is waiting; 'fleetkit sync' sends it first"

  private func add(_ owned: OwnedItem, _ item: LocalPublicationIndex.Item?, _ outcome: PullReport.Outcome) {
    findings.report.entries.append(
      PullReport.Entry(id: item?.id, publicID: owned.publicID, title: owned.title, outcome: outcome))
  }

  private func want(_ owned: OwnedItem, _ item: LocalPublicationIndex.Item?) {
    wanted.append(Wanted(owned: owned, item: item, entry: findings.report.entries.count))
    add(owned, item, .skipped("it was not fetched"))
  }

  private func isSelected(_ owned: OwnedItem, _ item: LocalPublicationIndex.Item?) throws -> Bool {
    guard let selection = pull.selection, !selection.isEmpty else { return true }
    if let item, let line = try held.line(of: item) {
      let batch = RecordBatch(
        locator: LibraryLocator.places(in: pull.library, called: pull.library), capacity: line.count + 64)
      batch.canonical.append(line.span)
      batch.appendSlot(.item, from: 0)
      return selection.takes(Record(batch: batch, index: 0))
    }
    guard selection.tags.isEmpty else { return false }
    return [owned.publicID, owned.id].contains { id in
      selection.takes(item: id, type: owned.contentType.rawValue, title: owned.title, path: "")
    }
  }

  // MARK: Taking

  /// Returns the slugs of new items that have not been fetched yet, in the registry's order.
  func missing(from fetched: [String: PublicItem?]) -> [String] {
    wanted.map(\.owned.publicID).filter { fetched[$0] == nil }
  }

  /// Makes records of all new items, based on the library's current content.
  ///
  /// The items are processed in the registry's order, so the report does not depend on the speed of the requests.
  /// - Parameter fetched: the items by slug; nil for an item that was withdrawn in the meantime.
  func makeRecords(from fetched: [String: PublicItem?]) throws {
    for one in wanted {
      guard let item = fetched[one.owned.publicID] ?? nil else {
        findings.report.entries[one.entry].outcome = .skipped("it was withdrawn a moment ago; pull again")
        continue
      }
      do {
        try makeRecord(from: item, one)
      } catch let failure as RunFailure where failure.status == .failed {
        findings.report.entries[one.entry].outcome = .rejected(failure.message)
      } catch let error as SQLiteError {
        throw LibraryFile.failure(error, pull.library)
      }
    }
  }

  private func makeRecord(from item: PublicItem, _ one: Wanted) throws {
    let doing = "pull '\(one.owned.publicID)'"
    let request = try intake.check(item, asked: one.owned.publicID, now: now, doing: doing)
    let origin = PublishedDocument.origin(of: request.contentData).id
    guard let id = one.item?.id ?? origin, CanonicalUUID.form(of: id) != .none else {
      findings.report.entries[one.entry].outcome = .rejected("its document has no id")
      return
    }
    // The library may have the item without a record that it is public.
    let local = try one.item ?? held.item(id: id.uppercased())
    if one.item == nil, let local {
      if held.hasWaiting(local.id) || local.publicID != nil {
        let why = local.publicID.map { "the library's item is public as '\($0)'" } ?? Self.waits
        findings.report.entries[one.entry].outcome = .skipped(why)
        return
      }
    }
    let isTwice = findings.items.contains { $0.id == id.uppercased() }
    guard !isTwice else {
      findings.report.entries[one.entry].outcome = .skipped("another item of the account has the same document id")
      return
    }
    let line = try local.flatMap { try held.line(of: $0) }
    guard try hasSameType(line, request) else {
      findings.report.entries[one.entry].outcome = .conflict("the library's item with this id has a different type")
      return
    }
    let record = RemoteRecord(request: request, original: item.original)
    let parsed = try line.map { try JSONDocument(parsing: $0) }
    let text =
      try parsed.map { parsed in
        try parsed.withRoot { try record.line(id: id.uppercased(), over: $0) }
      } ?? record.line(id: id.uppercased(), over: nil)
    findings.report.entries[one.entry].id = id.uppercased()
    findings.lines[id.uppercased()] = line.map(PullFindings.hash)
    findings.entries.append(RegistryImport.Entry(path: one.owned.publicID, line: text))
    findings.items.append(
      PulledItem(
        id: id.uppercased(), isDeck: request.contentType == .flashcardDeck, isNew: local == nil,
        isAdopted: one.item == nil, publicID: item.publicID, registryID: item.id,
        digest: item.digest ?? one.owned.digest, meaning: PublishedEquality.of(request),
        publication: Publication(
          publicID: item.publicID, publishedAt: item.createdAt ?? now, canFork: item.canFork,
          author: Publication.Author(id: user.id, username: user.username)), entry: one.entry))
  }

  private func hasSameType(_ line: [UInt8]?, _ request: PublishRequest) throws -> Bool {
    guard let line else { return true }
    return try JSONDocument(parsing: line).root["content_type"]?.string == request.contentType.rawValue
  }
}

/// The result of comparing the account's items with the library.
struct PullFindings {
  /// The report on the items compared so far.
  var report = PullReport()
  /// The items to write to the library.
  var items: [PulledItem] = []
  /// The records of `items`, in the same order.
  var entries: [RegistryImport.Entry] = []
  /// The items that were withdrawn elsewhere.
  var withdrawals: [PullParticipant.Withdrawal] = []
  /// The SHA-256 of the library's records of items that are written or were withdrawn, by item id; items that the
  /// library does not have are missing.
  var lines: [String: [UInt8]] = [:]
  /// The items that are equal on both sides and of which only the digest or the state is new.
  var news: [PullParticipant.News] = []

  /// Returns the SHA-256 of a record.
  static func hash(_ line: [UInt8]) -> [UInt8] { Digest.sha256(line.span) }

  /// Whether there is nothing to write.
  var isEmpty: Bool { items.isEmpty && withdrawals.isEmpty && news.isEmpty }
}

/// An item on its way from the registry into the library.
struct PulledItem {
  /// The item's id in the library.
  let id: String
  let isDeck: Bool
  /// Whether the item is new to the library.
  let isNew: Bool
  /// Whether the item is not public under this slug according to the library.
  let isAdopted: Bool
  let publicID: String
  let registryID: String
  /// The digest in the registry's entity tag; the next update is checked against it.
  let digest: String
  /// The meaning of the public version, without its state and times.
  let meaning: [UInt8]
  let publication: Publication
  /// The index of the item's entry in the report.
  let entry: Int
}
