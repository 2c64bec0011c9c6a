import Foundation
import TestSupport
import Testing

/// `--prove` on the command line.
@Suite struct ProofCommandTests {
  private let scratch = Scratch()
  private let samples = Paths.root + "/samples"

  @Test func whatCannotBeReadTwiceIsRefused() throws {
    let source = samples + "/crew-handbook.json"
    let library = scratch["a.sqlite"]
    for words in [
      ["convert", source, "--to", "-", "--to-format", "jsonl", "--prove"],
      ["convert", "-", "--from-format", "json", "--to", scratch["a.jsonl"], "--prove"],
      ["convert", source, "--to", scratch["a.jsonl"], "--prove", "--dry-run"],
      ["import", "-", "--from-format", "json", "--into", library, "--create", "--prove"],
      ["import", source, "--into", library, "--create", "--prove", "--dry-run"],
    ] {
      let answer = try Shell.run(Paths.command, words, input: "")
      #expect(answer.status == 64, "\(words): \(answer.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
  }

  @Test func numbersAreSaidToPeopleAndPrograms() throws {
    let source = samples + "/crew-handbook.json"
    let library = samples + "/phase1-library.sqlite"
    let said = try Shell.run(Paths.command, ["convert", library, "--to", scratch["a.xlsx"], "--prove", "--json"])
    #expect(said.status == 0 && said.value("/proof/proved") as? Bool == true, "\(said.output)")
    #expect((said.number("/proof/losses") ?? 0) > 0)
    let told = try Shell.run(Paths.command, ["convert", source, "--to", scratch["a.jsonl"], "--prove", "--json"])
    #expect(told.status == 0 && told.output.contains(#""proof":{"proved":true,"records":"#), "\(told.output)")
    let brought = try Shell.run(
      Paths.command, ["import", source, "--into", scratch["a.sqlite"], "--create", "--prove", "--json"])
    #expect(brought.status == 0 && brought.value("/proof/proved") as? Bool == true, "\(brought.output)")
    let kept = try Shell.run(
      Paths.command, ["backup", scratch["a.sqlite"], "--to", scratch["a.fleetpack"], "--prove", "--json"])
    #expect(kept.status == 0 && kept.value("/proof/proved") as? Bool == true, "\(kept.output)")
    let lossless = try Shell.run(
      Paths.command, ["convert", library, "--to", scratch["b.xlsx"], "--prove", "--no-loss"])
    #expect(lossless.status == 4 && !FileManager.default.fileExists(atPath: scratch["b.xlsx"]))
  }

  /// An existing vault is updated in place, and its former content is counted.
  @Test func aVaultThatIsThereIsProvedInPlace() throws {
    let vault = scratch["vault"] + "/"
    for (source, others) in [("crew-handbook.json", "0"), ("curated-checklists.jsonl", "6")] {
      let answer = try Shell.run(
        Paths.command, ["convert", samples + "/" + source, "--to", vault, "--prove", "--json"])
      #expect(answer.status == 0 && answer.output.contains("\"others\":\(others)"), "\(answer.output)\(answer.errors)")
    }
  }
}
