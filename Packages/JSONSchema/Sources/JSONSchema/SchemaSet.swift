import Foundation
import JSONText

/// A set of schema documents that may refer to each other.
///
/// Add documents in any order, then compile one of them. The metaschemas of draft 2020-12 are always included.
/// Documents are never fetched from a network; missing documents are requested from `remotes`.
public struct SchemaSet {
  private var documents: [(uri: String, name: String, document: JSONDocument)] = []
  private var uris: Set<String> = []

  /// The function that provides documents that were not added. It is called with a URI and returns nil if there is no
  /// such document.
  public var remotes: (@Sendable (String) throws -> JSONDocument?)?

  /// Creates an empty set.
  public init() {}

  /// Adds a schema document.
  /// - Parameter uri: the URI where the document was found. The document's own `$id` takes precedence. A document
  ///   without either gets a URI that no other document has.
  /// - Returns: The document's URI, for `compile`.
  /// - Throws: `SchemaError` if the document has a duplicate member, or if another document already has its URI.
  public mutating func add(_ document: JSONDocument, at uri: String? = nil) throws(SchemaError) -> String {
    let given = URIReference(uri ?? "schema-\(documents.count + 1)").resolved(against: URIReference("memory:///"))
      .withoutFragment
    var own = given
    if document.root.kind == .object, let identity = document.root["$id"]?.string {
      own = URIReference(identity).resolved(against: URIReference(given)).withoutFragment
    }
    if let name = document.root.duplicateName {
      throw SchemaError(
        "an object in the schema has two members \"\(name.string ?? "")\"", advice: "remove one of them",
        at: SchemaError.Place(
          uri: own, pointer: document.withNode(document.root.tokenIndex) { $0.pointer(to: name.tokenIndex) },
          offset: name.span.lowerBound))
    }
    guard uris.insert(own).inserted else {
      throw SchemaError(
        "two schemas have the URI \"\(own)\"", advice: "give one of them another $id",
        at: SchemaError.Place(uri: own, pointer: JSONPointer([.member("$id")])))
    }
    documents.append((given, own, document))
    return own
  }

  /// Compiles the schema at a URI. A fragment selects a subschema by pointer or anchor.
  /// - Throws: `SchemaError` with the exact place of the error.
  public func compile(_ uri: String, options: SchemaOptions = SchemaOptions()) throws(SchemaError) -> Schema {
    let registry = SchemaRegistry(remotes: remotes)
    for (uri, name, document) in documents { try registry.add(document, at: uri, named: name) }
    let wanted = URIReference(uri).resolved(against: URIReference("memory:///"))
    guard let place = try registry.resolve(wanted) else {
      throw SchemaError(
        "there is no schema at \"\(uri)\"", advice: "add the document to the set",
        at: SchemaError.Place(uri: wanted.withoutFragment))
    }
    var compiler = SchemaCompiler(registry: registry, options: options)
    return try compiler.compile(place)
  }
}

/// Provides remote schemas from a folder, so that schemas are never fetched from a network.
///
/// `http://localhost:1234/a/b.json` is read from `a/b.json` in the folder; the host is ignored. A path that leaves the
/// folder through `..` or a link is treated as missing.
public struct SchemaFolder: Sendable {
  /// The size in bytes of the largest schema document that is read.
  public static let maximumSize = 64 << 20

  private let path: String

  /// Creates a provider for a folder.
  public init(_ path: String) { self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path }

  /// A function that can be assigned to `SchemaSet.remotes`.
  public var remotes: @Sendable (String) throws -> JSONDocument? {
    { uri in try document(at: uri) }
  }

  /// Returns the document for `uri`, or nil if the folder has none.
  /// - Throws: `SchemaError` if the file exists but is not JSON or is too large.
  public func document(at uri: String) throws(SchemaError) -> JSONDocument? {
    guard let file = file(for: uri), let data = FileManager.default.contents(atPath: file) else { return nil }
    let place = SchemaError.Place(uri: uri)
    guard data.count <= Self.maximumSize else {
      throw SchemaError("the schema is larger than \(Self.maximumSize >> 20) MiB", at: place)
    }
    do throws(JSONError) {
      return try JSONDocument(parsing: [UInt8](data))
    } catch {
      throw SchemaError(
        "the schema is not JSON: \(error.message)", at: SchemaError.Place(uri: uri, offset: error.offset))
    }
  }

  private func file(for uri: String) -> String? {
    let reference = URIReference(uri)
    guard reference.scheme == "http" || reference.scheme == "https", reference.query == nil,
      let decoded = URIReference.percentDecoded(reference.path), !decoded.utf8.contains(0)
    else { return nil }
    let steps = decoded.split(separator: "/")
    guard !steps.isEmpty, !steps.contains("..") else { return nil }
    let candidate = path + "/" + steps.joined(separator: "/")
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder), !isFolder.boolValue,
      URL(fileURLWithPath: candidate).resolvingSymlinksInPath().path.hasPrefix(path + "/")
    else { return nil }
    return candidate
  }
}

/// The options for compiling a schema.
public struct SchemaOptions: Sendable {
  /// Whether `format` is a rule. Otherwise, it is only an annotation, which is the specification's default. A
  /// metaschema with the format-assertion vocabulary always makes it a rule.
  public var assertsFormat: Bool
  /// Whether every schema document is checked against its metaschema before it is compiled.
  public var checksSchema: Bool

  /// Creates options.
  public init(assertsFormat: Bool = false, checksSchema: Bool = true) {
    self.assertsFormat = assertsFormat
    self.checksSchema = checksSchema
  }
}

/// The reason why a schema cannot be used, with the place of the error.
public struct SchemaError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A place in a schema document.
  public struct Place: Equatable, Sendable {
    /// The URI of the document, as returned by `SchemaSet.add` or as requested.
    public let uri: String
    /// The path to the value.
    public let pointer: JSONPointer
    /// The offset of the value's first byte in the document; 0 if the document is missing.
    public let offset: Int

    /// Creates a place.
    public init(uri: String, pointer: JSONPointer = JSONPointer(), offset: Int = 0) {
      self.uri = uri
      self.pointer = pointer
      self.offset = offset
    }
  }

  /// A message that describes the error in one sentence.
  public let message: String
  /// Advice on correcting the error; nil if no advice is available.
  public let advice: String?
  /// The place of the error.
  public let place: Place
  /// The URI of a missing document that a reference needs; nil for all other errors.
  public let missing: String?
  /// Whether the schema is correct as far as it was read but exceeds the limits.
  public let isTooLarge: Bool

  /// Creates an error.
  public init(
    _ message: String, advice: String? = nil, at place: Place, missing: String? = nil, isTooLarge: Bool = false
  ) {
    self.isTooLarge = isTooLarge
    self.missing = missing
    self.message = message
    self.advice = advice
    self.place = place
  }

  /// The place, message and advice on one line.
  public var description: String {
    "\(place.uri)#\(place.pointer): \(message)" + (advice.map { "; \($0)" } ?? "")
  }
}

/// The limits on compiling a schema. They are needed because the compiled form takes far more memory than the text.
enum SchemaLimits {
  /// The largest number of subschemas in all documents together. Each subschema takes up to 300 bytes.
  static let subschemas = 400_000
  /// The largest number of lookups of dynamic anchors in resources, which is anchors times resources for each
  /// compilation round.
  static let anchorLookups = 8_000_000
  /// The largest total size of all patterns in bytes, including `patternOverhead` for each distinct pattern.
  static let patternBytes = 4 << 20
  /// The number of bytes to add for each pattern, because even a short compiled pattern takes a kilobyte.
  static let patternOverhead = 64
}
