import Hummingbird
import RegistryModel
import RegistryStore

/// The routes for content.
enum ContentRoutes {
  static let itemPath = "{public_id}"
  static let listPath = "public"

  /// Adds the routes.
  static func add(to routes: some RouterMethods<RegistryContext>, _ registry: Registry) {
    let handlers = ContentHandlers(registry: registry, intakes: IntakePool())
    let content = routes.group("content")
    content.post("share") { try await handlers.share($0, $1) }
    content.post("batch") { try await handlers.batch($0, $1) }
    content.get(RouterPath(listPath)) { try await handlers.listPublic($0, $1) }
    content.get("mine") { try await handlers.listMine($0, $1) }
    let item = content.group(RouterPath(itemPath))
    item.get { try await handlers.item($0, $1) }
    item.head { try await handlers.itemHead($0, $1) }
    item.put { try await handlers.update($0, $1) }
    item.patch { try await handlers.update($0, $1) }
    item.delete { try await handlers.unpublish($0, $1) }
    item.post("fork") { try await handlers.fork($0, $1) }
    item.get("lineage") { try await handlers.lineage($0, $1) }
    item.get("stats") { try await handlers.stats($0, $1) }
  }
}

/// Handles requests about content; there is one file per group of routes.
struct ContentHandlers: Sendable {
  let registry: Registry
  let intakes: IntakePool

  /// Slugs that an item cannot have, because their paths have another meaning.
  static let reservedSlugs: Set<String> = ["share", "batch", "public", "mine"]

  /// Returns the slug in a path.
  /// - Throws: `Problem` 404 for a string that cannot be a slug: no item can have it.
  func publicID(_ context: RegistryContext) throws -> String {
    guard let text = context.parameters.get("public_id"), Self.isSlug(text) else { throw Problem.notFound }
    return text
  }

  /// Finds the item that a path names: by id if the name is an id, otherwise by slug.
  func find<Found>(
    _ context: RegistryContext, _ look: (ContentName) async throws -> Found?
  ) async throws -> Found {
    let text = try publicID(context)
    if let id = RegistryID(text), let found = try await look(.id(id)) { return found }
    // A slug may look like an id.
    guard let found = try await look(.publicID(text)) else { throw Problem.notFound }
    return found
  }

  /// Whether `text` consists of 1 to 255 characters from `A-Z a-z 0-9 -`.
  static func isSlug(_ text: String) -> Bool {
    let count = text.utf8.count
    guard count >= 1, count <= 255 else { return false }
    return text.utf8.allSatisfy {
      $0 == UInt8(ascii: "-") || ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A)
    }
  }
}
