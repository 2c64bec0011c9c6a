import Content
import Foundation
import Interchange

/// Reads the notes of a vault on two threads, stretches of them in turn, given out in order.
///
/// Memory is bounded by a few stretches for each thread. A few notes are read where they are asked for.
final class NotePieces {
  private let notes: [VaultFile]
  private let stretches: [Range<Int>]
  private let queues: [BoundedQueue<NotePiece>]
  private let serial: NoteReader?
  private var current = 0

  /// How many bytes of notes make a stretch.
  private static let stretchBytes = 1 << 19
  /// How many notes a stretch has at most: each is a file to be opened.
  private static let stretchNotes = 256

  init(_ notes: [VaultFile], makeReader: @escaping @Sendable () -> NoteReader) {
    self.notes = notes
    let stretches = Self.stretches(notes)
    self.stretches = stretches
    guard stretches.count > 1, ProcessInfo.processInfo.activeProcessorCount > 1 else {
      serial = makeReader()
      queues = []
      return
    }
    serial = nil
    let workers = 2
    queues = (0..<workers).map { _ in BoundedQueue<NotePiece>(capacity: 3) }
    for worker in 0..<workers {
      let queue = queues[worker]
      let thread = Thread {
        queue.end(
          Result {
            let reader = makeReader()
            for index in stride(from: worker, to: stretches.count, by: workers) {
              if !queue.send(try reader.read(notes[stretches[index]])) { return }
            }
          })
      }
      thread.name = "fleetkit.notes"
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  deinit { for queue in queues { queue.abandon() } }

  /// The next stretch; nil at the end.
  func next() throws -> NotePiece? {
    guard current < stretches.count else { return nil }
    defer { current += 1 }
    if let serial { return try serial.read(notes[stretches[current]]) }
    guard let piece = try queues[current % queues.count].receive() else {
      throw RunFailure(.internalError, "a thread that reads notes ended early", advice: "Please report this.")
    }
    return piece
  }

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
