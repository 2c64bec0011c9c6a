import Foundation
import Synchronization

/// Maps inputs to outputs on several threads. The outputs come out in the order of the inputs, whichever thread is
/// faster.
///
/// Threads take the inputs in order. An input may have any number of outputs. Memory is bounded: at most `ahead` inputs
/// are under way beside the one whose outputs are taken, each with at most `capacity` outputs that wait.
///
/// When an input throws, its error comes out after the outputs of all inputs before it, and no more inputs begin.
/// Outputs are taken from one thread; when the map is released, it waits until its threads have stopped.
package final class OrderedMap<Output> {
  /// Where the outputs of one input go. `send` returns false when they are not needed any more.
  package typealias Outputs = BoundedQueue<Output>

  private let lanes: BoundedQueue<Outputs>
  private let isOver: () -> Void
  private var current: Outputs?

  /// Begins.
  /// - Parameters:
  ///   - inputs: asked for one input at a time, by any of the threads.
  ///   - threads: how many threads work, at least 1.
  ///   - makeWorker: called on each thread, with its number, before its first input; returns what sends the outputs of
  ///     an input.
  package init<Inputs: Sequence>(
    _ inputs: Inputs, threads: Int, ahead: Int, capacity: Int = 1,
    _ makeWorker: @escaping @Sendable (Int) throws -> (Inputs.Element, Outputs) throws -> Void
  ) {
    let lanes = BoundedQueue<Outputs>(capacity: ahead)
    var iterator = inputs.makeIterator()
    let source = MapInputs({ iterator.next() }, threads: max(1, threads), lanes, capacity: capacity)
    self.lanes = lanes
    isOver = { source.isOver.store(true, ordering: .relaxed) }
    for thread in 0..<max(1, threads) {
      ThreadPool.shared.run {
        var worker: ((Inputs.Element, Outputs) throws -> Void)?
        while let (input, outputs) = source.take() {
          let result = Result {
            let work = try worker ?? makeWorker(thread)
            worker = work
            try work(input, outputs)
          }
          if case .failure = result { source.isOver.store(true, ordering: .relaxed) }
          outputs.end(result)
        }
        worker = nil
        source.leave()
      }
    }
  }

  deinit {
    isOver()
    current?.abandon()
    // Ends when the last thread has left.
    while let outputs = try? lanes.receive() { outputs.abandon() }
  }

  /// Waits for the next output; nil at the end.
  /// - Throws: what the work on an input threw.
  package func next() throws -> Output? {
    while true {
      guard let outputs = try current ?? lanes.receive() else { return nil }
      current = outputs
      if let output = try outputs.receive() { return output }
      current = nil
    }
  }
}

/// The inputs of a map, and its threads that still take them.
private final class MapInputs<Input, Output>: @unchecked Sendable {
  let isOver = Atomic<Bool>(false)
  private let lock = NSLock()
  private let next: () -> Input?
  private var threads: Int
  private let lanes: BoundedQueue<BoundedQueue<Output>>
  private let capacity: Int

  init(_ next: @escaping () -> Input?, threads: Int, _ lanes: BoundedQueue<BoundedQueue<Output>>, capacity: Int) {
    self.next = next
    self.threads = threads
    self.lanes = lanes
    self.capacity = capacity
  }

  /// The next input, and the place of its outputs among those of the others. Waits while enough inputs are under way.
  func take() -> (Input, BoundedQueue<Output>)? {
    lock.lock()
    defer { lock.unlock() }
    guard !isOver.load(ordering: .relaxed), let input = next() else { return nil }
    let outputs = BoundedQueue<Output>(capacity: capacity)
    _ = lanes.send(outputs)
    return (input, outputs)
  }

  func leave() {
    lock.lock()
    defer { lock.unlock() }
    threads -= 1
    if threads == 0 { lanes.end(.success(())) }
  }
}
