import Content
import Foundation
import Interchange
import JSONText

/// Writes a bundle in bundle order: straight through while records arrive in order, through a sort on disk
/// once they do not.
final class JSONBundleWriter: ContentWriter {
  private let target: Target
  private let spelling: JSONBundleFormat.Spelling
  private let losses: LossLog
  private var file: AtomicFile
  private var sink: ByteSink
  private var text: BundleText
  private var writeBack: WriteBack?
  private var last: BundleKey?
  private var lastKind = RecordKind("")
  private var sorter: ExternalSorter<BundleKey>?
  private let folderForOutput: TemporaryFolder?
  /// Members of a document that nobody knows; they stand behind all lists.
  private var members: [DocumentMember] = []

  init(_ target: Target, spelling: JSONBundleFormat.Spelling, losses: LossLog) throws {
    self.target = target
    self.losses = losses
    self.spelling = spelling
    if target.isStandardOutput {
      // Standard output gets the bundle when it is complete, so nobody reads half of one.
      folderForOutput = try TemporaryFolder()
    } else {
      folderForOutput = nil
    }
    file = try Self.makeFile(target, folderForOutput)
    sink = ByteSink(descriptor: file.descriptor, name: target.path)
    text = try BundleText(spelling, sink)
    writeBack = WriteBack(descriptor: file.descriptor)
  }

  private static func makeFile(_ target: Target, _ folder: TemporaryFolder?) throws -> AtomicFile {
    try folder.map { try AtomicFile($0.path + "/output", overwrites: true) } ?? AtomicFile(target)
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    var index = 0
    while index < batch.slots.count {
      let slot = batch.slots[index]
      let line = batch.line(slot)
      let first = index
      if slot.kind == .attachment { noteBytes(of: Record(batch: batch, index: index)) }
      if slot.kind.name == "member", let member = DocumentMember(line) {
        members.append(member)
      } else if sorter == nil, isInOrder(line, slot.kind) {
        try writeRun(batch, from: &index)
      } else {
        if sorter == nil { try startSorting() }
        try sorter?.add(line)
      }
      index += 1
      tally[slot.kind].created += index - first
    }
    writeBack?.grown(to: sink.count)
  }

  /// An attachment whose bytes the source has: the name goes along, the bytes do not.
  private func noteBytes(of record: Record) {
    guard record.batch.locator.hasMedia(of: record) else { return }
    losses.record(
      .attachment, id: record.id, field: "",
      reason: "a bundle holds the name and checksum of an attachment, not its bytes")
  }

  /// Writes the line at `index`, and with it those behind it that are in order and follow it in memory.
  private func writeRun(_ batch: RecordBatch, from index: inout Int) throws {
    let first = batch.slots[index]
    guard spelling == .lines else { return try text.write(batch.line(first), kind: first.kind) }
    let base = batch.base(first)
    let limit = first.inSource ? batch.source.count : batch.canonical.count
    var end = first.start + first.length
    while index + 1 < batch.slots.count {
      let next = batch.slots[index + 1]
      guard next.inSource == first.inSource, next.start == end + 1, base[end] == 0x0A, next.kind == first.kind,
        next.kind != .attachment, isInOrder(batch.line(next), next.kind)
      else { break }
      end = next.start + next.length
      index += 1
    }
    let hasLineEnd = end < limit && base[end] == 0x0A
    try sink.write(UnsafeBufferPointer(start: base + first.start, count: end - first.start + (hasLineEnd ? 1 : 0)))
    if !hasLineEnd { try sink.write("\n") }
  }

  private func isInOrder(_ line: UnsafeBufferPointer<UInt8>, _ kind: RecordKind) -> Bool {
    if let last, kind == lastKind, kind != .syncOperation, let range = RecordLine.idRange(of: line) {
      let id = UnsafeBufferPointer(rebasing: line[range])
      guard last.isFollowed(byID: id) else { return false }
      self.last = BundleKey(kind: kind, line: line)
      return true
    }
    let key = BundleKey(kind: kind, line: line)
    if let last, key < last { return false }
    last = key
    lastKind = kind
    return true
  }

  /// The first record out of order: what was written so far goes into the sort as well.
  private func startSorting() throws {
    try sink.flush()
    // This file will never be on disk; the sorted one is written in one go.
    stopWriteBack()
    let sorter = ExternalSorter<BundleKey> { BundleKey(kind: RecordLine.kind(of: $0) ?? RecordKind(""), line: $0) }
    let input = try BundleInput(Source(file.temporary))
    let written = WrittenLines(input: input)
    try written.forEach { line in try sorter.add(line) }
    self.sorter = sorter
  }

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    if let sorter {
      file.discard()
      file = try Self.makeFile(target, folderForOutput)
      sink = ByteSink(descriptor: file.descriptor, name: target.path)
      text = try BundleText(spelling, sink)
      try sorter.sort()
      while let line = try sorter.next() { try text.write(line, kind: RecordLine.kind(of: line) ?? RecordKind("")) }
    }
    for member in DocumentMember.unique(members) { try text.write(member) }
    try text.end()
    try sink.flush()
    stopWriteBack()
  }

  private func stopWriteBack() {
    writeBack?.stop()
    writeBack = nil
  }

  func finish() throws -> Int {
    guard let folderForOutput else { return try file.publish() }
    defer { folderForOutput.remove() }
    let output = ByteSink(descriptor: 1, name: "standard output")
    let input = try BundleInput(Source(file.temporary))
    do {
      while try input.fill() {
        try output.write(input.buffer.bytes)
        input.buffer.removeAll()
      }
      try output.flush()
    } catch is BrokenPipe {
      return output.count  // who reads only the beginning wants no more
    }
    return output.count
  }

  func abort() {
    stopWriteBack()
    file.discard()
    folderForOutput?.remove()
  }
}
