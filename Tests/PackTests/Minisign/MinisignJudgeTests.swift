import Content
import Foundation
import Interchange
import Minisign
import TestSupport
import Testing

/// minisign accepts our files, and we accept the files of minisign.
@Suite(.enabled(if: Shell.has("minisign"), "minisign is not installed")) struct MinisignJudgeTests {
  private let scratch = Scratch()

  private func file(_ bytes: Int = 3_000_001) throws -> String {
    var random = SeededRandom(seed: 11)
    let data = Data((0..<bytes).map { _ in UInt8(random.below(256)) })
    try data.write(to: URL(fileURLWithPath: scratch["first.fleetpack"]))
    return scratch["first.fleetpack"]
  }

  /// Creates a key pair with minisign, without a password.
  private func theirKey(_ name: String = "theirs") throws -> (secret: String, public: String) {
    let answer = try Shell.run("minisign", ["-G", "-W", "-s", scratch[name + ".key"], "-p", scratch[name + ".pub"]])
    try #require(answer.status == 0, "\(answer.errors)")
    return (scratch[name + ".key"], scratch[name + ".pub"])
  }

  private func sign(_ path: String, _ key: MinisignSecretKey, comment: String) throws {
    let signature = try key.sign(FileFingerprint(path), trustedComment: comment)
    try Data(signature.fileBytes).write(to: URL(fileURLWithPath: MinisignSignature.path(of: path)))
  }

  @Test func acceptsOurSignatures() throws {
    let path = try file()
    let key = MinisignSecretKey()
    try key.publicKey.write(to: scratch["ours.pub"])
    try sign(path, key, comment: "fleetkit-pack name=first-charter version=1.2.0")
    for arguments in [["-p", scratch["ours.pub"]], ["-P", key.publicKey.text]] {
      let answer = try Shell.run("minisign", ["-V", "-m", path] + arguments)
      #expect(answer.status == 0, "\(answer.errors)")
      #expect(answer.output.contains("Trusted comment: fleetkit-pack name=first-charter version=1.2.0"))
    }
    // -H requires a signature of the hash.
    #expect(try Shell.run("minisign", ["-V", "-H", "-m", path, "-p", scratch["ours.pub"]]).status == 0)
  }

  @Test func signsWithOurSecretKeyAndSignsAlike() throws {
    let path = try file(100)
    let key = MinisignSecretKey()
    try key.write(to: scratch["ours.key"], password: nil)
    let answer = try Shell.run("minisign", ["-S", "-s", scratch["ours.key"], "-m", path, "-t", "the same", "-c", "c"])
    try #require(answer.status == 0, "\(answer.errors)")
    let theirs = try Data(contentsOf: URL(fileURLWithPath: MinisignSignature.path(of: path)))
    let ours = try key.sign(FileFingerprint(path), trustedComment: "the same", untrustedComment: "c")
    #expect(Array(theirs) == ours.fileBytes)
  }

  @Test func writesTheKeyFilesThatWeWrite() throws {
    let theirs = try theirKey()
    let key = try MinisignSecretKey.read(theirs.secret) { nil }
    #expect(try MinisignKey(theirs.public) == key.publicKey)
    #expect(try Data(contentsOf: URL(fileURLWithPath: theirs.public)) == Data(key.publicKey.fileText.utf8))
    try key.write(to: scratch["again.key"], password: nil)
    // The first line is a comment, and the second line is the key.
    let lines = try ["theirs.key", "again.key"].map { try scratch.text($0).split(separator: "\n")[1] }
    #expect(lines[0] == lines[1])
  }

  @Test(arguments: [[], ["-l"], ["-t", "a comment of one's own\twith a tab and ö"], ["-c", "x", "-t", ""]])
  func isAcceptedByUs(options: [String]) throws {
    let path = try file(70_000)
    let keys = try theirKey()
    let answer = try Shell.run("minisign", ["-S", "-s", keys.secret, "-m", path] + options)
    try #require(answer.status == 0, "\(answer.errors)")
    let signature = try MinisignSignature(file: MinisignSignature.path(of: path))
    #expect(signature.algorithm == (options == ["-l"] ? .legacy : .hashed))
    #expect(try signature.verify(FileFingerprint(path), key: MinisignKey(keys.public)) == nil)
    #expect(signature.fileBytes == Array(try Data(contentsOf: URL(fileURLWithPath: MinisignSignature.path(of: path)))))
    // The same key, given as a string.
    let text = try scratch.text("theirs.pub").split(separator: "\n")[1]
    #expect(try signature.verify(FileFingerprint(path), key: MinisignKey(String(text))) == nil)
    // A legacy signature covers the file itself, so it becomes invalid when one byte changes.
    try FileHandle(forUpdating: URL(fileURLWithPath: path)).write(contentsOf: Data([0]))
    #expect(try signature.verify(FileFingerprint(path), key: MinisignKey(keys.public)) == .otherFile)
  }

  @Test func openTheirKeyWithItsPassword() throws {
    let answer = try Shell.run(
      "minisign", ["-G", "-s", scratch["p.key"], "-p", scratch["p.pub"]], input: "north-easterly ö\nnorth-easterly ö\n")
    try #require(answer.status == 0, "\(answer.errors)")
    let key = try MinisignSecretKey.read(scratch["p.key"]) { Array("north-easterly ö".utf8) }
    #expect(try key.publicKey == MinisignKey(scratch["p.pub"]))
    let failure = #expect(throws: RunFailure.self) { try MinisignSecretKey.read(scratch["p.key"]) { Array("no".utf8) } }
    #expect(failure?.status == .failed)
    let unasked = #expect(throws: RunFailure.self) { try MinisignSecretKey.read(scratch["p.key"]) { nil } }
    #expect(unasked?.advice?.contains("FLEETKIT_PASSWORD") == true)
  }

  @Test func opensOurKeyWithItsPassword() throws {
    let path = try file(10)
    let key = MinisignSecretKey()
    // minisign reads the cost parameters from the file, so cheap ones prove as much as expensive ones.
    try key.write(to: scratch["c.key"], password: Array("pw".utf8), operations: 524_288, memory: 16 << 20)
    try key.publicKey.write(to: scratch["c.pub"])
    let signed = try Shell.run("minisign", ["-S", "-s", scratch["c.key"], "-m", path], input: "pw\n")
    try #require(signed.status == 0, "\(signed.errors)")
    #expect(try Shell.run("minisign", ["-V", "-m", path, "-p", scratch["c.pub"]]).status == 0)
    #expect(try Shell.run("minisign", ["-S", "-s", scratch["c.key"], "-m", path], input: "no\n").status != 0)
  }

  /// The public key that minisign derives from our secret key equals the one that we wrote.
  @Test func makesOurPublicKeyAgain() throws {
    let key = MinisignSecretKey()
    try key.write(to: scratch["r.key"], password: nil)
    let answer = try Shell.run("minisign", ["-R", "-s", scratch["r.key"], "-p", scratch["r.pub"]])
    try #require(answer.status == 0, "\(answer.errors)")
    #expect(try scratch.text("r.pub") == key.publicKey.fileText)
  }
}
