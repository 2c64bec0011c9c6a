import Foundation
import Interchange
import Synchronization

/// Packs blocks on a thread of its own, so that whoever fills them need not wait.
///
/// A few blocks are under way at a time; whoever is faster than the packer waits for it, and memory stays bounded.
final class BlockPacker: Sendable {
  /// A block on its way into the store.
  struct Packed: Sendable {
    let number: Int64
    let count: Int
    let bytes: [UInt8]
  }

  /// What is packed, and what went wrong; shared with the thread, which may outlive the packer.
  private final class Output: Sendable {
    let state = Mutex<(done: [Packed], failure: (any Error)?)>(([], nil))
  }

  private let queue: BoundedQueue<(number: Int64, block: BaseBlock)>
  private let output: Output
  private let work: Background<Void>

  init() {
    let queue = BoundedQueue<(number: Int64, block: BaseBlock)>(capacity: 4)
    let output = Output()
    self.queue = queue
    self.output = output
    work = Background {
      while let (number, block) = try queue.receive() {
        // After a failure blocks are still taken, or their sender would wait for ever.
        let result = Result { Packed(number: number, count: block.count, bytes: try block.pack()) }
        output.state.withLock { state in
          switch result {
          case .success(let packed): state.done.append(packed)
          case .failure(let error): state.failure = error
          }
        }
      }
    }
  }

  deinit { queue.end(.success(())) }

  /// Hands over a block.
  func send(_ number: Int64, _ block: BaseBlock) { _ = queue.send((number, block)) }

  /// Takes what is packed by now.
  /// - Throws: what went wrong on the thread.
  func packed() throws -> [Packed] {
    try output.state.withLock { state in
      if let failure = state.failure { throw failure }
      defer { state.done.removeAll() }
      return state.done
    }
  }

  /// Waits for the rest and takes it.
  func finish() throws -> [Packed] {
    queue.end(.success(()))
    try work.wait()
    return try packed()
  }
}
