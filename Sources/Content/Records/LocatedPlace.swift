import Diagnostics

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
