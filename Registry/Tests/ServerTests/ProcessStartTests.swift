import Foundation
import RegistryTestSupport
import Testing

@Suite struct ProcessStartTests {
  private static let key = ["JWT_SECRET_KEY": String(repeating: "k", count: 32)]
  private let scratch = Scratch()

  private func run(_ arguments: [String], _ environment: [String: String] = key) throws -> ProcessServer.End {
    try ProcessServer(arguments, environment: environment).end()
  }

  @Test func itSaysWhereItListensAndStopsWhenAsked() throws {
    let server = try ProcessServer(["--database", scratch["a.sqlite"], "--port", "0"], environment: Self.key)
    #expect(server.port > 0)
    #expect(server.printed == "listening on http://127.0.0.1:\(server.port)\n")
    #expect(ProcessClient(port: server.port).send("GET", "/health")?.status == 200)
    #expect(ProcessClient(port: server.port).send("GET", "/ready")?.status == 200)
    let end = server.stop()
    #expect(end.status == 0)
    for line in end.errors.split(separator: "\n") {
      #expect(line.utf8.first == UInt8(ascii: "{") && line.utf8.last == UInt8(ascii: "}"), "\(line)")
    }
  }

  @Test func itOpensTheBrowserOnRequest() throws {
    let program = scratch["xdg-open"]
    try
      "#!/bin/sh\nprintf %s \"$1\" > '\(scratch["opened"]).new' && mv '\(scratch["opened"]).new' '\(scratch["opened"])'\n"
      .write(toFile: program, atomically: true, encoding: .utf8)
    #expect(chmod(program, 0o755) == 0)
    let path = NSString(string: program).deletingLastPathComponent
    let arguments = ["--database", scratch["a.sqlite"], "--port", "0", "--open"]
    let server = try ProcessServer(arguments, environment: Self.key.merging(["PATH": "\(path):/usr/bin:/bin"]) { $1 })
    for _ in 0..<400 where !FileManager.default.fileExists(atPath: scratch["opened"]) { usleep(25_000) }
    #expect(try String(contentsOfFile: scratch["opened"], encoding: .utf8) == "http://127.0.0.1:\(server.port)/")
    #expect(server.stop().status == 0)

    // Without a browser, the server serves, and the log names the program.
    let bare = try ProcessServer(arguments, environment: Self.key.merging(["PATH": "/nonexistent"]) { $1 })
    #expect(ProcessClient(port: bare.port).send("GET", "/")?.status == 200)
    for _ in 0..<400 where !bare.logged.contains("--open") { usleep(25_000) }
    #expect(bare.stop().errors.contains("--open"))
  }

  @Test(
    arguments: [
      ([], [:], "no key"),
      (["--jwt-key-file", "/does/not/exist"], [:], "cannot read the key file"),
      ([], ["JWT_SECRET_KEY": "short"], "5 bytes; at least 32 are needed"),
      (["--dev", "--host", "0.0.0.0"], key, "--dev cannot listen on 0.0.0.0"),
      (["--dev", "--host", "::"], key, "--dev cannot listen on ::"),
      (["--dev", "--host", "127.0.0.1.example.org"], key, "--dev cannot listen"),
      (["--port", "65536"], key, "there is no port 65536"),
      (["--cors-origin", "https://example.org/path"], key, "is not an origin"),
      (["--max-body", "3"], key, "--max-body must be"),
      (["--log-level", "loud"], key, "there is no log level"),
      (["--apple-jwks", "http://example.org/keys"], key, "Apple's keys cannot come from"),
      (["--apple-jwks", "/does/not/exist.json"], key, "Apple's keys '/does/not/exist.json' does not exist"),
      (["--apple-jwks", "/"], key, "cannot read the file with Apple's keys '/'. It is a folder"),
      ([], key.merging(["APPLE_JWKS": "file:///does/not/exist"]) { $1 }, "'/does/not/exist' does not exist"),
      ([], key.merging(["RATE_LIMIT_ENABLED": "flase"]) { $1 }, "RATE_LIMIT_ENABLED cannot be"),
      ([], key.merging(["JWT_ACCESS_TOKEN_EXPIRE_MINUTES": "0"]) { $1 }, "JWT_ACCESS_TOKEN_EXPIRE_MINUTES cannot be"),
      (["--database", "mysql://x/y"], key, "the database cannot be 'mysql'"),
      (["--nonsense"], key, "nonsense"),
    ] as [([String], [String: String], String)])
  func wrongConfigurationIsRefusedWithAdvice(
    arguments: [String], environment: [String: String], words: String
  ) throws {
    let database = arguments.contains("--database") ? [] : ["--database", scratch["a.sqlite"]]
    let end = try run(
      database + ["--port", "0"].filter { _ in !arguments.contains("--port") } + arguments, environment)
    #expect(end.status == 64)
    #expect(end.output.isEmpty)
    #expect(end.errors.contains(words), "\(end.errors)")
    #expect(!FileManager.default.fileExists(atPath: scratch["a.sqlite"]), "nothing is created before all is checked")
  }

  @Test func thereMustBeADatabase() throws {
    let end = try run(["--port", "0"])
    #expect(end.status == 64)
    #expect(end.errors.contains("DATABASE_URL"))
  }

  @Test func theEnvironmentIsTakenAndOptionsWin() throws {
    let environment = Self.key.merging(["DATABASE_URL": "sqlite:///\(scratch["env.sqlite"])"]) { $1 }
    try ProcessServer(["--port", "0"], environment: environment).stop()
    #expect(FileManager.default.fileExists(atPath: scratch["env.sqlite"]))
    try ProcessServer(["--port", "0", "--database", scratch["option.sqlite"]], environment: environment).stop()
    #expect(FileManager.default.fileExists(atPath: scratch["option.sqlite"]))
  }

  @Test func aFolderThatIsNotThereIsSaid() throws {
    let end = try run(["--database", scratch["no/such/a.sqlite"], "--port", "0"])
    #expect(end.status == 2)
    #expect(end.errors.contains("the folder '\(scratch["no/such"])' does not exist. Make it"), "\(end.errors)")
    let below = try run(["--database", "no-such-folder/a.sqlite", "--port", "0"])
    #expect(below.status == 2)
    #expect(below.errors.contains("the folder 'no-such-folder' does not exist"), "\(below.errors)")
  }

  @Test func aFolderIsNoDatabase() throws {
    let folder = scratch["data"]
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let end = try run(["--database", folder, "--port", "0"])
    #expect(end.status == 2)
    #expect(end.errors.contains("open '\(folder)': it is a folder"), "\(end.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder + ".lock"))
    try Data().write(to: URL(fileURLWithPath: scratch["file"]))
    let inFile = try run(["--database", scratch["file/a.sqlite"], "--port", "0"])
    #expect(inFile.status == 2)
    #expect(inFile.errors.contains("is a file, not a folder"), "\(inFile.errors)")
  }

  @Test func aFolderThatCannotBeWrittenToIsSaid() throws {
    // Permissions do not prevent root from writing, except in the kernel's own folder.
    let end = try run(["--database", "/proc/registry.sqlite", "--port", "0"])
    #expect(end.status == 2)
    #expect(end.errors.contains("/proc/registry.sqlite"))
  }

  @Test func oneDatabaseHasOneServer() throws {
    let arguments = ["--database", scratch["a.sqlite"], "--port", "0"]
    let first = try ProcessServer(arguments, environment: Self.key)
    let second = try run(arguments)
    #expect(second.status == 7)
    #expect(second.errors.contains("another registry"))
    #expect(ProcessClient(port: first.port).send("GET", "/ready")?.status == 200)
    first.stop()
    let third = try ProcessServer(arguments, environment: Self.key)
    #expect(third.port > 0)
    #expect(third.stop().status == 0)
  }

  @Test func aPortThatIsTakenIsSaidAndLeavesNoFilesBehind() throws {
    let first = try ProcessServer(["--database", scratch["a.sqlite"], "--port", "0"], environment: Self.key)
    let second = try run(["--database", scratch["b.sqlite"], "--port", "\(first.port)"])
    #expect(second.status == 2)
    #expect(second.errors.contains(":\(first.port): Address already in use") && second.errors.contains("--port"))
    for suffix in ["", "-wal", "-shm", ".lock"] {
      #expect(!FileManager.default.fileExists(atPath: scratch["b.sqlite" + suffix]))
    }
    first.stop()
  }

  @Test func aForeignDatabaseIsLeftAlone() throws {
    let path = scratch["library.sqlite"]
    try Command.sqlite(path, "CREATE TABLE checklists (id TEXT); PRAGMA user_version = 7;")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let end = try run(["--database", path, "--port", "0"])
    #expect(end.status == 2)
    #expect(end.errors.contains("not a registry's database"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func aSchemaThatNoRegistryMadeIsRefused() throws {
    let path = scratch["a.sqlite"]
    try ProcessServer(["--database", path, "--port", "0"], environment: Self.key).stop()
    try Command.sqlite(path, "CREATE TRIGGER t AFTER INSERT ON users BEGIN DELETE FROM sessions; END;")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let end = try run(["--database", path, "--port", "0"])
    #expect(end.status == 2)
    #expect(end.errors.contains("changed its schema (added: trigger 't' of 'users')"), "\(end.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func aFileThatIsNoDatabaseIsLeftAlone() throws {
    let path = scratch["notes.txt"]
    try Data("These are my notes, not a database at all. ".utf8).write(to: URL(fileURLWithPath: path))
    let end = try run(["--database", path, "--port", "0"])
    #expect(end.status == 2)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 43)
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func itStopsAsAskedWhileItStarts(signal: Int32) throws {
    let database = scratch["a.sqlite"]
    try ProcessServer(["--database", database, "--port", "0"], environment: Self.key).stop()
    // Another program is writing; at startup, the server waits for it for some seconds.
    let words = try SpawnedProcess.pipe()
    let printed = try SpawnedProcess.pipe()
    let other = try SpawnedProcess(
      "/usr/bin/env", ["sqlite3", "-batch", database], input: words.reading, output: printed.writing)
    for end in [words.reading, printed.writing] { close(end) }
    try FileHandle(fileDescriptor: words.writing).write(contentsOf: Data("BEGIN IMMEDIATE; SELECT 'begun';\n".utf8))
    var begun: UInt8 = 0
    try #require(read(printed.reading, &begun, 1) == 1)
    defer {
      for end in [words.writing, printed.reading] { close(end) }
      other.wait()
    }
    let server = try StartedServer(["--database", database, "--port", "0", "--dev"])
    usleep(700_000)
    #expect(server.end(signal) == 0)
  }

  /// A server, observed from the start of its process.
  private struct StartedServer {
    private let process: SpawnedProcess

    /// Starts the program and waits until its first lines have run: before that, the signal itself would end the
    /// process.
    init(_ arguments: [String], errors: String? = nil) throws {
      let log = errors.map { open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }
      defer { if let log { close(log) } }
      process = try SpawnedProcess(ProcessServer.program, arguments, errors: log)
      while !handles(SIGTERM), !process.hasEnded { usleep(200) }
    }

    /// Sends a signal and waits for the process to end.
    /// - Returns: The exit status, or the negative number of the signal that ended the process.
    func end(_ signal: Int32) -> Int32 {
      kill(process.number, signal)
      return process.wait()
    }

    /// Whether the process has a handler for a signal; true if the system does not report this.
    private func handles(_ signal: Int32) -> Bool {
      guard let status = try? String(contentsOfFile: "/proc/\(process.number)/status", encoding: .utf8) else {
        usleep(50_000)
        return true
      }
      return status.split(separator: "\n").contains { line in
        guard line.hasPrefix("SigCgt:"), let mask = line.split(separator: "\t").last else { return false }
        return UInt64(mask, radix: 16).map { $0 & 1 << UInt64(signal - 1) != 0 } ?? false
      }
    }
  }

  /// Starts several servers at the same time: the effect of a signal depends on the order of threads.
  @Test func itStopsAsAskedAtAnyMoment() throws {
    for moment in 0..<20 {
      let servers = try (0..<6).map {
        try StartedServer(
          ["--database", scratch["moment-\($0).sqlite"], "--port", "0", "--dev"], errors: scratch["errors"])
      }
      for (index, server) in servers.enumerated() {
        usleep(useconds_t(moment * 700))
        #expect(server.end(SIGTERM) == 0, "moment \(moment), server \(index)")
      }
    }
    let text = try String(contentsOfFile: scratch["errors"], encoding: .utf8)
    #expect(!text.contains("crashed"), "\(text.suffix(4000))")
  }

  @Test func aPortThatIsTakenIsSaid() throws {
    let first = try ProcessServer(["--database", scratch["a.sqlite"], "--port", "0"], environment: Self.key)
    let end = try run(["--database", scratch["b.sqlite"], "--port", String(first.port)])
    #expect(end.status == 2)
    #expect(end.errors.contains("listen on 127.0.0.1:\(first.port)"), "\(end.errors)")
    #expect(end.output.isEmpty)
    first.stop()
  }

  @Test func localhostAndIPv6AreHosts() throws {
    let named = try ProcessServer(["--database", scratch["a.sqlite"], "--port", "0", "--dev", "--host", "localhost"])
    #expect(named.printed == "listening on http://localhost:\(named.port)\n")
    #expect(named.stop().status == 0)
    let six = try ProcessServer(["--database", scratch["b.sqlite"], "--port", "0", "--dev", "--host", "::1"])
    #expect(six.printed == "listening on http://[::1]:\(six.port)\n")
    #expect(six.stop().status == 0)
  }
}

/// Programs that tests run.
enum Command {
  /// Runs SQL in the `sqlite3` shell and returns its output.
  @discardableResult static func sqlite(_ path: String, _ sql: String) throws -> String {
    try SpawnedProcess.run("/usr/bin/env", ["sqlite3", "-batch", path, sql]).output
      .trimmingCharacters(in: .newlines)
  }
}
