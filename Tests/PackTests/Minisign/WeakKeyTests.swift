import Content
import Foundation
import Interchange
import Minisign
import TestSupport
import Testing

/// Weak public keys, for which anyone can create valid signatures, are refused when they are read.
@Suite struct WeakKeyTests {
  /// A script that walks the curve as RFC 8032 describes. A random point multiplied by the order of the group yields a
  /// point of order 8, whose multiples are all the weak points. The script then prints every encoding of each point. No
  /// value comes from a list.
  private static let program = """
    p = 2**255 - 19
    d = -121665 * pow(121666, -1, p) % p
    L = 2**252 + 27742317777372353535851937790883648493
    def add(a, b):
        t = d * a[0] * b[0] * a[1] * b[1] % p
        return ((a[0] * b[1] + a[1] * b[0]) * pow(1 + t, -1, p) % p, (a[1] * b[1] + a[0] * b[0]) * pow(1 - t, -1, p) % p)
    def times(n, a):
        sum = (0, 1)
        while n:
            if n & 1: sum = add(sum, a)
            a, n = add(a, a), n >> 1
        return sum
    def root(y):
        square = (y * y - 1) * pow(d * y * y + 1, -1, p) % p
        x = pow(square, (p + 3) // 8, p)
        if x * x % p != square: x = x * pow(2, (p - 1) // 4, p) % p
        return x if x * x % p == square else None
    y, least = 2, None
    while least is None:
        x = root(y)
        if x is not None:
            small = times(L, (x, y))
            if times(4, small) != (0, 1): least = small
        y += 1
    seen = set()
    for n in range(8):
        x, y = times(n, least)
        for number in (y, y + p):
            if number >= 2**255: continue
            for sign in ({0, 1} if x == 0 else {x & 1}): seen.add(number | sign << 255)
    for number in sorted(seen): print(number.to_bytes(32, "little").hex())
    """

  private func text(_ key: [UInt8]) -> String {
    (Data("Ed".utf8) + Data([1, 2, 3, 4, 5, 6, 7, 8]) + Data(key)).base64EncodedString()
  }

  private func bytes(_ hex: String) -> [UInt8] {
    stride(from: 0, to: hex.utf8.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
  }

  @Test(.enabled(if: Shell.has("python3"), Judges.reason)) func pointsOfSmallOrderAreRefused() throws {
    let scratch = Scratch()
    let answer = try Shell.run("python3", ["-c", Self.program])
    let all = answer.output.split(separator: "\n").map { bytes(String($0)) }
    // There are eight points. Two have a superfluous sign bit, and two can be encoded with p added, one of them in both
    // ways.
    try #require(all.count == 14, "\(answer.errors)")
    var isOutOfRange: Set<Bool> = []
    for key in all {
      let given = #expect(throws: RunFailure.self) { try MinisignKey(text(key)) }
      #expect(given?.status == .usage)
      isOutOfRange.insert(given?.message.contains("2^255") == true)
      let file = try scratch.write("weak.pub", "untrusted comment: a key\n\(text(key))\n")
      let read = #expect(throws: RunFailure.self) { try MinisignKey(file) }
      #expect(read?.status == .usage && read?.message.contains("line 2") == true)
    }
    #expect(isOutOfRange.count == 2)
    // With the neutral point as the key, one signature is valid for every message, so the point must not become a key.
    let neutral = [1] + [UInt8](repeating: 0, count: 31)
    #expect(SignatureBackend.verify(neutral + [UInt8](repeating: 0, count: 32), Array("anything".utf8), key: neutral))
    let pack = try scratch.write("pack", "anything")
    #expect(try Shell.fleetkit("pack", "verify", pack, "--trust", text(neutral)).status == 64)
  }

  @Test func numbersBeyondTheFieldAreRefusedAndItsLargestIsNot() throws {
    let top = [UInt8](repeating: 0xFF, count: 30) + [0x7F]
    for low in UInt8(0xED)...0xFF { #expect(throws: RunFailure.self) { try MinisignKey(text([low] + top)) } }
    // p - 2 is accepted like any other value below p. Only verification checks whether the point is on the curve.
    #expect(try MinisignKey(text([0xEB] + top)).id == "0807060504030201")
    for _ in 0..<50 {
      let key = MinisignSecretKey().publicKey
      #expect(try MinisignKey(key.text) == key)
    }
  }
}
