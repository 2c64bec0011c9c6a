import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// Small files of a folder, all of which are held in memory.
final class BundleFiles: MemberSource {
  let name = ""
  let idScope = ""
  let time = Timestamp(milliseconds: 0)
  let paths: [String]
  let areFiles = true
  private let sources: [Source]
  private let ranges: [Range<Int>]
  private let text: ByteBuffer

  /// Reads the files.
  /// - Throws: `RunFailure` when a file cannot be read.
  init(_ sources: [Source]) throws {
    self.sources = sources
    paths = sources.map(\.path)
    var text = ByteBuffer(capacity: BundleInput.chunk)
    ranges = try sources.map { source in
      let start = text.count
      try Self.read(source, into: &text)
      return start..<text.count
    }
    self.text = text
  }

  private static func read(_ source: Source, into text: inout ByteBuffer) throws {
    func failure() -> RunFailure { RunFailure(.failed, "read '\(source.name)': \(SystemError.last)") }
    let file = open(source.path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure() }
    defer { close(file) }
    var got = 0
    repeat {
      // The first read almost always returns the whole file, and the second read returns no bytes.
      got = try text.append(room: 1 << 14) { room throws -> Int in
        while true {
          let got = Foundation.read(file, room.baseAddress, room.count)
          if got >= 0 { return got }
          if errno != EINTR { throw failure() }
        }
      }
    } while got > 0
  }

  func index(of path: String) -> Int? { paths.firstIndex { $0.utf8.elementsEqual(path.utf8) } }

  func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: text.bytes[ranges[index]]) }

  func shown(_ index: Int) -> String { sources[index].name }

  func idScope(of index: Int) -> [String] {
    JSONBundleReader.idScope(sources[index].name, sources[index].idName)
  }
}
