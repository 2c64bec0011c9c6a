import Content
import JSONText
import Merging
import Testing

/// Merges of executions and charters.
@Suite struct TickMergeTests {
  private func line(_ states: [(String, String)], progress: Double = 0, updated: Int64 = 0) throws -> String {
    let ticks = states.map { "\"\(Example.id($0.0))\":{\($0.1)}" }.joined(separator: ",")
    let json =
      "{\"kind\":\"execution\",\"id\":\"\(Example.id("e"))\",\"checklist_id\":\"\(Example.id("c"))\","
      + "\"charter_id\":\"\(Example.id("b"))\",\"item_states\":{\(ticks)},\"progress_percentage\":\(progress)}"
    return try TypedRecord(json: try JSONDocument(parsing: json).root).canonicalLine()
  }

  private func tick(_ merged: Merged, _ name: String, _ member: String) -> String? {
    merged.document.root["item_states"]?[Example.id(name)]?[member]?.text
  }

  @Test func ticksOfDifferentStepsAreAllTaken() throws {
    let base = try line([("a", "\"checked\":false"), ("x", "\"checked\":true")])
    let ours = try line([("a", "\"checked\":true,\"checkedAt\":\"2026-01-05T10:00:00Z\""), ("x", "\"checked\":true")])
    let theirs = try line([
      ("a", "\"checked\":false,\"notes\":\"low\""), ("b", "\"checked\":true,\"checkedAt\":\"2026-01-05T11:00:00Z\""),
    ])
    let merged = try Merge.lines(base, ours, theirs, kind: .execution)
    #expect(merged.conflicts.isEmpty)
    #expect(tick(merged, "a", "checked") == "true" && tick(merged, "a", "notes") == "\"low\"")
    #expect(tick(merged, "b", "checkedAt") == "\"2026-01-05T11:00:00Z\"")
    #expect(tick(merged, "x", "checked") == nil)
    // The ticks are ordered by id, as a canonical line requires.
    let ids = merged.document.root["item_states"]?.members.map(\.name) ?? []
    #expect(ids.count == 2 && ids == ids.sorted())
  }

  @Test func aStepTickedByBothHasTheLaterTime() throws {
    let base = try line([("a", "\"checked\":false")], progress: 10)
    let merged = try Merge.lines(
      base, line([("a", "\"checked\":true,\"checkedAt\":\"2026-01-05T10:00:00Z\"")], progress: 20),
      line([("a", "\"checked\":true,\"checkedAt\":\"2026-01-05T12:00:00Z\"")], progress: 30), kind: .execution)
    #expect(merged.conflicts.isEmpty)
    #expect(tick(merged, "a", "checkedAt") == "\"2026-01-05T12:00:00Z\"")
    #expect(merged.text("/progress_percentage") == "30.0")
  }

  @Test func tickedAnewAgainstUntickedIsAConflict() throws {
    let base = try line([("a", "\"checked\":true,\"checkedAt\":\"2026-01-05T10:00:00Z\"")])
    let again = try line([("a", "\"checked\":true,\"checkedAt\":\"2026-01-06T10:00:00Z\"")])
    let off = try line([("a", "\"checked\":false")])
    let merged = try Merge.lines(base, again, off, kind: .execution)
    #expect(merged.conflicts.map(\.pointer) == ["/item_states/\(Example.id("a"))/checked"])
    #expect(merged.line == again)
    #expect(try Merge.lines(base, again, off, kind: .execution, choice: .theirs).line == off)
    let alone = try Merge.lines(base, base, off, kind: .execution)
    #expect(alone.conflicts.isEmpty && alone.line == off)
  }

  @Test func aChangedTickAgainstADeletedOneIsAConflict() throws {
    let base = try line([("a", "\"checked\":false"), ("b", "\"checked\":true")])
    let ours = try line([("b", "\"checked\":true")])
    let theirs = try line([("a", "\"checked\":true")])
    let merged = try Merge.lines(base, ours, theirs, kind: .execution)
    #expect(merged.places == ["/item_states/\(Example.id("a")) gone from ours"])
    #expect(merged.conflicts.first?.pointer == "/item_states/\(Example.id("a"))")
    #expect(tick(merged, "a", "checked") == nil && tick(merged, "b", "checked") == nil)
  }

  @Test func chartersAreMergedMemberByMember() throws {
    var base = Charter(id: Example.id("charter"), name: "Saronic")
    base.startDate = Timestamp(milliseconds: 0)
    var ours = base
    ours.boatName = "Maia"
    ours.location = "Poros"
    ours.visibility = "public"
    var theirs = base
    theirs.location = "Hydra"
    theirs.startDate = Timestamp(milliseconds: 86_400_000)
    theirs.serverID = "77"
    let lines = try [base, ours, theirs].map { try TypedRecord.charter($0).canonicalLine() }
    let merged = try Merge.lines(lines[0], lines[1], lines[2], kind: .charter)
    #expect(merged.places == ["/location"])
    #expect(merged.text("/boat_name") == "\"Maia\"" && merged.text("/location") == "\"Poros\"")
    #expect(merged.text("/start_date") == "\"1970-01-02T00:00:00.000Z\"")
    #expect(merged.text("/server_id") == "null" && merged.text("/visibility") == "\"public\"")
  }

  @Test func otherRecordsAreMergedByTheirMembers() throws {
    let kind = RecordKind.foreign
    let base = #"{"kind":"foreign","id":"f","a":{"b":1,"c":[{"id":"x","v":1},{"id":"y","v":1}]},"d":"one\ntwo\nthree"}"#
    let ours = #"{"kind":"foreign","id":"f","a":{"b":2,"c":[{"id":"x","v":2},{"id":"y","v":1}]},"d":"1\ntwo\nthree"}"#
    let theirs =
      #"{"kind":"foreign","id":"f","a":{"b":1,"c":[{"id":"x","v":1},{"id":"z"}],"n":null},"d":"one\ntwo\n3","e":[]}"#
    let merged = try Merge.lines(base, ours, theirs, kind: kind)
    #expect(merged.conflicts.isEmpty)
    #expect(
      merged.line
        == #"{"kind":"foreign","id":"f","a":{"b":2,"c":[{"id":"x","v":2},{"id":"z"}]},"d":"1\ntwo\n3","e":[]}"#)
  }
}
