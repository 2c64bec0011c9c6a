import JSONText
import RegistryModel

/// Stores each list of a profile in one column: a JSON array of strings, with all members of one entry after those of
/// the previous entry.
enum ProfileColumns {
  static func write(_ links: [SocialLink]) -> String {
    TagColumn.write(links.flatMap { [$0.id, $0.platform.rawValue, $0.handle] })
  }

  static func links(_ text: String) throws -> [SocialLink] {
    try entries(text, of: 3).map { parts in
      guard let platform = SocialLink.Platform(rawValue: parts[1]) else { throw StoreProblem.damaged }
      return SocialLink(id: parts[0], platform: platform, handle: parts[2])
    }
  }

  /// Writes memberships; an empty string means no address, because addresses are never empty.
  static func write(_ memberships: [CommunityMembership]) -> String {
    TagColumn.write(
      memberships.flatMap { [$0.id, $0.name, $0.iconURL ?? "", $0.role.rawValue, $0.isPrimary ? "1" : "0"] })
  }

  static func memberships(_ text: String) throws -> [CommunityMembership] {
    try entries(text, of: 5).map { parts in
      guard let role = CommunityMembership.Role(rawValue: parts[3]) else { throw StoreProblem.damaged }
      return CommunityMembership(
        id: parts[0], name: parts[1], iconURL: parts[2].isEmpty ? nil : parts[2], role: role,
        isPrimary: parts[4] == "1")
    }
  }

  private static func entries(_ text: String, of count: Int) throws -> [[String]] {
    let parts = try TagColumn.read(text)
    guard parts.count.isMultiple(of: count) else { throw StoreProblem.damaged }
    return stride(from: 0, to: parts.count, by: count).map { Array(parts[$0..<$0 + count]) }
  }
}
