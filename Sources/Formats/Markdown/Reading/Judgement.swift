import Content
import Interchange
import MarkdownText

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
  /// The blocks of the body, when somebody had to look at them.
  var tree: MarkdownTree?
}
