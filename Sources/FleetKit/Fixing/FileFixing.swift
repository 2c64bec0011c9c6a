import FleetKitCore
import Foundation
import Validation

/// Makes the edits of one file.
struct FileFixing {
  private let file: String
  private let fixes: [Fix]
  /// Why each fix was not made; nil for those that were.
  private(set) var reasons: [String?]

  init(file: String, fixes: [Fix]) {
    self.file = file
    self.fixes = fixes
    reasons = [String?](repeating: nil, count: fixes.count)
  }

  /// Says of every fix why it was not made.
  mutating func leaveAll(_ reason: String) { reasons = reasons.map { _ in reason } }

  /// Reads the file, makes what can be made, and replaces it.
  /// - Returns: whether the file changes.
  /// - Throws: `RunFailure` when the file can neither be changed nor left for a reason that lies in the fixes.
  mutating func run(since stamp: FileStamp?, isDryRun: Bool) throws -> Bool {
    if file == "-" {
      leaveAll("not changed: standard input cannot be written; name the file")
      return false
    }
    for (index, fix) in fixes.enumerated() {
      if fix.record.row != nil {
        reasons[index] = "not changed: libraries are changed in the app, or exported, fixed and imported again"
      } else if fix.record.member != nil {
        reasons[index] = "not changed: it lies in a pack or another archive; put it right where that is made from"
      } else if fix.record.line == nil || fix.record.column == nil {
        reasons[index] = "not changed: the place of the record is not known"
      }
    }
    guard reasons.contains(nil) else { return false }
    if Self.isNote(file) {
      leaveAll("not changed: only JSON files are; put it right in the note")
      return false
    }
    // A link stays a link: the file that it leads to is replaced.
    guard let real = realpath(file, nil) else { throw failure(SystemError.last) }
    defer { free(real) }
    let path = String(cString: real)
    let text = try FixText(path: path, name: file, limit: FixRun.longest)
    if let stamp, stamp != text.stamp { throw changedMeanwhile }
    if text.bytes.starts(with: "SQLite format 3\0".utf8) {
      leaveAll("not changed: libraries are changed in the app, or exported, fixed and imported again")
      return false
    }
    let edits = plan(text)
    guard !edits.isEmpty else { return false }
    guard access(path, W_OK) == 0 else { throw failure(SystemError.last) }
    if !isDryRun { try replace(path, text, edits) }
    return true
  }

  private static func isNote(_ file: String) -> Bool {
    ["md", "markdown"].contains(Source(file).pathExtension)
  }

  /// The edits of all records, in the order of the text.
  private mutating func plan(_ text: borrowing FixText) -> [TextEdit] {
    var records: [RecordFinder.Position: [Int]] = [:]
    for (index, fix) in fixes.enumerated() where reasons[index] == nil {
      guard let line = fix.record.line, let column = fix.record.column else { continue }
      records[RecordFinder.Position(line: line, column: column), default: []].append(index)
    }
    let found = RecordFinder.find(records.keys.sorted(), in: text.bytes)
    var edits: [TextEdit] = []
    for (position, indices) in records.sorted(by: { $0.key < $1.key }) {
      guard let range = found[position], let document = try? text.document(range),
        // Two places that are the same record, or one inside the other, are never both true.
        range.lowerBound >= edits.last?.range.upperBound ?? 0
      else {
        for index in indices { reasons[index] = "not changed: there is no JSON record at \(fixes[index].record)" }
        continue
      }
      var record = RecordEdits(document)
      for index in indices { reasons[index] = record.take(fixes[index]) }
      guard let own = record.edits(), record.isSound(own) else {
        for index in indices where reasons[index] == nil { reasons[index] = "not changed: the record would break" }
        continue
      }
      edits += own.map { TextEdit(range: $0.range.shifted(by: range.lowerBound), text: $0.text) }
    }
    return edits
  }

  private func replace(_ path: String, _ text: borrowing FixText, _ edits: [TextEdit]) throws {
    let target = try AtomicFile(path, overwrites: true)
    // Before anything is in it: what is private stays private. Only the superuser may keep another's ownership.
    _ = fchown(target.descriptor, text.owner, text.group)
    guard fchmod(target.descriptor, text.mode) == 0 else { throw failure(SystemError.last) }
    let sink = ByteSink(descriptor: target.descriptor, name: file)
    var at = 0
    for edit in edits {
      try sink.write(UnsafeBufferPointer(rebasing: text.bytes[at..<edit.range.lowerBound]))
      try edit.text.withUnsafeBufferPointer { try sink.write($0) }
      at = edit.range.upperBound
    }
    try sink.write(UnsafeBufferPointer(rebasing: text.bytes[at...]))
    try sink.flush()
    guard FileStamp(path) == text.stamp else { throw changedMeanwhile }
    try target.publish()
  }

  private var changedMeanwhile: RunFailure {
    RunFailure(
      .refused, "fix '\(file)': the file was changed meanwhile", advice: "Check it again, then fix what is found.")
  }

  private func failure(_ why: String) -> RunFailure { RunFailure(.failed, "fix '\(file)': \(why)") }
}

extension Range<Int> {
  fileprivate func shifted(by offset: Int) -> Range<Int> { lowerBound + offset..<upperBound + offset }
}
