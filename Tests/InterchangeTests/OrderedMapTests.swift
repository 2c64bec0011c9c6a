import Foundation
import Interchange
import Synchronization
import TestSupport
import Testing

/// Outputs come in the order of their inputs, a few at a time, whatever the order of the threads.
@Suite struct OrderedMapTests {
  private struct Failure: Error, Equatable { let input: Int }

  private func all<Output>(_ map: OrderedMap<Output>) throws -> [Output] {
    var outputs: [Output] = []
    while let output = try map.next() { outputs.append(output) }
    return outputs
  }

  /// Waits for a time that differs from input to input and is the same in each run.
  private static func delay(_ input: Int) { usleep(UInt32((input &* 7_919) % 13 * 100)) }

  @Test(arguments: [0, 1, 2, 3, 8]) func outputsAreInOrder(_ threads: Int) throws {
    let map = OrderedMap<Int>(0..<300, threads: threads, ahead: 5) { _ in
      { input, outputs in
        Self.delay(input)
        _ = outputs.send(input * 2)
      }
    }
    #expect(try all(map) == (0..<300).map { $0 * 2 })
    #expect(try map.next() == nil)
  }

  @Test func anInputHasAnyNumberOfOutputs() throws {
    let map = OrderedMap<[Int]>(0..<60, threads: 3, ahead: 2, capacity: 2) { _ in
      { input, outputs in
        for number in 0..<input % 5 {
          Self.delay(input + number)
          _ = outputs.send([input, number])
        }
      }
    }
    #expect(try all(map) == (0..<60).flatMap { input in (0..<input % 5).map { [input, $0] } })
  }

  @Test func nothingComesOfNothing() throws {
    #expect(try OrderedMap<Int>([Int](), threads: 4, ahead: 1) { _ in { _, _ in } }.next() == nil)
  }

  @Test func fewInputsAreUnderWay() throws {
    let (begun, most) = (Counter(), Counter())
    let taken = Counter()
    let map = OrderedMap<Int>(0..<200, threads: 4, ahead: 3) { _ in
      { input, outputs in
        most.raise(to: begun.add() - taken.value)
        _ = outputs.send(input)
      }
    }
    while let output = try map.next() {
      Self.delay(output)
      taken.add()
    }
    // Three inputs are ahead, one input's outputs are being read, and one input was read just now.
    #expect((2...5).contains(most.value))
  }

  @Test func eachThreadHasAWorkerOfItsOwn() throws {
    let made = Counter()
    let map = OrderedMap<Int>(0..<100, threads: 3, ahead: 4) { _ in
      made.add()
      var own = 0
      return { _, outputs in
        own += 1
        usleep(500)
        _ = outputs.send(own)
      }
    }
    #expect(try all(map).filter { $0 == 1 }.count == made.value)
    #expect(made.value <= 3)
  }

  @Test(arguments: [1, 4]) func theFirstErrorComesInItsPlace(_ threads: Int) throws {
    let begun = Counter()
    let map = OrderedMap<Int>(0..<10_000, threads: threads, ahead: 6) { _ in
      { input, outputs in
        begun.add()
        Self.delay(input)
        _ = outputs.send(input)
        // Later inputs may fail sooner.
        if input >= 100 {
          usleep(UInt32(max(0, 110 - input) * 200))
          throw Failure(input: input)
        }
      }
    }
    var outputs: [Int] = []
    let error = #expect(throws: Failure.self) { while let output = try map.next() { outputs.append(output) } }
    #expect(error == Failure(input: 100))
    #expect(outputs == Array(0...100))
    #expect(begun.value < 120)
    #expect(throws: Failure.self) { try map.next() }
  }

  @Test func aWorkerThatCannotBeMadeIsAnError() throws {
    let map = OrderedMap<Int>(0..<10, threads: 2, ahead: 2) { _ -> (Int, BoundedQueue<Int>) throws -> Void in
      throw Failure(input: -1)
    }
    #expect(throws: Failure(input: -1)) { try map.next() }
  }

  @Test func aReleasedMapStopsItsThreads() throws {
    let (begun, working) = (Counter(), Counter())
    do {
      let map = OrderedMap<Int>(0..<1_000_000, threads: 4, ahead: 3, capacity: 1) { _ in
        { input, outputs in
          working.add()
          defer { working.add(-1) }
          begun.add()
          // `send` waits for room until the map is released.
          for number in 0..<1_000 where !outputs.send(input + number) { return }
        }
      }
      for _ in 0..<50 { _ = try map.next() }
    }
    #expect(working.value == 0)
    #expect(begun.value <= 10)
  }

  @Test func inputsMayComeFromAQueue() throws {
    let queue = BoundedQueue<Int>(capacity: 4)
    let map = OrderedMap<Int>(AnyIterator { try? queue.receive() }, threads: 2, ahead: 4) { _ in
      { input, outputs in _ = outputs.send(-input) }
    }
    for input in 0..<100 {
      #expect(queue.send(input))
      #expect(try map.next() == -input)
    }
    queue.end(.success(()))
    #expect(try map.next() == nil)
  }

  @Test func nestedMapsDoNotWaitForThreads() throws {
    @Sendable func sums(_ depth: Int) -> OrderedMap<Int> {
      OrderedMap(0..<5, threads: 3, ahead: 2) { _ in
        { input, outputs in
          var sum = input
          if depth > 0 {
            let inner = sums(depth - 1)
            while let value = try inner.next() { sum += value }
          }
          _ = outputs.send(sum)
        }
      }
    }
    // The sums of the inner maps are 10, 60 and 310.
    #expect(try all(sums(3)) == (0..<5).map { $0 + 310 })
  }
}

/// A counter that several threads change.
private final class Counter: Sendable {
  private let number = Mutex(0)

  var value: Int { number.withLock { $0 } }

  @discardableResult func add(_ change: Int = 1) -> Int {
    number.withLock { number in
      number += change
      return number
    }
  }

  func raise(to least: Int) { number.withLock { $0 = max($0, least) } }
}
