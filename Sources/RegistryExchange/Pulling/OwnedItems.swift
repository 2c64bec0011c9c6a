import Content
import Diagnostics
import Interchange
import JSONText
import Publishing
import RegistryClient
import SQLiteLibrary
import Validation

/// Reads all items of an account, page by page.
struct OwnedItems {
  private let registry: any RegistryCalls
  private let address: String

  /// The maximum number of pages; an account cannot have more, so if there are more, another server is answering.
  private static let mostPages = 100_000

  /// - Parameter address: the registry's address, for messages.
  init(_ registry: any RegistryCalls, at address: String) {
    self.registry = registry
    self.address = address
  }

  /// Returns the items, withdrawn ones included, each once, with the oldest change first.
  /// - Parameter doing: the beginning of error messages.
  func all(_ doing: String) throws -> [OwnedItem] {
    var items: [OwnedItem] = []
    var places: [String: Int] = [:]
    var cursor: String?
    var seen = Set<String>()
    for _ in 0..<Self.mostPages {
      try Interruption.check()
      let page: (items: [OwnedItem], next: String?)
      do {
        page = try registry.mine(since: nil, cursor: cursor)
      } catch {
        throw error.failure(doing, at: address)
      }
      for item in page.items {
        // An item that changes while the pages are read appears again at the end.
        if let place = places[item.publicID] {
          items[place] = item
        } else {
          places[item.publicID] = items.count
          items.append(item)
        }
      }
      guard let next = page.next else { return items }
      guard seen.insert(next).inserted else { break }
      cursor = next
    }
    throw RunFailure(
      .unreachable, "\(doing): the registry's list of items does not end", advice: "Check that the address is right.")
  }
}
