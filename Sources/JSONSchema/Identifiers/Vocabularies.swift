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
