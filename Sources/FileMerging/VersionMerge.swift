import Content
import Diagnostics
import Interchange
import JSONText
import Merging
import RecordSources

/// Merges the records of three versions, which are read in parallel in the same order. Memory does not grow with the
/// versions.
final class VersionMerge {
  /// A merged record.
  struct Merged {
    /// The merged record. In `ours`, every conflict has our side's value; in `theirs`, it has the other side's. Nil if
    /// that side does not have the record.
    let ours: [UInt8]?
    let theirs: [UInt8]?
    /// The versions that were merged, with equal ids for equal steps; nil if only one side has the record.
    var versions: (base: [UInt8]?, ours: [UInt8], theirs: [UInt8])?
  }

  private let base: SortedRecords?
  private let ours: SortedRecords
  private let theirs: SortedRecords
  private let names: (base: String, ours: String, theirs: String)
  private let alignment = StepAlignment()
  private(set) var report = FileMergeReport()
  private var last: (base: RecordSortKey?, ours: RecordSortKey?, theirs: RecordSortKey?)

  init(
    base: SortedRecords?, ours: SortedRecords, theirs: SortedRecords,
    names: (base: String, ours: String, theirs: String)
  ) {
    self.base = base
    self.ours = ours
    self.theirs = theirs
    self.names = names
  }

  /// Merges all records.
  func run(_ emit: (Merged) throws -> Void) throws {
    var old = try next(base, \.last.base, names.base)
    var mine = try next(ours, \.last.ours, names.ours)
    var other = try next(theirs, \.last.theirs, names.theirs)
    while let key = [old?.key, mine?.key, other?.key].compactMap({ $0 }).min() {
      try Interruption.check()
      let trio = (
        old.flatMap { $0.key == key ? $0 : nil }, mine.flatMap { $0.key == key ? $0 : nil },
        other.flatMap { $0.key == key ? $0 : nil }
      )
      let merged = merge(trio.0, trio.1, trio.2)
      if merged.ours != nil || merged.theirs != nil { try emit(merged) }
      if trio.0 != nil { old = try next(base, \.last.base, names.base) }
      if trio.1 != nil { mine = try next(ours, \.last.ours, names.ours) }
      if trio.2 != nil { other = try next(theirs, \.last.theirs, names.theirs) }
    }
  }

  /// Returns the next record of a version.
  /// - Throws: `RunFailure` with status 2 if an id occurs twice, because the records to merge would be ambiguous.
  private func next(
    _ records: SortedRecords?,
    _ last: ReferenceWritableKeyPath<VersionMerge, RecordSortKey?>, _ name: String
  ) throws -> SortedRecords.Entry? {
    guard let entry = try records?.next() else { return nil }
    if entry.key == self[keyPath: last] {
      throw RunFailure(
        .failed, "merge '\(name)': the \(entry.kind.name) \(entry.id) occurs twice; nothing was written",
        advice: "Remove one of the two, or give it a different id.")
    }
    self[keyPath: last] = entry.key
    return entry
  }

  // MARK: One record

  private func merge(
    _ base: SortedRecords.Entry?, _ ours: SortedRecords.Entry?, _ theirs: SortedRecords.Entry?
  ) -> Merged {
    switch (ours, theirs) {
    case (nil, nil):
      report.counts.deleted += 1
      return Merged(ours: nil, theirs: nil)
    case (let only?, nil): return mergeOneSided(only, base, isOurs: true)
    case (nil, let only?): return mergeOneSided(only, base, isOurs: false)
    case (let mine?, let other?): return merge(base, mine, other)
    }
  }

  /// Merges a record that only one side has, because the record is new or the other side deleted it.
  private func mergeOneSided(_ only: SortedRecords.Entry, _ base: SortedRecords.Entry?, isOurs: Bool) -> Merged {
    guard let base else {
      if isOurs { report.counts.addedByOurs += 1 } else { report.counts.addedByTheirs += 1 }
      return Merged(ours: only.line, theirs: only.line)
    }
    if FieldComparison.compare(base.line, only.line).isEmpty {
      report.counts.deleted += 1
      return Merged(ours: nil, theirs: nil)
    }
    let remaining = String(decoding: MergedContent.cut(only.line).line, as: UTF8.self)
    let before = String(decoding: MergedContent.cut(base.line).line, as: UTF8.self)
    add(
      [
        MergeConflict(
          pointer: "", label: "the record, deleted by \(isOurs ? "theirs" : "ours")", base: before,
          ours: isOurs ? remaining : nil, theirs: isOurs ? nil : remaining)
      ], only)
    return Merged(ours: isOurs ? only.line : nil, theirs: isOurs ? nil : only.line)
  }

  private func merge(
    _ base: SortedRecords.Entry?, _ ours: SortedRecords.Entry, _ theirs: SortedRecords.Entry
  ) -> Merged {
    if ours.line == theirs.line {
      report.counts.same += 1
      return Merged(ours: ours.line, theirs: ours.line)
    }
    // The notation of a note is not content. It is taken from the side that has the merged content.
    let mine = MergedContent.cut(ours.line)
    let other = MergedContent.cut(theirs.line)
    let old = base.map { MergedContent.cut($0.line).line }
    let texts = aligned(old, mine.line, other.line)
    let first = outcome(ours.kind, texts, .ours)
    var second = first.line
    if !first.conflicts.isEmpty {
      add(first.conflicts, ours)
      second = outcome(ours.kind, texts, .theirs).line
    }
    let isOurs = MergedContent.isSame(first.line, mine.line)
    let isTheirs = MergedContent.isSame(first.line, other.line)
    if first.conflicts.isEmpty {
      let path: WritableKeyPath<FileMergeReport.Counts, Int> =
        isOurs && isTheirs ? \.same : isOurs ? \.fromOurs : isTheirs ? \.fromTheirs : \.merged
      report.counts[keyPath: path] += 1
    }
    let typing = isTheirs && !isOurs ? other.typing : mine.typing
    return Merged(
      ours: MergedContent.add(typing, to: first.line), theirs: MergedContent.add(typing, to: second), versions: texts)
  }

  private func outcome(
    _ kind: RecordKind, _ texts: (base: [UInt8]?, ours: [UInt8], theirs: [UInt8]), _ choice: MergeConflict.Choice
  ) -> ThreeWayMerge.Outcome {
    let base = texts.base.flatMap { try? JSONDocument(parsing: $0) }
    guard let ours = try? JSONDocument(parsing: texts.ours), let theirs = try? JSONDocument(parsing: texts.theirs)
    else { return ThreeWayMerge.Outcome(line: texts.ours, conflicts: [], undecided: 0) }
    return ours.withRoot { ours in
      theirs.withRoot { theirs in
        let merge = ThreeWayMerge(kind, own: .merged)
        func decide(_: MergeConflict) throws(Never) -> MergeConflict.Choice { choice }
        guard let base else { return merge.merge(base: nil, ours: ours, theirs: theirs, decide: decide) }
        return base.withRoot { base in
          merge.merge(base: base, ours: ours, theirs: theirs, decide: decide)
        }
      }
    }
  }

  /// Returns the three versions with equal ids for equal steps if the ids were derived from titles: the base's ids, or
  /// else ours.
  private func aligned(
    _ base: [UInt8]?, _ ours: [UInt8], _ theirs: [UInt8]
  ) -> (base: [UInt8]?, ours: [UInt8], theirs: [UInt8]) {
    guard let base else { return (nil, ours, align(theirs, to: ours)) }
    return (base, align(ours, to: base), align(theirs, to: base))
  }

  private func align(_ version: [UInt8], to other: [UInt8]) -> [UInt8] {
    guard let left = try? JSONDocument(parsing: version), let right = try? JSONDocument(parsing: other) else {
      return version
    }
    return left.withRoot { left in
      right.withRoot { right in alignment.align(left, to: right) }
    } ?? version
  }

  private func add(_ conflicts: [MergeConflict], _ record: SortedRecords.Entry) {
    report.counts.conflicting += 1
    report.conflictCount += conflicts.count
    let title = record.title
    for conflict in conflicts.prefix(max(0, FileMergeReport.kept - report.conflicts.count)) {
      report.conflicts.append(
        FileConflict(kind: record.kind, id: record.id, title: title, conflict: conflict))
    }
  }
}
