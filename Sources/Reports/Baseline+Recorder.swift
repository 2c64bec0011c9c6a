import Diagnostics

extension Baseline {
  /// Collects the findings of a run and makes a baseline of them.
  ///
  /// The same findings give the same bytes, in whatever order they came. One finding is one line, so that a version
  /// control system shows what was added. Memory grows with the number of different findings.
  public struct Recorder: Sendable {
    private let paths: ReportPath
    private var entries: [String: Entry] = [:]

    /// Starts an empty baseline.
    /// - Parameter folder: the folder that file names are relative to, an absolute path.
    /// - Parameter origin: the folder that file names of findings count from; nil for the same one.
    public init(folder: String, origin: String? = nil) { paths = ReportPath(relativeTo: folder, from: origin) }

    /// Takes over what an older baseline says of files that were not checked this time.
    public mutating func keep(_ baseline: Baseline, exceptOf files: [String]) {
      let checked = Set(files.map(paths.name))
      for (fingerprint, entry) in baseline.all where !checked.contains(entry.file) {
        if entries[fingerprint] == nil { entries[fingerprint] = entry }
      }
    }

    /// Adds a finding.
    public mutating func add(_ finding: Diagnostic) {
      let file = paths.name(finding.place.file)
      let fingerprint = Fingerprint.of(finding, file: file)
      // The file and the message are parts of the fingerprint, so every finding of an entry gives the same example.
      entries[
        fingerprint,
        default: Entry(
          count: 0, code: finding.code.id, file: file,
          example: ReportText.line(finding.message, limit: ReportText.word))
      ].count += 1
    }

    /// The file, ready to be written.
    public var bytes: [UInt8] {
      let sorted = entries.sorted { left, right in
        (left.value.file, left.value.code, left.key) < (right.value.file, right.value.code, right.key)
      }
      var lines: [String] = []
      for (fingerprint, entry) in sorted {
        var json = JSONBuilder()
        json.object { json in
          json.string("fingerprint", fingerprint)
          json.number("count", entry.count)
          json.string("code", entry.code)
          json.string("file", entry.file)
          json.string("example", entry.example)
        }
        lines.append(json.result)
      }
      let head = "{\"format\":\"\(Baseline.format)\",\"version\":\(Baseline.version),\"findings\":["
      return Array((head + (lines.isEmpty ? "" : "\n" + lines.joined(separator: ",\n") + "\n") + "]}\n").utf8)
    }
  }
}
