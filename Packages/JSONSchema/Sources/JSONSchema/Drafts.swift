import CMetaschemas
import JSONText

/// Identifies the drafts of JSON Schema by the URIs of their metaschemas.
enum Drafts {
  /// The draft that this module supports.
  static let supported = "https://json-schema.org/draft/2020-12/schema"

  /// Returns the name of the draft with the URI `uri` (without an empty fragment), or nil if it is not another draft.
  static func otherDraft(_ uri: String) -> String? {
    var rest = Substring(uri)
    for scheme in ["https://", "http://"] where rest.hasPrefix(scheme) { rest = rest.dropFirst(scheme.count) }
    if rest.hasSuffix("#") { rest = rest.dropLast() }
    switch rest {
    case "json-schema.org/draft-00/schema": return "draft-00"
    case "json-schema.org/draft-01/schema": return "draft-01"
    case "json-schema.org/draft-02/schema": return "draft-02"
    case "json-schema.org/draft-03/schema", "json-schema.org/draft-03/hyper-schema": return "draft-03"
    case "json-schema.org/draft-04/schema", "json-schema.org/draft-04/hyper-schema": return "draft-04"
    case "json-schema.org/draft-05/schema": return "draft-05"
    case "json-schema.org/draft-06/schema", "json-schema.org/draft-06/hyper-schema": return "draft-06"
    case "json-schema.org/draft-07/schema", "json-schema.org/draft-07/hyper-schema": return "draft-07"
    case "json-schema.org/draft/2019-09/schema", "json-schema.org/draft/2019-09/hyper-schema": return "draft 2019-09"
    case "json-schema.org/schema": return "the newest draft, whichever it is"
    case "json-schema.org/v1", "json-schema.org/v1/2026": return "JSON Schema v1"
    default: return nil
    }
  }

  /// Returns advice on converting a schema of another draft.
  static func advice(for name: String) -> String {
    let changes =
      switch name {
      case "draft 2019-09": "\"items\" with an array becomes \"prefixItems\", \"$recursiveRef\" becomes \"$dynamicRef\""
      case "draft-06", "draft-07":
        "\"definitions\" becomes \"$defs\", \"items\" with an array becomes \"prefixItems\", \"dependencies\" becomes "
          + "\"dependentRequired\" or \"dependentSchemas\""
      default:
        "\"id\" becomes \"$id\", \"definitions\" becomes \"$defs\", \"items\" with an array becomes \"prefixItems\""
      }
    return "rewrite it for \"$schema\": \"\(supported)\" (\(changes))"
  }
}

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
    guard let bytes = json_metaschema(index, &length) else { return nil }
    return try? JSONDocument(parsing: UnsafeBufferPointer(start: bytes, count: length).span)
  }
}

/// The groups of keywords that a schema may use, as its metaschema declares them.
struct Vocabularies: OptionSet, Hashable {
  let rawValue: UInt16

  static let core = Vocabularies(rawValue: 1)
  static let applicator = Vocabularies(rawValue: 2)
  static let unevaluated = Vocabularies(rawValue: 4)
  static let validation = Vocabularies(rawValue: 8)
  static let metaData = Vocabularies(rawValue: 16)
  static let formatAnnotation = Vocabularies(rawValue: 32)
  static let formatAssertion = Vocabularies(rawValue: 64)
  static let content = Vocabularies(rawValue: 128)

  /// The vocabularies that draft 2020-12 declares for itself.
  static let standard: Vocabularies = [
    .core, .applicator, .unevaluated, .validation, .metaData, .formatAnnotation, .content,
  ]

  private static let prefix = "https://json-schema.org/draft/2020-12/vocab/"

  /// Creates the vocabulary with a URI. Returns nil for a URI that does not belong to this draft.
  init?(uri: String) {
    guard uri.hasPrefix(Self.prefix) else { return nil }
    switch uri.dropFirst(Self.prefix.count) {
    case "core": self = .core
    case "applicator": self = .applicator
    case "unevaluated": self = .unevaluated
    case "validation": self = .validation
    case "meta-data": self = .metaData
    case "format-annotation": self = .formatAnnotation
    case "format-assertion": self = .formatAssertion
    case "content": self = .content
    default: return nil
    }
  }

  init(rawValue: UInt16) { self.rawValue = rawValue }
}
