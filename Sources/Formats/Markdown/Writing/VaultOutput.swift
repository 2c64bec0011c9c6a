import Foundation
import Interchange

/// Writes the notes of a vault to standard output, one after another, for people and for `git diff`.
///
/// Each stands behind a line that says its path; what Markdown cannot say follows as one block of JSON lines.
enum VaultOutput {
  /// Writes notes in the order of their paths.
  /// - Parameters:
  ///   - notes: path in the vault, and the file with the text.
  ///   - records: the bundle; nil when everything is in the notes.
  /// - Returns: how many bytes were written.
  static func write(_ notes: [(path: String, file: String)], records: String?) throws -> Int {
    let output = ByteSink(descriptor: 1, name: "standard output")
    do {
      for note in notes.sorted(by: { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }) {
        try output.write("<!-- file: \(note.path) -->\n")
        let last = try copy(note.file, to: output, skippingLine: false)
        try output.write(last == 0x0A ? "\n" : "\n\n")
      }
      if let records {
        try output.write("```jsonl\n")
        // The header says which FleetKit wrote the bundle, which is no content.
        _ = try copy(records, to: output, skippingLine: true)
        try output.write("```\n")
      }
      try output.flush()
    } catch is BrokenPipe {
      // Who reads only the beginning wants no more.
    }
    return output.count
  }

  /// Copies a file.
  /// - Returns: its last byte.
  private static func copy(_ path: String, to output: ByteSink, skippingLine: Bool) throws -> UInt8? {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
    } catch {
      throw RunFailure(.failed, "read '\(path)': \(error.localizedDescription)")
    }
    try data.withUnsafeBytes { raw in
      let bytes = raw.bindMemory(to: UInt8.self)
      let start = skippingLine ? bytes.firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count : 0
      try output.write(UnsafeBufferPointer(rebasing: bytes[start...]))
    }
    return data.last
  }
}
