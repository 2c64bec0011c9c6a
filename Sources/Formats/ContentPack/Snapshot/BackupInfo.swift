import Content

/// The description of a backup in `data/pack.json`.
///
/// - Source: formats/backup.md
public struct BackupInfo: Sendable, Hashable {
  /// The backup on which an incremental backup is based.
  public struct Parent: Encodable, Sendable, Hashable {
    /// The name of the parent's file when the backup was made, without folders.
    public var file: String
    /// The SHA-256 of the parent's file.
    public var sha256: String
    /// The time of the parent's snapshot.
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
    /// The kind's name.
    public var kind: String
    /// The number of records of this kind.
    public var number: Int

    /// Creates a count.
    public init(kind: String, number: Int) {
      self.kind = kind
      self.number = number
    }
  }

  /// An attachment file.
  public struct Media: Sendable, Hashable {
    /// The SHA-256 of the file, which is also its name.
    public var sha256: String
    /// The file's size in bytes.
    public var bytes: Int

    /// Creates the entry for an attachment file.
    public init(sha256: String, bytes: Int) {
      self.sha256 = sha256
      self.bytes = bytes
    }
  }

  /// The library's name, which is its file name without the extension.
  public var name: String
  /// The library's file name, without folders.
  public var library: String
  /// An identifier that distinguishes the library from others with the same name: the first 16 hexadecimal digits of
  /// the SHA-256 of the file's real path; nil if the backup does not contain it.
  public var origin: String?
  /// The time of the snapshot.
  public var takenAt: Timestamp
  /// The library's schema version, such as `2.2.0`; nil if the library does not specify it.
  public var schema: String?
  /// The number of records of each kind, in the order of the index.
  public var counts: [Count] = []
  /// The number of records that could not be read. They are missing from the index, but the snapshot contains them.
  public var unreadable = 0
  /// The library's file size in bytes.
  public var libraryBytes: Int
  /// The SHA-256 of `data/library.sqlite`; nil in an incremental backup, whose library is assembled from rows, so that
  /// it has the same rows but other bytes.
  public var librarySHA256: String?
  /// The SHA-256 of `data/index.jsonl`.
  public var indexSHA256: String
  /// The preceding backup; nil in a full backup.
  public var parent: Parent?
  /// The number of other backups that are needed; 0 for a full backup.
  public var depth = 0
  /// All attachment files of the library, including those in earlier backups of the chain.
  public var media: [Media] = []
  /// The SHA-256 of `data/beside/state.sqlite`, which may be in an earlier backup of the chain; nil if the library has
  /// no sidecar database.
  public var stateSHA256: String?

  /// Creates a backup's description.
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

  /// Whether the backup needs other backups.
  public var isIncremental: Bool { parent != nil }

  /// The total number of records in the index.
  public var records: Int { counts.reduce(0) { $0 + $1.number } }

  /// The format version that this FleetKit writes, and the newest one that it reads.
  public static let formatVersion = 1

  /// The paths in a backup.
  public enum Path {
    /// The backup's description.
    public static let info = "data/pack.json"
    /// The index with the kind, id and hash of every record.
    public static let index = "data/index.jsonl"
    /// The snapshot of a full backup.
    public static let library = "data/library.sqlite"
    /// The changes of an incremental backup.
    public static let changes = "data/changes.sqlite"
    /// The sidecar's database.
    public static let state = "data/beside/state.sqlite"
    /// The bundle with all records.
    public static let bundle = "data/bundle.jsonl"
    /// The folder of attachment files, with a trailing slash.
    public static let media = "data/media/"
  }
}
