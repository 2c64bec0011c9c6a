import Content
import Interchange
import JSONText

/// Spells a bundle: the header, the records in their lists, the end.
struct BundleText {
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

  /// Writes a record; records of a kind must follow each other.
  mutating func write(_ line: UnsafeBufferPointer<UInt8>, kind: RecordKind) throws {
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

  /// Closes everything that is open.
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

  /// A reader of the document may count on every list being there.
  private mutating func writeEmptyLists(before rank: Int) throws {
    for kind in RecordKind.known where kind.rank < rank && !opened.contains(kind) {
      try sink.write(",\n\"\(kind.listName ?? "")\":[]")
      opened.append(kind)
    }
  }

  /// Writes a member of a document that nobody knows; all records must be written before.
  mutating func write(_ member: DocumentMember) throws {
    guard spelling == .document else {
      try member.line.withUnsafeBufferPointer { try sink.write($0) }
      return try sink.write(Self.lineEnd)
    }
    try closeList()
    try writeEmptyLists(before: RecordKind.known.count)
    var name = ByteBuffer(capacity: 64)
    name.append(",\n")
    name.appendJSONString(member.name)
    name.append(":")
    try sink.write(name.bytes)
    try sink.write(member.value)
  }

  private static var lineEnd: String { "\n" }
}
