import Content
import ContentPack
import Diagnostics
import Interchange
import JSONText
import ProjectConfiguration
import Validation

/// The content of a `pack.yml`: the publisher, the licence and the selection of items.
///
/// - Source: formats/schemas/pack-config.schema.json
public struct PackConfiguration: Sendable {
  /// The name of the file in a folder of content.
  public static let fileName = "pack.yml"

  /// The permanent name of the pack; nil to derive it from the file name.
  public var name: String?
  /// The version of the content.
  public var version: SemanticVersion
  /// The person or organization responsible for the content.
  public var publisher: String
  /// The terms under which the content may be used.
  public var licence: String
  /// The purpose of the pack.
  public var description: String?
  /// The languages; empty to use the languages of the items.
  public var languages: [String] = []
  /// The selection of items to include; nil includes all.
  public var selection: Selection?

  /// Creates a configuration.
  public init(version: SemanticVersion, publisher: String, licence: String) {
    self.version = version
    self.publisher = publisher
    self.licence = licence
  }

  /// Reads a file.
  /// - Throws: `ConfigurationError` with everything that is wrong with the file.
  public init(file path: String) throws(ConfigurationError) {
    let bytes: [UInt8]
    do {
      bytes = try ConfigurationFile.read(path)
    } catch {
      throw ConfigurationError([Diagnostic(.configurationUnreadable, error.message, at: Place(file: path))])
    }
    try self.init(parsing: bytes, file: path)
  }

  /// Parses the text of a file.
  /// - Parameter file: the name of the file in findings.
  /// - Throws: `ConfigurationError` with everything that is wrong with the file.
  public init(parsing bytes: [UInt8], file: String) throws(ConfigurationError) {
    var reader = try PackConfigurationReader(bytes, file: file)
    self = try reader.read()
  }

  /// The smallest valid file, for messages.
  public static let smallest = """
    version: 1.0.0
    publisher: Blue Sea Sailing School
    licence: CC-BY-4.0

    """
}

/// Reads the members of a `pack.yml` and collects everything that is wrong with them.
private struct PackConfigurationReader {
  private var findings: ConfigurationFindings

  private static let members = [
    "name", "version", "publisher", "licence", "license", "description", "languages", "select", "selection",
  ]
  private static let selectors = ["id", "title", "tag", "type", "path"]

  /// - Throws: `ConfigurationError` if the text is not YAML.
  init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
    findings = try ConfigurationFindings(parsing: bytes, file: file)
  }

  mutating func read() throws(ConfigurationError) -> PackConfiguration {
    let members = members(findings.root, of: "a pack description", allowed: Self.members)
    var configuration: PackConfiguration?
    let version = one("version", members).flatMap { self.version($0) }
    let publisher = one("publisher", members).flatMap { text($0, "'publisher'", longest: 200) }
    let licence = one("licence", or: "license", members).flatMap { text($0, "'licence'", longest: 200) }
    if let version, let publisher, let licence {
      configuration = PackConfiguration(version: version, publisher: publisher, licence: licence)
    }
    for (name, value) in members where !value.isNull {
      switch name {
      case "name": configuration?.name = self.name(value)
      case "description": configuration?.description = text(value, "'description'", longest: 2000)
      case "languages":
        let languages = list(value, "'languages'")
        configuration?.languages = languages.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      case "select", "selection": configuration?.selection = selection(value)
      default: break
      }
    }
    if let second = both("select", "selection", members) {
      wrong(second, "'select' and 'selection' mean the same; give only one of them")
    }
    guard let configuration, findings.isEmpty else { throw findings.error }
    return configuration
  }

  // MARK: Members

  private typealias Members = [(name: String, value: JSONValue)]

  private mutating func members(_ value: JSONValue, of what: String, allowed: [String]) -> Members {
    value.isNull ? [] : findings.members(value, of: what, allowed: allowed) ?? []
  }

  /// Returns a required member, under one of its two names.
  private mutating func one(_ name: String, or other: String? = nil, _ members: Members) -> JSONValue? {
    let found = members.filter { $0.name == name || $0.name == other }
    if let second = found.dropFirst().first {
      wrong(second.value, "'\(name)' is already given; give only one spelling")
    }
    if let value = found.first?.value { return value }
    findings.report(
      .configurationWrongValue, "'\(name)' is missing", at: findings.root,
      fix: "add \(Self.required(name))")
    return nil
  }

  private func both(_ first: String, _ second: String, _ members: Members) -> JSONValue? {
    let found = members.filter { $0.name == first || $0.name == second }
    return found.count > 1 ? found[1].value : nil
  }

  private static func required(_ name: String) -> String {
    switch name {
    case "version": "the version of the pack, for example version: 1.0.0"
    case "publisher": "the publisher of the content, for example publisher: Blue Sea Sailing School"
    default: "the terms under which the content may be used, for example licence: CC-BY-4.0"
    }
  }

  private mutating func version(_ value: JSONValue) -> SemanticVersion? {
    if let version = value.string.flatMap(SemanticVersion.init) { return version }
    wrong(value, "\(value.text) is not a version in the form of Semantic Versioning, such as 1.2.0")
    return nil
  }

  private mutating func name(_ value: JSONValue) -> String? {
    if let name = value.string, PackName.isValid(name) { return name }
    wrong(
      value,
      "\(value.text) is not a pack name: use lower-case letters and digits with single dots or hyphens between them, "
        + "at most \(PackName.longest)")
    return nil
  }

  private mutating func selection(_ value: JSONValue) -> Selection? {
    var selection = Selection()
    for (name, value) in members(value, of: "a selection", allowed: Self.selectors) where !value.isNull {
      switch name {
      case "id":
        selection.ids = list(value, "'id'")
        for id in selection.ids where id.utf8.count < 4 {
          wrong(value, "give at least the first four characters of an id")
        }
      case "title": selection.titles = list(value, "'title'")
      case "tag": selection.tags = list(value, "'tag'")
      case "path": selection.paths = list(value, "'path'")
      default:
        selection.types = list(value, "'type'")
        for word in selection.types { checkType(word, value) }
      }
    }
    return selection.isEmpty ? nil : selection
  }

  private mutating func checkType(_ word: String, _ value: JSONValue) {
    let types = ContentType.allCases.flatMap { [$0.rawValue, $0.rawValue + "s"] } + ["guide", "deck", "item", "items"]
    guard !types.contains(Selection.typeWord(word)) else { return }
    let known = ContentType.allCases.map(\.rawValue)
    let meant = RuleCatalog.nearest(to: word, among: known)
    wrong(
      value,
      "'\(word)' is not an item type; the types are \(known.joined(separator: ", "))"
        + (meant.map { ". Did you mean '\($0)'?" } ?? ""))
  }

  // MARK: Values

  /// Returns a list of words from a single word or a list of words.
  private mutating func list(_ value: JSONValue, _ what: String) -> [String] {
    if value.kind == .array { return value.elements.compactMap { text($0, "a word of \(what)", longest: 1000) } }
    return text(value, what, longest: 1000).map { [$0] } ?? []
  }

  private mutating func text(_ value: JSONValue, _ what: String, longest: Int) -> String? {
    guard let text = value.string, !text.isEmpty, text.unicodeScalars.count <= longest else {
      wrong(
        value,
        value.kind == .string
          ? "\(what) must have 1 to \(longest) characters"
          : "\(what) must be a string" + ConfigurationFindings.quotes(value))
      return nil
    }
    return text
  }

  private mutating func wrong(_ value: JSONValue, _ message: String) { findings.wrong(value, message) }
}
