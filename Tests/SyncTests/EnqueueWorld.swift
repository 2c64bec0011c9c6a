import Content
import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// A library with items to publish, and helpers that run the command.
struct EnqueueWorld {
  let folder = Scratch()
  let library: String

  /// - Parameter fixture: a library of the app with the current schema.
  init(_ fixture: String = "library-v2.2.0.sqlite") throws { library = try folder.writable(fixture) }

  /// The path of the sidecar's database.
  var state: String { library + ".fleetkit/state.sqlite" }

  /// Runs a verb on the library.
  @discardableResult
  func run(_ verb: String, _ arguments: String..., status: Int32 = 0) throws -> Answer {
    let answer = try Shell.run(Paths.command, [verb, library] + arguments)
    #expect(answer.status == status, "\(verb) \(arguments): \(answer.status) \(answer.errors)")
    return answer
  }

  /// Runs a verb and returns its JSON output.
  func json(_ verb: String, _ arguments: String..., status: Int32 = 0) throws -> JSONValue {
    let answer = try Shell.run(Paths.command, [verb, library, "--json"] + arguments)
    #expect(answer.status == status, "\(verb) \(arguments): \(answer.status) \(answer.errors)")
    return try JSONDocument(parsing: answer.output).root
  }

  /// A row of the queue.
  struct Row: Equatable {
    let id: Int
    let contentID: String
    let operation: String
    let visibility: String
    let payload: String?
    let retries: Int
    let error: String?
    let isSent: Bool
  }

  /// Returns the rows that this test's runs wrote to the library's queue or to the sidecar's queue.
  func queue(beside: Bool = false, after last: Int = 0) throws -> [Row] {
    try SQLiteShell.rows(beside ? state : library, "sync_queue").map { row in
      func text(_ name: String) -> String? {
        (row[name]?.split(separator: ":").first).flatMap { SQLiteShell.text(String($0)) }
      }
      return Row(
        id: Int(text("id") ?? "") ?? 0, contentID: text("contentID") ?? "", operation: text("operation") ?? "",
        visibility: text("visibilityState") ?? "", payload: text("payload"),
        retries: Int(text("retryCount") ?? "") ?? -1,
        error: text("lastError"), isSent: text("syncedAt") != nil)
    }.filter { $0.id > last }.sorted { $0.id < $1.id }
  }

  /// Returns the number of the last row in the library's queue.
  func last() throws -> Int { try queue().map(\.id).max() ?? 0 }

  /// Returns columns of an item, joined by bars.
  func columns(_ id: String, _ names: String) throws -> String {
    try sql("SELECT \(names) FROM library_content WHERE id = '\(id)'").trimmingCharacters(in: .newlines)
  }

  /// Runs statements on the library.
  @discardableResult
  func sql(_ text: String) throws -> String { try SQLiteShell.run(library, ".nullvalue NULL\n" + text + ";") }

  /// An item that may be published, a fork, a public item, and drafts that break rules.
  static let clean = "F2AB9D35-DAC5-4242-9A59-8CDDE0D87104"
  static let fork = "D91EC92E-0C59-4F8B-8264-84A602E30693"
  static let published = "3A473796-4407-4338-B2DC-132362E6088A"
  static let draft = "D0D5F3E2-219F-4CC7-B7DF-504AA2EF0A53"
}
