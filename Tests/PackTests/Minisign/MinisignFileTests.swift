import Content
import Foundation
import Interchange
import Minisign
import TestSupport
import Testing

/// Key and signature files are parsed strictly, and each error names its line.
@Suite struct MinisignFileTests {
  private let scratch = Scratch()

  /// Returns the lines of a valid signature of the file `f`, the file's fingerprint, and the key.
  private func signed() throws -> (lines: [String], file: FileFingerprint, key: MinisignKey) {
    let key = MinisignSecretKey()
    let file = try FileFingerprint(try scratch.write("f", "Check the bilge.\n"))
    let signature = try key.sign(file, trustedComment: "what I say")
    let lines = String(decoding: signature.fileBytes, as: UTF8.self).split(separator: "\n").map(String.init)
    return (lines, file, key.publicKey)
  }

  private func read(_ lines: [String], ending: String = "\n") throws -> MinisignSignature {
    try MinisignSignature(file: try scratch.write("f.minisig", lines.map { $0 + ending }.joined()))
  }

  private func flipped(_ line: String, byte: Int) throws -> String {
    var bytes = try #require(Data(base64Encoded: line))
    bytes[byte] ^= 1
    return bytes.base64EncodedString()
  }

  @Test func everyByteOfASignatureCounts() throws {
    let good = try signed()
    #expect(try read(good.lines).verify(good.file, key: good.key) == nil)
    #expect(try read(good.lines, ending: "\r\n").verify(good.file, key: good.key) == nil)
    // Key id, signature, and global signature.
    for (line, byte, fault) in [
      (1, 2, MinisignSignature.Fault.otherKey), (1, 9, .otherKey), (1, 10, .otherFile), (1, 73, .otherFile),
      (3, 0, .otherComment), (3, 63, .otherComment),
    ] {
      var lines = good.lines
      lines[line] = try flipped(lines[line], byte: byte)
      #expect(try read(lines).verify(good.file, key: good.key) == fault, "line \(line), byte \(byte)")
    }
    var comment = good.lines
    comment[2] = "trusted comment: what I said"
    #expect(try read(comment).verify(good.file, key: good.key) == .otherComment)
    // The first line is not signed, so it may contain anything.
    var untrusted = good.lines
    untrusted[0] = "untrusted comment: anything"
    #expect(try read(untrusted).verify(good.file, key: good.key) == nil)
    // A signature of the hash does not sign the bytes themselves.
    var legacy = good.lines
    var bytes = try #require(Data(base64Encoded: legacy[1]))
    bytes[1] = UInt8(ascii: "d")
    legacy[1] = bytes.base64EncodedString()
    #expect(try read(legacy).verify(good.file, key: good.key) == .otherFile)
  }

  @Test func anotherFileOrKeyIsTold() throws {
    let good = try signed()
    let signature = try read(good.lines)
    let other = try FileFingerprint(try scratch.write("g", "Check the bilges.\n"))
    #expect(try signature.verify(other, key: good.key) == .otherFile)
    #expect(try signature.verify(good.file, key: MinisignSecretKey().publicKey) == .otherKey)
  }

  @Test(arguments: [
    (0, "untrusted: x", 1), (0, "", 1), (1, "RUQ=", 2), (1, "not base64", 2), (2, "comment: x", 3),
    (2, "trusted comment:x", 3), (3, "AAAA", 4), (3, "====", 4),
  ])
  func aWrongLineIsNamed(index: Int, text: String, line: Int) throws {
    var lines = try signed().lines
    lines[index] = text
    let failure = #expect(throws: RunFailure.self) { try read(lines) }
    #expect(failure?.status == .mismatch)
    #expect(failure?.message.contains(": line \(line): ") == true, "\(failure?.message ?? "")")
  }

  @Test func missingAndSuperfluousLinesAreNamed() throws {
    let lines = try signed().lines
    for (found, line) in [([], 1), (Array(lines.prefix(2)), 3), (Array(lines.prefix(3)), 4), (lines + ["more"], 5)] {
      let failure = #expect(throws: RunFailure.self) { try read(found) }
      #expect(failure?.message.contains(": line \(line): ") == true, "\(failure?.message ?? "")")
    }
  }

  @Test func longAndHostileFilesAreRefused() throws {
    var lines = try signed().lines
    lines[2] = "trusted comment: " + String(repeating: "x", count: 8193)
    #expect(throws: RunFailure.self) { try read(lines) }
    lines[2] = "trusted comment: a\0b"
    #expect(throws: RunFailure.self) { try read(lines) }
    _ = try scratch.write("f.minisig", String(repeating: "\n", count: 1 << 20))
    #expect(throws: RunFailure.self) { try MinisignSignature(file: scratch["f.minisig"]) }
    #expect(mkfifo(scratch["pipe"], 0o600) == 0)
    #expect(throws: RunFailure.self) { try MinisignSignature(file: scratch["pipe"]) }
    #expect(throws: RunFailure.self) { try FileFingerprint(scratch["pipe"]) }
    #expect(throws: RunFailure.self) { try FileFingerprint(scratch.path) }
  }

  /// 3.5: unused bits must be zero, because otherwise one key could be written in several ways.
  @Test func aKeyHasOneText() throws {
    let text = MinisignSecretKey().publicKey.text
    #expect(try MinisignKey(text).text == text)
    for wrong in [text + "=", String(text.dropLast()), " " + text, text + "\n", text.lowercased()] {
      #expect(throws: RunFailure.self) { try MinisignKey(wrong) }
    }
  }

  @Test func keysAreNotMistakenForEachOther() throws {
    let key = MinisignSecretKey()
    try key.write(to: scratch["k.key"], password: nil)
    try key.publicKey.write(to: scratch["k.pub"])
    let secret = #expect(throws: RunFailure.self) { try MinisignKey(scratch["k.key"]) }
    #expect(secret?.message.contains("k.key") == true)
    let open = #expect(throws: RunFailure.self) { try MinisignSecretKey.read(scratch["k.pub"]) { nil } }
    #expect(open?.message.contains("k.pub") == true)
  }

  @Test func keyFilesAreNeverWrittenOverAndSecret() throws {
    let key = MinisignSecretKey()
    try key.write(to: scratch["k.key"], password: nil)
    var status = stat()
    #expect(stat(scratch["k.key"], &status) == 0 && status.st_mode & 0o777 == 0o600)
    let before = try scratch.text("k.key")
    let failure = #expect(throws: RunFailure.self) {
      try MinisignSecretKey().write(to: scratch["k.key"], password: nil)
    }
    #expect(failure?.status == .refused)
    #expect(try scratch.text("k.key") == before)
  }

  @Test func everyByteOfASecretKeyCounts() throws {
    let cheap: (UInt64, UInt64) = (32_768, 1 << 20)
    let password = Array("pw".utf8)
    let key = MinisignSecretKey()
    try key.write(to: scratch["p.key"], password: password, operations: cheap.0, memory: cheap.1)
    try key.write(to: scratch["n.key"], password: nil)
    #expect(try MinisignSecretKey.read(scratch["p.key"]) { password }.publicKey == key.publicKey)
    for (name, bytes) in [("p", [0, 2, 4, 6, 54, 62, 94, 126, 157]), ("n", [0, 2, 4, 62, 94, 126])] {
      let lines = try scratch.text(name + ".key").split(separator: "\n").map(String.init)
      for byte in bytes {
        let path = try scratch.write("x.key", lines[0] + "\n" + (try flipped(lines[1], byte: byte)) + "\n")
        #expect(throws: RunFailure.self, "\(name), byte \(byte)") { try MinisignSecretKey.read(path) { password } }
      }
    }
    // Parameters that would exhaust memory or take hours are refused.
    let lines = try scratch.text("p.key").split(separator: "\n").map(String.init)
    for dear in [[43], [45], [43, 50], [45, 53]] {
      var bytes = try #require(Data(base64Encoded: lines[1]))
      for byte in dear { bytes[byte] = 0x7F }
      let path = try scratch.write("x.key", lines[0] + "\n" + bytes.base64EncodedString() + "\n")
      #expect(throws: RunFailure.self) { try MinisignSecretKey.read(path) { password } }
    }
  }

  /// libsodium's own constants: interactive, and sensitive, which minisign uses.
  @Test(
    arguments: [
      (524_288, 16_777_216, 14, 1), (33_554_432, 1_073_741_824, 20, 1), (0, 0, 1, 512), (1 << 20, 1 << 20, 10, 32),
    ] as [(UInt64, UInt64, UInt64, UInt64)])
  func costsAreThoseOfLibsodium(operations: UInt64, memory: UInt64, log: UInt64, p: UInt64) {
    let cost = ScryptCost(operations: operations, memory: memory)
    #expect(cost.n == 1 << log && cost.r == 8 && cost.p == p)
  }

  @Test func aFingerprintSeesAChange() throws {
    let file = try FileFingerprint(try scratch.write("f", "a"))
    #expect(file.sha256 == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" && file.bytes == 1)
    try file.requireUnchanged()
    _ = try scratch.write("f", "b")
    #expect(throws: RunFailure.self) { try file.requireUnchanged() }
  }
}
