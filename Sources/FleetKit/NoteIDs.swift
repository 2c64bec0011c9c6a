import FleetKitCore
import Interchange
import RecordSources

/// Writes the assigned ids into notes without an id, so that a note stays the same item when it is moved.
public struct NoteIDs: Sendable {
  /// The number of notes that got an id.
  public let written: Int
  /// Notes that were left unchanged, with the reasons.
  public let left: [(file: String, reason: String)]

  /// Writes the ids that a run has collected (`ReadingOptions.collectsIDs`).
  /// - Throws: `RunFailure` if a note cannot be read or written. The notes before it already have their ids.
  public init(writing context: RunContext) throws {
    var written = 0
    var left: [(file: String, reason: String)] = []
    let formats = FormatRegistry.standard.formats.compactMap { $0 as? any IDWritingFormat }
    for (file, id) in context.noteIDs.all where file != "-" {
      try Interruption.check()
      let named = Target(file)
      guard let format = formats.first(where: { $0.isNamed(by: named) }) ?? formats.first else { continue }
      switch try format.writeID(id, into: file) {
      case .written: written += 1
      case .hasID: break
      case .left(let reason): left.append((file, reason))
      }
    }
    self.written = written
    self.left = left
  }
}
