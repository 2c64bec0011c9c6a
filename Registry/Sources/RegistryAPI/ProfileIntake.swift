import Diagnostics
import JSONText
import Publishing
import RegistryModel
import SignIn

/// Parses a change to an account. All errors are collected with their places; unknown members are ignored.
struct ProfileIntake {
  private static let links = 20
  private static let memberships = 50

  private var findings: [IntakeFinding] = []

  /// Parses the body of `PUT /auth/me`.
  /// - Parameter user: the user, whose current name may be sent again even if its form is no longer accepted.
  /// - Throws: `Problem` 422 with every finding.
  static func change(_ root: JSONValue, of user: User) throws -> ProfileChange {
    guard root.kind == .object else {
      throw Problem.invalidContent([
        IntakeFinding(
          code: "REG0301", pointer: JSONPointer(), message: "the body is not an object",
          why: "the members of the request have names", fix: "send a JSON object")
      ])
    }
    var intake = ProfileIntake()
    let change = intake.change(root, user)
    if !intake.findings.isEmpty { throw Problem.invalidContent(intake.listed) }
    return change
  }

  /// The findings, truncated like those of a publication. There are a few hundred at most, because lists are short.
  private var listed: [IntakeFinding] {
    let limit = PublishIntake.mostFindings
    guard findings.count > limit else { return findings }
    let more = DiagnosticCode.moreInRequest
    return findings.prefix(limit - 1) + [
      IntakeFinding(
        code: more.id, pointer: JSONPointer(), message: "there are more findings than these \(limit - 1)",
        why: more.why, fix: more.fix)
    ]
  }

  private mutating func change(_ root: JSONValue, _ user: User) -> ProfileChange {
    var change = ProfileChange()
    for (name, value) in root.members {
      let place = JSONPointer([.member(name)])
      switch name {
      case "username": change.username = username(value, user)
      case "bio": change.bio = optional(value) { $0.text($1, place, 0...1000, .kept) }
      case "location": change.location = optional(value) { $0.text($1, place, 0...100) }
      case "nationality": change.nationality = optional(value) { $0.text($1, place, 0...100) }
      case "profile_visibility":
        // The app may have more values than are defined here. All of them except `public` hide the profile.
        change.visibility = optional(value, orEmpty: true) { $0.text($1, place, 1...30, .refused) }
      case "social_links":
        change.socialLinks = optional(value) { $0.list($1, place, Self.links) { $0.link($1, $2) } }
      case "community_memberships":
        change.communityMemberships = optional(value) { $0.list($1, place, Self.memberships) { $0.membership($1, $2) } }
      default: break
      }
    }
    return change
  }

  /// Reads an optional value: `.some(nil)` for null; nil, with a finding, for a value that cannot be read.
  /// - Parameter orEmpty: whether an empty string counts as null.
  private mutating func optional<Value>(
    _ value: JSONValue, orEmpty: Bool = false, _ read: (inout ProfileIntake, JSONValue) -> Value?
  ) -> Value?? {
    if value.isNull || (orEmpty && value.string?.isEmpty ?? false) { return .some(nil) }
    return read(&self, value).map { .some($0) }
  }

  // MARK: Members

  private mutating func username(_ value: JSONValue, _ user: User) -> String? {
    let place = JSONPointer([.member("username")])
    guard let name = value.string else {
      refuse(
        "REG0401", place, "`username` must be a string", why: "every account has a name", fix: "send it as a string")
      return nil
    }
    if name.utf8.elementsEqual(user.username.utf8) { return name }
    switch Username.refusal(of: name) {
    case nil: return name
    case .malformed:
      refuse(
        "REG0404", place, "`username` does not have the form of a name",
        why: "a name is part of addresses, and two names must not look the same",
        fix: "choose 3 to 30 letters (a–z), digits, `.`, `_` and `-`, with a letter or digit at both ends")
    case .reserved:
      refuse(
        "REG0405", place, "`username` is reserved", why: "it could be mistaken for the operator or the service",
        fix: "choose another name")
    }
    return nil
  }

  private mutating func link(_ value: JSONValue, _ place: JSONPointer) -> SocialLink? {
    guard requireObject(value, place) else { return nil }
    let before = findings.count
    let id = required(value, "id", place) { $0.uuid($1, $2) }
    let platform = required(value, "platform", place) { $0.choice(SocialLink.Platform.self, $1, $2) }
    let handle = required(value, "handle", place) { $0.text($1, $2, 1...100) }
    guard findings.count == before, let id, let platform, let handle else { return nil }
    return SocialLink(id: id, platform: platform, handle: handle)
  }

  private mutating func membership(_ value: JSONValue, _ place: JSONPointer) -> CommunityMembership? {
    guard requireObject(value, place) else { return nil }
    let before = findings.count
    let id = required(value, "id", place) { $0.text($1, $2, 1...100) }
    let name = required(value, "name", place) { $0.text($1, $2, 1...100) }
    let role = required(value, "role", place) { $0.choice(CommunityMembership.Role.self, $1, $2) }
    let isPrimary = required(value, "is_primary", place) { $0.truth($1, $2) }
    // The picture is shown only to its owner, so its address need not be safe to open.
    let icon = value["icon_url"].flatMap {
      optional($0, orEmpty: true) { $0.text($1, place.appending(.member("icon_url")), 1...2000, .refused) }
    }
    guard findings.count == before, let id, let name, let role, let isPrimary else { return nil }
    return CommunityMembership(id: id, name: name, iconURL: icon ?? nil, role: role, isPrimary: isPrimary)
  }

  // MARK: Values

  /// How to treat line breaks and tabs, which pasted text contains.
  private enum Breaks {
    /// Line breaks become line feeds, and tabs become spaces.
    case kept
    /// Line breaks and tabs become spaces.
    case blanks
    /// Line breaks and tabs are refused.
    case refused
  }

  private mutating func text(
    _ value: JSONValue, _ place: JSONPointer, _ lengths: ClosedRange<Int>, _ breaks: Breaks = .blanks
  ) -> String? {
    guard let given = value.string else {
      refuse("REG0401", place, "this must be a string", why: "it is shown as text", fix: "send it as a string")
      return nil
    }
    let text = Self.plain(given, breaks)
    let scalars = text.unicodeScalars
    guard lengths.contains(scalars.count) else {
      refuse(
        "REG0402", place, "this has \(scalars.count) characters", why: "profiles are short",
        fix: "send \(lengths.lowerBound) to \(lengths.upperBound) characters")
      return nil
    }
    guard scalars.allSatisfy({ !Self.isControl($0) || (breaks == .kept && $0 == "\n") }) else {
      refuse(
        "REG0403", place, "this contains a control character",
        why: "control characters and text direction overrides change how the surrounding text looks to others",
        fix: breaks == .kept ? "leave out control characters except line breaks" : "leave out control characters")
      return nil
    }
    return text
  }

  /// Normalises line breaks and tabs; CR LF counts as one line break.
  private static func plain(_ text: String, _ breaks: Breaks) -> String {
    guard breaks != .refused, text.utf8.contains(where: { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) else { return text }
    var out = String.UnicodeScalarView()
    var last: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\t": out.append(" ")
      case "\n" where last == "\r": break
      case "\n", "\r": out.append(breaks == .kept ? "\n" : " ")
      default: out.append(scalar)
      }
      last = scalar
    }
    return String(out)
  }

  /// Whether a scalar is in C0 or C1, or overrides or isolates the direction of text.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  private mutating func uuid(_ value: JSONValue, _ place: JSONPointer) -> String? {
    guard let text = value.string, RegistryID(text) != nil else {
      refuse(
        "REG0401", place, "this must be a UUID", why: "the app distinguishes links by their ids",
        fix: "send one like `9b2c0a54-0b7e-4c5d-8a51-6d1f0c3e7a10`")
      return nil
    }
    return text
  }

  private mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ type: Choice.Type, _ value: JSONValue, _ place: JSONPointer
  ) -> Choice? {
    if let choice = value.string.flatMap(Choice.init(rawValue:)) { return choice }
    let words = Choice.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
    refuse("REG0401", place, "this is not one of \(words)", why: "apps support no others", fix: "send one of \(words)")
    return nil
  }

  private mutating func truth(_ value: JSONValue, _ place: JSONPointer) -> Bool? {
    if let truth = value.bool { return truth }
    refuse("REG0401", place, "this must be true or false", why: "it is a Boolean value", fix: "send true or false")
    return nil
  }

  // MARK: Shapes

  private mutating func list<Element>(
    _ value: JSONValue, _ place: JSONPointer, _ limit: Int,
    _ read: (inout ProfileIntake, JSONValue, JSONPointer) -> Element?
  ) -> [Element]? {
    guard value.kind == .array else {
      refuse("REG0401", place, "this must be an array", why: "there may be several", fix: "send an array, or null")
      return nil
    }
    let elements = value.elements
    guard elements.count <= limit else {
      refuse(
        "REG0402", place, "this has too many entries: \(elements.count)", why: "profiles are short",
        fix: "send at most \(limit)")
      return nil
    }
    return elements.enumerated().compactMap { read(&self, $1, place.appending(.element($0))) }
  }

  private mutating func requireObject(_ value: JSONValue, _ place: JSONPointer) -> Bool {
    if value.kind == .object { return true }
    refuse("REG0401", place, "this must be an object", why: "its members have names", fix: "send an object")
    return false
  }

  private mutating func required<Value>(
    _ object: JSONValue, _ name: String, _ place: JSONPointer,
    _ read: (inout ProfileIntake, JSONValue, JSONPointer) -> Value?
  ) -> Value? {
    let place = place.appending(.member(name))
    guard let value = object[name], !value.isNull else {
      refuse("REG0401", place, "`\(name)` is missing", why: "apps cannot read the entry without it", fix: "send it")
      return nil
    }
    return read(&self, value, place)
  }

  private mutating func refuse(_ code: String, _ place: JSONPointer, _ message: String, why: String, fix: String) {
    findings.append(IntakeFinding(code: code, pointer: place, message: message, why: why, fix: fix))
  }
}
