import Foundation
import TestSupport
import Testing

/// The memory limit of `list` and `inspect`, for files with long text and for small files that expand to large ones.
@Suite struct MemoryBudgetTests {
  private let scratch = Scratch()

  /// The maximum memory that the system grants the command, in bytes: anonymous memory, used or not.
  private static let bound = 300 << 20

  /// Runs the command in an environment that refuses to give it more memory.
  private func run(_ arguments: String...) throws -> Answer {
    try Shell.run("prlimit", ["--data=\(Self.bound)", Paths.command] + arguments, folder: scratch.path)
  }

  private static let words = String(repeating: "port starboard ", count: (8 << 20) / 15)

  @Test func readsLargeTextsOfEveryFormat() throws {
    let item =
      "{\"content_type\":\"practice_guide\",\"title\":\"Fog\",\"content_data\":{\"markdown\":\"\(Self.words)\"}}"
    _ = try scratch.write("a.json", item)
    _ = try scratch.write(
      "b.jsonl",
      "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n"
        + item.replacing("{\"content_type\"", with: "{\"kind\":\"item\",\"content_type\"", maxReplacements: 1) + "\n")
    _ = try scratch.write("c.csv", "title,type,markdown\nFog,practice_guide,\"\(Self.words)\"\n")
    try FileManager.default.createDirectory(atPath: scratch["d"], withIntermediateDirectories: true)
    _ = try scratch.write("d/fog.md", "# Fog\n\n" + Self.words + "\n")
    #expect(try Shell.fleetkit("convert", "b.jsonl", "--to", "e.sqlite", folder: scratch.path).status == 0)
    for source in ["a.json", "b.jsonl", "c.csv", "d", "e.sqlite"] {
      let listed = try run("list", source, "--json")
      #expect(listed.status == 0, "list \(source): \(listed.errors)")
      // The note also has its heading.
      let words = Self.words.split(separator: " ").count + (source == "d" ? 2 : 0)
      #expect(listed.output.contains("\"words\":\(words),"), "\(source)")
      #expect(try run("inspect", source, "--json").status == 0, "inspect \(source)")
    }
  }

  @Test func refusesAListOfMillionsOfSteps() throws {
    _ = try scratch.write("steps.csv", "item\n" + String(repeating: "a\n", count: 2 << 20))
    let answer = try run("list", "steps.csv")
    #expect(answer.status == 2)
    #expect(answer.errors.contains("steps.csv:168662:1: "))
  }
}
