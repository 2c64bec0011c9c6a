import Foundation
import TestSupport
import Testing

/// A link, a pipe or a foreign file in a library's sidecar folder: every verb that uses the folder refuses, and neither
/// the target of the link nor the library changes.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct SidecarLinkTests {
  /// The entries that an attacker may replace; the empty name is the folder itself.
  static let parts = [
    "", "staging", "backups", "undo", "rejects", "media", "quarantine", "state.sqlite", "state.sqlite-journal", "lock",
    "sync.lock",
  ]

  /// A verb with its library and its arguments.
  struct Verb: Sendable, CustomTestStringConvertible {
    let library: String
    let words: [String]
    var testDescription: String { words.prefix(3).joined(separator: " ") }

    init(_ library: String, _ words: String...) {
      self.library = library
      self.words = words
    }
  }

  private static let registry = ["--registry", "http://127.0.0.1:9", "--insecure-http", "--token-file", "token"]

  static let verbs = [
    Verb("l.sqlite", "import", "t.jsonl", "--into", "l.sqlite"),
    Verb("l.sqlite", "import", "t.jsonl", "--into", "l.sqlite", "--dry-run"),
    Verb("n.sqlite", "import", "t.jsonl", "--into", "n.sqlite", "--create"),
    Verb("l.sqlite", "import", "--resume", "1", "--into", "l.sqlite"),
    Verb("l.sqlite", "apply", "plan.json", "--library", "l.sqlite"),
    Verb("old.sqlite", "migrate", "old.sqlite", "--yes"),
    Verb("new.sqlite", "migrate", "new.sqlite", "--undo", "--yes"),
    Verb("old.sqlite", "doctor", "old.sqlite", "--repair", "--yes"),
    Verb("l.sqlite", "restore", "b.fleetpack", "--to", "l.sqlite", "--replace", "--yes"),
    Verb("l.sqlite", "restore", "b.fleetpack", "--into", "l.sqlite", "--title", "*"),
    Verb("n.sqlite", "restore", "b.fleetpack", "--to", "n.sqlite"),
    Verb("l.sqlite", "undo", "1", "--library", "l.sqlite"),
    Verb("l.sqlite", "publish", "l.sqlite", "--all", "--yes"),
    Verb("l.sqlite", "update", "l.sqlite", "--all", "--yes"),
    Verb("l.sqlite", "unpublish", "l.sqlite", "--all", "--yes"),
    Verb("l.sqlite", "fork", "abcdefgh", "--into", "l.sqlite", "REGISTRY"),
    Verb("l.sqlite", "queue", "retry", "l.sqlite", "--all"),
    Verb("l.sqlite", "queue", "cancel", "l.sqlite", "--id", "1"),
    Verb("l.sqlite", "queue", "rebind", "l.sqlite", "REGISTRY"),
    Verb("l.sqlite", "sync", "l.sqlite", "REGISTRY"),
    Verb("l.sqlite", "pull", "l.sqlite", "REGISTRY"),
    Verb("l.sqlite", "backup", "l.sqlite", "--to", "x.fleetpack"),
    // These verbs only read, and would read the target of the link.
    Verb("l.sqlite", "export", "l.sqlite", "--to", "x.jsonl"),
    Verb("l.sqlite", "runs", "l.sqlite"),
    Verb("l.sqlite", "queue", "l.sqlite"),
  ]

  /// The initial state for every verb, created once.
  private static let base: Result<Scratch, any Error> = Result {
    let scratch = Scratch()
    func run(_ words: String...) throws {
      let answer = try Shell.run(Paths.command, words + ["-q"], folder: scratch.path)
      #expect(answer.status == 0, "\(words): \(answer.errors)")
    }
    _ = try scratch.writable("library-v2.2.0.sqlite", as: "l.sqlite")
    _ = try scratch.writable("library-v1.4.0.sqlite", as: "old.sqlite")
    _ = try scratch.writable("library-v1.4.0.sqlite", as: "new.sqlite")
    _ = try scratch.write("s.jsonl", #"{"content_type":"checklist","title":"A","content_data":{"sections":[]}}"#)
    _ = try scratch.write("t.jsonl", #"{"content_type":"checklist","title":"B","content_data":{"sections":[]}}"#)
    _ = try scratch.write("token", "token")
    chmod(scratch["token"], 0o600)
    try run("import", "s.jsonl", "--into", "l.sqlite")
    try run("backup", "l.sqlite", "--to", "b.fleetpack")
    try run("migrate", "new.sqlite", "--yes")
    try run("import", "t.jsonl", "--into", "l.sqlite", "--dry-run", "--plan", "plan.json")
    return scratch
  }

  /// Returns a string that changes with any change to a file or folder.
  private static func image(_ path: String) throws -> String {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return "nothing" }
    guard isFolder.boolValue else { return try Data(contentsOf: URL(fileURLWithPath: path)).base64EncodedString() }
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted().map { name in
      "\(name): " + (try image(path + "/" + name))
    }.joined(separator: "\n")
  }

  @Test(arguments: verbs)
  func aLinkIsNotFollowed(_ verb: Verb) throws {
    let base = try Self.base.get()
    let files = FileManager.default
    for part in Self.parts {
      let scratch = Scratch()
      for name in base.names { try files.copyItem(atPath: base[name], toPath: scratch[name]) }
      let victim = scratch["victim"]
      try files.createDirectory(atPath: victim, withIntermediateDirectories: true)
      let precious = try scratch.write("victim/precious.txt", "ten years of notes")
      let folder = scratch[verb.library] + ".fleetkit"
      let place = part.isEmpty ? folder : folder + "/" + part
      let isFile = part.contains("lock") || part.contains("state")
      if !part.isEmpty { try files.createDirectory(atPath: folder, withIntermediateDirectories: true) }
      if part == "state.sqlite", files.fileExists(atPath: place) {
        // The target is a store that could be used if it were not reached through a link.
        try files.removeItem(atPath: precious)
        try files.copyItem(atPath: place, toPath: precious)
      }
      try? files.removeItem(atPath: place)
      try files.createSymbolicLink(atPath: place, withDestinationPath: isFile ? precious : victim)
      let before = (try Self.image(victim), try Self.image(scratch[verb.library]))
      let words = verb.words.flatMap { $0 == "REGISTRY" ? Self.registry : [$0] } + ["-q"]
      let answer = try Shell.run(Paths.command, words, folder: scratch.path)
      #expect(answer.status == 4, "\(part): \(answer.errors)")
      #expect(answer.errors.split(separator: "\n").count == 1, "\(part): \(answer.errors)")
      #expect(answer.errors.contains("\(verb.library).fleetkit"), "\(part): \(answer.errors)")
      #expect(try Self.image(victim) == before.0, "\(part): the victim was changed")
      #expect(try Self.image(scratch[verb.library]) == before.1, "\(part): the library was changed")
    }
  }

  @Test(arguments: ["lock", "state.sqlite", "sync.lock", "state.sqlite-journal"])
  func aPipeBlocksNothing(_ part: String) throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "l.sqlite")
    try FileManager.default.createDirectory(atPath: library + ".fleetkit", withIntermediateDirectories: true)
    #expect(mkfifo(library + ".fleetkit/" + part, 0o600) == 0)
    let source = try scratch.write(
      "s.jsonl", #"{"content_type":"checklist","title":"A","content_data":{"sections":[]}}"#)
    let answer = try Shell.run("timeout", ["60", Paths.command, "import", source, "--into", library])
    #expect(answer.status == 4, "\(answer.errors)")
  }

  /// In a folder that every user can write to, such as `/tmp`, the sidecar folder must belong to the effective user.
  /// Elsewhere it may also belong to the owner of the library or to root.
  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func anotherUsersFolderIsRefused() throws {
    let scratch = Scratch()
    let source = try scratch.write(
      "s.jsonl", #"{"content_type":"checklist","title":"A","content_data":{"sections":[]}}"#)
    func run(shared: Bool, owner: uid_t, folder: uid_t) throws -> Int32 {
      let place = scratch["place-\(UUID().uuidString)"]
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      let library = place + "/l.sqlite"
      try FileManager.default.copyItem(atPath: Paths.libraries + "/library-v2.2.0.sqlite", toPath: library)
      chmod(library, 0o644)
      chown(library, owner, 0)
      mkdir(library + ".fleetkit", 0o700)
      chown(library + ".fleetkit", folder, 0)
      if shared { chmod(place, 0o1777) }
      return try Shell.fleetkit("import", source, "--into", library, "-q").status
    }
    #expect(try run(shared: false, owner: 0, folder: 0) == 0)
    #expect(try run(shared: false, owner: 1001, folder: 1001) == 0)
    #expect(try run(shared: false, owner: 0, folder: 1001) == 4)
    #expect(try run(shared: false, owner: 1001, folder: 1002) == 4)
    #expect(try run(shared: true, owner: 0, folder: 0) == 0)
    #expect(try run(shared: true, owner: 1001, folder: 1001) == 4)
  }

  /// The library itself may be reached through links. The sidecar folder belongs to the file to which they point.
  @Test func theLibraryMayBeReachedThroughLinks() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["real"], withIntermediateDirectories: true)
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "real/l.sqlite")
    try FileManager.default.createSymbolicLink(atPath: scratch["file.sqlite"], withDestinationPath: library)
    try FileManager.default.createSymbolicLink(atPath: scratch["folder"], withDestinationPath: scratch["real"])
    for (index, path) in [scratch["file.sqlite"], scratch["folder/l.sqlite"]].enumerated() {
      let source = try scratch.write(
        "s.jsonl", #"{"content_type":"checklist","title":"\#(index)","content_data":{"sections":[]}}"#)
      #expect(try Shell.fleetkit("import", source, "--into", path, "-q").status == 0)
      #expect(try Shell.fleetkit("runs", path, "-q").status == 0)
    }
    #expect(FileManager.default.fileExists(atPath: library + ".fleetkit/state.sqlite"))
    #expect(!scratch.names.contains("file.sqlite.fleetkit"))
  }

  /// A pipe with the name of FleetKit's temporary folder or file does not block, and other users' files are kept.
  @Test func leftoversOfOthersAreLeftAlone() throws {
    let scratch = Scratch()
    let temporary = scratch["tmp"]
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "l.sqlite")
    let names = (0..<4).map { _ in temporary + "/fleetkit-\(UUID().uuidString)" }
    #expect(mkfifo(names[0], 0o600) == 0)
    try FileManager.default.createSymbolicLink(atPath: names[1], withDestinationPath: scratch.path)
    try FileManager.default.createDirectory(atPath: names[2], withIntermediateDirectories: true)
    if geteuid() == 0 { chown(names[2], 1001, 0) }
    try FileManager.default.createDirectory(atPath: names[3], withIntermediateDirectories: true)
    // Next to the target, create a pipe and a link with the names of a killed writer's files.
    #expect(mkfifo(scratch[".b.fleetpack.fleetkit-1-2.tmp"], 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: scratch[".b.fleetpack.fleetkit-1-3.tmp"], withDestinationPath: library)
    let answer = try Shell.run(
      "timeout", ["60", Paths.command, "backup", library, "--to", scratch["b.fleetpack"], "-q"],
      environment: ["TMPDIR": temporary])
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(FileManager.default.fileExists(atPath: library))
    let left = Set(try FileManager.default.contentsOfDirectory(atPath: temporary))
    #expect(left.contains((names[0] as NSString).lastPathComponent))
    #expect(left.contains((names[1] as NSString).lastPathComponent))
    #expect(left.contains((names[2] as NSString).lastPathComponent) == (geteuid() == 0))
    // A killed run of this user left this file.
    #expect(!left.contains((names[3] as NSString).lastPathComponent))
  }
}
