import Diagnostics

extension Baseline {
  /// Collects the findings of a run and makes a baseline of them.
  ///
  /// The same findings give the same bytes, in whatever order they came. One finding is one line, so that a version
  /// control system shows what was added. Memory grows with the number of different findings.
  public struct Recorder: Sendable {
    private struct Entry {
      var count: Int
      let code: String
      let file: String
      let example: String
    }

    private let paths: ReportPath
    private var entries: [String: Entry] = [:]

    /// Starts an empty baseline.
    /// - Parameter folder: the folder that file names are relative to, an absolute path.
    public init(folder: String) { paths = ReportPath(relativeTo: folder) }

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
