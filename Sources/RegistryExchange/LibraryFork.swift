import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import Merging
import Publishing
import RegistryClient
import SQLiteIO
import SQLiteLibrary
import Validation

/// Copies a public item into a library. The copy is private, has its own ids, and credits the original's author.
///
/// ```swift
/// let fork = LibraryFork(of: "fire-0D0939BC", into: "anyfleet.sqlite", from: client, at: address)
/// let report = try fork.run(now: now)
/// ```
public struct LibraryFork: Sendable {
  /// The slug of the original.
  public var publicID: String
  /// The library.
  public var library: String
  /// The copy's title; nil for the original's title.
  public var title: String?
  /// Whether to create the library if it does not exist.
  public var createsLibrary = false
  /// Whether to make another copy if the library already has one.
  public var isAgain = false
  /// Whether to do everything except the last step, so that nothing is changed.
  public var isDryRun = false
  private let registry: any RegistryCalls
  private let address: String

  /// Prepares copying an item.
  /// - Parameter address: the registry's normalised address.
  public init(of publicID: String, into library: String, from registry: any RegistryCalls, at address: String) {
    self.publicID = publicID
    self.library = library
    self.registry = registry
    self.address = address
  }

  private var doing: String { "fork '\(publicID)'" }

  /// Copies the item. Afterwards the library either has the copy or is unchanged.
  /// - Throws: `RunFailure`: 2 if there is no such item or the library cannot be used, 4 if the author does not
  ///   allow copies or the library already has one, 7 if another program is using the library, 69 and 77 if the
  ///   registry cannot be called.
  public func run(now: Timestamp) throws -> ForkReport {
    let title = self.title?.trimmingCharacters(in: .whitespacesAndNewlines)
    if let title, title.isEmpty || title.count > 500 {
      throw RunFailure(.usage, "\(doing): a title has 1 to 500 characters")
    }
    guard access(library, F_OK) != 0 else { return try runInto(title, now) }
    guard createsLibrary else { throw Self.missing(library, publicID) }
    // No library is created for an item that cannot be copied.
    _ = try fetch()
    return try RegistryImport.intoNewLibrary(library, isDryRun: isDryRun) { path in
      var creation = self
      creation.library = path
      return try creation.runInto(title, now)
    }
  }

  /// Returns the error for a library that does not exist.
  package static func missing(_ library: String, _ publicID: String) -> RunFailure {
    RunFailure(
      .failed, "fork '\(publicID)' into '\(library)': there is no such library",
      advice: "To make a new one, add --create.")
  }

  private func runInto(_ title: String?, _ now: Timestamp) throws -> ForkReport {
    // Errors that would otherwise occur later are reported before the registry is called.
    _ = try SidecarFolder(of: library)
    let item = try fetch()
    let request = try ItemIntake().check(item, asked: publicID, now: now, doing: doing)
    let companion = ForkParticipant(item.id.uppercased(), publicID: publicID, library: library, isAgain: isAgain)
    let id = UUID().uuidString
    let name = try title ?? self.title(request.title, companion)
    let line = try line(id, name, item, request, now)
    let job = RegistryImport(library: library, address: address, command: "fork", detail: detail(id))
    let context = RunContext(onInvalid: .stop, dryRun: isDryRun, now: now)
    let outcome = try job.run(
      [RegistryImport.Entry(path: "fork/\(publicID)/\(id)", line: line)], context: context, companion: companion)
    guard outcome.summary.tally[.item].created == 1 else {
      throw RunFailure(.internalError, "\(doing): the copy was not written", advice: "Please report this.")
    }
    // A copy that can be counted exists only from this point on.
    let problem = isDryRun ? nil : count()
    return ForkReport(
      original: item.publicID, author: item.authorUsername, id: id, title: name, contentType: request.contentType,
      run: isDryRun ? nil : outcome.run, isCounted: !isDryRun && problem == nil, countProblem: problem)
  }

  private func fetch() throws -> PublicItem {
    let item: PublicItem?
    do {
      item = try registry.item(publicID)
    } catch {
      throw error.failure(doing, at: address)
    }
    guard let item else {
      throw RunFailure(
        .failed, "\(doing): \(address) has no such item, or it was withdrawn",
        advice: "Public ids are case-sensitive.")
    }
    guard item.canFork else {
      throw RunFailure(.refused, "\(doing): its author does not allow copies; nothing was written")
    }
    return item
  }

  private func count() -> String? {
    do {
      try registry.countFork(publicID)
      return nil
    } catch {
      return error.failure("count the copy").message
    }
  }

  /// Returns the original's title. The titles of further copies get a number, so that the copies can be distinguished.
  private func title(_ original: String, _ companion: ForkParticipant) throws -> String {
    guard isAgain else { return original }
    let known = (try? copies(companion)) ?? []
    var number = known.count + 1
    while known.contains("\(original) (\(number))") { number += 1 }
    let title = known.isEmpty ? original : "\(original) (\(number))"
    return title.count > 500 ? original : title
  }

  private func copies(_ companion: ForkParticipant) throws -> [String] {
    return try companion.titles(SQLiteConnection(library, .read, .foreign), StateStore.reading(of: library))
  }

  private func line(
    _ id: String, _ title: String, _ item: PublicItem, _ request: PublishRequest, _ now: Timestamp
  ) throws -> [UInt8] {
    let document = try ForkedDocument(
      id: id, title: title == request.title ? nil : (request.title, title), now: now,
      newID: { _ in UUID().uuidString }
    ).bytes(of: request.contentData)
    var out = ByteBuffer(capacity: document.count + 1024)
    RecordMembers.append("item", as: "{\"kind\":", to: &out)
    RecordMembers.append(id, as: ",\"id\":", to: &out)
    RecordMembers.append(request.contentType.rawValue, as: ",\"content_type\":", to: &out)
    RecordMembers.append(title, as: ",\"title\":", to: &out)
    RecordMembers.append(request.description, as: ",\"description\":", to: &out)
    RecordMembers.append(request.tags, as: ",\"tags\":", to: &out)
    RecordMembers.append(request.language, as: ",\"language\":", to: &out)
    RecordMembers.append(item.id.uppercased(), as: ",\"forked_from_id\":", to: &out)
    let origin = item.origin
    RecordMembers.append(origin.authorUsername, as: ",\"original_author_username\":", to: &out)
    RecordMembers.append(origin.authorUserID?.uppercased(), as: ",\"original_author_user_id\":", to: &out)
    RecordMembers.append(origin.publicID, as: ",\"original_content_public_id\":", to: &out)
    RecordMembers.append(now, as: ",\"created_at\":", to: &out)
    RecordMembers.append(now, as: ",\"updated_at\":", to: &out)
    out.append(",\"content_data\":")
    out.append(document.span)
    out.append("}")
    return Array(out.bytes)
  }

  private func detail(_ id: String) -> String {
    var out = ByteBuffer()
    RecordMembers.append(address, as: "{\"registry\":", to: &out)
    RecordMembers.append(publicID, as: ",\"public_id\":", to: &out)
    RecordMembers.append(id, as: ",\"id\":", to: &out)
    out.append("}")
    return String(decoding: out.bytes, as: UTF8.self)
  }
}

/// The result of copying another account's item.
public struct ForkReport: Sendable {
  /// The slug of the original.
  public let original: String
  /// The author of the original; nil if that account no longer exists.
  public let author: String?
  /// The copy's id in the library.
  public let id: String
  /// The copy's title.
  public let title: String
  /// The item's type.
  public let contentType: ContentType
  /// The number of the run; nil for a dry run.
  public let run: Int64?
  /// Whether the registry has counted the copy.
  public let isCounted: Bool
  /// Why the copy has not been counted, although it should have been; nil otherwise.
  public let countProblem: String?
}

/// Prevents a second copy of the same original in a library: people may run the command twice.
final class ForkParticipant: ImportParticipant {
  private let registryID: String
  private let publicID: String
  private let library: String
  private let isAgain: Bool

  /// - Parameter registryID: the registry's id of the original, in upper case.
  init(_ registryID: String, publicID: String, library: String, isAgain: Bool) {
    self.registryID = registryID
    self.publicID = publicID
    self.library = library
    self.isAgain = isAgain
  }

  func begin(_ library: WritableLibrary, _ store: StateStore) throws {
    if isAgain { return }
    guard let title = try titles(library.connection, store.connection).first else { return }
    throw RunFailure(
      .refused, "fork '\(publicID)' into '\(self.library)': the library already has a copy of it, '\(title)'",
      advice: "To make another copy, add --again.")
  }

  func base(of id: String, over library: JSONNode) throws -> ImportBase? { nil }

  func finish(_ work: ImportWork) throws {}

  /// Returns the titles of all copies of the original in the library and its sidecar.
  func titles(_ library: SQLiteConnection, _ state: SQLiteConnection?) throws(SQLiteError) -> [String] {
    var found = try library.rows(
      "SELECT title FROM library_content WHERE upper(forkedFromID) = ? ORDER BY createdAt, id", [registryID]
    ).map { $0[0] ?? "" }
    guard let state else { return found }
    let decks = try state.prepare(
      "SELECT line FROM records WHERE kind = 'item' AND instr(line, CAST(? AS BLOB)) > 0 ORDER BY id")
    decks.bind("\"forked_from_id\":\"\(registryID)\"", at: 1)
    while try decks.step() {
      let line = Array(decks.blob(at: 0))
      found.append((try? JSONDocument(parsing: line))?.root["title"]?.string ?? "")
    }
    return found
  }
}
