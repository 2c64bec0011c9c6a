import TestSupport

/// A random number generator that yields the same shuffle every time.
struct ShuffleRandom: RandomNumberGenerator {
  private var random: SeededRandom

  init(_ seed: UInt64) { random = SeededRandom(seed: seed) }

  mutating func next() -> UInt64 { random.next() }
}
