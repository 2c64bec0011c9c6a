import Content
import SQLiteIO

/// The part of items that publishing is about, wherever they are stored.
protocol ItemEnvelopes: AnyObject {
  /// What an item says; nil when it is not there.
  func look(_ contentID: String) throws -> ItemEnvelope?
  /// The title of an item; nil when it is not there. Cheaper than all that it says.
  func title(of contentID: String) throws -> String?
  /// Changes an item; nothing happens when it is not there.
  func write(_ envelope: ItemEnvelope, to contentID: String) throws
  /// Changes the status alone; nothing happens when the item is not there.
  func write(status: String, to contentID: String) throws
  /// Ids of items that are marked as being sent.
  func syncing() throws -> [String]
  /// Ids and slugs of items that say that they are public, or are to be.
  func published() throws -> [(id: String, slug: String)]
}

extension ItemEnvelopes {
  func title(of contentID: String) throws -> String? { try look(contentID)?.title }
}

/// What an item says about its publication.
struct ItemEnvelope: Equatable {
  /// The title that lists show.
  var title: String
  /// `public`, `private` …
  var visibility: String
  /// How far it is on its way.
  var syncStatus: String
  /// The slug.
  var publicID: String?
  /// When it was published.
  var publishedAt: Timestamp?
  /// What the app shows of the publication.
  var publicMetadata: PublicMetadata?
  /// Whose work it is where it is a copy.
  var originalAuthor: String?

  /// Whether others may make a copy: what the item says, else yes.
  var canFork: Bool { publicMetadata?.canFork ?? true }

  /// Says that the item is public.
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

  /// Says that nobody else sees the item.
  mutating func withdraw() {
    visibility = LibraryItem.Visibility.private
    publicID = nil
    publishedAt = nil
    publicMetadata = nil
  }
}

extension LibraryItem.Visibility {
  /// The visibility of an item that a registry has, or is to get: an unlisted publication stays unlisted, because only
  /// its owner can say that everybody may find it.
  /// - Parameters:
  ///   - visibility: the item's visibility now.
  ///   - publicID: the public id that it has now; nil where it has no publication yet.
  static func ofPublished(_ visibility: String, publicID: String?) -> String {
    publicID != nil && visibility == unlisted ? unlisted : `public`
  }
}
