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
  /// - Throws: `RunFailure`: 2 when there is no such item or the library cannot be used, 4 when the author does not
  ///   allow copies or the library already has one, 7 when another program is using the library, 69 and 77 when the
  ///   registry cannot be called.
  public func run(now: Timestamp) throws -> ForkReport {
    let title = self.title?.trimmingCharacters(in: .whitespacesAndNewlines)
    if let title, title.isEmpty || title.count > 500 {
      throw RunFailure(.usage, "\(doing): a title has 1 to 500 characters")
    }
    guard access(library, F_OK) == 0 else {
      throw RunFailure(
        .failed, "\(doing) into '\(library)': there is no such library", advice: "'fleetkit import --create' makes one."
      )
    }
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
      newID: { UUID().uuidString }
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
    document.withUnsafeBufferPointer { out.append($0) }
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
