import Content
import FleetKit
import Foundation
import Interchange
import TestSupport
import Testing

/// Everything in a plan is compared with the import, including reasons, losses and numbers.
@Suite struct PlanTellingTests {
  private static let head = #"{"kind":"bundle","format":"fleetkit.bundle","version":1,"min_reader":1}"#

  /// Plans an import of sources with values that cannot be used or that a library cannot hold.
  private func planned() throws -> Scratch {
    let scratch = Scratch()
    _ = try scratch.write(
      "steps.csv", "checklist,section,item,minutes\nDeparture,Deck,Fenders,5\nDeparture,Deck,Lines,x\n")
    let items = (1...3).map { index in
      #"{"kind":"item","id":"0D0939BC-A71B-49F8-B06C-00000000000\#(index)","content_type":"practice_guide","#
        + #""title":"Guide \#(index)","created_at":"2026-01-05T08:00:00.000Z","#
        + #""updated_at":"2026-01-05T08:00:00.000Z","content_data":{"markdown":"x"},"colour":"red"}"#
    }
    _ = try scratch.write(
      "guides.jsonl", ([Self.head] + items + ["{\"kind\":\"item\"}"]).joined(separator: "\n") + "\n")
    var job = LibraryImport(
      sources: try SourceList([scratch["steps.csv"], scratch["guides.jsonl"]]), library: scratch["l.sqlite"])
    job.createsLibrary = true
    try job.plan(
      to: scratch["plan.json"], overwrites: true, context: RunContext(dryRun: true, now: PlanWorld.now))
    return scratch
  }

  /// - Parameters:
  ///   - anchor: the text at which the search for the text to edit starts.
  ///   - words: the expected parts of the refusal: the place, the planned value and the current value.
  @Test(arguments: [
    ("\"changes\":", "\"reason\":\"", "\"reason\":\"Doctored: ", "\"reason\""),
    ("\"changes\":", "\"code\":\"", "\"code\":\"X", "\"code\""),
    ("\"changes\":", ",\"reason\":", ",\"code\":\"X\",\"reason\":", "/changes/"),
    ("\"losses\": [", "\"reason\":\"", "\"reason\":\"Doctored: ", "'0D0939BC-A71B-49F8-B06C-000000000001' Doctored"),
    ("\"losses\": [", "/colour", "/color", "/color "),
    ("\"losses\": [", "000000000002\"", "000000000009\"", "/colour 000000000002'"),
    ("\"losses\": [", "000000000003\"", "000000000002\"", "/colour 000000000002'"),
    ("\"counts\":", "\"losses\":3", "\"losses\":2", "/counts/losses 2 3"),
    ("\"counts\":", "{\"read\":5", "{\"read\":4", "/counts/read 4 5"),
    ("\"rows\":", "\"read\":2", "\"read\":3", "/counts/rows/read 3 2"),
    ("\"rows\":", "\"rejected\":1", "\"rejected\":0", "/counts/rows/rejected 0 1"),
    ("\"counts\":", "\"rows\":", "\"lines\":", "/counts/rows"),
    ("\"rows\":", "\"moved\":0", "\"moved\":0,\"more\":0", "/counts/rows/more"),
    ("\"rows\":", "\"moved\":0", "\"moved\":0,\"moved\":1", "\"moved\""),
  ])
  func somethingElse(_ anchor: String, _ old: String, _ new: String, _ words: String) throws {
    let scratch = try planned()
    let text = try scratch.text("plan.json")
    let start = try #require(text.range(of: anchor))
    let place = try #require(text.range(of: old, range: start.lowerBound..<text.endIndex), "\(old) in \(text)")
    _ = try scratch.write("plan.json", text.replacingCharacters(in: place, with: new))
    let failure = #expect(throws: RunFailure.self) { try PlanApplication(scratch["plan.json"]).run() }
    let message = failure?.message ?? ""
    #expect(words.split(separator: " ").allSatisfy { message.contains($0) }, "\(message)")
    #expect(failure?.status == (words == "/changes/" ? .failed : .refused))
    #expect(!FileManager.default.fileExists(atPath: scratch["l.sqlite"]))
    _ = try scratch.write("plan.json", text)
    #expect(try PlanApplication(scratch["plan.json"]).run().summary.tally.rows.rejected == 1)
  }

  /// A missing or additional loss is refused, but losses and lines may come in any order, because threads process them
  /// in any order.
  @Test func lossesInAnotherOrder() throws {
    let scratch = try planned()
    let text = try scratch.text("plan.json")
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let at = lines.indices.filter { lines[$0].contains("/colour") }
    #expect(at.count == 3 && at[1] == at[0] + 1)
    lines.swapAt(at[0], at[1])
    let swapped = lines.joined(separator: "\n")
    lines.remove(at: at[0])
    _ = try scratch.write("plan.json", lines.joined(separator: "\n"))
    let less = #expect(throws: RunFailure.self) { try PlanApplication(scratch["plan.json"]).run() }
    #expect(less?.message.contains("/colour ") ?? false, "\(less?.message ?? "")")
    lines.insert(contentsOf: [lines[at[0]], lines[at[0]]], at: at[0])
    _ = try scratch.write("plan.json", lines.joined(separator: "\n"))
    let more = #expect(throws: RunFailure.self) { try PlanApplication(scratch["plan.json"]).run() }
    #expect(more?.status == .refused, "\(more?.message ?? "")")
    _ = try scratch.write("plan.json", swapped)
    #expect(try PlanApplication(scratch["plan.json"]).run().summary.context.losses.total == 3)
  }

  /// A reason may name a file as it was named when the plan was made.
  @Test(arguments: ["tables", "./tables/", "it's/tables"])
  func reasonsThatNameFiles(_ folder: String) throws {
    let scratch = Scratch()
    let path = scratch[folder]
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    _ = try scratch.write(folder + "/steps.csv", "checklist,section,item\nDeparture,Deck,Fenders\n")
    _ = try scratch.write(folder + "/broken.xlsx", "PK\u{3}\u{4}this is no workbook")
    let planned = try Shell.fleetkit(
      "import", folder, "--into", "l.sqlite", "--create", "--plan", "plan.json", folder: scratch.path)
    #expect(planned.status == 3, "\(planned.errors)")
    let text = try scratch.text("plan.json")
    #expect(text.contains("\"reason\":\"read '\(folder)"), "\(text)")
    let applied = try Shell.fleetkit("apply", "plan.json", folder: scratch.path)
    #expect(applied.status == 3, "\(applied.errors)")
  }
}
