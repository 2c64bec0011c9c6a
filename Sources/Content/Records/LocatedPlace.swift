import Diagnostics

/// Which part of a value a finding is about.
public enum ValuePart: Sendable, Hashable {
  /// All of it.
  case value
  /// The name of the member that it is.
  case name
  /// Some bytes of a string's text, escapes resolved.
  case text(Range<Int>)
}

/// A place, with the line of text that it lies in where nobody can read that again.
public struct LocatedPlace: Sendable {
  /// Where.
  public var place: Place
  /// The line, for values inside databases; nil for files, which can be read again.
  public var excerpt: String?

  /// Makes a located place.
  public init(_ place: Place, excerpt: String? = nil) {
    self.place = place
    self.excerpt = excerpt
  }
}
