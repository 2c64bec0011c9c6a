import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// Every byte of a note is kept: a guide's text is the body of its note, and a note of any other kind is restored
/// completely.
@Suite struct NoteBytesTests {
  private static let heads = [
    "", "---\ntype: guide\ntitle: T\n---\n", "---\ntype: checklist\ntitle: T\n---\n",
    "---\ntype: deck\ntitle: T\n---\n",
    "---\r\ntype: guide\r\ntitle: T\r\n---\r\n", "\u{FEFF}---\ntype: guide # why not\ntitle: T\n---\n",
  ]

  private static func body(_ random: inout SeededRandom) -> String {
    var text = ""
    for _ in 0..<random.below(40) {
      switch random.below(6) {
      case 0: text.unicodeScalars.append(scalar(&random))
      case 1: text += random.pick(["\n", "\r\n", "\r", "\n\n", "\t", " ", "\u{85}", "\u{2028}", "\u{2029}"])
      case 2: text += random.pick(["word", "Слово", "e\u{301}", "é", "👩‍👩‍👧", "\u{202E}", "\u{FEFF}", "\\", "\"", "--"])
      default: text += String(decoding: random.pick(NoteSeeds.pieces), as: UTF8.self)
      }
    }
    // Control characters are rare, because a file full of them does not count as text.
    if random.below(10) == 0 { text += random.pick(["\u{0}", "\u{1}", "\u{7F}", "\u{1B}[31m", "\u{C}"]) }
    return text
  }

  private static func scalar(_ random: inout SeededRandom) -> Unicode.Scalar {
    Unicode.Scalar(UInt32(random.below([0x80, 0x800, 0x1_0000, 0x11_0000][random.below(4)]))) ?? "x"
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func everyByteComesBack(_ seed: UInt64) throws {
    let scratch = Scratch()
    var random = SeededRandom(seed: seed)
    try FileManager.default.createDirectory(atPath: scratch["mine"], withIntermediateDirectories: true)
    var notes: [String: (head: Int, text: [UInt8])] = [:]
    for number in 0..<400 {
      let head = random.below(Self.heads.count)
      let text = Array((Self.heads[head] + Self.body(&random)).utf8)
      try Data(text).write(to: URL(fileURLWithPath: scratch["mine/n\(number).md"]))
      notes["n\(number).md"] = (head, text)
    }
    let summary = try Vaults.convert(scratch["mine"], to: scratch["a.jsonl"])
    var guides = 0
    var read: Set<String> = []
    for line in try scratch.text("a.jsonl").split(separator: "\n").dropFirst() {
      let item = try JSONDocument(parsing: String(line)).root
      guard let path = item["extras"]?["markdown"]?["path"]?.string, let note = notes[path] else {
        Issue.record("the record has no note: \(line)")
        continue
      }
      read.insert(path)
      guard Self.heads[note.head].contains("type: guide") else { continue }
      guides += 1
      let body = Array(note.text.dropFirst(Self.heads[note.head].utf8.count))
      let kept = item["content_data"]?["markdown"]?.string.map { Array($0.utf8) }
      #expect(kept == body, "\(path), seed \(seed): \(String(decoding: body, as: UTF8.self).debugDescription)")
    }
    #expect(guides > 150 && read.count + summary.tally[.item].rejected == notes.count && read.count > 380)
    // Every note that was read is written unchanged, including comments, marks and line endings.
    try Vaults.convert(scratch["a.jsonl"], to: scratch["copy/"])
    let copies = try Vaults.files(scratch["copy"])
    for path in read.sorted() {
      guard let note = notes[path] else { continue }
      let found = copies[path].map(Array.init) ?? []
      let shown = String(decoding: note.text, as: UTF8.self).debugDescription
      let written = String(decoding: found, as: UTF8.self).debugDescription
      #expect(found == note.text, "\(path), seed \(seed): \(shown) came back as \(written)")
    }
  }
}
