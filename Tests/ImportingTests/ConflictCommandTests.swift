import FleetKit
import Foundation
import TestSupport
import Testing

/// `fleetkit import` when both sides changed the same field: its messages and its questions.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct ConflictCommandTests {
  /// Creates a bench with two lists that have conflicts. The first list has two conflicts.
  private func bench() throws -> Bench {
    let bench = try Bench()
    var lists = [SharedList.of("Oil", "Coolant", "Springs off"), SharedList.of("Anchor", "Chain")]
    lists[1].id = "22222222-2222-4222-8222-222222222222"
    lists[1].title = "Anchoring"
    for index in lists[1].steps.indices { lists[1].steps[index].id = SharedList.step(20 + index) }
    try bench.add(lists[0], lists[1])
    for (index, side) in ["mine", "theirs"].enumerated() {
      var edited = lists
      edited[0].steps[0].title = "Oil, \(side)"
      edited[0].steps[1].title = "Coolant, \(side) \u{1B}[31m"
      edited[1].steps[0].title = "Anchor, \(side)"
      edited[0].steps[2].text = index == 1 ? "from the source" : nil
      if index == 0 {
        for list in edited { try list.put(into: bench.library) }
      } else {
        _ = try bench.scratch.write("source.jsonl", edited.map(\.line).joined())
      }
    }
    return bench
  }

  private func titles(_ bench: Bench) throws -> [String] {
    try [SharedList.id, "22222222-2222-4222-8222-222222222222"].flatMap {
      try SharedList.read(bench.library, $0).steps.map(\.title)
    }.map { $0.replacing(" \u{1B}[31m", with: "") }
  }

  @Test func conflictsAreSaidAndShown() throws {
    let bench = try bench()
    let answer = try bench.command("--json")
    #expect(answer.status == 3)
    let json = try JSONDocument(parsing: answer.output).root
    #expect(json["merged"]?.integer == 0)
    let page = try #require(json["conflicts"]?.string)
    let text = try String(contentsOfFile: page, encoding: .utf8)
    #expect(text.split(separator: "\n").filter { $0.hasPrefix("### ") }.count == 3 && text.contains("## Anchoring"))
    let again = try bench.command()
    #expect(again.status == 3 && again.errors.contains(".conflicts.md"))
    #expect(again.errors.contains("\"Oil, mine\""), "\(again.errors)")
    #expect(again.errors.hasSuffix(".jsonl\n"), "the rejects come last")
    #expect(!again.errors.utf8.contains(0x1B))
  }

  @Test(arguments: [("--ours", "mine"), ("--theirs", "theirs")])
  func oneSideWins(_ flag: String, _ side: String) throws {
    let bench = try bench()
    let answer = try bench.command(flag)
    #expect(answer.status == 0)
    #expect(
      try titles(bench) == ["Oil, \(side)", "Coolant, \(side)", "Springs off", "Anchor, \(side)", "Chain"])
    #expect(try bench.list().steps[2].text == "from the source")
    #expect(try bench.command().status == 0, "it is settled")
  }

  @Test func whoWinsIsSaidOnce() throws {
    let bench = try bench()
    let before = try bench.sql(".dump")
    for arguments in [
      ["--ours", "--theirs"], ["--ours", "--interactive"], ["--ours", "--on-conflict", "replace"],
      ["--theirs", "--on-conflict", "keep"], ["--interactive"],
    ] {
      let answer = try Shell.run(Paths.command, ["import", bench.source, "--into", bench.library] + arguments)
      #expect(answer.status == 64, "\(arguments): \(answer.errors)")
    }
    #expect(try bench.sql(".dump") == before)
  }

  // MARK: On a terminal

  /// Answers on a terminal as a person would, waiting for the question each time.
  private func onTerminal(_ bench: Bench, _ answers: String) throws -> (status: Int32, text: String) {
    let script = """
      import os, pty, sys, select, signal
      answers = list(sys.argv[1])
      pid, fd = pty.fork()
      if pid == 0:
          os.environ["TERM"] = "dumb"
          # Threads that run tests block signals, and children inherit that.
          signal.pthread_sigmask(signal.SIG_SETMASK, [])
          os.execv(sys.argv[2], sys.argv[2:])
      text, seen = b"", 0
      while True:
          ready, _, _ = select.select([fd], [], [], 60)
          if not ready: break
          try: data = os.read(fd, 65536)
          except OSError: break
          if not data: break
          text += data
          while text.count(b"[q]uit") > seen:
              seen += 1
              answer = answers.pop(0) if answers else "q"
              os.write(fd, {"^": b"\\x04", "!": b"\\x03"}.get(answer, answer.encode() + b"\\n"))
      _, status = os.waitpid(pid, 0)
      sys.stdout.buffer.write(text)
      sys.exit(os.waitstatus_to_exitcode(status))
      """
    let answer = try Shell.run(
      "python3",
      ["-c", script, answers, Paths.command, "import", bench.source, "--into", bench.library, "--interactive"])
    return (answer.status, answer.output)
  }

  @Test(
    .enabled(if: Shell.has("python3"), "python3, which makes terminals, is not there"),
    arguments: [
      ("lsl", 0, ["Oil, mine", "Coolant, theirs", "Springs off", "Anchor, mine", "Chain"]),
      ("ssl", 0, ["Oil, theirs", "Coolant, theirs", "Springs off", "Anchor, mine", "Chain"]),
      ("L", 0, ["Oil, mine", "Coolant, mine", "Springs off", "Anchor, mine", "Chain"]),
      ("lS", 0, ["Oil, mine", "Coolant, theirs", "Springs off", "Anchor, theirs", "Chain"]),
      ("bs", 3, ["Oil, mine", "Coolant, mine", "Springs off", "Anchor, theirs", "Chain"]),
      ("?xlll", 0, ["Oil, mine", "Coolant, mine", "Springs off", "Anchor, mine", "Chain"]),
    ])
  func conflictsAreAsked(_ answers: String, _ status: Int32, _ titles: [String]) throws {
    let bench = try bench()
    let (code, text) = try onTerminal(bench, answers)
    #expect(code == status, "\(text)")
    #expect(try self.titles(bench) == titles)
    #expect(text.contains("Leaving the berth") && text.contains("+Oil, mine") && text.contains("+Oil, theirs"))
    #expect(!text.contains("\u{1B}[31m"), "content cannot control the terminal")
    #expect(text.contains(/\s\sb\s\s\S/) == answers.hasPrefix("?"), "help is shown when it is asked for")
    #expect(try (bench.list().steps[2].text == "from the source") == !answers.hasPrefix("b"))
  }

  @Test(
    .enabled(if: Shell.has("python3"), "python3, which makes terminals, is not there"), arguments: ["q", "lq", "^"])
  func toQuitChangesNothing(_ answers: String) throws {
    let bench = try bench()
    let before = try bench.sql(".dump")
    let (code, text) = try onTerminal(bench, answers)
    #expect(code == 4, "\(text)")
    #expect(try bench.sql(".dump") == before)
    #expect(try bench.command("--ours").status == 0, "nothing of it was remembered")
  }

  /// Control-C ends the command and leaves the remaining questions unanswered.
  @Test(
    .enabled(if: Shell.has("python3"), "python3, which makes terminals, is not there"), arguments: ["!", "l!"])
  func controlCEndsAtOnce(_ answers: String) throws {
    let bench = try bench()
    let before = try bench.sql(".dump")
    let (code, text) = try onTerminal(bench, answers)
    #expect(code == 130, "\(text)")
    #expect(text.components(separatedBy: "[q]uit").count - 1 == answers.count, "no other question is asked")
    #expect(try bench.sql(".dump") == before)
  }
}
