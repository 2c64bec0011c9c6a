import Content
import Foundation
import Interchange

/// Reads the notes of a vault on two threads, stretches of them in turn, given out in order.
///
/// Memory is bounded by a few stretches for each thread. A few notes are read where they are asked for.
final class NotePieces {
  private let pieces: OrderedMap<NotePiece>?
  /// The stretches that are read by `serial`, the next one first.
  private var stretches: ArraySlice<Range<Int>>
  private let serial: (Range<Int>) throws -> NotePiece

  /// How many bytes of notes make a stretch.
  private static let stretchBytes = 1 << 19
  /// How many notes a stretch has at most: each is a file to be opened.
  private static let stretchNotes = 256

  init(_ notes: [VaultFile], makeReader: @escaping @Sendable () -> NoteReader) {
    let stretches = Self.stretches(notes)
    let reader = makeReader()
    serial = { try reader.read(notes[$0]) }
    if stretches.count > 1, ProcessInfo.processInfo.activeProcessorCount > 1 {
      self.stretches = []
      pieces = OrderedMap(stretches, threads: 2, ahead: 6) { _ in
        let reader = makeReader()
        return { stretch, pieces in _ = pieces.send(try reader.read(notes[stretch])) }
      }
    } else {
      self.stretches = stretches[...]
      pieces = nil
    }
  }

  /// The next stretch; nil at the end.
  func next() throws -> NotePiece? { try pieces?.next() ?? stretches.popFirst().map(serial) }

  private static func stretches(_ notes: [VaultFile]) -> [Range<Int>] {
    var stretches: [Range<Int>] = []
    var start = 0
    var size = 0
    for index in notes.indices {
      size += notes[index].size
      if size >= stretchBytes || index - start + 1 >= stretchNotes {
        stretches.append(start..<index + 1)
        start = index + 1
        size = 0
      }
    }
    if start < notes.count { stretches.append(start..<notes.count) }
    return stretches
  }
}
