/// A random number generator that always yields the same numbers for a seed.
public struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  /// Starts from a seed.
  public init(seed: UInt64) { state = seed }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Returns a number from 0 to `limit` - 1.
  public mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }

  /// Returns one of several elements.
  public mutating func pick<Element>(_ all: [Element]) -> Element { all[below(all.count)] }

  /// Returns random JSON that Foundation and every other parser accepts.
  public mutating func json(depth: Int) -> String {
    let space = pick(["", "", " ", "\n  "])
    switch below(depth > 0 ? 8 : 5) {
    case 0: return pick(["null", "true", "false"]) + space
    case 1: return pick(["0", "-1", "12", "3.25", "-4.5e3", "1E-2", "9007199254740991"])
    case 2...4:
      return "\""
        + (0..<below(6)).map { _ in
          pick(["a", "é", "ж", "\\n", "\\\"", "\\/", "\\u0416", "😀", "\\ud83d\\ude00", " ", "\\\\"])
        }.joined() + "\""
    case 5: return "[" + space + (0..<below(5)).map { _ in json(depth: depth - 1) }.joined(separator: "," + space) + "]"
    default:
      let count = below(5)
      return "{" + (0..<count).map { "\"k\($0)\":" + space + json(depth: depth - 1) }.joined(separator: space + ",")
        + "}"
    }
  }
}
