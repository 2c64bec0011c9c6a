import FleetKit
import Foundation
import TestSupport
import Testing

/// Extreme numbers in libraries, their stores, journals and packs.
extension ExtremeNumberTests {
  /// Creates a library with rows in most tables of its store: two sources, decks and a queue.
  private func library(_ scratch: Scratch) throws -> String {
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "base.sqlite")
    for source in ["samples/curated-checklists.jsonl", "samples/vault"] {
      try run(["import", Paths.root + "/" + source, "--into", library], Self.written)
    }
    try run(["publish", library, "--all", "--yes"], Self.written)
    return library
  }

  private func copy(_ library: String, in scratch: Scratch) throws -> String {
    let copy = scratch["a.sqlite"]
    for ending in ["", ".fleetkit"] {
      try? FileManager.default.removeItem(atPath: copy + ending)
      try FileManager.default.copyItem(atPath: library + ending, toPath: copy + ending)
    }
    return copy
  }

  /// Returns all tables and columns, excluding SQLite's own tables except the one that counts ids.
  private func columns(_ path: String) throws -> [(table: String, column: String)] {
    try SQLiteShell.run(
      path,
      """
      SELECT t.name || '|' || c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
      WHERE t.type = 'table' AND (t.name NOT LIKE 'sqlite_%' OR t.name = 'sqlite_sequence') AND t.name NOT LIKE 'grdb_%'
      AND t.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY t.name, c.cid;
      """
    ).split(separator: "\n").map { line in
      let parts = line.split(separator: "|")
      return (String(parts[0]), String(parts[1]))
    }
  }

  private func change(_ path: String, _ changes: [(table: String, column: String, value: String)]) throws {
    let updates = changes.map { change in
      """
      UPDATE OR IGNORE "\(change.table)" SET "\(change.column)" = \(change.value)
      WHERE "\(change.column)" IS (SELECT max("\(change.column)") FROM "\(change.table)");
      """
    }
    // A value that a constraint forbids cannot occur in a store.
    _ = try Shell.run(
      "sqlite3", [path], input: "PRAGMA foreign_keys = OFF;\n" + updates.joined(separator: "\n"))
  }

  /// Runs every verb that reads the library or its store.
  private func use(_ library: String, _ scratch: Scratch, _ why: String) throws {
    let sample = Paths.root + "/samples/ci"
    for arguments in [
      ["runs", library], ["queue", library], ["queue", library, "--all", "--json"],
      ["import", Paths.root + "/samples/curated-checklists.jsonl", "--into", library],
      ["import", sample, "--into", library, "--on-conflict", "replace"], ["update", library, "--all", "--yes"],
      ["sync", library, "--dry-run"], ["queue", "retry", library, "--all"], ["doctor", library],
      ["backup", library, "--to", scratch["backups"] + "/"],
      ["export", library, "--to", scratch["e.jsonl"], "--overwrite"],
      ["undo", "3", "--library", library, "--yes", "--skip-changed"], ["doctor", library, "--repair", "--yes"],
    ] {
      try run(arguments, Self.any.union([5, 7, 64]), why)
    }
  }

  @Test func storesBesideALibrary() throws {
    let scratch = Scratch()
    let base = try library(scratch)
    let all = try columns(base + ".fleetkit/state.sqlite")
    #expect(all.count > 80)
    // Ids come first, because the next id is computed from the largest one.
    let ids = all.filter { ["id", "run", "seq", "number", "count", "base", "file", "source"].contains($0.column) }
    for value in ["9223372036854775807", "-9223372036854775808"] {
      let library = try copy(base, in: scratch)
      try change(library + ".fleetkit/state.sqlite", ids.map { ($0.table, $0.column, value) })
      try use(library, scratch, "all ids \(value)")
    }
    for (index, one) in ids.enumerated() where index % 3 == 0 || ExtremeNumbers.rounds > 1 {
      let library = try copy(base, in: scratch)
      try change(library + ".fleetkit/state.sqlite", [(one.table, one.column, "9223372036854775807")])
      try run(["import", Paths.root + "/samples/ci", "--into", library], [0, 2, 3], "\(one)")
    }
    var random = SeededRandom(seed: 11)
    for round in 0..<3 * ExtremeNumbers.rounds {
      let library = try copy(base, in: scratch)
      let changes = all.compactMap { place in
        random.below(4) == 0 ? (place.table, place.column, random.pick(ExtremeNumbers.columns)) : nil
      }
      try change(library + ".fleetkit/state.sqlite", changes)
      try use(library, scratch, "in round \(round)")
    }
  }

  @Test func columnsOfLibraries() throws {
    let scratch = Scratch()
    let base = try library(scratch)
    let all = try columns(base)
    var random = SeededRandom(seed: 13)
    for round in 0..<3 * ExtremeNumbers.rounds {
      let library = try copy(base, in: scratch)
      // In half of the rounds, ids and references are left unchanged, because a library with orphans is refused.
      let changes = all.compactMap { place in
        let isKey = place.column.hasSuffix("ID") || place.column == "id" && place.table != "sync_queue"
        return random.below(3) == 0 && !(isKey && round % 2 == 0)
          ? (place.table, place.column, random.pick(ExtremeNumbers.columns)) : nil
      }
      try change(library, changes)
      try run(["inspect", library], Self.any, "in round \(round)")
      try run(["validate", library], Self.any, "in round \(round)")
      try run(["list", library], Self.any, "in round \(round)")
      try use(library, scratch, "in round \(round)")
    }
    // The last number that a queue can assign.
    for value in ExtremeNumbers.columns {
      let library = try copy(base, in: scratch)
      try change(library, [("sync_queue", "id", value), ("sqlite_sequence", "seq", value)])
      try run(["doctor", library, "--repair", "--yes"], [0, 2, 3, 4], value)
      try run(["publish", library, "--all", "--yes"], [0, 2, 3, 4], value)
    }
  }

  @Test func journals() throws {
    let scratch = Scratch()
    let base = try library(scratch)
    let folder = base + ".fleetkit/undo"
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".journal") }.sorted().last)
    let journal = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
    let number = String(name.dropLast(8))
    let places = [8, 16, journal.count - 16, journal.count - 24, journal.count / 2]
    for place in places {
      for bytes in [
        [UInt8](repeating: 0xFF, count: 8), [UInt8](repeating: 0xFF, count: 7) + [0x7F], [0, 0, 0, 0, 0, 0, 0, 0x80],
      ] {
        let library = try copy(base, in: scratch)
        var changed = journal
        changed.replaceSubrange(place..<place + 8, with: bytes)
        try changed.write(to: URL(fileURLWithPath: library + ".fleetkit/undo/" + name))
        try run(["undo", number, "--library", library, "--yes"], [0, 2, 3, 4], "at \(place)")
      }
    }
  }

  // MARK: Packs and backups

  @Test func manifestsOfPacksAndBackups() throws {
    let scratch = Scratch()
    let library = try library(scratch)
    let pack = scratch["pack"] + "/"
    try run(
      ["pack", "build", Paths.root + "/samples/ci", "--config", Paths.root + "/samples/pack/pack.yml", "--to", pack],
      [0])
    try run(["backup", library, "--to", scratch["backup"] + "/b/", "--as", "folder"], [0, 64])
    let archive = scratch["backups"] + "/"
    try run(["backup", library, "--to", archive], [0])
    var folders = [pack]
    // A backup stored as a folder, so that its files can be changed.
    let plain = scratch["plain"]
    try FileManager.default.createDirectory(atPath: plain, withIntermediateDirectories: true)
    if let file = backups(scratch).first, Shell.has("bsdtar"),
      try Shell.run("bsdtar", ["-xf", file, "-C", plain]).status == 0
    {
      let inner = try FileManager.default.contentsOfDirectory(atPath: plain)
      folders.append(inner.contains("bagit.txt") ? plain : plain + "/" + (inner.first ?? ""))
    }
    for folder in folders {
      let info = folder + "/data/pack.json"
      let bag = folder + "/bag-info.txt"
      let text = try String(contentsOfFile: info, encoding: .utf8)
      let bagText = try String(contentsOfFile: bag, encoding: .utf8)
      for (index, number) in ExtremeNumbers.json.enumerated() where index % 2 == 0 || ExtremeNumbers.rounds > 1 {
        let changed = text.replacing(/(": ?)-?[0-9]+([,}\n])/) { "\($0.1)\(number)\($0.2)" }
        try (index % 4 == 0 ? text : changed).write(toFile: info, atomically: true, encoding: .utf8)
        try bagText.replacing(/Payload-Oxum: .*/, with: "Payload-Oxum: \(number).\(number)")
          .write(toFile: bag, atomically: true, encoding: .utf8)
        for arguments in [
          ["verify", folder], ["inspect", folder], ["restore", folder, "--to", scratch["r.sqlite"], "--dry-run"],
        ] {
          try run(arguments, Self.any.union([5, 64]), number)
        }
        if index % 6 == 0 { try run(["backups", (folder as NSString).deletingLastPathComponent], Self.any, number) }
        if index % 6 == 0 { try run(["pack", "verify", folder], Self.any.union([5, 64]), number) }
      }
    }
  }

  /// Numbers in zip, zstd, tar and SQLite headers.
  @Test func headersOfArchives() throws {
    let scratch = Scratch()
    let library = try library(scratch)
    var files: [(path: String, places: [Int])] = []
    for ending in ["zip", "fleetpack", "tar.gz"] {
      let path = scratch["p." + ending]
      try run(
        ["pack", "build", Paths.root + "/samples/ci", "--config", Paths.root + "/samples/pack/pack.yml", "--to", path],
        [0])
      files.append((path, []))
    }
    files.append((library, [16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 60, 64, 68, 92, 96, 100, 104]))
    for file in files {
      let data = try Data(contentsOf: URL(fileURLWithPath: file.path))
      var places = file.places
      if places.isEmpty {
        places = [0, 2, 4, 5, 6, 8, 10, 14, 18, 22, 26, 28, 30]
        // The central directory of a zip file, and the bytes after the end of a tar file.
        for back in [22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2] { places.append(data.count - back) }
        for mark in [[0x50, 0x4B, 1, 2], [0x50, 0x4B, 3, 4]] as [[UInt8]] {
          guard let range = data.range(of: Data(mark)) else { continue }
          places += [4, 8, 10, 18, 20, 22, 24, 26, 28, 30, 32, 42].map { range.lowerBound + $0 }
        }
      }
      let patterns: [[UInt8]] = [[0xFF, 0xFF, 0xFF, 0xFF], [0xFF, 0xFF, 0xFF, 0x7F], [0, 0, 0, 0x80]]
      for (index, place) in places.enumerated() where place >= 0 && place + 4 <= data.count {
        for bytes in ExtremeNumbers.rounds > 1 ? patterns : [patterns[index % 3]] {
          var changed = data
          changed.replaceSubrange(place..<place + 4, with: bytes)
          let path = scratch["changed-" + (file.path as NSString).lastPathComponent]
          try changed.write(to: URL(fileURLWithPath: path))
          try run(["inspect", path], Self.any.union([5]), "at \(place)")
        }
      }
    }
  }
}
