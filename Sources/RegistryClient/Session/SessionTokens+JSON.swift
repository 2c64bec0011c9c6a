import Content
import JSONText

extension SessionTokens {
  /// Reads tokens from a credentials file, or from a saved sign-in answer; returns nil when there are none.
  init?(kept value: JSONValue) {
    guard let access = value["access_token"]?.string else { return nil }
    self.init(
      access: access, refresh: value["refresh_token"]?.string,
      expiresAt: value["expires_at"]?.string.flatMap { Timestamp.parse($0)?.0 })
    if let id = value["user"]?["id"]?.string, let name = value["user"]?["username"]?.string {
      user = RegistryUser(id: id, username: name)
    }
    guard isSendable else { return nil }
  }

  /// Appends the tokens as one JSON object.
  func append(to text: inout ByteBuffer) {
    text.append(#"{"access_token":"#)
    text.appendJSONString(access)
    if let refresh {
      text.append(#","refresh_token":"#)
      text.appendJSONString(refresh)
    }
    if let expiresAt {
      text.append(#","expires_at":"#)
      text.appendJSONString(expiresAt.wholeSeconds)
    }
    if let user {
      text.append(#","user":{"id":"#)
      text.appendJSONString(user.id)
      text.append(#","username":"#)
      text.appendJSONString(user.username)
      text.append("}")
    }
    text.append("}")
  }
}
