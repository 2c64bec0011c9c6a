import Content
import Interchange

/// Files in memory that behave like members of an archive.
final class MemorySource: MemberSource {
  let name = "first.fleetpack"
  let idScope = "hand-made"
  let time = Timestamp(milliseconds: 1_700_000_000_000)
  let folder = "data/"
  let paths: [String]
  private let texts: [Memory]

  /// Bytes with a stable address.
  private final class Memory: @unchecked Sendable {
    let bytes: UnsafeMutableBufferPointer<UInt8>
    init(_ text: String) {
      bytes = .allocate(capacity: max(1, text.utf8.count))
      count = bytes.initialize(fromContentsOf: text.utf8)
    }
    let count: Int
    deinit { bytes.deallocate() }
  }

  init(_ files: [(String, String)]) {
    paths = files.map(\.0)
    texts = files.map { Memory($0.1) }
  }

  func index(of path: String) -> Int? { paths.firstIndex(of: path) }

  func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: UnsafeBufferPointer(texts[index].bytes)[..<texts[index].count])
  }
}
