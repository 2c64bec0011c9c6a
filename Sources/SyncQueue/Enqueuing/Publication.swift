import Content
import JSONText
import SQLiteIO

/// An item's own publication state: the columns that publishing sets.
package struct Publication: Sendable, Equatable {
  /// The slug.
  package var publicID: String
  /// The time of publication, as far as this device has recorded it.
  package var publishedAt: Timestamp
  /// Whether others may make their own copies.
  package var canFork: Bool
  /// The publishing account; nil until a user has signed in.
  package var author: Author?

  /// An account of a registry.
  package struct Author: Sendable, Equatable {
    package var id: String
    package var username: String

    package init(id: String, username: String) {
      self.id = id
      self.username = username
    }

    /// Finds the author name of most published items in a library; nil when no item names an author.
    package init?(of library: SQLiteConnection) throws(SQLiteError) {
      let rows = try library.rows(
        """
        SELECT name, max(id) FROM (
          SELECT json_extract(publicMetadata, '$.authorUsername') AS name,
            json_extract(publicMetadata, '$.authorUserId') AS id
          FROM library_content WHERE publicMetadata IS NOT NULL AND json_valid(publicMetadata))
        WHERE typeof(name) = 'text' AND name <> '' GROUP BY name ORDER BY count(*) DESC, name LIMIT 1
        """)
      guard let row = rows.first, let name = row[0] else { return nil }
      self.init(id: row[1] ?? "", username: name)
    }
  }

  package init(publicID: String, publishedAt: Timestamp, canFork: Bool, author: Author?) {
    self.publicID = publicID
    self.publishedAt = publishedAt
    self.canFork = canFork
    self.author = author
  }

  /// The value of the column `publicMetadata`. The app recognizes a publication only if the first four members are
  /// present.
  package var metadata: String {
    var out = ByteBuffer(capacity: 256)
    out.append("{\"publishedAt\":")
    out.append(utf8: Self.number(publishedAt.milliseconds - Timestamp.of2001.milliseconds))
    out.append(",\"publicID\":")
    out.appendJSONString(publicID)
    out.append(canFork ? ",\"canFork\":true" : ",\"canFork\":false")
    out.append(",\"authorUsername\":")
    out.appendJSONString(author?.username ?? "")
    if let id = author?.id, CanonicalUUID.form(of: id) != .none {
      out.append(",\"authorUserId\":")
      out.appendJSONString(id.uppercased())
    }
    out.append("}")
    return String(decoding: out.bytes, as: UTF8.self)
  }

  /// Formats milliseconds exactly as seconds: `797072400.136`.
  private static func number(_ milliseconds: Int64) -> String {
    let (whole, part) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
    let sign = milliseconds < 0 ? "-" : ""
    if part == 0 { return sign + String(whole) }
    var digits = String(part + 1000).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(sign)\(whole).\(digits)"
  }
}
