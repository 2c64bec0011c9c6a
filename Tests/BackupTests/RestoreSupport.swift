import ArchiveIO
import Backup
import Content
import ContentPack
import Foundation
import JSONText
import TestSupport
import Testing

/// Helpers shared by the restore tests.
enum Restoring {
  /// Every library that can be opened.
  static let libraries = [
    "library-v1.0.0.sqlite", "library-v1.1.0.sqlite", "library-v1.3.0.sqlite", "library-v1.4.0.sqlite",
    "library-v1.4.0-orphans.sqlite", "library-v1.5.0.sqlite", "library-v1.6.0.sqlite",
    "library-v1.6.0-buggy-queue.sqlite", "library-v1.6.0-snakecase-queue.sqlite", "library-v1.7.0.sqlite",
    "library-v1.9.0.sqlite", "library-v2.0.0.sqlite", "library-v2.2.0.sqlite",
    "library-v2.2.0-upgraded-from-v1.4.0.sqlite", "library-wal/library.sqlite",
  ]

  static let deck = """
    {"kind":"bundle","format":"fleetkit.bundle","version":1,"min_reader":1}
    {"kind":"item","id":"22222222-2222-4222-8222-222222222222","content_type":"flashcard_deck","title":"Lights",\
    "created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z",\
    "content_data":{"cards":[{"front":"Two red","back":"Not under command"}]}}

    """

  /// Creates a library of the current schema, with a deck in its sidecar, that tests may change.
  static func library(in scratch: Scratch, as name: String = "library.sqlite") throws -> String {
    let library = try scratch.writable("library-v2.2.0.sqlite", as: name)
    let answer = try Shell.fleetkit("import", try scratch.write("deck.jsonl", deck), "--into", library, "-q")
    #expect(answer.status == 0, "\(answer.errors)")
    return library
  }

  /// Creates a library with many items of the same title, with the given journal mode and page size.
  static func library(
    _ title: String, _ count: Int, wal: Bool, pageSize: Int = 4096, in scratch: Scratch, as name: String
  ) throws -> String {
    let words = String(repeating: "Weigh anchor, note the depth. ", count: 30)
    var text = "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n"
    for index in 0..<count {
      let id = String(format: "%08X-0000-4000-8000-000000000000", index)
      text +=
        "{\"kind\":\"item\",\"id\":\"\(id)\",\"content_type\":\"practice_guide\",\"title\":\"\(title)\",\"created_at\":"
        + "\"2026-01-01T00:00:00.000Z\",\"updated_at\":\"2026-01-01T00:00:00.000Z\","
        + "\"content_data\":{\"title\":\"\(title)\",\"markdown\":\"\(words)\"}}\n"
    }
    let source = try scratch.write(name + ".jsonl", text)
    #expect(try Shell.fleetkit("convert", source, "--to", scratch[name], "-q").status == 0)
    try SQLiteShell.run(
      scratch[name], "PRAGMA page_size = \(pageSize); VACUUM; PRAGMA journal_mode = \(wal ? "WAL" : "DELETE");")
    return scratch[name]
  }

  /// A query for the first title, the last title and the number of titles in two tables.
  static let look = """
    SELECT (SELECT min(title) || max(title) || count(*) FROM library_content)
      || (SELECT min(title) || max(title) || count(*) FROM practice_guides)
    """

  /// Makes a backup.
  @discardableResult
  static func backUp(_ library: String, to file: String, _ more: String...) throws -> String {
    let answer = try Shell.run(Paths.command, ["backup", library, "--to", file, "-q"] + more)
    try #require(answer.status == 0, "\(answer.errors)")
    return file
  }

  /// Returns all content of a library and its sidecar as a string.
  static func text(_ library: String) throws -> String {
    let answer = try Shell.fleetkit("convert", library, "--to", "-", "--to-format", "jsonl", "-q")
    #expect(answer.status == 0, "\(answer.errors)")
    return answer.output
  }

  static func sha256(_ bytes: [UInt8]) -> String { Digest.hex(Digest.sha256(bytes.span)) }

  /// Rewrites a backup with changed files and correct manifests.
  /// - Parameter change: receives all payload files by path and changes them.
  static func rebuild(
    _ backup: String, as name: String, change: (inout [String: [UInt8]]) throws -> Void
  ) throws {
    let image = try BagImage(backup)
    var files: [String: [UInt8]] = [:]
    for (index, member) in image.members.enumerated() { files[member.path] = Array(image.bytes(of: index)) }
    try change(&files)
    let writer = try BagWriter(name, kind: .fleetpack)
    for path in files.keys.sorted() where path != BackupInfo.Path.info {
      try (files[path] ?? []).withUnsafeBufferPointer { _ = try writer.add(path, $0.span) }
    }
    try writer.prepare(first: (BackupInfo.Path.info, files[BackupInfo.Path.info] ?? []), info: image.info)
    _ = try writer.finish()
  }

  /// Replaces a file and its hash in `data/pack.json`, as an attacker who knows the backup format would.
  static func replace(_ path: String, by bytes: [UInt8], in files: inout [String: [UInt8]]) {
    let old = sha256(files[path] ?? [])
    files[path] = bytes
    let info = String(decoding: files[BackupInfo.Path.info] ?? [], as: UTF8.self)
    files[BackupInfo.Path.info] = Array(info.replacing(old, with: sha256(bytes)).utf8)
  }

  /// Runs SQL on a database that is stored in a backup.
  static func edit(_ path: String, _ sql: String, in files: inout [String: [UInt8]]) throws {
    let scratch = Scratch()
    let file = URL(fileURLWithPath: scratch["edited.sqlite"])
    try Data(files[path] ?? []).write(to: file)
    try SQLiteShell.run(file.path, sql)
    replace(path, by: Array(try Data(contentsOf: file)), in: &files)
  }

  /// Returns the codes that `verify --json` reports for one file, and the exit status.
  static func verify(_ file: String, _ level: String = "--content") throws -> (status: Int32, codes: [String]) {
    let answer = try Shell.fleetkit("verify", file, level, "--json")
    let root = try JSONDocument(parsing: Array(answer.output.utf8)).root
    let codes = root["files"]?.elements.first?["findings"]?["codes"]?.members.map(\.name) ?? []
    return (answer.status, codes)
  }
}
