import Content

/// The result of copying another account's item.
public struct ForkReport: Sendable {
  /// The slug of the original.
  public let original: String
  /// The author of the original; nil where that account no longer exists.
  public let author: String?
  /// The copy's id in the library.
  public let id: String
  /// The copy's title.
  public let title: String
  /// The item's type.
  public let contentType: ContentType
  /// The number of the run; nil for a dry run.
  public let run: Int64?
  /// Whether the registry has counted the copy.
  public let isCounted: Bool
  /// Why the copy has not been counted, although it should have been; nil otherwise.
  public let countProblem: String?
}
