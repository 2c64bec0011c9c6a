import Content
import Interchange
import JSONText

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
  /// The SHA-256 of `data/library.sqlite`; nil in an incremental backup, whose library is assembled from rows and
  /// therefore has the same rows but different bytes.
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

extension BackupInfo {
  /// The content of `data/pack.json`. Equal descriptions give equal bytes.
  public var json: [UInt8] {
    var text = ByteBuffer(capacity: 1024)
    text.append("{\n  \"format\": \"fleetkit.pack\",\n  \"format_version\": 1,\n  \"min_reader\": 1")
    text.append(",\n  \"profile\": \"backup\"")
    Self.write("name", name, to: &text)
    Self.write("library", library, to: &text)
    if let origin { Self.write("origin", origin, to: &text) }
    Self.write("taken_at", takenAt.iso8601, to: &text)
    if let schema { Self.write("schema", schema, to: &text) }
    text.append(",\n  \"counts\": {")
    for (index, count) in counts.enumerated() {
      if index > 0 { text.append(", ") }
      text.appendJSONString(count.kind)
      text.append(utf8: ": \(count.number)")
    }
    text.append("}")
    if unreadable > 0 { text.append(utf8: ",\n  \"unreadable\": \(unreadable)") }
    text.append(utf8: ",\n  \"library_bytes\": \(libraryBytes)")
    if let librarySHA256 { Self.write("library_sha256", librarySHA256, to: &text) }
    Self.write("index_sha256", indexSHA256, to: &text)
    if let parent {
      text.append(",\n  \"parent\": {\"file\": ")
      text.appendJSONString(parent.file)
      text.append(utf8: ", \"sha256\": \"\(parent.sha256)\", \"taken_at\": \"\(parent.takenAt.iso8601)\"}")
    }
    text.append(utf8: ",\n  \"depth\": \(depth)")
    text.append(",\n  \"media\": [")
    for (index, media) in media.enumerated() {
      text.append(utf8: "\(index > 0 ? "," : "")\n    {\"sha256\": \"\(media.sha256)\", \"bytes\": \(media.bytes)}")
    }
    text.append("]")
    if let stateSHA256 { Self.write("state_sha256", stateSHA256, to: &text) }
    text.append("\n}\n")
    return Array(text.bytes)
  }

  private static func write(_ name: StaticString, _ value: String, to text: inout ByteBuffer) {
    text.append(",\n  \"")
    text.append(name)
    text.append("\": ")
    text.appendJSONString(value)
  }

  /// Parses the text of `data/pack.json`.
  /// - Parameter file: the file's name in messages.
  /// - Throws: `RunFailure` with status 2 if the text does not describe a backup, 6 if the backup requires a newer
  ///   FleetKit.
  public init(parsing text: Span<UInt8>, file: String) throws {
    let root: JSONValue
    do {
      root = try JSONDocument(parsing: text).root
    } catch {
      throw RunFailure(.failed, "read '\(file)': \(error)")
    }
    let fields = BackupFields(root, file: file)
    guard root.kind == .object, root["format"]?.string == "fleetkit.pack" else {
      throw RunFailure(.failed, "read '\(file)': it does not contain \"format\": \"fleetkit.pack\"")
    }
    guard let minimum = root["min_reader"]?.integer ?? root["format_version"]?.integer else {
      throw fields.wrong("min_reader")
    }
    guard minimum <= Self.formatVersion else {
      throw RunFailure(
        .newer, "read '\(file)': it requires a FleetKit that reads pack version \(minimum)", advice: "Update FleetKit."
      )
    }
    guard root["profile"]?.string == PackProfile.backup.rawValue else {
      throw RunFailure(
        .failed, "read '\(file)': this is a pack, but not a backup",
        advice: "'fleetkit inspect' lists its content; 'fleetkit import' imports it into a library.")
    }
    self.init(
      name: try fields.text("name"), library: try fields.text("library"), takenAt: try fields.time("taken_at"),
      schema: root["schema"]?.string, libraryBytes: try fields.number("library_bytes"),
      librarySHA256: try fields.optionalHash("library_sha256"), indexSHA256: try fields.hash("index_sha256"))
    if root["origin"] != nil { origin = try fields.text("origin") }
    guard let counts = root["counts"], counts.kind == .object else { throw fields.wrong("counts") }
    self.counts = try counts.members.map { name, value in
      guard let number = value.integer, BackupFields.range.contains(number) else { throw fields.wrong("counts") }
      return Count(kind: name, number: Int(number))
    }
    if root["unreadable"] != nil { unreadable = try fields.number("unreadable") }
    depth = try fields.number("depth")
    if let parent = root["parent"] {
      let inner = BackupFields(parent, file: file)
      self.parent = Parent(
        file: try inner.text("file"), sha256: try inner.hash("sha256"), takenAt: try inner.time("taken_at"))
    }
    media = try (root["media"]?.elements ?? []).map { entry in
      let inner = BackupFields(entry, file: file)
      return Media(sha256: try inner.hash("sha256"), bytes: try inner.number("bytes"))
    }
    stateSHA256 = try fields.optionalHash("state_sha256")
    // A backup has a parent if and only if its depth is not 0. FleetKit never writes a backup that breaks this rule.
    guard (parent == nil) == (depth == 0), parent != nil || librarySHA256 != nil else { throw fields.wrong("depth") }
  }
}

/// The members of an object in `data/pack.json`.
private struct BackupFields {
  /// The range of valid record and byte counts in a backup. Sums of these counts do not overflow.
  static let range: ClosedRange<Int64> = 0...1 << 48

  private let object: JSONValue
  private let file: String

  init(_ object: JSONValue, file: String) {
    self.object = object
    self.file = file
  }

  func wrong(_ name: String) -> RunFailure {
    RunFailure(.failed, "read '\(file)': '\(name)' is missing or invalid")
  }

  func text(_ name: String) throws -> String {
    guard let text = object[name]?.string, !text.isEmpty else { throw wrong(name) }
    return text
  }

  func number(_ name: String) throws -> Int {
    guard let number = object[name]?.integer, Self.range.contains(number) else { throw wrong(name) }
    return Int(number)
  }

  func time(_ name: String) throws -> Timestamp {
    guard let (time, _) = Timestamp.parse(try text(name)) else { throw wrong(name) }
    return time
  }

  func hash(_ name: String) throws -> String {
    let text = try text(name)
    // The hash becomes a file name, so it must consist of exactly 64 lower-case hexadecimal digits.
    guard text.utf8.count == 64, text.utf8.allSatisfy({ $0 &- 0x30 < 10 || $0 >= 0x61 && $0 <= 0x66 }) else {
      throw wrong(name)
    }
    return text
  }

  func optionalHash(_ name: String) throws -> String? { object[name] == nil ? nil : try hash(name) }
}
