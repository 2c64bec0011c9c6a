/// Renders a bag's manifests.
enum ManifestRenderer {
  /// Returns the manifest text: `checksum  path`, one file per line, in the order of the archive.
  static func text(of members: [BagMember]) -> String {
    var text = ""
    text.reserveCapacity(members.count * 100)
    for member in members {
      text += member.sha256
      text += "  "
      text += escaped(member.path)
      text += "\n"
    }
    return text
  }

  /// Returns a path as it is written in a manifest: characters that would end the line are percent-encoded.
  static func escaped(_ path: String) -> String {
    guard path.utf8.contains(where: { $0 == 0x25 || $0 == 0x0A || $0 == 0x0D }) else { return path }
    var bytes: [UInt8] = []
    for byte in path.utf8 {
      switch byte {
      case 0x25: bytes += "%25".utf8
      case 0x0A: bytes += "%0A".utf8
      case 0x0D: bytes += "%0D".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
