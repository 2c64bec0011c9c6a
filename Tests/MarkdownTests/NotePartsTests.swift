import Content
import Foundation
import JSONText
import TestSupport
import Testing

@testable import Markdown

/// Proving a note in parts gives the same result as proving the whole note.
@Suite struct NotePartsTests {
  private static let bodies = [
    "", "text", "# Head\\n\\ntext\\n", "---\\na: b\\n---\\n", "\\n---\\n", "...\\n", "+++\\n", "---", "\\uFEFFx",
    "a\\u0000b", "\\u0001\\u0002\\u0003\\u0004", "half \\ud800 letter", "\\ud83d\\ude00 whole", "\\r\\rold\\r",
    "\\t\\u000B",
    "Якорь\\r\\n", "e\\u0301 \\u00e9", "\\\\u0041 is A", "- [ ] step\\n- [x] done\\n", "Q: a\\nA: b\\n",
    "a: b\\nc: d\\n---\\n",
  ]
  private static let titles = [
    "Splicing", "", " ", "\\t", "null", "true", "1.50", "---", "a\\u0000b", "a\\nb", "\\n---\\nx: y",
    "Швартовка: кормой", "x",
    "\\\"q\\\" 'r' #", "\\ud800", "- a", "[a]", "2026-01-05", "\\u2028", "\\uFEFF",
  ]
  private static let members = [
    "", #","description":null"#, #","description":"a: b\n---\n""#, #","tags":["---","a,b",""]"#,
    #","sync_status":"synced""#, #","sync_status":"pending""#, #","extras":{"a":{"b":[1,null,"x"]}}"#,
    #","unknown":{"n":1e400}"#, #","rating_average":4.50"#, #","language":null"#, #","language":"ru""#,
    #","extras":{"raw":{"id":"x"}}"#, #","updated_at":"2026-01-05T10:11:12Z""#, #","is_pinned":true"#,
  ]

  private static func line(_ title: String, _ body: String, _ more: String) throws -> [UInt8]? {
    let json =
      #"{"kind":"item","id":"0A000000-0000-4000-8000-000000000001","content_type":"practice_guide","title":""#
      + title + #"","created_at":"2026-01-05T10:11:12.345Z","content_data":{"markdown":""# + body + "\"}" + more + "}"
    guard let document = try? JSONDocument(parsing: json) else { return nil }
    return document.withNode(document.root.tokenIndex) { node in
      var canonicalizer = Canonicalizer(mode: .bundle)
      var line = ByteBuffer(capacity: 4096)
      canonicalizer.writeRecord(node, kind: .item, derivedID: { CanonicalUUID.zero }, into: &line)
      return canonicalizer.rejected ? Array(json.utf8) : line.copy(0..<line.count)
    }
  }

  @Test func whatPartsProveTheWholeProves() throws {
    let text = NoteRenderer(check: VaultCheck(vault: nil))
    var proved = 0
    var refused = 0
    for title in Self.titles {
      for body in Self.bodies {
        for more in Self.members {
          guard let line = try Self.line(title, body, more),
            let record = NoteRecord(line.span),
            let note = text.rendered(record)
          else { continue }
          let whole = text.isEquivalent(note, to: record, at: "guides/x.md")
          let parts = text.isEquivalentByParts(note, to: record, at: "guides/x.md")
          #expect(whole || !parts, "\(title) / \(body) / \(more)")
          if parts { proved += 1 }
          if !whole { refused += 1 }
          // The item can be a note if and only if the check of the whole note succeeds.
          #expect((text.text(of: record, at: "guides/x.md") != nil) == whole, "\(title) / \(body) / \(more)")
        }
      }
    }
    #expect(proved > 1000)
    #expect(refused > 0)
  }

  @Test func aNoteOfSomethingElseIsNoProof() throws {
    let text = NoteRenderer(check: VaultCheck(vault: nil))
    let line = try #require(try Self.line("Splicing", "one", ""))
    let read = NoteRecord(line.span)
    let record = try #require(read)
    let note = try #require(text.rendered(record))
    #expect(text.isEquivalentByParts(note, to: record, at: "x.md"))
    for (index, byte) in note.enumerated() where byte != 0x0A && byte != 0x20 {
      var other = note
      other[index] = byte == UInt8(ascii: "7") ? UInt8(ascii: "8") : UInt8(ascii: "7")
      if text.isEquivalentByParts(other, to: record, at: "x.md") {
        #expect(text.isEquivalent(other, to: record, at: "x.md"))
      }
    }
    #expect(!text.isEquivalentByParts(note + [0x21], to: record, at: "x.md"))
  }
}
