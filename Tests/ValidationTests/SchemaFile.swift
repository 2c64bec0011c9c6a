import Foundation
import JSONText
import TestSupport
import Validation

/// One file in formats/schemas.
struct SchemaFile {
  static let folder = Paths.root + "/formats/schemas"
  private static let ending = ".schema.json"

  /// The path below the folder without the file name extension.
  let name: String
  let root: JSONValue

  init(_ name: String) throws {
    self.name = name
    root = try JSONDocument(parsing: String(contentsOfFile: Self.path(name), encoding: .utf8)).root
  }

  static func path(_ name: String) -> String { folder + "/" + name + ending }

  /// The names of all schema files, in byte order.
  static var names: [String] {
    ((try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(ending) }
      .map { String($0.dropLast(ending.count)) }.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
  }

  /// Returns the schema to which a `$ref` in this file refers; nil if the target does not exist.
  func target(of reference: String) throws -> JSONValue? {
    let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    var file = self
    if !parts[0].isEmpty {
      guard parts[0].hasSuffix(Self.ending) else { return nil }
      let folder = name.split(separator: "/").dropLast().map { $0 + "/" }.joined()
      let other = folder + parts[0].dropLast(Self.ending.count)
      guard Self.names.contains(other) else { return nil }
      file = try SchemaFile(other)
    }
    guard parts.count == 2 else { return file.root }
    var value: JSONValue? = file.root
    for step in parts[1].split(separator: "/") { value = value?[String(step)] }
    return value
  }

  /// Every schema in the file with its JSON Pointer: the root and all subschemas, without the values in `examples`.
  var subschemas: [(pointer: String, schema: JSONValue)] { Self.walk(root, "") }

  private static func walk(_ schema: JSONValue, _ pointer: String) -> [(pointer: String, schema: JSONValue)] {
    var all = [(pointer, schema)]
    for (keyword, value) in schema.members {
      switch keyword {
      case "properties", "$defs":
        for (name, inner) in value.members { all += walk(inner, "\(pointer)/\(keyword)/\(name)") }
      case "items", "additionalProperties", "propertyNames", "if", "then", "else":
        all += walk(value, "\(pointer)/\(keyword)")
      case "anyOf", "allOf", "oneOf":
        for (index, inner) in value.elements.enumerated() { all += walk(inner, "\(pointer)/\(keyword)/\(index)") }
      default: break
      }
    }
    return all
  }
}
