import Content

/// What a backup says about itself in `data/pack.json`.
///
/// - Source: formats/backup.md
public struct BackupInfo: Sendable, Hashable {
  /// The backup that an incremental one was made after.
  public struct Parent: Encodable, Sendable, Hashable {
    /// The name that its file had, without folders.
    public var file: String
    /// SHA-256 of the whole file.
    public var sha256: String
    /// When it was taken.
    public var takenAt: Timestamp

    /// Names a parent.
    public init(file: String, sha256: String, takenAt: Timestamp) {
      self.file = file
      self.sha256 = sha256
      self.takenAt = takenAt
    }
  }

  /// How many records of a kind there are.
  public struct Count: Sendable, Hashable {
    /// The kind's name.
    public var kind: String
    /// How many.
    public var number: Int

    /// Counts a kind.
    public init(kind: String, number: Int) {
      self.kind = kind
      self.number = number
    }
  }

  /// The bytes of an attachment.
  public struct Media: Sendable, Hashable {
    /// Their SHA-256, which is also the name of the file.
    public var sha256: String
    /// How many they are.
    public var bytes: Int

    /// Names an attachment's bytes.
    public init(sha256: String, bytes: Int) {
      self.sha256 = sha256
      self.bytes = bytes
    }
  }

  /// What the library is called: its file's name without the ending.
  public var name: String
  /// The name of the library's file, without folders.
  public var library: String
  /// Which library of that name it is: the first 16 hexadecimal digits of the SHA-256 of the file's real path; nil when
  /// the backup does not say it.
  public var origin: String?
  /// The moment that the snapshot shows.
  public var takenAt: Timestamp
  /// The library's schema, `2.2.0`; nil when it says none.
  public var schema: String?
  /// Records in the index, by kind, in the order of the index.
  public var counts: [Count] = []
  /// Records that could not be read and are not in the index; the snapshot holds them all the same.
  public var unreadable = 0
  /// Bytes of the library's file.
  public var libraryBytes: Int
  /// SHA-256 of `data/library.sqlite`; nil in an incremental backup: put together from rows, the file has other bytes
  /// but the same rows.
  public var librarySHA256: String?
  /// SHA-256 of `data/index.jsonl`.
  public var indexSHA256: String
  /// The backup before; nil in a full one.
  public var parent: Parent?
  /// How many backups are needed beside this one: 0 for a full one.
  public var depth = 0
  /// The bytes of all attachments that the library has, those of earlier backups of the chain included.
  public var media: [Media] = []
  /// SHA-256 of `data/beside/state.sqlite`, which may lie in an earlier backup of the chain; nil when there is none.
  public var stateSHA256: String?

  /// Describes a backup.
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

  /// Whether it needs others.
  public var isIncremental: Bool { parent != nil }

  /// Records in the index, of all kinds.
  public var records: Int { counts.reduce(0) { $0 + $1.number } }

  /// The version of backups that this FleetKit writes, and the newest that it reads.
  public static let formatVersion = 1

  /// Where things lie in a backup.
  public enum Path {
    /// What it says about itself.
    public static let info = "data/pack.json"
    /// Kind, id and hash of every record.
    public static let index = "data/index.jsonl"
    /// The snapshot of a full backup.
    public static let library = "data/library.sqlite"
    /// What an incremental backup changes.
    public static let changes = "data/changes.sqlite"
    /// What lies beside the library.
    public static let state = "data/beside/state.sqlite"
    /// Everything as a bundle.
    public static let bundle = "data/bundle.jsonl"
    /// The folder of attachments, with the slash.
    public static let media = "data/media/"
  }
}
