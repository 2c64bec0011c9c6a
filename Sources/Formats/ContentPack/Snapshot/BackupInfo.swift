import Content

/// The description of a backup in `data/pack.json`.
///
/// - Source: formats/backup.md
public struct BackupInfo: Sendable, Hashable {
  /// The backup on which an incremental one is based.
  public struct Parent: Encodable, Sendable, Hashable {
    /// The name of its file when it was made, without folders.
    public var file: String
    /// SHA-256 of the whole file.
    public var sha256: String
    /// When it was taken.
    public var takenAt: Timestamp

    /// Creates a parent.
    public init(file: String, sha256: String, takenAt: Timestamp) {
      self.file = file
      self.sha256 = sha256
      self.takenAt = takenAt
    }
  }

  /// The number of records of a kind.
  public struct Count: Sendable, Hashable {
    /// The name of the kind.
    public var kind: String
    /// The number of its records.
    public var number: Int

    /// Creates a count.
    public init(kind: String, number: Int) {
      self.kind = kind
      self.number = number
    }
  }

  /// The bytes of an attachment.
  public struct Media: Sendable, Hashable {
    /// Their SHA-256, which is also the name of the file.
    public var sha256: String
    /// The number of bytes.
    public var bytes: Int

    /// Creates the entry of an attachment's bytes.
    public init(sha256: String, bytes: Int) {
      self.sha256 = sha256
      self.bytes = bytes
    }
  }

  /// The name of the library: its file's name without the extension.
  public var name: String
  /// The name of the library's file, without folders.
  public var library: String
  /// The identity of the library among those of that name: the first 16 hexadecimal digits of the SHA-256 of the
  /// file's real path; nil if the backup does not give it.
  public var origin: String?
  /// The time of the snapshot.
  public var takenAt: Timestamp
  /// The version of the library's schema, `2.2.0`; nil if the library does not give it.
  public var schema: String?
  /// Records in the index, by kind, in the order of the index.
  public var counts: [Count] = []
  /// The number of records that could not be read and are missing from the index; the snapshot contains them.
  public var unreadable = 0
  /// The size of the library's file in bytes.
  public var libraryBytes: Int
  /// SHA-256 of `data/library.sqlite`; nil in an incremental backup: the file is put together from rows and has other
  /// bytes, but the same rows.
  public var librarySHA256: String?
  /// SHA-256 of `data/index.jsonl`.
  public var indexSHA256: String
  /// The backup before it; nil in a full one.
  public var parent: Parent?
  /// The number of other backups that are needed: 0 for a full one.
  public var depth = 0
  /// The bytes of all attachments of the library, including those in earlier backups of the chain.
  public var media: [Media] = []
  /// SHA-256 of `data/beside/state.sqlite`, which may be in an earlier backup of the chain; nil if there is none.
  public var stateSHA256: String?

  /// Creates the description of a backup.
  public init(
    name: String, library: String, takenAt: Timestamp, schema: String?, libraryBytes: Int, librarySHA256: String?,
    indexSHA256: String
  ) {
    self.name = name
    self.library = library
    self.takenAt = takenAt
    self.schema = schema
    self.libraryBytes = libraryBytes
    self.librarySHA256 = librarySHA256
    self.indexSHA256 = indexSHA256
  }

  /// Whether it needs other backups.
  public var isIncremental: Bool { parent != nil }

  /// The number of records in the index, of all kinds.
  public var records: Int { counts.reduce(0) { $0 + $1.number } }

  /// The version of backups that this FleetKit writes, and the newest one that it reads.
  public static let formatVersion = 1

  /// The paths in a backup.
  public enum Path {
    /// The backup's description.
    public static let info = "data/pack.json"
    /// Kind, id and hash of every record.
    public static let index = "data/index.jsonl"
    /// The snapshot of a full backup.
    public static let library = "data/library.sqlite"
    /// The changes of an incremental backup.
    public static let changes = "data/changes.sqlite"
    /// The sidecar's database.
    public static let state = "data/beside/state.sqlite"
    /// All records as a bundle.
    public static let bundle = "data/bundle.jsonl"
    /// The folder of attachments, with a slash at the end.
    public static let media = "data/media/"
  }
}
