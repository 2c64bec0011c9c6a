/// How sources are read whose form leaves room for it: notes that people wrote.
public struct ReadingOptions: Sendable {
  /// Whether a note that does not say what it is may be taken for a checklist or a deck.
  public enum Inference: String, Sendable, CaseIterable {
    /// When the evidence is strong.
    case auto
    /// Only what declares itself, or is written as a list of tasks.
    case never
    /// Whenever there is a list to take.
    case always
  }

  /// What may be inferred.
  public var infer = Inference.auto
  /// Whether the run says of every note what it was taken for, and why.
  public var explains = false

  /// Whether the run collects the ids of notes that say none, to be written into them.
  public var collectsIDs = false

  /// Whether a reader goes on where its source contradicts itself, and reports all that is wrong: for checking, and
  /// never for taking anything over.
  public var goesOn = false

  /// How tables are read.
  public var table = TableOptions()

  /// Options as they are when nobody says anything.
  public init() {}
}
