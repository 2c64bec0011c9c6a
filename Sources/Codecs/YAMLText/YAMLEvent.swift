/// One step of a YAML text, as its grammar sees it.
struct YAMLEvent {
  /// What happens.
  enum Kind: Equatable {
    case streamEnd
    case documentStart
    case documentEnd
    case alias
    /// A scalar's text with escapes resolved, and whether it stands without quotes and block marks.
    case scalar([UInt8], isPlain: Bool)
    case sequenceStart(isFlow: Bool)
    case mappingStart(isFlow: Bool)
    /// A sequence or mapping ends.
    case end
    case other
  }

  let kind: Kind
  /// The anchor that is set, or that an alias names.
  let anchor: String?
  /// The tag, written out: `tag:yaml.org,2002:str`; nil when there is none, or only `!`.
  let tag: String?
  /// Characters from the start of the text; anchor and tag included.
  let start: Int
  /// Character behind the last one.
  let end: Int
}
