import Content
import ContentPack
import Diagnostics
import Interchange
import SQLiteLibrary

/// Holds the records of a library that was restored against the index of its backup, both ways.
///
/// Index and library come in the same order, so they are walked side by side and memory stays small; what does not
/// meet its partner at once waits until the end.
package struct IndexProof {
  /// What came of it.
  package struct Outcome {
    /// Records that came back as the index says.
    package var same = 0
    /// Records that did not come back, came back changed, or are not in the index.
    package var wrong = 0
    /// Whether everything came back and nothing else.
    package var holds: Bool { wrong == 0 }
  }

  /// A record by kind and id, which several may share.
  private struct Key: Hashable {
    let kind: String
    let id: [UInt8]
  }

  /// What the index and the library have under one key, beyond what they share.
  private struct Open {
    var index: [String] = []
    var library: [String] = []
  }

  private let findings: DiagnosticLog
  /// What findings call the backup.
  private let backup: String
  private var open: [Key: Open] = [:]
  private var outcome = Outcome()

  /// Prepares.
  package init(backup: String, findings: DiagnosticLog) {
    self.backup = backup
    self.findings = findings
  }

  /// Compares.
  /// - Parameters:
  ///   - library: the restored library, with what belongs beside it.
  ///   - index: the index of its backup.
  ///   - onProgress: called with records done.
  /// - Throws: `RunFailure` with status 2 when the library cannot be read, 5 when the index cannot.
  package static func run(
    _ snapshot: AssembledSnapshot, backup: String, findings: DiagnosticLog,
    onProgress: ((Int, Int) throws -> Void)? = nil
  ) throws -> Outcome {
    var proof = IndexProof(backup: backup, findings: findings)
    let index = try IndexFile(snapshot.index, name: backup + "/" + BackupInfo.Path.index)
    // What is unusual about the library was so when the backup was made, and is nothing that this proof is about.
    let context = RunContext(findings: DiagnosticLog(keepPerCode: 0), now: Timestamp(milliseconds: 0))
    let reader = try SQLiteLibraryFormat().reader(
      of: Source(snapshot.library, name: backup + "/" + BackupInfo.Path.library), context: context)
    var done = 0
    while let batch = try reader.next() {
      try Interruption.check()
      for record in batch.records {
        let hash = record.withLine { Digest.hex(Digest.sha256($0)) }
        proof.take(library: hash, Key(kind: record.kind.name, id: Array(record.id.utf8)), try proof.next(index))
      }
      done += batch.count
      try onProgress?(done, snapshot.info.records)
    }
    while let entry = try proof.next(index) { proof.add(index: entry) }
    proof.finish()
    return proof.outcome
  }

  private func next(_ index: IndexFile) throws -> IndexFile.Entry? {
    do {
      return try index.next()
    } catch let malformed {
      throw RunFailure(
        .mismatch, "read '\(index.name)': line \(malformed.line): \(malformed.message)",
        advice: "The backup was changed after it was made; take an older one.")
    }
  }

  private mutating func take(library hash: String, _ key: Key, _ entry: IndexFile.Entry?) {
    if let entry, entry.sha256 == hash, entry.kind == key.kind, entry.id.utf8.elementsEqual(key.id) {
      outcome.same += 1
      return
    }
    add(library: hash, key)
    if let entry { add(index: entry) }
  }

  private mutating func add(library hash: String, _ key: Key) {
    var waiting = open[key] ?? Open()
    if let at = waiting.index.firstIndex(of: hash) {
      waiting.index.remove(at: at)
      outcome.same += 1
    } else {
      waiting.library.append(hash)
    }
    open[key] = waiting.index.isEmpty && waiting.library.isEmpty ? nil : waiting
  }

  private mutating func add(index entry: IndexFile.Entry) {
    let key = Key(kind: entry.kind, id: Array(entry.id.utf8))
    var waiting = open[key] ?? Open()
    if let at = waiting.library.firstIndex(of: entry.sha256) {
      waiting.library.remove(at: at)
      outcome.same += 1
    } else {
      waiting.index.append(entry.sha256)
    }
    open[key] = waiting.index.isEmpty && waiting.library.isEmpty ? nil : waiting
  }

  private mutating func finish() {
    let sorted = open.sorted {
      $0.key.kind != $1.key.kind ? $0.key.kind < $1.key.kind : $0.key.id.lexicographicallyPrecedes($1.key.id)
    }
    for (key, waiting) in sorted {
      let name = "\(key.kind) \(String(decoding: key.id, as: UTF8.self))"
      let place = Place(file: backup + "/" + BackupInfo.Path.index)
      for index in 0..<max(waiting.index.count, waiting.library.count) {
        outcome.wrong += 1
        let code: DiagnosticCode
        let message: String
        if index >= waiting.library.count {
          (code, message) = (.recordNotRestored, "it is in the index and did not come back")
        } else if index >= waiting.index.count {
          (code, message) = (.recordNotInIndex, "it came back and is not in the index")
        } else {
          code = .recordRestoredDifferently
          message =
            "it came back as \(waiting.library[index].prefix(12))…, the index says \(waiting.index[index].prefix(12))…"
        }
        findings.report(Diagnostic(code, message, at: place, record: name))
      }
    }
  }
}
