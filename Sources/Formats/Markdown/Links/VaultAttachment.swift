import Content
import Foundation
import Interchange
import JSONText
import Validation

/// A file of a vault that notes link to, as a record.
struct VaultAttachment: Sendable {
  /// Its id, derived from the vault's and its path: the same in every run.
  let id: String
  /// Its path in the vault.
  let path: String
  /// How many bytes it has.
  let size: Int
  /// SHA-256 of its bytes, 64 hexadecimal digits in small letters.
  let sha256: String
  /// Ids of the items that use it, sorted.
  let itemIDs: [String]

  /// Reads a file to its end, a piece at a time; nil when it cannot be read.
  /// - Parameter id: the id that it has already; nil to derive one from the vault's name and the path.
  init?(path: String, in folder: String, source: String, id: String? = nil, itemIDs: [String]) throws {
    guard let descriptor = LinkPath.open(path, in: folder) else { return nil }
    defer { close(descriptor) }
    var digest = DigestStream()
    var size = 0
    let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 18)
    defer { piece.deallocate() }
    while true {
      let got = read(descriptor, piece.baseAddress, piece.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { return nil }
      if got == 0 { break }
      digest.update(UnsafeBufferPointer(rebasing: piece[..<got]))
      size += got
      try Interruption.check()
    }
    self.id = id ?? UUIDText.derived([source, path.precomposed])
    self.path = path
    self.size = size
    sha256 = Digest.hex(digest.finish())
    self.itemIDs = itemIDs
  }

  /// The file's own name.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Appends the record as a canonical line, without a line end.
  func write(into out: inout ByteBuffer) {
    out.append("{\"kind\":\"attachment\",\"id\":")
    out.appendJSONString(id)
    out.append(",\"path\":")
    out.appendJSONString(path)
    out.append(",\"name\":")
    out.appendJSONString(name)
    out.append(",\"media_type\":")
    out.appendJSONString(MediaType.of(FileName.last(path).ending))
    out.append(",\"bytes\":")
    out.append(utf8: String(size))
    out.append(",\"sha256\":")
    out.appendJSONString(sha256)
    out.append(",\"item_ids\":[")
    for (index, id) in itemIDs.enumerated() {
      if index > 0 { out.append(",") }
      out.appendJSONString(id)
    }
    out.append("]}")
  }
}
