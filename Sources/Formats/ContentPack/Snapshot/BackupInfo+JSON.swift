import Content
import Interchange
import JSONText

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
  public init(parsing text: UnsafeBufferPointer<UInt8>, file: String) throws {
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
    // A backup has a parent if and only if its depth is not 0. FleetKit does not write any other backups.
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
