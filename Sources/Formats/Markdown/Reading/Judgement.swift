import Content
import Interchange

/// What a note was taken for, and why.
struct Judgement: Sendable {
  /// What it is.
  var type: ContentType
  /// How sure that is, in percent.
  var certainty: Int
  /// Whether the note says itself what it is.
  var isDeclared = false
  /// The evidence, weightiest first.
  var reasons: [Explanation.Reason] = []
  /// A type that it may be as well, where the evidence was too weak.
  var couldBe: ContentType?
}
