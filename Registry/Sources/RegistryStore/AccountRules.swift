import Content
import RegistryModel

/// How stores compare strings.
extension String {
  /// The string with its ASCII letters in lower case: tags, slugs and usernames are compared in this form, by bytes.
  package var asciiLowercased: String {
    guard utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return self }
    return String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// The first subtag of a language: `pt` for `pt-BR`.
  package var firstSubtag: String { String(decoding: utf8.prefix { $0 != UInt8(ascii: "-") }, as: UTF8.self) }
}

/// The choice of a name for a new account.
package enum FreeUsername {
  /// Returns the hint, otherwise the hint with the first free number up to 9, otherwise the hint with a random number.
  /// - Parameter isFree: whether neither a user nor the credits of a deleted account have a name: its owner could be
  ///   mistaken for that person.
  package static func choose(_ hint: String, isFree: (String) throws -> Bool) rethrows -> String {
    let hint = hint.isEmpty ? "sailor" : hint
    if try isFree(hint) { return hint }
    for number in 2...9 where try isFree("\(hint)\(number)") { return "\(hint)\(number)" }
    for digits in [100, 10_000, 1_000_000, 100_000_000] {
      for _ in 0..<4 {
        let name = "\(hint)\(Int.random(in: digits / 10..<digits))"
        if try isFree(name) { return name }
      }
    }
    return "\(hint)-\(RegistryID().text)"
  }
}

/// A refresh token with its session and user, as a store read them.
package struct StoredToken {
  package let user: User
  package let session: RegistryID
  package let sessionBegan: Timestamp
  package let sessionEnd: Timestamp
  package let end: Timestamp
  /// When the token was exchanged; nil if it has not been.
  package let used: Timestamp?

  /// Creates an instance from its members.
  package init(
    user: User, session: RegistryID, sessionBegan: Timestamp, sessionEnd: Timestamp, end: Timestamp, used: Timestamp?
  ) {
    self.user = user
    self.session = session
    self.sessionBegan = sessionBegan
    self.sessionEnd = sessionEnd
    self.end = end
    self.used = used
  }

  /// What a store does with a request to exchange the token.
  package enum Step {
    /// Nothing changes: the token has expired.
    case refuse
    /// Nothing changes: the first answer was lost, and is given again.
    case repeatAnswer
    /// The successor replaces the token.
    case exchange
    /// The token was copied: its session ends.
    case endSession
  }

  /// Decides about a request. A token that was used before ends the session, however old it is, unless its answer was
  /// lost.
  /// - Parameter isSuccessorUnused: whether the session has the requested successor, and it has not been exchanged.
  package func step(at now: Timestamp, isSuccessorUnused: () throws -> Bool) rethrows -> Step {
    guard let used else { return now < end ? .exchange : .refuse }
    let isRecent = abs(now.milliseconds &- used.milliseconds) <= Session.grace * 1000
    return try isRecent && isSuccessorUnused() ? .repeatAnswer : .endSession
  }

  /// Returns the session after a step.
  package func session(until end: Timestamp) -> Session {
    Session(id: session, userID: user.id, createdAt: sessionBegan, expiresAt: end)
  }
}

extension User {
  /// Returns the user after a change.
  package func changed(email: String?, username: String, at now: Timestamp) -> User {
    User(id: id, appleID: appleID, email: email, username: username, createdAt: createdAt, updatedAt: now)
  }

  /// Whether the user has exactly this address.
  package func hasEmail(_ other: String?) -> Bool {
    switch (email, other) {
    case (nil, nil): true
    case (let left?, let right?): left.utf8.elementsEqual(right.utf8)
    default: false
    }
  }
}

extension ProfileChange {
  /// Whether a value contains U+0000.
  package var holdsNUL: Bool {
    let texts = [username, bio ?? nil, location ?? nil, nationality ?? nil, visibility ?? nil].compactMap { $0 }
    let links = ((socialLinks ?? nil) ?? []).flatMap { [$0.id, $0.handle] }
    let memberships = ((communityMemberships ?? nil) ?? []).flatMap { [$0.id, $0.name, $0.iconURL ?? ""] }
    return (texts + links + memberships).contains { $0.holdsNUL }
  }
}

/// Converts the lists of a profile, and the headers of an answer, to lists of strings, in which all members of one entry
/// follow all members of the previous entry. Reading returns nil for a list that was not written here.
package enum StringList {
  package static func write(_ links: [SocialLink]) -> [String] {
    links.flatMap { [$0.id, $0.platform.rawValue, $0.handle] }
  }

  package static func links(_ parts: [String]) -> [SocialLink]? {
    entries(parts, of: 3) { parts in
      SocialLink.Platform(rawValue: parts[1]).map { SocialLink(id: parts[0], platform: $0, handle: parts[2]) }
    }
  }

  /// Writes memberships; an empty string means no address, because addresses are never empty.
  package static func write(_ memberships: [CommunityMembership]) -> [String] {
    memberships.flatMap { [$0.id, $0.name, $0.iconURL ?? "", $0.role.rawValue, $0.isPrimary ? "1" : "0"] }
  }

  package static func memberships(_ parts: [String]) -> [CommunityMembership]? {
    entries(parts, of: 5) { parts in
      CommunityMembership.Role(rawValue: parts[3]).map {
        CommunityMembership(
          id: parts[0], name: parts[1], iconURL: parts[2].isEmpty ? nil : parts[2], role: $0, isPrimary: parts[4] == "1"
        )
      }
    }
  }

  package static func write(_ headers: [StoredAnswer.Header]) -> [String] { headers.flatMap { [$0.name, $0.value] } }

  package static func headers(_ parts: [String]) -> [StoredAnswer.Header]? {
    entries(parts, of: 2) { StoredAnswer.Header(name: $0[0], value: $0[1]) }
  }

  private static func entries<Entry>(_ parts: [String], of count: Int, _ read: ([String]) -> Entry?) -> [Entry]? {
    guard parts.count.isMultiple(of: count) else { return nil }
    var entries: [Entry] = []
    for start in stride(from: 0, to: parts.count, by: count) {
      guard let entry = read(Array(parts[start..<start + count])) else { return nil }
      entries.append(entry)
    }
    return entries
  }
}

extension IdempotencyClaim {
  /// How long an answer is kept, in milliseconds.
  package static let kept: Int64 = 24 * 3600 * 1000
}
