import Content

/// What came of making a copy of somebody's work.
public struct ForkReport: Sendable {
  /// The slug of the original.
  public let original: String
  /// Who published the original; nil where that account is gone.
  public let author: String?
  /// The copy's id in the library.
  public let id: String
  /// The copy's title.
  public let title: String
  /// What it is.
  public let contentType: ContentType
  /// The number of the run; nil for a rehearsal.
  public let run: Int64?
  /// Whether the registry has counted the copy.
  public let isCounted: Bool
  /// Why it has not, where it should have.
  public let countProblem: String?
}
