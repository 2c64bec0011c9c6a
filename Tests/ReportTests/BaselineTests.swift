import Diagnostics
import Foundation
import Reports
import TestSupport
import Testing

/// A baseline hides each of its findings up to the recorded count, and no other finding.
@Suite struct BaselineTests {
  private static let folder = "/srv/boat"

  private func baseline(_ findings: [Diagnostic]) throws -> Baseline {
    var recorder = Baseline.Recorder(folder: Self.folder)
    for finding in findings { recorder.add(finding) }
    return try Baseline(reading: recorder.bytes, folder: Self.folder)
  }

  private func finding(
    _ message: String = "m", file: String = "a.md", line: Int? = nil, pointer: String = "", record: String? = nil,
    code: DiagnosticCode = Sample.wrongUnit, row: Place.Row? = nil
  ) -> Diagnostic {
    Diagnostic(code, message, at: Place(file: file, line: line, row: row, pointer: pointer), record: record)
  }

  @Test func usesUpItsCounts() throws {
    var known = try baseline([finding(line: 1), finding(line: 5), finding("“other”")])
    #expect(known.unused(in: ["a.md"]) == 3)
    #expect(known.unused(in: ["b.md"]) == 0, "what was not checked may still be there")
    let answers = [1, 2, 3].map { known.suppresses(finding(line: $0)) }
    #expect(answers == [true, true, false])
    let isNewKnown = known.suppresses(finding("“new”"))
    #expect(!isNewKnown)
    #expect(known.unused(in: ["a.md"]) == 1)
  }

  @Test func movingALineOrAnElementChangesNothing() throws {
    let known = try baseline([])
    let one = known.fingerprint(of: finding(line: 3, pointer: "/0/items/12/title", record: "checklist A"))
    #expect(one == known.fingerprint(of: finding(line: 90, pointer: "/7/items/0/title", record: "checklist A")))
    #expect(
      one == known.fingerprint(of: finding(file: "./b/../a.md", pointer: "/7/items/0/title", record: "checklist A")))
    #expect(
      one == known.fingerprint(of: finding(file: "/srv/boat/a.md", pointer: "/0/items/1/title", record: "checklist A")))
    #expect(one.count == 32)
  }

  @Test func everyOtherPartCounts() throws {
    let known = try baseline([])
    let all = [
      finding(), finding("“n”"), finding(file: "b.md"), finding(pointer: "/0"), finding(pointer: "/a"),
      finding(pointer: "/0/a"), finding(record: "m"), finding(record: ""), finding(code: Sample.style),
      finding(row: .init(table: "t", id: "1")), finding(row: .init(table: "t", id: "2")),
      finding(row: .init(table: "t", id: "1", column: "c")),
      // Parts that would be indistinguishable if they were joined without separators.
      finding("“b”", record: "a"), finding("", record: "ab"), finding("“ab”", record: ""),
    ]
    #expect(Set(all.map { known.fingerprint(of: $0) }).count == all.count)
  }

  @Test func wordsAndCountsOfMessagesDoNotCount() throws {
    let known = try baseline([])
    for (one, other) in [
      ("1 note has no date; the time of the file was used", "22 notes: used the time of the file"),
      ("the step “Reef 2” has 121 characters", "step “Reef 2” is 140 characters long; 120 fit"),
      ("it isn't 'a' or \"b\"", "expected 'a', but the file contains \"b\""),
    ] {
      #expect(known.fingerprint(of: finding(one)) == known.fingerprint(of: finding(other)), "\(one)")
    }
    for (one, other) in [
      ("the step “Reef 1” is empty", "the step “Reef 2” is empty"),
      ("the title “Note” is long", "the title “Notes” is long"), ("unknown field 'a'", "unknown field 'b'"),
      ("unknown field \"a\"", "unknown field \"b\""), ("a `b`", "a `c`"),
    ] {
      #expect(known.fingerprint(of: finding(one)) != known.fingerprint(of: finding(other)), "\(one)")
    }
  }

  /// Version 1 contains fingerprints of messages. Its entries match findings by file and code, up to the recorded
  /// count.
  @Test func olderBaselinesAreStillGood() throws {
    let code = Sample.wrongUnit.id
    let entry = #"{"fingerprint":"0","count":2,"code":"\#(code)","file":"a.md","example":"m"}"#
    let old = #"{"format":"fleetkit.baseline","version":1,"findings":[\#(entry)]}"#
    var known = try Baseline(reading: Array(old.utf8), folder: Self.folder)
    let answers = [
      known.suppresses(finding("other words")), known.suppresses(finding(file: "b.md")),
      known.suppresses(finding(code: Sample.style)), known.suppresses(finding("more “words”")),
      known.suppresses(finding()),
    ]
    #expect(answers == [true, false, false, true, false])
    // When a baseline is recorded again, the entries of files that were not checked stay unchanged.
    var recorder = Baseline.Recorder(folder: Self.folder)
    recorder.add(finding(file: "b.md"))
    try recorder.keep(Baseline(reading: Array(old.utf8), folder: Self.folder), exceptOf: ["b.md"])
    var new = try Baseline(reading: recorder.bytes, folder: Self.folder)
    let later = [
      new.suppresses(finding(file: "b.md")), new.suppresses(finding()), new.suppresses(finding(file: "b.md")),
    ]
    #expect(later == [true, true, false])
  }

  @Test func theBytesDoNotDependOnTheOrder() throws {
    let findings = Hostile.findings(seed: 3, count: 60)
    var first = Baseline.Recorder(folder: Self.folder)
    var second = Baseline.Recorder(folder: Self.folder)
    for finding in findings + findings.prefix(9) { first.add(finding) }
    for finding in (findings + findings.prefix(9)).reversed() { second.add(finding) }
    #expect(first.bytes == second.bytes)
    var known = try Baseline(reading: first.bytes, folder: Self.folder)
    for finding in findings + findings.prefix(9) {
      let isKnown = known.suppresses(finding)
      #expect(isKnown)
    }
    #expect(known.unused(in: (findings + findings.prefix(9)).map(\.place.file)) == 0)
    let text = String(decoding: first.bytes, as: UTF8.self)
    for scalar in text.unicodeScalars where scalar != "\n" { #expect(TerminalEscaping.escape(scalar) == nil) }
  }

  @Test func theFileIsReadable() throws {
    var recorder = Baseline.Recorder(folder: Self.folder)
    #expect(
      String(decoding: recorder.bytes, as: UTF8.self)
        == "{\"format\":\"fleetkit.baseline\",\"version\":2,\"findings\":[]}\n")
    recorder.add(finding("a section has no items", file: "/srv/boat/guides/a.md", code: Sample.emptySection))
    recorder.add(finding("a section has no items", file: "guides/a.md", line: 9, code: Sample.emptySection))
    let print = try baseline([]).fingerprint(
      of: finding("a section has no items", file: "guides/a.md", code: Sample.emptySection))
    #expect(
      String(decoding: recorder.bytes, as: UTF8.self) == """
        {"format":"fleetkit.baseline","version":2,"findings":[
        {"fingerprint":"\(print)","count":2,"code":"LNT0201","file":"guides/a.md","example":"a section has no items"}
        ]}

        """)
  }

  @Test(arguments: [
    ("", BaselineError.notJSON("the text is empty, but a JSON value was expected (byte 0)")),
    ("[]", .notABaseline), ("{}", .notABaseline), ("{\"format\":\"x\"}", .notABaseline),
    ("{\"format\":\"fleetkit.baseline\"}", .malformed("it has no version")),
    ("{\"format\":\"fleetkit.baseline\",\"version\":3}", .otherVersion(3)),
    ("{\"format\":\"fleetkit.baseline\",\"version\":1}", .malformed("it has no findings")),
    (
      "{\"format\":\"fleetkit.baseline\",\"version\":1,\"findings\":[7]}",
      .malformed("finding 1 has neither a fingerprint nor a code")
    ),
    (
      "{\"format\":\"fleetkit.baseline\",\"version\":2,\"findings\":[{\"fingerprint\":\"a\",\"count\":0}]}",
      .malformed("the count of finding 1 is not a positive number")
    ),
    (
      "{\"format\":\"fleetkit.baseline\",\"version\":2,\"findings\":[{\"fingerprint\":\"a\",\"count\":1e99}]}",
      .malformed("the count of finding 1 is not a positive number")
    ),
    (
      "{\"format\":\"fleetkit.baseline\",\"version\":1,\"version\":1,\"findings\":[]}",
      .malformed("a member occurs twice")
    ),
  ])
  func saysWhyAFileIsNone(_ text: String, _ reason: BaselineError) {
    #expect(throws: reason) { try Baseline(reading: Array(text.utf8), folder: Self.folder) }
  }

  /// Published values of 128-bit FNV-1a.
  @Test(arguments: [
    ("", "6c62272e07bb014262b821756295c58d"), ("a", "d228cb696f1a8caf78912b704e4a8964"),
    ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
  ])
  func hashesAsPublished(_ text: String, _ digits: String) {
    var print = Fingerprint()
    print.add(bytes: text.utf8)
    #expect(print.digits == digits)
  }
}
