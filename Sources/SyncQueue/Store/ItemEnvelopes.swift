import Content
import SQLiteIO

/// The publication data of items, wherever they are stored.
protocol ItemEnvelopes: AnyObject {
  /// Reads the envelope of an item; nil when the item is missing.
  func look(_ contentID: String) throws -> ItemEnvelope?
  /// Reads the title of an item; nil when the item is missing. Cheaper than reading the envelope.
  func title(of contentID: String) throws -> String?
  /// Changes an item; does nothing when the item is missing.
  func write(_ envelope: ItemEnvelope, to contentID: String) throws
  /// Changes only the status; does nothing when the item is missing.
  func write(status: String, to contentID: String) throws
  /// Returns ids of items that are marked as being sent.
  func syncing() throws -> [String]
  /// Returns ids and slugs of items that are public or waiting to be, according to their rows.
  func published() throws -> [(id: String, slug: String)]
}

extension ItemEnvelopes {
  func title(of contentID: String) throws -> String? { try look(contentID)?.title }
}

/// The publication data of an item.
struct ItemEnvelope: Equatable {
  /// The title that lists show.
  var title: String
  /// `public`, `private` …
  var visibility: String
  /// Its sync state.
  var syncStatus: String
  /// The slug.
  var publicID: String?
  /// When it was published.
  var publishedAt: Timestamp?
  /// The publication data that the app shows.
  var publicMetadata: PublicMetadata?
  /// The author of the original, if the item is a copy.
  var originalAuthor: String?

  /// Whether others may make copies: the item's setting, else yes.
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
  /// The visibility of an item that a registry has, or is to get: an unlisted publication stays unlisted, because only
  /// its owner may make it findable for everybody.
  /// - Parameters:
  ///   - visibility: the item's current visibility.
  ///   - publicID: its current public id; nil where it has no publication yet.
  static func ofPublished(_ visibility: String, publicID: String?) -> String {
    publicID != nil && visibility == unlisted ? unlisted : `public`
  }
}
