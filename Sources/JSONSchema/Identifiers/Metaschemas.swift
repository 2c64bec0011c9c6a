import CSchemas
import JSONText

/// The official metaschemas of draft 2020-12, which are built into the binary. Each metaschema is parsed once, when it
/// is first needed.
enum Metaschemas {
  private static let prefix = "https://json-schema.org/draft/2020-12/"
  private static let names = [
    "schema", "meta/core", "meta/applicator", "meta/unevaluated", "meta/validation", "meta/meta-data",
    "meta/format-annotation", "meta/format-assertion", "meta/content",
  ]
  private static let documents: [JSONDocument?] = names.indices.map(parse)

  /// Returns the metaschema at a URI, or nil for any other URI.
  static func document(at uri: String) -> JSONDocument? {
    guard uri.hasPrefix(prefix) else { return nil }
    let name = uri.dropFirst(prefix.count)
    return names.firstIndex { $0 == name }.flatMap { documents[$0] }
  }

  /// The compiled metaschema, which is made once.
  static let standard: Result<Schema, SchemaError> = {
    do throws(SchemaError) {
      return .success(try SchemaSet().compile(Drafts.supported, options: SchemaOptions(checksSchema: false)))
    } catch {
      return .failure(error)
    }
  }()

  private static func parse(_ index: Int) -> JSONDocument? {
    var length = 0
    guard let bytes = fleetkit_metaschema(index, &length) else { return nil }
    return try? JSONDocument(parsing: UnsafeBufferPointer(start: bytes, count: length))
  }
}
