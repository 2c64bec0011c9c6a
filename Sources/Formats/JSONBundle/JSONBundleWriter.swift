import Content
import Foundation
import Interchange
import JSONText

/// Writes a bundle in bundle order. Records are written directly as long as they arrive in this order. After the first
/// record out of order, all records are sorted on disk.
final class JSONBundleWriter: ContentWriter {
  private let target: Target
  private let spelling: JSONBundleFormat.Spelling
  private let losses: LossLog
  private var file: AtomicFile
  private var sink: ByteSink
  private var text: BundleRenderer
  private var writeBack: WriteBack?
  /// The sort keys of the last record in order and of the current record.
  private var lastKey = ByteBuffer(capacity: 64)
  private var key = ByteBuffer(capacity: 64)
  private var sorter: ExternalSorter?
  private let folderForOutput: TemporaryFolder?
  /// The unknown members of a document, which are written after all lists.
  private var members: [DocumentMember] = []

  init(_ target: Target, spelling: JSONBundleFormat.Spelling, losses: LossLog) throws {
    self.target = target
    self.losses = losses
    self.spelling = spelling
    if target.isStandardOutput {
      // Standard output receives the bundle only when it is complete, so that a consumer never gets a partial bundle.
      folderForOutput = try TemporaryFolder()
    } else {
      folderForOutput = nil
    }
    file = try Self.makeFile(target, folderForOutput)
    sink = ByteSink(descriptor: file.descriptor, name: target.path)
    text = try BundleRenderer(spelling, sink)
    writeBack = WriteBack(descriptor: file.descriptor)
  }

  private static func makeFile(_ target: Target, _ folder: TemporaryFolder?) throws -> AtomicFile {
    try folder.map { try AtomicFile($0.path + "/output", overwrites: true) } ?? AtomicFile(target)
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    var index = 0
    while index < batch.slots.count {
      let slot = batch.slots[index]
      let line = batch.line(slot).span
      let first = index
      if slot.kind == .attachment { reportMissingBytes(of: Record(batch: batch, index: index)) }
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

  /// Reports an attachment whose file is in the source. Its name is written to the bundle, but its file is not.
  private func reportMissingBytes(of record: Record) {
    guard record.hasMedia else { return }
    losses.record(
      .attachment, id: record.id, field: "",
      reason: .noBytesInBundle)
  }

  /// Writes the line at `index`, and all following lines that are in order and contiguous in memory.
  private func writeRun(_ batch: RecordBatch, from index: inout Int) throws {
    let first = batch.slots[index]
    guard spelling == .lines else { return try text.write(batch.line(first).span, kind: first.kind) }
    let bytes = (first.inSource ? batch.source.bytes : batch.canonical.bytes).span
    var end = first.start + first.length
    while index + 1 < batch.slots.count {
      let next = batch.slots[index + 1]
      guard next.inSource == first.inSource, next.start == end + 1, bytes[end] == 0x0A, next.kind == first.kind,
        next.kind != .attachment, isInOrder(batch.line(next).span, next.kind)
      else { break }
      end = next.start + next.length
      index += 1
    }
    let hasLineEnd = end < bytes.count && bytes[end] == 0x0A
    try sink.write(bytes.extracting(first.start..<(hasLineEnd ? end + 1 : end)))
    if !hasLineEnd { try sink.write("\n") }
  }

  private func isInOrder(_ line: Span<UInt8>, _ kind: RecordKind) -> Bool {
    key.removeAll()
    BundleOrder.append(kind, line, to: &key)
    guard ExternalSorter.compare(lastKey.bytes.span, key.bytes.span) <= 0 else { return false }
    swap(&lastKey, &key)
    return true
  }

  /// Switches to sorting at the first record out of order. The lines that were already written are sorted as well.
  private func startSorting() throws {
    try sink.flush()
    // This file never needs to reach the disk, because only the sorted file is kept.
    stopWriteBack()
    let sorter = ExternalSorter { line, key in
      BundleOrder.append(RecordLine.kind(of: line.span) ?? RecordKind(""), line.span, to: &key)
    }
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
      text = try BundleRenderer(spelling, sink)
      try sorter.sort()
      while let line = try sorter.next() {
        try text.write(line.span, kind: RecordLine.kind(of: line.span) ?? RecordKind(""))
      }
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
        try output.write(input.buffer.bytes.span)
        input.buffer.removeAll()
      }
      try output.flush()
    } catch is BrokenPipe {
      return output.count  // the reader has closed the pipe
    }
    return output.count
  }

  func abort() {
    stopWriteBack()
    file.discard()
    folderForOutput?.remove()
  }
}

/// The order of records in a bundle: charters, items, executions, operations, and then other kinds. Each kind is sorted
/// by id.
private enum BundleOrder {
  /// Appends a record's sort key. Keys are compared as bytes.
  static func append(_ kind: RecordKind, _ line: Span<UInt8>, to key: inout ByteBuffer) {
    let rank = kind.rank
    key.append(UInt8(clamping: rank))
    // Unknown kinds share a rank, so they are also sorted by name.
    if rank == RecordKind.known.count { key.append(utf8: kind.name) }
    key.append(0)
    guard let range = RecordLine.idRange(of: line) else { return }
    let id = line.extracting(range)
    if kind == .syncOperation {
      // Operations are sorted by number, with negative numbers first.
      let number = Int64(String(decoding: id)) ?? .max
      withUnsafeBytes(of: (UInt64(bitPattern: number) ^ 1 << 63).bigEndian) {
        key.append($0.assumingMemoryBound(to: UInt8.self).span)
      }
    }
    key.append(id)
  }
}

/// Renders a bundle: the header, the records in their lists, and the end.
private struct BundleRenderer {
  private let spelling: JSONBundleFormat.Spelling
  private let sink: ByteSink
  private var opened: [RecordKind] = []
  private var list: String?
  private var inList = 0

  init(_ spelling: JSONBundleFormat.Spelling, _ sink: ByteSink) throws {
    self.spelling = spelling
    self.sink = sink
    let version = JSONBundleFormat.version
    switch spelling {
    case .lines:
      try sink.write(
        "{\"kind\":\"bundle\",\"format\":\"\(JSONBundleFormat.formatName)\",\"version\":\(version),\"min_reader\":1}\n")
    case .document:
      try sink.write(
        "{\"format\":\"\(JSONBundleFormat.formatName)\",\"version\":\(version),\"min_reader\":1")
    }
  }

  /// Writes a record. Records of the same kind must be consecutive.
  mutating func write(_ line: Span<UInt8>, kind: RecordKind) throws {
    guard spelling == .document else {
      try sink.write(line)
      return try sink.write(Self.lineEnd)
    }
    let name = kind.listName ?? BundleLists.others
    if list != name { try open(name, before: kind.rank) }
    try sink.write(inList == 0 ? "\n" : ",\n")
    inList += 1
    try sink.write(line)
  }

  /// Closes all open lists and objects.
  mutating func end() throws {
    guard spelling == .document else { return }
    try closeList()
    try writeEmptyLists(before: RecordKind.known.count)
    try sink.write("\n}\n")
  }

  private mutating func open(_ name: String, before rank: Int) throws {
    try closeList()
    try writeEmptyLists(before: rank)
    try sink.write(",\n\"\(name)\":[")
    list = name
    inList = 0
    if rank < RecordKind.known.count { opened.append(RecordKind.known[rank]) }
  }

  private mutating func closeList() throws {
    guard list != nil else { return }
    try sink.write("\n]")
    list = nil
  }

  /// Writes empty lists, because readers of the document may rely on every list being present.
  private mutating func writeEmptyLists(before rank: Int) throws {
    for kind in RecordKind.known where kind.rank < rank && !opened.contains(kind) {
      try sink.write(",\n\"\(kind.listName ?? "")\":[]")
      opened.append(kind)
    }
  }

  /// Writes an unknown member of a document. All records must be written before the first such member.
  mutating func write(_ member: DocumentMember) throws {
    guard spelling == .document else {
      try sink.write(member.line.span)
      return try sink.write(Self.lineEnd)
    }
    try closeList()
    try writeEmptyLists(before: RecordKind.known.count)
    var name = ByteBuffer(capacity: 64)
    name.append(",\n")
    name.appendJSONString(member.name)
    name.append(":")
    try sink.write(name.bytes.span)
    try sink.write(member.value)
  }

  private static var lineEnd: String { "\n" }
}

/// An unknown member of a `.json` document. It is passed from reader to writer as a separate record,
/// `{"kind":"member","id":"made_by","value":"hand"}`.
private struct DocumentMember: Hashable {
  var name: String
  /// The value as JSON.
  let value: String

  /// Parses a canonical line; returns nil if it is not a stored member.
  init?(_ line: Span<UInt8>) {
    guard let root = try? JSONDocument(parsing: line).root, root.members.count == 3, let name = root["id"]?.string,
      let value = root["value"]
    else { return nil }
    self.name = name
    self.value = value.text
  }

  /// The record in which the member is stored.
  var line: [UInt8] {
    var line = ByteBuffer(capacity: value.utf8.count + 64)
    line.append("{\"kind\":\"member\",\"id\":")
    line.appendJSONString(name)
    line.append(",\"value\":")
    line.append(utf8: value)
    line.append("}")
    return Array(line.bytes)
  }

  /// Combines the members of several documents. Equal members are written once, and different members with the same
  /// name are numbered.
  static func unique(_ members: [DocumentMember]) -> [DocumentMember] {
    var seen = Set<DocumentMember>()
    var names = BundleLists.headerNames.union(RecordKind.known.compactMap(\.listName)).union([BundleLists.others])
    var unique: [DocumentMember] = []
    for member in members where seen.insert(member).inserted {
      var free = member
      var number = 2
      while !names.insert(free.name).inserted {
        free.name = "\(member.name)~\(number)"
        number += 1
      }
      unique.append(free)
    }
    return unique
  }
}

/// Reads back the records of a bundle that this process is writing. Both forms of a bundle have one record per line.
private struct WrittenLines {
  let input: BundleInput

  func forEach(_ body: (Span<UInt8>) throws -> Void) throws {
    var more = true
    while more {
      more = try input.fill()
      var start = 0
      while start < input.buffer.count {
        let bytes = input.buffer.bytes.span
        let found = bytes.firstIndex(of: 0x0A, from: start)
        if found == nil, more { break }
        let end = found ?? bytes.count
        var line = bytes.extracting(start..<end)
        if line.last == UInt8(ascii: ",") { line = line.extracting(droppingLast: 1) }
        if let kind = RecordLine.kind(of: line), kind.name != "bundle" { try body(line) }
        start = end + 1
      }
      input.buffer.removeFirst(min(start, input.buffer.count))
    }
  }
}
