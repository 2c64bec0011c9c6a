import FleetKit
import Foundation
import Interchange
import TestSupport
import Testing

/// Exit statuses are part of the command's interface.
@Suite struct ExitStatusTests {
  private static let phase1 = Paths.libraries + "/library-v1.4.0.sqlite"

  @Test(
    arguments: [
      (["inspect", phase1], 0), (["list", phase1], 0), (["show", phase1, "3A473796"], 0), (["formats"], 0),
      (["--help"], 0),
      (["convert", "--help"], 0), (["--version"], 0), (["diff", phase1, phase1], 0),
      (["diff", phase1, Paths.libraries + "/library-v1.9.0.sqlite"], 1),
      (["inspect", Paths.libraries + "/library-zero-bytes.sqlite"], 2),
      (["list", Paths.libraries + "/library-not-a-database.sqlite"], 2),
      (["inspect", Paths.libraries + "/library-v1.4.0-truncated.sqlite"], 2), (["list", "no-such-file.sqlite"], 2),
      (["show", phase1, "no such item"], 2), (["inspect", Paths.libraries + "/library-v1.4.0-bitflip.sqlite"], 2),
      (["convert", phase1], 64), (["frobnicate"], 64), (["convert", phase1, "--to", "x.unknown"], 64),
      (["convert", "-", "--to", "x.jsonl"], 64),
      (["convert", phase1, "--to", "x.sqlite", "--schema-version", "1.4.1"], 64),
      (["list", phase1, "--from-format", "nope"], 64), (["list", phase1, "--infer", "maybe"], 64),
      (["convert", phase1, "--to", "x.jsonl", "--on-invalid", "maybe"], 64),
      (["convert", phase1, "--to", "x.jsonl", "--max-errors", "many"], 64),
      (["convert", phase1, "--to", "x/", "--to-format", "jsonl"], 64),
      (["export", Paths.root + "/samples/crew-handbook.json", "--to", "x.jsonl"], 64),
      (["convert", phase1, "--to", phase1], 4), (["show", phase1], 64), (["list", phase1, "--type", "banana"], 64),
      (["list", phase1, "--id", "3A4"], 64), (["convert", phase1, "--to", "x.jsonl", "--tag", "no such tag"], 4),
      (["list", phase1, "--type", "Practice-Guide"], 0),
    ] as [([String], Int32)])
  func endsWith(_ arguments: [String], _ status: Int32) throws {
    let scratch = Scratch()
    let answer = try Shell.run(Paths.command, arguments, folder: scratch.path)
    #expect(answer.status == status, "\(answer.errors)")
    #expect(scratch.names.isEmpty)
    if status > 1 { #expect(answer.output.isEmpty && !answer.errors.isEmpty) }
    if status == 2 || status == 4 { #expect(answer.errors.split(separator: "\n").count == 1, "one clear line") }
  }

  @Test func theTableIsFrozen() {
    let expected: [Interchange.ExitStatus: Int32] = [
      .success: 0, .findings: 1, .failed: 2, .partial: 3, .refused: 4, .mismatch: 5, .newer: 6, .locked: 7, .usage: 64,
      .unreachable: 69, .internalError: 70, .signInNeeded: 77, .interrupted: 130,
    ]
    for status in Interchange.ExitStatus.allCases { #expect(expected[status] == status.rawValue) }
    #expect(
      Interchange.ExitStatus.partial.combined(with: .failed) == .failed
        && Interchange.ExitStatus.usage.combined(with: .internalError) == .internalError)
    #expect(Interchange.ExitStatus.precedence.map(\.rawValue) == [70, 64, 130, 7, 6, 5, 77, 69, 2, 4, 3, 1, 0])
  }

  @Test func partialAndNewerAndNoLoss() throws {
    let scratch = Scratch()
    let bad = try scratch.write(
      "a.jsonl", "{\"kind\":\"item\",\"content_type\":\"checklist\",\"title\":\"T\"}\nnonsense\n")
    let partial = try Shell.fleetkit("convert", bad, "--to", scratch["b.jsonl"], "--json")
    #expect(partial.status == 3 && partial.output.contains("\"rejects\":\"\(scratch["b.jsonl"]).rejects.jsonl\""))
    let quiet = try Shell.fleetkit("convert", bad, "--to", scratch["c.jsonl"], "-q")
    #expect(quiet.status == 3 && quiet.errors == scratch["c.jsonl"] + ".rejects.jsonl\n", "the path is the last line")
    let newer = try scratch.write(
      "n.jsonl", "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":9,\"min_reader\":9}\n")
    #expect(try Shell.fleetkit("list", newer).status == 6)
    let deck = Paths.root + "/samples/crew-handbook.json"
    #expect(try Shell.fleetkit("convert", deck, "--to", scratch["d.sqlite"], "--no-loss").status == 4)
    #expect(try Shell.fleetkit("convert", deck, "--to", scratch["d.sqlite"], "--dry-run").status == 0)
    #expect(!scratch.names.contains("d.sqlite"))
  }

  @Test func aComparisonOfHalvesIsNotEqual() throws {
    let scratch = Scratch()
    let half = try scratch.write(
      "a.jsonl", "{\"content_type\":\"checklist\",\"title\":\"Good\"}\n{\"content_type\":\"check")
    let answer = try Shell.fleetkit("diff", half, half)
    #expect(answer.status == 3 && answer.errors.contains("a.jsonl:2:23: error[JSN0001]"))
  }

  @Test func whoReadsOnlyTheBeginningIsNoError() throws {
    let command =
      "\(Paths.command) convert \(Self.phase1) --to - --to-format jsonl -q | head -c 100; echo ${PIPESTATUS[0]}"
    let answer = try Shell.run("/bin/bash", ["-c", command])
    #expect(answer.output.hasSuffix("0\n") && answer.errors.isEmpty, "\(answer.errors)")
  }

  @Test func jsonIsJSONAndDataGoesToStandardOutput() throws {
    let scratch = Scratch()
    for arguments in [
      ["inspect", Self.phase1, "--json"], ["list", Self.phase1, "--json"], ["formats", "--json"],
      ["show", Self.phase1, "3A473796", "--json"],
      ["diff", Self.phase1, Paths.libraries + "/library-v1.9.0.sqlite", "--json"],
      ["convert", Self.phase1, "--to", scratch["a.jsonl"], "--json"],
      ["inspect", Paths.libraries + "/library-zero-bytes.sqlite", "--json"],
    ] {
      let answer = try Shell.run(Paths.command, arguments)
      #expect(ForeignJSON.parse(answer.output) != nil, "\(arguments)")
    }
    let piped = try Shell.fleetkit("convert", Self.phase1, "--to", "-", "--to-format", "jsonl")
    #expect(try piped.output == scratch.text("a.jsonl"))
    let back = try Shell.fleetkit(
      "convert", "-", "--from-format", "jsonl", "--to", "-", "--to-format", "json", input: piped.output)
    #expect(back.status == 0 && ForeignJSON.parse(back.output) != nil)
  }

  @Test(.enabled(if: Shell.has("mount") && getuid() == 0, "a small file system needs root"))
  func aFullDiskFailsCleanly() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["small"], withIntermediateDirectories: true)
    guard try Shell.run("mount", ["-t", "tmpfs", "-o", "size=128k", "tmpfs", scratch["small"]]).status == 0 else {
      return
    }
    defer { _ = try? Shell.run("umount", [scratch["small"]]) }
    for name in ["x.sqlite", "x.jsonl"] {
      let answer = try Shell.fleetkit("convert", Self.phase1, "--to", scratch["small/" + name])
      #expect(answer.status == 2 && answer.errors.contains("space"), "\(answer.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: scratch["small"]).isEmpty)
    }
    // The notes of a vault have temporary names, which must not be shown.
    let vault = scratch["small/vault/"]
    let new = try Shell.fleetkit("export", Self.phase1, "--to", vault)
    #expect(new.status == 2 && new.errors.contains("'\(vault)'") && new.errors.contains("space"), "\(new.errors)")
    #expect(!new.errors.contains(".tmp"), "\(new.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch["small"]).isEmpty)
    #expect(try Shell.fleetkit("export", Self.phase1, "--type", "practice_guide", "--to", vault).status == 0)
    let old = try Shell.fleetkit("export", Self.phase1, "--to", vault)
    #expect(old.status == 2 && old.errors.contains("'\(vault)'"), "\(old.errors)")
    #expect(!old.errors.contains("staging") && !old.errors.contains("nothing was changed"), "\(old.errors)")
  }

  @Test(.enabled(if: Shell.has("mount") && getuid() == 0, "a small file system needs root"))
  func noRoomForAPrivateCopyFailsCleanly() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["small"], withIntermediateDirectories: true)
    guard try Shell.run("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", scratch["small"]]).status == 0 else {
      return
    }
    defer { _ = try? Shell.run("umount", [scratch["small"]]) }
    let library = Paths.libraries + "/library-wal/library.sqlite"
    let answer = try Shell.run(Paths.command, ["list", library], environment: ["TMPDIR": scratch["small"]])
    #expect(answer.status == 2 && answer.errors.contains("TMPDIR"), "\(answer.status) \(answer.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch["small"]).isEmpty)
  }

  @Test func interruptionLeavesNothing() throws {
    let scratch = Scratch()
    let bundle = try CrashTests.bundle(3000, in: scratch)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Paths.command)
    process.arguments = ["convert", bundle, "--to", scratch["out.sqlite"]]
    process.standardError = FileHandle.nullDevice
    try process.run()
    _ = ProcessSignals.wait(for: process, toHandle: SIGINT)
    usleep(50_000)
    process.interrupt()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      #expect(process.terminationStatus == 130)
      #expect(scratch.names == ["bundle.jsonl"])
    }
  }

  /// A stopped import into a new library leaves nothing to resume: the message names no run, and the same command can
  /// simply be run again.
  @Test func aStoppedImportThatMakesALibraryIsRepeated() throws {
    let scratch = Scratch()
    let bundle = try CrashTests.bundle(3000, in: scratch)
    let arguments = ["import", bundle, "--into", scratch["new.sqlite"], "--create"]
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Paths.command)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardError = pipe
    try process.run()
    _ = ProcessSignals.wait(for: process, toHandle: SIGINT)
    // The run has begun once its store exists.
    while process.isRunning, access(scratch["new.sqlite.fleetkit/state.sqlite"], F_OK) != 0 { usleep(500) }
    process.interrupt()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus != 0 else { return }
    #expect(process.terminationStatus == 130 && !text.contains("--resume"), "\(text)")
    #expect(scratch.names == ["bundle.jsonl"])
    let resumed = try Shell.fleetkit("import", "--resume", "1", "--into", scratch["new.sqlite"])
    #expect(resumed.status == 64 && resumed.errors.contains("--create"), "\(resumed.errors)")
    #expect(try Shell.run(Paths.command, arguments + ["-q"]).status == 0)
  }
}
