import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import RecordSources

/// One of the three versions of a file in a merge: base, ours or theirs.
struct MergeVersion {
  /// The version's name in findings.
  let name: String
  /// The text, if the version is text that fits into memory.
  let text: [UInt8]?
  let sources: SourceList

  /// Opens a version.
  /// - Parameters:
  ///   - fileName: the common name of all versions, from which missing ids are derived.
  ///   - largest: the maximum size in memory. Longer texts are read from disk, record by record.
  init(_ path: String, shown: String, fileName: String, format: any Format, largest: Int) throws {
    name = shown
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw RunFailure(.failed, "read '\(path)': the file does not exist", advice: "Check the name.")
    }
    let isFile = status.st_mode & S_IFMT == S_IFREG
    if isFile, status.st_size <= largest, let members = format as? any MemberFormat, Self.isText(format) {
      guard let data = FileManager.default.contents(atPath: path) else {
        throw RunFailure(.failed, "read '\(path)': cannot open it", advice: "Check the permissions.")
      }
      text = [UInt8](data)
      sources = Self.sources([UInt8](data), shown: shown, fileName: fileName, format: members)
    } else if isFile {
      text = nil
      let source = Source(path, idName: fileName)
      sources = SourceList(entries: [SourceList.Entry(source: source, format: format, root: path)])
    } else {
      text = nil
      sources = try SourceList([path], format: format.descriptor.id)
    }
  }

  /// Returns a text as sources that are read like a file.
  static func sources(_ text: [UInt8], shown: String, fileName: String, format: any MemberFormat) -> SourceList {
    let source = Source(shown)
    let format = InMemoryFormat(format: format, text: MergedText(text, shown: shown, fileName: fileName))
    return SourceList(entries: [SourceList.Entry(source: source, format: format, root: shown)])
  }

  /// Whether a file of the format is text for people and git.
  static func isText(_ format: any Format) -> Bool { format.descriptor.text != nil }
}

/// A text as the only file of a source. All versions have the same scope, path and time, so that values that are
/// missing from the text do not differ.
private final class MergedText: MemberSource {
  let name: String
  let paths: [String]
  let idScope = "merge"
  let time = Timestamp(milliseconds: 0)
  private let text: InMemoryText

  init(_ text: [UInt8], shown: String, fileName: String) {
    name = shown
    paths = [fileName]
    self.text = InMemoryText(text)
  }

  func index(of path: String) -> Int? { path.utf8.elementsEqual(paths[0].utf8) ? 0 : nil }
  func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> { text.bytes }
  func shown(_ index: Int) -> String { name }
}

/// Bytes at a fixed address.
private final class InMemoryText: @unchecked Sendable {
  private let memory: UnsafeMutableBufferPointer<UInt8>
  let bytes: UnsafeBufferPointer<UInt8>

  init(_ text: [UInt8]) {
    memory = .allocate(capacity: max(1, text.count))
    _ = memory.initialize(from: text)
    bytes = UnsafeBufferPointer(rebasing: memory[..<text.count])
  }

  deinit { memory.deallocate() }
}

/// A format with a single source, which is a text in memory.
private struct InMemoryFormat: Format {
  let format: any MemberFormat
  let text: MergedText

  var descriptor: FormatDescriptor { format.descriptor }
  func recognises(_ source: Source, head: FileHead) -> Bool { true }
  func hasSignature(_ head: FileHead) -> Bool { false }
  func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    context.keep(text)
    return try format.reader(of: text, context: context)
  }
  func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try format.writer(to: target, context: context)
  }
}
