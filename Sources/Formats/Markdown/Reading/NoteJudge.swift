import Content
import Interchange

/// Decides what a note is when it does not say so itself.
enum NoteJudge {
  /// Looks at a note.
  /// - Parameters:
  ///   - path: the note's path in its vault, folders and name, `/` between them.
  ///   - title: the title that the front matter gives; nil when it gives none.
  static func judge(
    _ text: UnsafeBufferPointer<UInt8>, body: Range<Int>, path: String, title: String?,
    infer: ReadingOptions.Inference
  ) -> Judgement {
    Judgement(type: .practiceGuide, certainty: 100)
  }
}
