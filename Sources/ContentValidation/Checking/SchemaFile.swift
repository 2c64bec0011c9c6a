import Content
import Diagnostics
import Foundation
import Interchange
import JSONSchema
import JSONText
import Validation

/// A schema that the user named: a file, or one of FleetKit's own schemas.
public struct SchemaFile: Sendable {
  /// The compiled schema.
  public let schema: Schema
  /// The name that the user gave.
  private let name: String
  /// The prefix of locations in the schema itself.
  private let uri: String
  /// Whether this is FleetKit's own schema for an item's `content_data`.
  let describesDocument: Bool

  private static let documents = ["checklist", "practice_guide", "flashcard_deck"]

  /// Reads and compiles a schema.
  /// - Parameter folder: the folder with remote schemas. Without it, references to them cannot be resolved. Schemas are
  ///   never fetched from a network.
  /// - Throws: `RunFailure` with status 64 and a place if the schema is invalid, or with status 2 if it cannot be read
  ///   or is too large.
  public init(_ name: String, folder: String? = nil, assertsFormat: Bool = false) throws {
    let options = SchemaOptions(assertsFormat: assertsFormat, checksSchema: true)
    if !FileManager.default.fileExists(atPath: name), let ours = Self.builtIn(name) {
      self.name = name
      uri = ""
      describesDocument = Self.documents.contains { ours == $0 || ours == "canonical/" + $0 }
      schema = try FleetKitSchemas().schema(named: ours, options: options)
      return
    }
    describesDocument = false
    let bytes = try Self.read(name)
    let document = try Self.parse(bytes, name)
    var set = SchemaSet()
    let uri =
      "file://" + (URL(fileURLWithPath: name).path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? "")
    self.name = name
    self.uri = uri
    var known = ""
    if let folder {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
        throw RunFailure(.usage, "--schema-dir \(folder): the folder does not exist")
      }
      set.remotes = SchemaFolder(folder).remotes
    }
    let compiled: Schema
    do throws(SchemaError) {
      known = try set.add(document, at: uri)
      compiled = try set.compile(known, options: options)
    } catch {
      throw Self.failure(error, name: name, uris: [uri, known], bytes: bytes, hasFolder: folder != nil)
    }
    schema = compiled
  }

  /// Returns a location in a schema for a message: a file by its name, and one of FleetKit's own schemas by the path of
  /// its file.
  func shown(_ location: String) -> String {
    if !uri.isEmpty, location.hasPrefix(uri + "#") { return name + location.dropFirst(uri.count) }
    return Self.shown(location)
  }

  /// Returns the path in `formats/schemas` for a location in one of FleetKit's own schemas. Other locations are
  /// returned unchanged.
  static func shown(_ location: String) -> String {
    location.hasPrefix(EmbeddedSchemas.base)
      ? "formats/schemas/" + location.dropFirst(EmbeddedSchemas.base.count) : location
  }

  /// Returns the name of one of FleetKit's own schemas, which may be written as its file name: `checklist.schema.json`.
  private static func builtIn(_ name: String) -> String? {
    let ending = ".schema.json"
    let plain = name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
    return EmbeddedSchemas.names.first { $0 == plain }
  }

  private static func read(_ name: String) throws -> [UInt8] {
    guard FileManager.default.fileExists(atPath: name) else {
      let ours = EmbeddedSchemas.names.filter { !$0.contains("/") }.joined(separator: ", ")
      // A plain word can only be meant as the name of one of FleetKit's schemas.
      let isWord = !name.contains("/") && !name.contains(".")
      throw RunFailure(
        isWord ? .usage : .failed,
        "read the schema '\(name)': the file does not exist"
          + (isWord ? ", and FleetKit has no schema of this name" : ""),
        advice: "Check the name; FleetKit's own schemas are \(ours).")
    }
    let head = try SourceProbe.head(of: Source(name))
    guard let data = FileManager.default.contents(atPath: name) else {
      throw RunFailure(.failed, "read the schema '\(name)': not a readable file", advice: "Check the name.")
    }
    return head.isEmpty ? [] : [UInt8](data)
  }

  private static func parse(_ bytes: [UInt8], _ name: String) throws -> JSONDocument {
    do throws(JSONError) {
      return try JSONDocument(parsing: bytes)
    } catch {
      let place = bytes.withUnsafeBufferPointer { error.position(in: $0) }
      let advice = bytes.withUnsafeBufferPointer { error.advice(in: $0) } ?? "correct the schema"
      throw RunFailure(
        .usage, "\(name):\(place.line):\(place.column): the schema is not JSON: \(error.message)",
        advice: Self.sentence(advice))
    }
  }

  /// Makes a failure with the place of the error, which is in the schema's file or in another document.
  private static func failure(
    _ error: SchemaError, name: String, uris: [String], bytes: [UInt8], hasFolder: Bool
  ) -> RunFailure {
    var place = error.place.uri.isEmpty ? name : error.place.uri
    if uris.contains(error.place.uri) || error.place.uri.isEmpty {
      let position = bytes.withUnsafeBufferPointer { TextPosition(offset: error.place.offset, in: $0) }
      place = "\(name):\(position.line):\(position.column)"
    } else if !error.place.pointer.steps.isEmpty {
      place += "#\(error.place.pointer)"
    }
    var advice = error.advice
    if error.missing != nil {
      advice =
        hasFolder
        ? "put that schema into the folder of --schema-dir; nothing is fetched from a network"
        : "name the folder that contains it with --schema-dir DIR; nothing is fetched from a network"
    }
    return RunFailure(
      error.isTooLarge ? .failed : .usage, "\(place): \(error.message)", advice: advice.map(Self.sentence))
  }

  private static func sentence(_ text: String) -> String {
    let ends = text.last.map { ".?!".contains($0) } ?? true
    return text.prefix(1).uppercased() + text.dropFirst() + (ends ? "" : ".")
  }
}

extension Diagnostic {
  /// Makes a finding from a schema violation.
  /// - Parameter schema: returns the name of a location in the schema.
  init(
    _ violation: SchemaViolation, at located: LocatedPlace, record: String?, title: String?,
    schema: (String) -> String = SchemaFile.shown
  ) {
    let code = SchemaCodes.code(ofKeyword: violation.keyword)
    let others = violation.otherAlternatives
    let more = others > 0 ? "; \(Plural.count(others, "other alternative"))" : ""
    let reason = violation.reason.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 } ?? code.why
    self.init(
      code, violation.message, at: located.place, record: record, title: title, fix: violation.fix,
      why: "\(reason) (\(schema(violation.schemaLocation))\(more))", label: violation.found, excerpt: located.excerpt)
  }
}

extension SchemaViolation {
  /// Whether the member's name is wrong, not its value.
  var isAboutName: Bool {
    ["additionalProperties", "unevaluatedProperties", "propertyNames"].contains(keyword)
  }
}
