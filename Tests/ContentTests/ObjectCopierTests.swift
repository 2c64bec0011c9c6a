import Content
import Foundation
import JSONText
import TestSupport
import Testing

/// Members that are copied as a block must equal what the canonicalizer would have written member by member.
@Suite struct ObjectCopierTests {
  private static func write(_ text: String, isDense: Bool) throws -> (text: String, issues: Int, ids: [Int]) {
    let bytes = Array(text.utf8)
    return try bytes.withUnsafeBufferPointer { buffer in
      var tape = JSONTape()
      let parse = try tape.parse(buffer.span)
      let base = try #require(buffer.baseAddress)
      let node = JSONNode(text: base, tokens: tape.tokens, index: parse.root)
      var canonicalizer = Canonicalizer(mode: .column)
      canonicalizer.collectsUnknown = true
      canonicalizer.begin(node, recordID: "3A473796-4407-4338-B2DC-132362E6088A")
      var out = ByteBuffer()
      out.append("before")
      canonicalizer.writeSections(node, isDense: isDense && !parse.traits.contains(.spaced), into: &out)
      return (String(decoding: out.bytes, as: UTF8.self), canonicalizer.issues.count, canonicalizer.innerIDs)
    }
  }

  private static func members(_ random: inout SeededRandom, _ all: [String], oddity: Bool) -> String {
    var members = all.filter { !$0.isEmpty }
    if random.below(2) == 0 { for index in members.indices { members.swapAt(index, random.below(members.count)) } }
    if oddity, random.below(12) == 0 { members.remove(at: random.below(members.count)) }
    if oddity, random.below(12) == 0 { members.append("\"photo\":" + random.json(depth: 1)) }
    if oddity, random.below(20) == 0 { members.append(random.pick(members)) }
    return "{" + members.joined(separator: ",") + "}"
  }

  private static func string(_ random: inout SeededRandom) -> String {
    random.pick(["\"\"", "\"bilge\"", "\"on\\/off\"", "\"Леера\"", "\"a\\nb\"", "\"\\u0041\"", "\"\\\"\""])
  }

  private static func id(_ random: inout SeededRandom) -> String {
    String(format: "\"%08X-4407-4338-B2DC-%012X\"", random.below(1 << 30), random.below(1 << 40))
  }

  private static func sections(_ random: inout SeededRandom, oddity: Bool) -> String {
    func value(_ usual: String, _ random: inout SeededRandom) -> String {
      oddity && random.below(40) == 0 ? random.pick(["null", "7", "\"x\"", "[]", "{}", "true", "1.5", "[1]"]) : usual
    }
    let sections = (0..<random.below(4)).map { _ in
      let items = (0..<random.below(4)).map { position in
        members(
          &random,
          [
            "\"id\":" + value(id(&random), &random), "\"title\":" + value(string(&random), &random),
            random.below(2) == 0 ? "" : "\"itemDescription\":" + value(string(&random), &random),
            "\"isOptional\":" + value("false", &random), "\"isRequired\":" + value("true", &random),
            "\"tags\":" + value("[\(string(&random)),\(string(&random))]", &random),
            random.below(2) == 0 ? "" : "\"estimatedMinutes\":" + value(random.pick(["5", "null"]), &random),
            "\"sortOrder\":" + value("\(position)", &random),
          ], oddity: oddity)
      }
      return members(
        &random,
        [
          "\"id\":" + value(id(&random), &random), "\"title\":" + value(string(&random), &random),
          random.below(2) == 0 ? "" : "\"icon\":" + string(&random),
          "\"items\":[" + items.joined(separator: ",") + "]", "\"isExpandedByDefault\":true",
          "\"sortOrder\":" + value("0", &random),
        ], oddity: oddity)
    }
    return "[" + sections.joined(separator: ",") + "]"
  }

  @Test func copyingWritesWhatTheCanonicaliserWrites() throws {
    var random = SeededRandom(seed: 20_260_105)
    for round in 0..<4000 {
      let text = Self.sections(&random, oddity: round % 2 == 1)
      let copied = try Self.write(text, isDense: true)
      let written = try Self.write(text, isDense: false)
      #expect(copied == written, "\(text)")
    }
  }

  @Test func membersInAnyOrderAreCopied() throws {
    let text = """
      [{"sortOrder":0,"items":[],"title":"on\\/off","isExpandedByDefault":true,"id":"4A473796-4407-4338-B2DC-132362E6088A"}]
      """
    let written = try Self.write(text, isDense: true)
    #expect(
      written.text == """
        before[{"id":"4A473796-4407-4338-B2DC-132362E6088A","title":"on/off","items":[],"isExpandedByDefault":true,"sortOrder":0}]
        """)
    #expect(written.issues == 0 && written.ids.count == 1)
  }
}
