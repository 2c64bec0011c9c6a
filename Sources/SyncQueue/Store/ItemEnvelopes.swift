import Content
import SQLiteIO

/// The publication data of items, in the library or the sidecar.
protocol ItemEnvelopes: AnyObject {
  /// Reads an item's envelope; returns nil when the item is missing.
  func look(_ contentID: String) throws -> ItemEnvelope?
  /// Reads an item's title; returns nil when the item is missing. This is cheaper than reading the envelope.
  func title(of contentID: String) throws -> String?
  /// Changes an item; does nothing when the item is missing.
  func write(_ envelope: ItemEnvelope, to contentID: String) throws
  /// Changes only an item's status; does nothing when the item is missing.
  func write(status: String, to contentID: String) throws
  /// Returns the ids of items that are marked as being sent.
  func syncing() throws -> [String]
  /// Returns the ids and slugs of items that are public or waiting to be published, according to their rows.
  func published() throws -> [(id: String, slug: String)]
}

extension ItemEnvelopes {
  func title(of contentID: String) throws -> String? { try look(contentID)?.title }
}

/// An item's publication data.
struct ItemEnvelope: Equatable {
  /// The title that lists show.
  var title: String
  /// The visibility: `public`, `private` …
  var visibility: String
  /// The item's sync state.
  var syncStatus: String
  /// The slug.
  var publicID: String?
  /// When the item was published.
  var publishedAt: Timestamp?
  /// The publication data that the app shows.
  var publicMetadata: PublicMetadata?
  /// The author of the original, if the item is a copy.
  var originalAuthor: String?

  /// Whether others may make copies: the item's setting, or true when there is none.
  var canFork: Bool { publicMetadata?.canFork ?? true }

  /// Makes the item public.
  mutating func publish(as publicID: String, at date: Timestamp, by author: String, authorID: String?) {
    var metadata = publicMetadata ?? PublicMetadata()
    metadata.publicID = publicID
    metadata.publishedAt = date.secondsSince2001
    metadata.canFork = canFork
    metadata.authorUsername = author
    metadata.authorUserID = authorID?.uppercased() ?? metadata.authorUserID
    publicMetadata = metadata
    visibility = LibraryItem.Visibility.ofPublished(visibility, publicID: self.publicID)
    self.publicID = publicID
    publishedAt = publishedAt ?? date
  }

  /// Makes the item private.
  mutating func withdraw() {
    visibility = LibraryItem.Visibility.private
    publicID = nil
    publishedAt = nil
    publicMetadata = nil
  }
}

extension LibraryItem.Visibility {
  /// Returns the visibility of an item that a registry has or will get. An unlisted publication stays unlisted, because
  /// only its owner may make it public.
  /// - Parameters:
  ///   - visibility: the item's current visibility.
  ///   - publicID: the item's current public id; nil when it has no publication yet.
  static func ofPublished(_ visibility: String, publicID: String?) -> String {
    publicID != nil && visibility == unlisted ? unlisted : `public`
  }
}
