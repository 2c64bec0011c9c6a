import FleetKitCore
import Interchange
import Merging

/// Writes a plan: one JSON object, with a line for every source, change and loss, so that it can be read, searched and
/// compared line by line.
///
/// The file gets its name when it is complete.
enum PlanFile {
  /// - Throws: `RunFailure`: 4 when there is such a file and it may not be replaced, 2 when it cannot be written.
  static func write(_ head: PlanHead, _ recorder: PlanRecorder, to file: AtomicFile) throws {
    let sink = ByteSink(descriptor: file.descriptor, name: file.target)
    try sink.write("{\n  \"kind\": \"plan\",\n  \"version\": \(PlanHead.version),\n")
    var library = JSONBuilder()
    library.object { json in
      json.string("path", head.library)
      json.number("size", head.fingerprint?.size)
      json.string("sha256", head.fingerprint?.sha256)
      json.number("run", head.run.map { Int(clamping: $0) })
    }
    try member("library", library.result, sink)
    var sources = Entries("sources", sink)
    try sources.begin()
    for source in head.sources.files {
      var json = JSONBuilder()
      json.object { json in
        json.string("path", source.path)
        json.number("size", source.size)
        json.string("sha256", source.sha256)
      }
      try Array(json.result.utf8).withUnsafeBufferPointer { try sources.add($0) }
    }
    try sources.end(isLast: false)
    try member("request", head.request.json, sink)
    var now = JSONBuilder()
    now.string(nil, head.now.iso8601)
    try member("now", now.result, sink)
    try member("counts", head.counts, sink)
    var changes = Entries("changes", sink)
    try changes.begin()
    if let spool = recorder.changes {
      try spool.rewind()
      while try spool.advance() { try changes.add(spool.line) }
    }
    try changes.end(isLast: false)
    var losses = Entries("losses", sink)
    try losses.begin()
    try recorder.losses?.drain { try losses.add($0) }
    try losses.end(isLast: true)
    try sink.write("}\n")
    try sink.flush()
    try file.publish()
  }

  private static func member(_ name: String, _ json: String, _ sink: ByteSink) throws {
    try sink.write("  \"\(name)\": \(json),\n")
  }

  /// A list with a line for each entry.
  private struct Entries {
    let name: String
    let sink: ByteSink
    var isEmpty = true

    init(_ name: String, _ sink: ByteSink) {
      self.name = name
      self.sink = sink
    }

    func begin() throws { try sink.write("  \"\(name)\": [") }

    mutating func add(_ line: UnsafeBufferPointer<UInt8>) throws {
      try Interruption.check()
      try sink.write(isEmpty ? "\n    " : ",\n    ")
      isEmpty = false
      try sink.write(line)
    }

    func end(isLast: Bool) throws { try sink.write((isEmpty ? "]" : "\n  ]") + (isLast ? "\n" : ",\n")) }
  }
}
