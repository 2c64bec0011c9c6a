import Content
import Diagnostics
import Interchange
import JSONText

/// The description of a pack in `data/pack.json`.
///
/// - Source: formats/schemas/pack.schema.json
public struct PackInfo: Sendable, Equatable {
  /// The value of the member `format`.
  public static let format = "fleetkit.pack"
  /// The format version that this FleetKit writes, and the newest one that it reads.
  public static let currentFormatVersion = 1
  /// The description's path in a bag.
  public static let path = "data/pack.json"

  /// The format version that the pack is written in.
  public var formatVersion = PackInfo.currentFormatVersion
  /// The oldest format version whose readers understand the pack.
  public var minReader = 1
  /// The pack's purpose.
  public var profile: PackProfile
  /// The pack's permanent name (see `PackName`).
  public var name: String
  /// The content's version; nil in backups, which need no version.
  public var version: SemanticVersion?
  /// The person or organization responsible for the content; nil in backups.
  public var publisher: String?
  /// The terms under which the content may be used; nil in backups.
  public var licence: String?
  /// A human-readable description of the pack.
  public var description: String?
  /// The languages of the items, as BCP 47 tags.
  public var languages: [String] = []
  /// The earlier versions, newest first.
  public var previous: [PackPrevious] = []
  /// The index, with one entry for every item.
  public var items: [PackItem] = []
  /// Members that this FleetKit does not recognize, in file order.
  public var extras: [ExtraMember] = []

  /// Creates the description of a pack.
  public init(profile: PackProfile, name: String) {
    self.profile = profile
    self.name = name
  }

  /// The latest earlier version.
  public var parent: PackPrevious? { previous.first }
}

/// The purpose of a pack.
public enum PackProfile: String, Sendable, CaseIterable {
  /// Published content: items and the records that belong to them, without their author's personal data.
  case content
  /// A faithful copy of everything in a source.
  case copy
  /// A snapshot of a library, or the changes since another snapshot.
  case backup
}

/// An entry in a pack's index: an item and its file.
public struct PackItem: Sendable, Hashable {
  /// The item's id, a UUID in upper case.
  public var id: String
  /// The item's content type.
  public var contentType: ContentType
  /// The item's title.
  public var title: String
  /// The item's language as a BCP 47 tag; nil if the index does not specify it.
  public var language: String?
  /// The file's path relative to `data/`, such as `checklists/leaving-the-berth.json`.
  public var path: String
  /// The SHA-256 of the file, in lower-case hexadecimal digits.
  public var sha256: String

  /// Creates an entry.
  public init(
    id: String, contentType: ContentType, title: String, language: String? = nil, path: String, sha256: String
  ) {
    self.id = id
    self.contentType = contentType
    self.title = title
    self.language = language
    self.path = path
    self.sha256 = sha256
  }
}

/// An earlier version of a pack.
public struct PackPrevious: Sendable, Hashable {
  /// The version number.
  public var version: SemanticVersion
  /// The SHA-256 of the pack's file, in lower-case hexadecimal digits.
  public var sha256: String

  /// Creates an entry.
  public init(version: SemanticVersion, sha256: String) {
    self.version = version
    self.sha256 = sha256
  }
}

extension PackInfo {
  /// Parses the text of `data/pack.json`.
  /// - Parameter file: the file's name in messages, such as `first-charter.fleetpack/data/pack.json`.
  /// - Throws: `RunFailure`: 2 with the place of the first error, 6 if the pack requires a newer reader.
  public init(parsing text: Span<UInt8>, file: String) throws {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: text)
    } catch {
      let position = error.position(in: text)
      throw RunFailure(
        .packInfo, error.message, at: Place(file: file, line: position.line, column: position.column))
    }
    self = try PackInfoReader(root: document.root, file: file).read()
  }

  /// Parses the text of `data/pack.json`.
  /// - Throws: the errors of `init(parsing:file:)` for a span.
  public init(parsing text: [UInt8], file: String) throws {
    self = try PackInfo(parsing: text.span, file: file)
  }
}

/// Reads `data/pack.json` member by member and stops at the first error.
struct PackInfoReader {
  let root: JSONValue
  let file: String

  init(root: JSONValue, file: String) {
    self.root = root
    self.file = file
  }

  private static let known: Set<String> = [
    "format", "format_version", "min_reader", "profile", "name", "version", "publisher", "licence", "description",
    "languages", "previous", "items",
  ]

  func read() throws -> PackInfo {
    guard root.kind == .object else { throw wrong("a pack description must be an object", root) }
    if let twice = root.duplicateName { throw wrong("the member \(twice.text) is repeated", twice) }
    let members = Dictionary(root.members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    let format = try required("format", members)
    guard format.string == PackInfo.format else {
      throw wrong("'format' is \(format.text), not \"\(PackInfo.format)\"", format)
    }
    let version = try number("format_version", try required("format_version", members))
    let minReader = try members["min_reader"].map { try number("min_reader", $0) } ?? 1
    // Do not check the other members, because they may have a different meaning in a newer format.
    if minReader > PackInfo.currentFormatVersion {
      throw RunFailure(
        .newer,
        "read '\(file)': this pack requires reader version \(minReader); this one has "
          + "\(PackInfo.currentFormatVersion)", advice: "Update FleetKit.")
    }
    let profile = try members["profile"].map(self.profile) ?? .content
    var info = PackInfo(profile: profile, name: try name(try required("name", members)))
    info.formatVersion = version
    info.minReader = minReader
    let needs: (String) throws -> JSONValue? = { name in
      if let value = members[name] { return value }
      if profile != .backup { _ = try required(name, members) }
      return nil
    }
    info.version = try needs("version").map(self.version)
    info.publisher = try needs("publisher").map { try text($0, "publisher", longest: 200) }
    info.licence = try needs("licence").map { try text($0, "licence", longest: 200) }
    info.description = try members["description"].flatMap { $0.isNull ? nil : try string($0, "description") }
    info.languages = try needs("languages").map(languages) ?? []
    info.previous = try members["previous"].map { try list($0, "previous").map(previous) } ?? []
    info.items = try needs("items").map(items) ?? []
    info.extras = root.members.filter { !Self.known.contains($0.name) }.map {
      ExtraMember(name: $0.name, json: $0.value.text)
    }
    return info
  }

  // MARK: Members

  private func profile(_ value: JSONValue) throws -> PackProfile {
    if let profile = value.string.flatMap(PackProfile.init) { return profile }
    throw wrong("'profile' is \(value.text); it must be \"content\", \"copy\" or \"backup\"", value)
  }

  private func name(_ value: JSONValue) throws -> String {
    if let name = value.string, PackName.isValid(name) { return name }
    throw wrong(
      "\(value.text) is not a pack name: use lower-case letters and digits, separated by single dots or hyphens, "
        + "with at most \(PackName.longest) characters", value)
  }

  private func version(_ value: JSONValue) throws -> SemanticVersion {
    if let version = value.string.flatMap(SemanticVersion.init) { return version }
    throw wrong("\(value.text) is not a semantic version such as \"1.2.0\"", value)
  }

  private func languages(_ value: JSONValue) throws -> [String] {
    var seen: Set<String> = []
    return try list(value, "languages").map { element in
      let tag = try text(element, "a language", longest: 35)
      guard tag.utf8.count >= 2 else { throw wrong("\(element.text) is not a language tag", element) }
      guard seen.insert(tag).inserted else { throw wrong("the language \(element.text) is listed twice", element) }
      return tag
    }
  }

  private func previous(_ value: JSONValue) throws -> PackPrevious {
    let members = try object(value, "an earlier version")
    return PackPrevious(
      version: try version(try required("version", members, in: value)),
      sha256: try checksum(try required("sha256", members, in: value)))
  }

  private func items(_ value: JSONValue) throws -> [PackItem] {
    var ids: Set<String> = []
    var paths: Set<[UInt8]> = []
    return try list(value, "items").map { element in
      let item = try self.item(element)
      guard ids.insert(item.id).inserted else { throw wrong("the index lists the item \(item.id) twice", element) }
      guard paths.insert(Array(item.path.utf8)).inserted else {
        throw wrong("the index lists the file '\(item.path)' for two items", element)
      }
      return item
    }
  }

  private func item(_ value: JSONValue) throws -> PackItem {
    let members = try object(value, "an index entry")
    let id = try required("id", members, in: value)
    guard let idText = id.string, CanonicalUUID.form(of: idText) == .canonical else {
      throw wrong("\(id.text) is not an upper-case UUID", id)
    }
    let type = try required("content_type", members, in: value)
    guard let contentType = type.string.flatMap(ContentType.init) else {
      throw wrong("\(type.text) is not a content type that this FleetKit supports", type)
    }
    let path = try required("path", members, in: value)
    guard let pathText = path.string, Self.isPath(pathText) else {
      throw wrong("\(path.text) is not the path of a file in data/", path)
    }
    let language = try members["language"].flatMap { $0.isNull ? nil : try string($0, "language") }
    return PackItem(
      id: idText, contentType: contentType, title: try string(try required("title", members, in: value), "title"),
      language: language, path: pathText, sha256: try checksum(try required("sha256", members, in: value)))
  }

  /// Whether a path is relative and none of its components is empty or begins with a dot.
  private static func isPath(_ path: String) -> Bool {
    !path.isEmpty && path.utf8.count <= 1000 && !path.utf8.contains(UInt8(ascii: "\\"))
      && path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
        $0.first.map { $0 != UInt8(ascii: ".") } ?? false
      }
  }

  // MARK: Values

  private func required(_ name: String, _ members: [String: JSONValue], in object: JSONValue? = nil) throws
    -> JSONValue
  {
    if let value = members[name] { return value }
    throw wrong("the member '\(name)' is missing", object ?? root)
  }

  private func object(_ value: JSONValue, _ what: String) throws -> [String: JSONValue] {
    guard value.kind == .object else { throw wrong("\(what) must be an object", value) }
    return Dictionary(value.members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }

  private func list(_ value: JSONValue, _ name: String) throws -> [JSONValue] {
    guard value.kind == .array else { throw wrong("'\(name)' must be an array", value) }
    return value.elements
  }

  private func string(_ value: JSONValue, _ name: String) throws -> String {
    if let text = value.string { return text }
    throw wrong("'\(name)' must be a string", value)
  }

  private func text(_ value: JSONValue, _ name: String, longest: Int) throws -> String {
    let text = try string(value, name)
    guard !text.isEmpty, text.unicodeScalars.count <= longest else {
      throw wrong("'\(name)' must have 1 to \(longest) characters", value)
    }
    return text
  }

  private func number(_ name: String, _ value: JSONValue) throws -> Int {
    if let number = value.integer, number >= 1, number <= Int32.max { return Int(number) }
    throw wrong("'\(name)' must be a positive integer", value)
  }

  private func checksum(_ value: JSONValue) throws -> String {
    let digits = value.string ?? ""
    let isHex = digits.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    guard digits.utf8.count == 64, isHex else {
      throw wrong("\(value.text) is not a SHA-256 in lower-case hexadecimal digits", value)
    }
    return digits
  }

  private func wrong(_ message: String, _ value: JSONValue) -> RunFailure {
    let position = value.position
    return RunFailure(.packInfo, message, at: Place(file: file, line: position.line, column: position.column))
  }
}

extension PackInfo {
  /// The content of `data/pack.json`: indented JSON with its members in the schema's order. Equal descriptions give
  /// equal bytes.
  public var text: [UInt8] {
    var out = PackInfoWriter(capacity: 1024 + items.count * 320)
    out.line("\"format\": ", string: Self.format)
    out.line("\"format_version\": ", number: formatVersion)
    out.line("\"min_reader\": ", number: minReader)
    out.line("\"profile\": ", string: profile.rawValue)
    out.line("\"name\": ", string: name)
    if let version { out.line("\"version\": ", string: version.text) }
    if let publisher { out.line("\"publisher\": ", string: publisher) }
    if let licence { out.line("\"licence\": ", string: licence) }
    if let description { out.line("\"description\": ", string: description) }
    // Backups have no items of their own, so an empty list would carry no information.
    if profile != .backup || !languages.isEmpty { out.languages(languages) }
    if !previous.isEmpty {
      out.list("\"previous\": ", previous) { out, entry in
        out.member("\"version\": ", entry.version.text)
        out.member("\"sha256\": ", entry.sha256)
      }
    }
    if profile != .backup || !items.isEmpty {
      out.list("\"items\": ", items) { out, item in
        out.member("\"id\": ", item.id)
        out.member("\"content_type\": ", item.contentType.rawValue)
        out.member("\"title\": ", item.title)
        if let language = item.language { out.member("\"language\": ", language) }
        out.member("\"path\": ", item.path)
        out.member("\"sha256\": ", item.sha256)
      }
    }
    for extra in extras { out.extra(extra) }
    return out.end()
  }
}

/// Writes an object with one member per line.
private struct PackInfoWriter: ~Copyable {
  private var out: ByteBuffer
  private var isFirst = true
  private var isFirstInside = true

  init(capacity: Int) {
    out = ByteBuffer(capacity: capacity)
    out.append("{")
  }

  private mutating func begin() {
    out.append(isFirst ? "\n  " : ",\n  ")
    isFirst = false
  }

  mutating func line(_ name: StaticString, string: String) {
    begin()
    out.append(name)
    out.appendJSONString(string)
  }

  mutating func line(_ name: StaticString, number: Int) {
    begin()
    out.append(name)
    out.append(utf8: String(number))
  }

  mutating func languages(_ languages: [String]) {
    begin()
    out.append("\"languages\": [")
    for (index, language) in languages.enumerated() {
      if index > 0 { out.append(", ") }
      out.appendJSONString(language)
    }
    out.append("]")
  }

  mutating func list<Entry>(
    _ name: StaticString, _ entries: [Entry], _ write: (inout PackInfoWriter, Entry) -> Void
  ) {
    begin()
    out.append(name)
    guard !entries.isEmpty else { return out.append("[]") }
    out.append("[")
    for (index, entry) in entries.enumerated() {
      out.append(index == 0 ? "\n    {" : ",\n    {")
      isFirstInside = true
      write(&self, entry)
      out.append("\n    }")
    }
    out.append("\n  ]")
  }

  /// Appends a member of an object in a list.
  mutating func member(_ name: StaticString, _ value: String) {
    out.append(isFirstInside ? "\n      " : ",\n      ")
    isFirstInside = false
    out.append(name)
    out.appendJSONString(value)
  }

  mutating func extra(_ member: ExtraMember) {
    begin()
    out.appendJSONString(member.name)
    out.append(": ")
    out.append(utf8: member.json)
  }

  mutating func end() -> [UInt8] {
    out.append("\n}\n")
    return Array(out.bytes)
  }
}

/// Checks a pack's index against the checksums of the pack's files.
extension PackInfo {
  /// Returns a finding for each entry with a missing file or a different checksum, and for each item file missing from
  /// the index.
  /// - Parameters:
  /// - checksums: the SHA-256 of every payload file, by the file's path in the bag.
  ///   - pack: the pack's name in findings.
  public func findings(against checksums: [String: String], pack: String) -> [Diagnostic] {
    var found: [Diagnostic] = []
    let folder = pack.hasSuffix("/") ? pack : pack + "/"
    let place = Place(file: folder + Self.path)
    var listed: Set<String> = []
    for item in items {
      let path = "data/" + item.path
      listed.insert(path)
      guard let sha256 = checksums[path] else {
        found.append(
          Diagnostic(
            .packFileMissing, "the pack does not contain '\(path)'", at: place, record: "item \(item.id)",
            title: item.title))
        continue
      }
      if sha256.utf8.elementsEqual(item.sha256.utf8) { continue }
      found.append(
        Diagnostic(
          .packFileDiffers, "the file '\(path)' has the checksum \(sha256)", at: place, record: "item \(item.id)",
          title: item.title))
    }
    let unlisted = checksums.keys.filter { path in
      PackLayout.holdsItems(path) && !listed.contains(path)
    }
    for path in unlisted.sorted() {
      found.append(
        Diagnostic(.packItemUnlisted, "the index does not list this file", at: Place(file: folder + path)))
    }
    return found
  }
}
