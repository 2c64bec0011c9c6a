import Hummingbird
import JSONText
import Publishing
import SignIn

/// The text members of a small JSON object, each looked at once; what is wrong with them is gathered with its place.
struct AuthMembers {
  private let root: JSONValue
  private var findings: [IntakeFinding] = []

  /// Reads a request's body.
  init(_ request: Request, _ registry: Registry) async throws {
    let limit = min(AuthHandlers.bodyLimit, registry.settings.bodyLimit)
    root = try await JSONBody(of: request, limit: limit, depth: registry.settings.depthLimit).root
    guard root.kind == .object else {
      throw Problem.invalidContent([
        IntakeFinding(
          code: "REG0301", pointer: JSONPointer(), message: "the body is no object",
          why: "the members of the request have names", fix: "send a JSON object")
      ])
    }
  }

  /// Text that must be there, by one of two names; empty when it is not, with a finding.
  mutating func required(_ name: String, alias: String) -> String {
    let usesAlias = root[name] == nil && root[alias] != nil
    guard let text = text(usesAlias ? alias : name) else {
      if findings.isEmpty {
        refuse(name, "`\(name)` is missing", why: "nothing else says who you are", fix: "send it as text")
      }
      return ""
    }
    if !usesAlias, let other = root[alias], other.string.map({ $0.utf8.elementsEqual(text.utf8) }) != true {
      refuse(alias, "`\(alias)` and `\(name)` differ", why: "they are two names of one member", fix: "send one of them")
    }
    return text
  }

  /// Text that may be there; nil when it is not, or is null.
  mutating func optional(_ name: String) -> String? { text(name) }

  /// An address that must be there.
  mutating func email(_ name: String) -> String {
    guard let text = text(name), let email = EmailAddress(text) else {
      if findings.isEmpty {
        refuse(
          name, "`\(name)` is missing or no address", why: "the account is named by it",
          fix: "send one like `captain@example.com`")
      }
      return ""
    }
    return email.text
  }

  /// Throws what was found, if anything was.
  func check() throws {
    if !findings.isEmpty { throw Problem.invalidContent(findings) }
  }

  private mutating func text(_ name: String) -> String? {
    guard let value = root[name], !value.isNull else { return nil }
    guard let text = value.string, !text.isEmpty else {
      refuse(name, "`\(name)` must be text, and not empty", why: "it is compared as text", fix: "send it as a string")
      return nil
    }
    return text
  }

  private mutating func refuse(_ name: String, _ message: String, why: String, fix: String) {
    findings.append(
      IntakeFinding(
        code: "REG0302", pointer: JSONPointer([.member(name)]), message: message, why: why, fix: fix))
  }
}
