import Content
import Minisign
import TestSupport
import Testing

@Suite struct Blake2bTests {
  /// RFC 7693, appendix A, and values from the reference implementation.
  @Test(arguments: [
    (
      "abc", 64,
      "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
    ),
    (
      "", 64,
      "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419d25e1031afee585313896444934eb04b903a685b1448b755d56f701afe9be2ce"
    ),
    ("", 32, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"),
    ("abc", 32, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"),
  ])
  func answersWhatTheStandardSays(text: String, length: Int, digest: String) {
    #expect(Digest.hex(Blake2b.hash(Array(text.utf8), length: length)) == digest)
  }

  /// Every length around the block size, passed in pieces that are not multiples of a block.
  @Test func agreesWithLibcrypto() {
    var random = SeededRandom(seed: 7)
    for length in Array(0...260) + [1000, 4096, 65_537] {
      let bytes = (0..<length).map { _ in UInt8(random.below(256)) }
      var theirs = Blake2b512()
      var ours = Blake2b(length: 64)
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = Array(rest.prefix(1 + random.below(97)))
        theirs.update(piece.span)
        ours.update(piece.span)
        rest = rest.dropFirst(piece.count)
      }
      #expect(ours.finish() == theirs.finish(), "\(length) bytes")
    }
  }

  /// Python's hashlib supports all digest lengths.
  @Test(.enabled(if: Shell.has("python3"), "python3 is not installed")) func agreesWithPython() throws {
    let script = """
      import hashlib
      for n in (1, 20, 31, 32, 33, 48, 64): print(hashlib.blake2b(bytes(range(200)), digest_size=n).hexdigest())
      """
    let answer = try Shell.run("python3", ["-c", script])
    let ours = [1, 20, 31, 32, 33, 48, 64].map { Digest.hex(Blake2b.hash(Array(0..<200), length: $0)) }
    #expect(answer.output.split(separator: "\n").map(String.init) == ours)
  }
}
