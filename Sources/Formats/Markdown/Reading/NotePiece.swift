import Content
import Diagnostics
import Interchange

/// Some notes of a vault, read on one thread: their records, and what has to be put together with that of the others.
final class NotePiece: @unchecked Sendable {
  /// A note as others may link to it.
  struct Linked {
    let path: String
    /// The record's id; empty for a note that is no record.
    let id: String
    let title: String
    let aliases: [String]
    /// What it links to; nil for a note that could not be read.
    let links: NoteLinks?
  }

  let batch: RecordBatch
  /// What was found, at its places.
  let findings = DiagnosticLog(keepPerCode: .max)
  /// Notes in the order of their paths.
  var linked: [Linked] = []
  var explanations: [Explanation] = []
  /// What is said once for all notes.
  var counts = NoteCounts()
  /// Bytes of the files.
  var size = 0

  init(batch: RecordBatch) { self.batch = batch }
}

/// What is counted over the notes of a vault, because saying it of each would drown the rest.
struct NoteCounts: Sendable {
  /// Notes whose language was taken from their letters, by language.
  var languages: [String: Int] = [:]
  /// Notes that have times of their files.
  var timesFromFile = 0

  /// Adds what was counted elsewhere.
  mutating func add(_ other: NoteCounts) {
    languages.merge(other.languages) { $0 + $1 }
    timesFromFile += other.timesFromFile
  }
}
