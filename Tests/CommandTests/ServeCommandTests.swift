import Foundation
import TestSupport
import Testing

/// `fleetkit serve` replaces itself with the registry server, wherever the server is installed.
@Suite struct ServeCommandTests {
  /// Writes a program that takes the server's place and prints its name and its arguments.
  private static func script(_ scratch: Scratch, _ path: String, says: String = "here", status: Int = 0) throws
    -> String
  {
    let file = scratch[path]
    try FileManager.default.createDirectory(
      atPath: URL(fileURLWithPath: file).deletingLastPathComponent().path, withIntermediateDirectories: true)
    let text = """
      #!/bin/sh
      echo "\(says) $$"
      for word in "$@"; do echo "[$word]"; done
      exit \(status)

      """
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    return file
  }

  /// Copies the command into a folder without other files.
  private static func command(_ scratch: Scratch, _ path: String) throws -> String {
    let copy = scratch[path]
    try FileManager.default.createDirectory(
      atPath: URL(fileURLWithPath: copy).deletingLastPathComponent().path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: URL(fileURLWithPath: Paths.command).resolvingSymlinksInPath(), to: URL(fileURLWithPath: copy))
    return copy
  }

  /// An environment without the registry that the tests' own environment may name.
  private static let bare = ["FLEETKIT_REGISTRY": "", "PATH": "/usr/bin:/bin"]

  @Test func argumentsAndExitStatusAreTheServers() throws {
    let scratch = Scratch()
    let server = try Self.script(scratch, "registry", status: 37)
    let answer = try Shell.run(
      Paths.command, ["serve", "--port", "0", "two words", "--", "-q", "", "--json", "--version", "Ж"],
      environment: ["FLEETKIT_REGISTRY": server])
    #expect(answer.status == 37)
    let lines = answer.output.split(separator: "\n").dropFirst()
    #expect(
      lines == ["[--port]", "[0]", "[two words]", "[--]", "[-q]", "[]", "[--json]", "[--version]", "[Ж]"],
      "\(answer.errors)")
    #expect(answer.errors.isEmpty)
  }

  @Test func theServerHasTheSameProcess() throws {
    let scratch = Scratch()
    let server = try Self.script(scratch, "registry")
    let answer = try Shell.run(
      "/bin/sh", ["-c", "echo \"here $$\"; exec \"$0\" serve", Paths.command],
      environment: ["FLEETKIT_REGISTRY": server])
    let lines = answer.output.split(separator: "\n")
    #expect(lines.count == 2 && lines.first == lines.last, "\(answer)")
  }

  @Test func aSignalEndsTheServer() throws {
    let scratch = Scratch()
    for (signal, number) in [("TERM", 15), ("INT", 2), ("PIPE", 13)] as [(String, Int32)] {
      let server = scratch["registry-" + signal]
      try "#!/bin/sh\nkill -\(signal) $$\nsleep 30\n".write(toFile: server, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: server)
      let answer = try Shell.run(Paths.command, ["serve"], environment: ["FLEETKIT_REGISTRY": server])
      #expect(answer.status == 128 + number, "\(signal)")
    }
  }

  @Test func itsOwnHelpAndTheServers() throws {
    let scratch = Scratch()
    let server = try Self.script(scratch, "registry")
    let environment = ["FLEETKIT_REGISTRY": server]
    for flag in ["--help", "-h"] {
      let own = try Shell.run(Paths.command, ["serve", flag], environment: environment)
      #expect(own.status == 0 && own.output.contains("fleetkit serve -- serve --help"), "\(flag)")
    }
    let servers = try Shell.run(Paths.command, ["serve", "--", "--help"], environment: environment)
    #expect(servers.status == 0 && servers.output.hasSuffix("[--help]\n"), "\(servers)")
  }

  @Test func itIsLookedForBesideThenOnPathThenInTheCheckout() throws {
    let scratch = Scratch()
    let command = try Self.command(scratch, "checkout/.build/host/debug/fleetkit")
    func answer(path: String = "/usr/bin:/bin") throws -> Answer {
      try Shell.run(command, ["serve"], environment: ["FLEETKIT_REGISTRY": "", "PATH": path])
    }
    let nowhere = try answer()
    #expect(nowhere.status == 64 && nowhere.output.isEmpty)
    #expect(nowhere.errors.contains("fleetkit-registry"))
    #expect(nowhere.errors.contains("make registry") && nowhere.errors.contains("FLEETKIT_REGISTRY"))

    _ = try Self.script(scratch, "checkout/Registry/.build/debug/fleetkit-registry", says: "debug")
    #expect(try answer().status == 64, "a folder with only that name is not a checkout")
    _ = try scratch.write("checkout/Registry/Package.swift", "")
    #expect(try answer().output.hasPrefix("debug "))
    _ = try Self.script(scratch, "checkout/Registry/.build/release/fleetkit-registry", says: "release")
    #expect(try answer().output.hasPrefix("release "))
    _ = try Self.script(scratch, "bin/fleetkit-registry", says: "path")
    #expect(try answer(path: "/nowhere::" + scratch["bin"]).output.hasPrefix("path "))
    _ = try Self.script(scratch, "checkout/.build/host/debug/fleetkit-registry", says: "beside")
    #expect(try answer(path: scratch["bin"]).output.hasPrefix("beside "))
  }

  @Test func whatCannotBeRunIsSaid() throws {
    let scratch = Scratch()
    let text = try scratch.write("text", "no program")
    let broken = try scratch.write("broken", "\u{1}\u{2}")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: broken)
    for path in [scratch["nowhere"], scratch.path, text, broken] {
      let answer = try Shell.run(Paths.command, ["serve", "--dev"], environment: ["FLEETKIT_REGISTRY": path])
      #expect(answer.status == 64 && answer.errors.contains("FLEETKIT_REGISTRY") && answer.output.isEmpty, "\(path)")
    }
  }

  private static let built = ["release", "debug"].map { Paths.root + "/Registry/.build/\($0)/fleetkit-registry" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test(.enabled(if: Self.built != nil, "the registry is not built: make registry"))
  func theRegistryItself() throws {
    let server = try #require(Self.built)
    let environment = ["FLEETKIT_REGISTRY": server]
    let help = try Shell.run(Paths.command, ["serve", "--", "--help"], environment: environment)
    let own = try Shell.run(server, ["--help"])
    #expect(help.status == 0 && help.output == own.output)
    // The server reports a wrong argument itself, with its own status.
    let wrong = ["--port", "harbour"]
    let answer = try Shell.run(Paths.command, ["serve"] + wrong, environment: environment)
    let direct = try Shell.run(server, wrong)
    #expect(answer.status == direct.status && answer.errors == direct.errors)
  }
}
