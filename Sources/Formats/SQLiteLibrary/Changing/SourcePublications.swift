import Content
import JSONText

/// Which publications of a source were sent, as the operations in its queue tell.
///
/// A publication that waits, or was refused, is public nowhere: its item must not look public where the operation does
/// not come along. Holds the ids of `publish` operations. Serves one thread.
package final class SourcePublications {
  private struct Key: Hashable {
    let item: String
    /// Nil where the payload names none.
    let publicID: String?
  }

  private var sent = Set<Key>()
  private var unsent = Set<Key>()

  package init() {}

  /// Notes a canonical record of a queued operation.
  package func note(_ operation: JSONNode) {
    guard operation.member("operation")?.equals("publish") ?? false, let id = operation.member("content_id")?.string
    else { return }
    let payload = operation.member("payload")
    let key = Key(item: id, publicID: (payload?.member("public_id") ?? payload?.member("publicID"))?.string)
    if operation.member("synced_at")?.kind == .string { sent.insert(key) } else { unsent.insert(key) }
  }

  /// Forgets everything, before another source is read.
  package func removeAll() {
    sent.removeAll()
    unsent.removeAll()
  }

  /// Ids of items that have a publication that was not sent.
  package var unsentItems: Set<String> { Set(unsent.map(\.item)) }

  /// Whether an item waits for the publication that it says it has. One without any operation is taken for public,
  /// because operations may have been lost.
  package func isUnsent(_ item: String, publicID: String?) -> Bool {
    func contains(_ keys: Set<Key>) -> Bool {
      keys.contains(Key(item: item, publicID: publicID)) || keys.contains(Key(item: item, publicID: nil))
    }
    return contains(unsent) && !contains(sent)
  }

  /// Whether that is so of a canonical item.
  package func isUnsent(_ item: JSONNode) -> Bool {
    guard !unsent.isEmpty, let id = item.member("id")?.string else { return false }
    return isUnsent(id, publicID: item.member("public_id")?.string)
  }
}
