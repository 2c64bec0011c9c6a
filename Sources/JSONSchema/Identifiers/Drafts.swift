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
