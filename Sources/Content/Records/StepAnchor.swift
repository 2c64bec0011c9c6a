/// Where a step belongs that a source says without all the others of its checklist.
public enum StepAnchor: Sendable, Equatable {
  /// Behind the one before it in the source, or at the end of its section.
  case unknown
  /// Before all others.
  case first
  /// Behind the step, or card, with this id; where it has no id of its own, with this title.
  case behind(String)
}
