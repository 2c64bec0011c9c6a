import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import Publishing
import RegistryClient
import SQLiteIO
import SQLiteLibrary
import Validation

/// The publication and the origin of an item, as recorded in its library.
public struct ItemOrigin: Sendable {
  /// The item's id.
  public let id: String
  /// The item's title.
  public let title: String
  /// The item's own slug; nil while the item is not public.
  public let publicID: String?
  /// The registry's id of the item that this one is a copy of.
  public let forkedFromID: String?
  /// The slug of the item that this one is a copy of.
  public let originalPublicID: String?

  /// The id to ask a registry about: the item's own, or else its original's; nil if there is neither.
  public var question: String? { publicID ?? forkedFromID ?? originalPublicID }

  /// Finds an item in the library or its sidecar.
  /// - Parameter id: the item's id, or its first characters.
  /// - Throws: `RunFailure` with status 2 if the library cannot be read, 64 if the id matches no item or more than
  ///   one.
  public init(of id: String, in library: String) throws {
    let wanted = id.uppercased()
    guard wanted.count >= 4, wanted.utf8.allSatisfy({ $0.isHexDigitOrDash }) else {
      throw RunFailure(.usage, "find '\(id)': an id has at least four hexadecimal digits")
    }
    let file = try LibraryFile(library, checkingPages: false)
    var found: [ItemOrigin] = []
    do {
      let known = file.schema.tables["library_content"] ?? []
      func column(_ name: String) -> String { known.contains(name) ? "\"\(name)\"" : "NULL" }
      let columns = ["id", "title", "publicID", "forkedFromID", "originalContentPublicID"].map(column)
      found = try file.connection.rows(
        "SELECT \(columns.joined(separator: ", ")) FROM library_content WHERE upper(id) LIKE ? || '%' LIMIT 2", [wanted]
      ).map {
        ItemOrigin(
          id: $0[0] ?? "", title: $0[1] ?? "", publicID: $0[2], forkedFromID: $0[3], originalPublicID: $0[4])
      }
      if found.count < 2, let state = try StateStore.reading(of: library) {
        let decks = try state.prepare(
          "SELECT line FROM records WHERE kind = 'item' AND upper(id) LIKE ? || '%' LIMIT 2")
        decks.bind(wanted, at: 1)
        while try decks.step() {
          guard let root = (try? JSONDocument(parsing: Array(decks.blob(at: 0))))?.root else { continue }
          found.append(
            ItemOrigin(
              id: root["id"]?.string ?? "", title: root["title"]?.string ?? "", publicID: root["public_id"]?.string,
              forkedFromID: root["forked_from_id"]?.string,
              originalPublicID: root["original_content_public_id"]?.string))
        }
      }
    } catch let error as SQLiteError {
      throw LibraryFile.failure(error, library)
    }
    guard let first = found.first else {
      throw RunFailure(.usage, "find '\(id)' in '\(library)': there is no item with this id")
    }
    guard found.count == 1 else {
      throw RunFailure(
        .usage, "find '\(id)' in '\(library)': several ids begin with it", advice: "Give more of the id.")
    }
    self = first
  }

  private init(id: String, title: String, publicID: String?, forkedFromID: String?, originalPublicID: String?) {
    self.id = id
    self.title = title
    self.publicID = publicID
    self.forkedFromID = forkedFromID
    self.originalPublicID = originalPublicID
  }
}

extension UInt8 {
  fileprivate var isHexDigitOrDash: Bool { self == 0x2D || self &- 0x30 < 10 || self &- 0x41 < 6 }
}

/// The lineage of an item: the original, all copies in between, and the item itself.
public struct RegistryLineage: Sendable {
  /// The steps from the original to the item.
  public let steps: [LineageStep]
  /// Why the registry's answer was truncated; nil if it is complete.
  public let cut: String?

  /// The maximum number of steps, the same limit as in registries.
  public static let mostSteps = 10

  /// Asks a registry for an item's lineage.
  /// - Parameters:
  ///   - id: a slug, or the registry's id.
  ///   - address: the registry's address, for messages.
  /// - Throws: `RunFailure`: 2 if there is no such item, 69 if the registry cannot be called.
  public init(of id: String, from registry: any RegistryCalls, at address: String) throws {
    let answer: [LineageStep]?
    do {
      answer = try registry.lineage(id)
    } catch {
      throw error.failure("find the lineage of '\(id)'", at: address)
    }
    guard let answer else {
      throw RunFailure(
        .failed, "find the lineage of '\(id)': \(address) has no such item, or it was withdrawn",
        advice: "Public ids are case-sensitive.")
    }
    self.init(answer)
  }

  /// Checks and truncates a registry's answer: the server may not be the one it claims to be.
  init(_ answer: [LineageStep]) {
    var steps: [LineageStep] = []
    var cut: String?
    for step in answer {
      if steps.count == Self.mostSteps {
        cut = "the registry returned \(answer.count) steps; a lineage has at most \(Self.mostSteps)"
        break
      }
      // Steps have no ids; the same work published at the same time counts as the same step.
      if step.createdAt != nil, steps.contains(where: { Self.isSame($0, step) }) {
        cut = "the registry returned the same step twice; a lineage has no cycles"
        break
      }
      steps.append(step)
    }
    self.steps = steps
    self.cut = cut
  }

  private static func isSame(_ one: LineageStep, _ other: LineageStep) -> Bool {
    one.title == other.title && one.creator == other.creator && one.createdAt == other.createdAt
  }
}
