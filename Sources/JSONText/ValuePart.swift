/// Which part of a value somebody means.
public enum ValuePart: Sendable, Hashable {
  /// All of it.
  case value
  /// The name of the member that it is.
  case name
  /// Some bytes of a string's text, escapes resolved.
  case text(Range<Int>)
}
