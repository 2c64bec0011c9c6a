import FleetKit
import Foundation
import TestSupport
import Testing

/// The commands in the `git diff` page work in a real repository.
@Suite(.enabled(if: Shell.has("git"), "git is not installed")) struct DiffingTests {
  private static func record(isRequired: Bool) -> String {
    """
    {"kind":"item","id":"0C000000-0000-4000-8000-000000000001","content_type":"checklist","title":"Leaving the berth",\
    "content_data":{"sections":[{"title":"Engine","items":[{"title":"Sea cock open","tags":["engine"],\
    "isRequired":\(isRequired)},{"title":"Oil between the marks","estimatedMinutes":5}]},\
    {"title":"Lines","items":[{"title":"Slip lines led","isOptional":true}]}]}}
    """
  }

  @Test func gitShowsWhatChangedInALibrary() throws {
    let page = try String(contentsOfFile: Paths.root + "/docs/diffing.md", encoding: .utf8)
    let commands = try #require(page.firstMatch(of: /<!-- example -->\n```sh\n((?s).*?)```/)).output.1
    let shown = try #require(page.firstMatch(of: /<!-- diff -->\n```diff\n((?s).*?)```/)).output.1
    let scratch = Scratch()
    let folder = URL(fileURLWithPath: Paths.command).deletingLastPathComponent().path
    let path = folder + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    func run(_ script: String) throws -> String {
      let answer = try Shell.run(
        "/bin/sh", ["-ec", script],
        environment: [
          "PATH": path, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_PAGER": "cat",
          "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "A",
          "GIT_COMMITTER_EMAIL": "a@example.org",
        ], folder: scratch.path)
      try #require(answer.status == 0, "\(script): \(answer.errors)")
      return answer.output
    }
    func library(isRequired: Bool) throws {
      let bundle = try scratch.write("a.jsonl", Vaults.bundle([Self.record(isRequired: isRequired)]))
      if FileManager.default.fileExists(atPath: scratch["anyfleet.sqlite"]) {
        try FileManager.default.removeItem(atPath: scratch["anyfleet.sqlite"])
      }
      try Vaults.convert(bundle, to: scratch["anyfleet.sqlite"])
    }
    try library(isRequired: false)
    _ = try run("git init -q . && " + commands + "\ngit add .gitattributes anyfleet.sqlite && git commit -qm One")
    try library(isRequired: true)
    // Run the command twice: the second time, git uses the text in its cache.
    for _ in 0..<2 {
      let difference = try run("git diff")
      let lines = difference.replacing(/id=[0-9A-F-]+/, with: "id=…").replacing(/(?m)^@@ .*$/, with: "@@ … @@")
        .components(separatedBy: "\n")
      let start = try #require(lines.firstIndex(of: "@@ … @@"))
      let expected = shown.components(separatedBy: "\n").dropLast()
      #expect(Array(lines[start...].prefix(expected.count)) == Array(expected))
      #expect(lines.count(where: { $0.hasPrefix("-") || $0.hasPrefix("+") }) == 4)
    }
    _ = try run("git commit -qam Two")
    #expect(try run("git log -p").contains("+- [ ] Sea cock open · required"))
    #expect(try run("git notes --ref textconv/fleetkit list").isEmpty == false)
  }

  @Test func standardOutputHasAllNotesAndWhatMarkdownCannotSay() throws {
    let scratch = Scratch()
    let bundle = try scratch.write(
      "a.jsonl",
      Vaults.bundle([Notes.guide(2, title: "B", body: "b"), Notes.guide(title: "A", body: "a"), Vaults.charter]))
    let answer = try Shell.fleetkit("convert", bundle, "--to", "-", "--to-format", "markdown", "-q")
    let notes = answer.output.split(separator: /<!-- file: (.+) -->\n/).map(String.init)
    #expect(answer.output.hasPrefix("<!-- file: guides/a.md -->\n---\n") && answer.status == 0)
    #expect(
      notes.count == 2 && notes[0].hasSuffix("---\na\n\n")
        && notes[1].contains("---\nb\n\n```jsonl\n{\"kind\":\"charter\""))
    #expect(answer.output.hasSuffix("}\n```\n"))
    let plain = try scratch.write("b.jsonl", Vaults.bundle([Notes.guide(body: "b")]))
    #expect(try !Shell.fleetkit("convert", plain, "--to", "-", "--to-format", "markdown", "-q").output.contains("```"))
  }

  @Test func theCommandWritesVaultsAndSaysSo() throws {
    let scratch = Scratch()
    _ = try scratch.write("a.jsonl", Vaults.bundle([Notes.guide(body: "b"), Vaults.charter]))
    let first = try Shell.fleetkit("convert", "a.jsonl", "--to", "vault/", folder: scratch.path)
    #expect(first.status == 0 && first.errors.contains("vault/") && first.errors.numbers.contains(1))
    let before = try FileManager.default.attributesOfItem(atPath: scratch["vault"])[.modificationDate] as? Date
    let second = try Shell.fleetkit("convert", "a.jsonl", "--to", "vault", folder: scratch.path)
    #expect(second.status == 0 && second.errors.contains("vault") && second.errors != first.errors)
    let after = try FileManager.default.attributesOfItem(atPath: scratch["vault"])[.modificationDate] as? Date
    #expect(before == after, "nothing is written")
    let json = try Shell.fleetkit("convert", "a.jsonl", "--to", "vault/", "--json", folder: scratch.path)
    #expect(json.output.contains("\"notes\":1"))
    let wrong = try Shell.fleetkit("convert", "a.jsonl", "--to", "b/", "--to-format", "jsonl", folder: scratch.path)
    #expect(wrong.status == 64 && wrong.errors.contains("'jsonl'") && wrong.errors.contains("'b/'"))
    let two = try scratch.write("two.jsonl", Vaults.bundle([Notes.guide(body: "x"), Notes.guide(2, body: "y")]))
    let many = try Shell.fleetkit("convert", two, "--to", "guide.md", folder: scratch.path)
    #expect(many.status == 4 && many.errors.contains("'guide/'"))
    #expect(scratch.names == ["a.jsonl", "two.jsonl", "vault"])
  }
}
