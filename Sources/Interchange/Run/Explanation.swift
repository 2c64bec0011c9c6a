/// Why a note was taken for what it was taken.
public struct Explanation: Sendable {
  /// One piece of evidence.
  public struct Reason: Sendable {
    /// What was seen, in a few words: `14 of 16 lines are steps`.
    public let text: String
    /// How much it counts: positive for what the note was taken for.
    public let weight: Int
    /// The line where it stands; nil for evidence of the whole note, its name or its folder.
    public let line: Int?

    /// Makes a reason.
    public init(_ text: String, weight: Int, line: Int? = nil) {
      self.text = text
      self.weight = weight
      self.line = line
    }
  }

  /// The note's file.
  public let file: String
  /// What it was taken for.
  public let takenFor: String
  /// How sure that is, in percent; 100 for what the note declares.
  public let certainty: Int
  /// The evidence, weightiest first.
  public let reasons: [Reason]

  /// Makes an explanation.
  public init(file: String, takenFor: String, certainty: Int, reasons: [Reason]) {
    self.file = file
    self.takenFor = takenFor
    self.certainty = certainty
    self.reasons = reasons
  }
}
