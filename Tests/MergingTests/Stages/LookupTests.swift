import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary
import TestSupport
import Testing

@testable import Merging

/// The first and the last stage, tested with a real library.
@Suite struct LookupTests {
  private static func withLibrary(_ body: (WritableLibrary, Ledger, RecordLookup, AlignedIDs) throws -> Void) throws {
    let scratch = Scratch()
    let library = try WritableLibrary(scratch.writable("library-v2.2.0.sqlite"))
    let store = try StateStore(library.sidecar)
    let run = try store.begin(RunNote(command: "import"), in: library.sidecar)
    let ledger = try Ledger(store, run: run.id)
    let aligned = AlignedIDs()
    try body(library, ledger, try RecordLookup(library, ledger, aligned), aligned)
    ledger.forget()
    library.rollback()
  }

  private static func first(_ library: WritableLibrary, _ statement: String) throws -> String {
    try #require(try library.connection.rows(statement).first?.first ?? nil)
  }

  @Test func findsARecordByItsID() throws {
    try Self.withLibrary { library, _, lookup, _ in
      let id = try Self.first(library, "SELECT id FROM library_content LIMIT 1")
      let line = try String(decoding: #require(try lookup.record(.item, id: id)), as: UTF8.self)
      #expect(try JSONDocument(parsing: line).root["id"]?.string == id)
      #expect(try lookup.hash(ofRow: .item, id: id) == Digest.hex(StageSupport.hash(line)))
      try StageSupport.incoming(line) { incoming in
        let found = try #require(try lookup.find(incoming, in: nil))
        #expect(String(decoding: found, as: UTF8.self) == line)
      }
      try StageSupport.incoming(try StageSupport.line()) { incoming in
        let found = try lookup.find(incoming, in: nil)
        #expect(found == nil)
      }
    }
  }

  /// A record with a different id is found through the ledger's entry for its source.
  @Test func findsARecordByWhereItWent() throws {
    try Self.withLibrary { library, ledger, lookup, _ in
      let target = try Self.first(library, "SELECT id FROM library_content LIMIT 1")
      let (number, _) = try ledger.source("/notes")
      let file = try ledger.file("a.md", of: number)
      try StageSupport.incoming(try StageSupport.line()) { incoming in
        _ = try ledger.remember(
          number, file: file.id, .item, id: incoming.id.span, target: target, hash: StageSupport.hash("any"))
        let source = CurrentSource(
          name: "/notes", folder: "/notes", id: number, isKnown: true, lostFiles: [], goneFolders: [], kind: .files)
        let line = try #require(try lookup.find(incoming, in: source))
        #expect(RecordLine.id(of: line.span) == target)
      }
    }
  }

  @Test func anExecutionIsFoundByItsChecklistAndCharter() throws {
    try Self.withLibrary { library, _, lookup, aligned in
      let row = try #require(
        try library.connection.rows("SELECT id, checklistID, charterID FROM checklistExecutionStates LIMIT 1").first)
      let (id, checklist, charter) = (row[0] ?? "", row[1] ?? "", row[2] ?? "")
      // The source uses its own id for the checklist, which the import mapped to the library's id.
      aligned.align("AAAAAAAA-4407-4338-B2DC-132362E6088A", with: checklist)
      let line = """
        {"kind":"execution","id":"BBBBBBBB-4407-4338-B2DC-132362E6088A","checklist_id":"AAAAAAAA-4407-4338-B2DC-132362E6088A","charter_id":"\(charter)"}
        """
      let document = try JSONDocument(parsing: line)
      try Array(line.utf8).withUnsafeBufferPointer { bytes in
        try document.withNode(document.root.tokenIndex) { node in
          let incoming = SourceRecord(
            kind: .execution, node: node, line: bytes, original: bytes, file: 1, origin: .staged(Place(file: "a")))
          let found = try #require(try lookup.find(incoming, in: Self.source))
          #expect(RecordLine.id(of: found.span) == id)
        }
      }
    }
  }

  private static var source: CurrentSource {
    CurrentSource(
      name: "a", folder: "a", id: 0, isKnown: false, lostFiles: [], goneFolders: [], kind: .files)
  }

  /// Rows are written inside one transaction: before the commit, no other connection sees them.
  @Test func theLastStageWritesInOneTransaction() throws {
    let scratch = Scratch()
    let path = try scratch.writable("library-v2.2.0.sqlite")
    let library = try WritableLibrary(path)
    let store = try StateStore(library.sidecar)
    let run = try store.begin(RunNote(command: "import"), in: library.sidecar)
    let ledger = try Ledger(store, run: run.id)
    let lookup = try RecordLookup(library, ledger, AlignedIDs())
    let context = RunContext(now: StageSupport.now)
    let journal = try UndoJournalWriter(of: run, library.connection, in: library.sidecar)
    let commit = try CommitStage(library, ledger, lookup, journal, restoresPublishing: false, context)
    try StageSupport.incoming(try StageSupport.line()) { incoming in
      guard case .created = try commit.write(incoming.node, incoming, over: nil) else { return #expect(Bool(false)) }
      let line = try #require(try lookup.record(.item, id: StageSupport.id))
      #expect(RecordLine.id(of: line.span) == StageSupport.id)
    }
    let count = "SELECT count(*) FROM library_content WHERE id = '\(StageSupport.id)'"
    #expect(try SQLiteShell.run(path, count) == "0\n")
    try commit.prepare(Tally())
    let page = ConflictPage("x.md", in: try library.sidecar.part(.rejects), .ofImport)
    _ = try commit.commit(SidecarFiles(library, ledger, of: run, page))
    #expect(try SQLiteShell.run(path, count) == "1\n")
    #expect(try SQLiteShell.run(path, "PRAGMA integrity_check") == "ok\n")
  }
}
