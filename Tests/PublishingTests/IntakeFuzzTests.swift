import Foundation
import JSONText
import Publishing
import TestSupport
import Testing

/// Random bodies: the intake must respond to all of them, and a refusal must contain findings.
@Suite struct IntakeFuzzTests {
  /// The number of bodies per test (FLEETKIT_FUZZ_ROUNDS). FLEETKIT_FUZZ_SEED sets the first seed.
  private static let rounds = ProcessInfo.processInfo.environment["FLEETKIT_FUZZ_ROUNDS"].flatMap(Int.init) ?? 400
  private static let first = ProcessInfo.processInfo.environment["FLEETKIT_FUZZ_SEED"].flatMap(UInt64.init) ?? 100

  @Test(arguments: 0..<4)
  func changedBytesNeverTrap(seed: Int) throws {
    let intake = try Intake()
    var random = SeededRandom(seed: Self.first &+ UInt64(seed))
    let pieces = ["\"", "{", "}", "[", "]", ":", ",", "0", "null", "\\u0000", "\\", "é", "e9", "-", "\u{0}", "true"]
    var parsed = 0
    for _ in 0..<Self.rounds {
      var body = Array(random.publishBody().utf8)
      for _ in 0...random.below(3) {
        let at = random.below(body.count)
        switch random.below(4) {
        case 0: body[at] = UInt8(truncatingIfNeeded: random.next())
        case 1: body.removeSubrange(at..<min(body.count, at + 1 + random.below(8)))
        case 2: body.insert(contentsOf: Array(random.pick(pieces).utf8), at: at)
        default: body.replaceSubrange(at..<at + 1, with: Array(random.pick(pieces).utf8))
        }
        if body.isEmpty { body = [0x7B] }
      }
      guard let outcome = intake.outcome(body) else { continue }
      parsed += 1
      try Self.check(outcome, body, intake)
    }
    #expect(parsed > 0)
  }

  /// Values of random types with the member names that the intake reads.
  @Test(arguments: 0..<4)
  func randomValuesNeverTrap(seed: Int) throws {
    let intake = try Intake()
    var random = SeededRandom(seed: Self.first &+ 100 &+ UInt64(seed))
    let names = ["title", "content_type", "content_data", "tags", "language", "public_id", "can_fork", "sections"]
    for _ in 0..<Self.rounds {
      let body = "{" + names.map { "\"\($0)\":\(random.json(depth: 4))" }.joined(separator: ",") + "}"
      guard let outcome = intake.outcome(Array(body.utf8)) else {
        Issue.record("no JSON: \(body)")
        continue
      }
      try Self.check(outcome, Array(body.utf8), intake)
      _ = try intake.change(body)
    }
  }

  private static func check(
    _ outcome: PublishIntake.Outcome<PublishRequest>, _ body: [UInt8], _ intake: Intake
  ) throws {
    switch outcome {
    case .taken(let request):
      #expect(try intake.taken(request.body) == request)
    case .refused(let findings):
      #expect(!findings.isEmpty && findings.count <= PublishIntake.mostFindings)
      #expect(findings.allSatisfy { !$0.message.isEmpty && !$0.why.isEmpty && !$0.fix.isEmpty })
      // Every place refers to a value, except for places inside a document that was passed as a string.
      let root = try JSONDocument(parsing: body).root
      let isText = root["content_data"]?.kind == .string
      for finding in findings where !isText || finding.pointer.steps.first != .member("content_data") {
        #expect(root.at(finding.pointer) != nil, "\(finding.pointer) \(finding.code)")
      }
    }
  }

  /// Bodies that used to take time or memory in proportion to the square of their length.
  @Test func muchOfOneThingTakesTimeOnlyOnce() throws {
    let intake = try Intake()
    let members = (0..<20_000).map { "\"k\($0)\":{\"k\":1}" }.joined(separator: ",")
    let steps = (0..<10_000).map { #"{"title":"\#($0)","a_b":1}"# }.joined(separator: ",")
    let heading = String(repeating: "Отход ", count: 40_000)
    let section = #"{"title":"\#(heading)","items":[\#(steps)],\#(members)}"#
    let body = #"""
      {"title":"T","content_type":"checklist","public_id":"t",\#(members),"content_data":{"sections":[\#(section)]}}
      """#
    let request = try #require(try intake.taken(body))
    #expect(try request.document["sections"]?[0]?["items"]?.elements.count == 10_000)
  }
}
