import Content
import Diagnostics
import Interchange
import JSONText

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
