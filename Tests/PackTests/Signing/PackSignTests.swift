import Foundation
import TestSupport
import Testing

/// `pack keygen`, `pack sign` and `pack verify` as people use them.
@Suite struct PackSignTests {
  private let desk = SigningDesk()
  private var scratch: Scratch { desk.scratch }

  @Test func keysGetTheNamesThatWereAskedFor() throws {
    try FileManager.default.createDirectory(atPath: scratch["keys"], withIntermediateDirectories: true)
    for arguments in [
      ["--to", scratch["a"]], [scratch["b"]], ["-o", scratch["c.key"]], [scratch["keys"]],
      ["--secret", scratch["d.secret"], "--public", scratch["e.public"]],
    ] {
      expect(try Shell.run(Paths.command, ["pack", "keygen"] + arguments), 0)
    }
    for name in ["a.key", "a.pub", "b.key", "b.pub", "c.key", "c.pub", "keys/minisign.key", "keys/minisign.pub"] {
      #expect(FileManager.default.fileExists(atPath: scratch[name]), "\(name)")
    }
    #expect(scratch.names.contains("d.secret") && scratch.names.contains("e.public"))
    expect(try Shell.run(Paths.command, ["pack", "keygen", scratch["a"]]), 4, "already exists")
    expect(try desk.run("pack", "keygen", "--to", scratch["nowhere/x"]), 2)
    expect(try desk.run("pack", "keygen", "a", "--to", "b"), 64)
  }

  @Test func aPasswordProtectsTheKey() throws {
    let file = try scratch.write("password", "bitter end\n")
    let answer = try Shell.run(
      Paths.command, ["pack", "keygen", "--to", scratch["p"], "--password-file", file, "--json"])
    expect(answer, 0)
    #expect(answer.output.contains("\"password\":true"))
    let pack = try desk.build("1.0.0")
    expect(try desk.sign(pack, key: "p"), 2, "there is no terminal to enter it")
    let signed = try Shell.run(
      Paths.command, ["pack", "sign", pack, "--key", scratch["p.key"]], environment: ["FLEETKIT_PASSWORD": "bitter end"]
    )
    expect(signed, 0)
    expect(try desk.verify(pack, trust: ["p"]), 0)
  }

  /// On a terminal, the command prompts for the password and does not show it.
  @Test(.enabled(if: Shell.has("python3"), "python3 is not installed")) func aTerminalAsksForThePassword() throws {
    let script = """
      import os, pty, sys, termios, time
      pid, fd = pty.fork()
      if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
      seen = b""
      for word in (b"halyard\\n", b"halyard\\n"):
          while not seen.rstrip().endswith(b":"):
              seen += os.read(fd, 1)
          seen = b""
          while termios.tcgetattr(fd)[3] & termios.ECHO: time.sleep(0.01)
          os.write(fd, word)
      try:
          while True: seen += os.read(fd, 1024)
      except OSError: pass
      status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
      print("shown" if b"halyard" in seen else "hidden", status)
      """
    let answer = try Shell.run(
      "python3", ["-c", script, Paths.command, "pack", "keygen", "--to", scratch["t"]])
    #expect(answer.output == "hidden 0\n", "\(answer.errors)")
    let pack = try desk.build("1.0.0")
    let signed = try Shell.run(
      Paths.command, ["pack", "sign", pack, "--key", scratch["t.key"]], environment: ["FLEETKIT_PASSWORD": "halyard"])
    expect(signed, 0)
  }

  @Test func aSignedPackIsVerified() throws {
    let key = try desk.key()
    let pack = try desk.publish("1.0.0")
    expect(try desk.verify(pack), 0, "signed by key")
    let line = try scratch.text("publisher.pub").split(separator: "\n")[1]
    try desk.key("other")
    let answer = try desk.run(
      "pack", "verify", pack, "--trust", scratch["other.pub"], "--trust", String(line), "--json")
    expect(answer, 0)
    #expect(answer.output.contains("\"signed\":true") && answer.output.contains("\"version\":\"1.0.0\""))
    if Shell.has("minisign") {
      let theirs = try Shell.run("minisign", ["-V", "-m", pack, "-p", key])
      #expect(theirs.status == 0, "\(theirs.errors)")
      #expect(
        theirs.output.contains(
          "Trusted comment: fleetkit-pack name=first-charter version=1.0.0 previous=none file=first-charter-1.0.0.fleetpack"
        ))
    }
    // A second signing changes nothing.
    let before = try Data(contentsOf: URL(fileURLWithPath: pack + ".minisig"))
    expect(try desk.sign(pack), 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: pack + ".minisig")) == before)
  }

  @Test func whatIsNotProvedIsRefused() throws {
    try desk.key()
    try desk.key("other")
    let pack = try desk.publish("1.0.0")
    expect(try desk.verify(pack, trust: ["other"]), 5, "which is not among your trusted keys")
    expect(try desk.verify(pack, trust: []), 5, "which is not a trusted key")
    expect(try desk.run("pack", "verify", pack, "--trust", "nonsense"), 64)
    expect(try desk.run("pack", "verify", pack, "--trust", scratch["publisher.key"]), 64, "this is a secret key")
    // Changes one byte of the file.
    let handle = try #require(FileHandle(forUpdatingAtPath: pack))
    try handle.seek(toOffset: 300)
    let byte = try #require(try handle.read(upToCount: 1)?.first)
    try handle.seek(toOffset: 300)
    try handle.write(contentsOf: Data([byte ^ 1]))
    try handle.close()
    expect(try desk.verify(pack), 5, "does not match this file")
    expect(try desk.sign(pack), 5)
    try FileManager.default.removeItem(atPath: pack + ".minisig")
    expect(try desk.verify(pack), 5, "it is not signed")
    expect(try desk.verify(pack, trust: []), 5)
  }

  @Test func anUnsignedPackHasOnlyItsChecksums() throws {
    let pack = try desk.build("1.0.0")
    expect(try desk.verify(pack, trust: []), 0, "not signed")
  }

  /// A signature is refused for a different version, and so is a signature whose trusted comment describes another
  /// version.
  @Test func aSignatureBelongsToOneVersion() throws {
    try desk.key()
    let one = try desk.publish("1.0.0")
    let two = try desk.publish("1.1.0", previous: one)
    try FileManager.default.removeItem(atPath: two + ".minisig")
    try FileManager.default.copyItem(atPath: one + ".minisig", toPath: two + ".minisig")
    expect(try desk.verify(two), 5, "does not match this file")
    guard Shell.has("minisign") else { return }
    for (comment, words) in [
      ("fleetkit-pack name=second version=1.1.0 previous=none file=x", "pack second"),
      ("fleetkit-pack name=first-charter version=1.2.0 previous=none file=x", "version 1.2.0"),
      ("fleetkit-pack name=first-charter version=1.1.0 previous=none file=x", "follows"),
      ("fleetkit-pack name=first-charter", "has no version"),
    ] {
      let signed = try Shell.run("minisign", ["-S", "-s", scratch["publisher.key"], "-m", two, "-t", comment])
      try #require(signed.status == 0, "\(signed.errors)")
      expect(try desk.verify(two), 5, words)
    }
    _ = try Shell.run("minisign", ["-S", "-s", scratch["publisher.key"], "-m", two])
    expect(try desk.verify(two), 0, "does not include the name and version")
    expect(try desk.verify(two, previous: one), 5, "position in the chain is unproven")
  }

  @Test func onlySoundFilesAreSigned() throws {
    try desk.key()
    let folder = scratch["folder/"]
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    expect(try desk.sign(folder), 64, "only a file can be signed")
    expect(try desk.run("pack", "verify", folder, "--trust", scratch["publisher.pub"]), 64)
    let pack = try desk.build("1.0.0")
    _ = try scratch.write("first-charter-1.0.0.fleetpack.minisig", "my notes\n")
    expect(try desk.sign(pack), 4, "is not a signature")
    #expect(try scratch.text("first-charter-1.0.0.fleetpack.minisig") == "my notes\n")
  }
}
