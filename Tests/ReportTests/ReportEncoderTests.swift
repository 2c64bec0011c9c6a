import JSONText
import Testing

@testable import Reports

/// Values are encoded as JSON in the order of their declaration.
@Suite struct ReportEncoderTests {
  private struct Part: Encodable {
    let zeta, alpha: Int
    let note: String?
  }

  private struct Whole: Encodable {
    let command = "test"
    let isDryRun: Bool
    let contentID, publicIDStart: String
    let missing: String?
    let number: Int64?
    @IfPresent var left: Int?
    @IfPresent var leftNull: String??
    @Inlined var part: Part?
    @TextOnly var secret: () -> Void = {}
    let list: [Part]
    let counts: [String: Int]
    let ordered: Members<Bool>
    let raw: RawJSON?
    let ratio: Double
  }

  @Test func keepsOrderAndNames() throws {
    var whole = Whole(
      isDryRun: true, contentID: "a\"b", publicIDStart: "s", missing: nil, number: nil, left: nil, leftNull: .some(nil),
      part: Part(zeta: 1, alpha: 2, note: nil), list: [Part(zeta: 3, alpha: 4, note: "n")],
      counts: ["b": 2, "a": 1], ordered: Members([("z_z", true), ("isA", false)]), raw: RawJSON("{\"x\": 1.50}"),
      ratio: 0.1)
    #expect(
      try ReportEncoder.encode(whole)
        == #"{"command":"test","dry_run":true,"content_id":"a\"b","public_id_start":"s","missing":null,"number":null,"left_null":null,"#
        + #""zeta":1,"alpha":2,"note":null,"list":[{"zeta":3,"alpha":4,"note":"n"}],"counts":{"a":1,"b":2},"#
        + #""ordered":{"z_z":true,"isA":false},"raw":{"x": 1.50},"ratio":0.1}"#)
    whole.part = nil
    whole.left = 5
    #expect(try ReportEncoder.encode(whole).contains(#""number":null,"left":5,"left_null":null,"list":["#))
  }

  @Test func escapesWhatTerminalsObey() throws {
    #expect(try ReportEncoder.encode(["\u{9B}31m ##[x"]) == #"["\u009b31m ##\u005bx"]"#)
  }

  @Test func emptyValuesAreWhole() throws {
    struct Empty: Encodable {}
    #expect(try ReportEncoder.encode([Empty()]) == "[{}]")
    #expect(try ReportEncoder.encode([Int]()) == "[]")
    #expect(try ReportEncoder.encode([String: Int]()) == "{}")
    #expect(try ReportEncoder.encode([nil, 1]) == "[null,1]")
  }

  /// Enums with associated values are encoded as nested containers.
  @Test func nestedContainersAreClosed() throws {
    enum Shape: Encodable {
      case line(length: Int)
      case point
    }
    #expect(try ReportEncoder.encode([Shape.line(length: 2), .point]) == #"[{"line":{"length":2}},{"point":{}}]"#)
  }

  @Test func oneEncoderEncodesManyValues() throws {
    let encoder = ReportEncoder()
    #expect(try encoder.encode([1]) == "[1]")
    #expect(try encoder.encode("text") == "\"text\"")
  }
}
