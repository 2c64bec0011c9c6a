/// Determines from an operation's last error message how far the request got.
package enum SendingError {
  /// Whether the device could not reach the network, so that the registry never received the request.
  ///
  /// - Source: Apple's URL loading errors: no connection, no roaming, no data, host not found or not reachable.
  package static func isOffline(_ text: String) -> Bool {
    if ["-1009", "-1018", "-1020", "-1003", "-1004", "-1006"].contains(where: { has($0, in: text) }) { return true }
    let lower = text.lowercased()
    return ["offline", "not connected to the internet", "no internet connection", "could not connect to the server"]
      .contains(where: lower.contains)
  }

  /// Whether the message is a registry refusal as `sync` records it: a sentence followed by the status, `… (409)`.
  static func isRefusal(_ text: String) -> Bool { status(text) != nil }

  /// The status of the registry's refusal; nil if `sync` has not recorded one.
  static func status(_ text: String) -> Int? {
    [400, 403, 404, 409, 410, 412, 413, 415, 422].first { text.contains("(\($0))") }
  }

  /// Whether the operation was never sent because of its payload, as `sync` records that.
  static func isUnsendable(_ text: String) -> Bool {
    ["not sent, the payload breaks", "the payload ", "the operation has no payload"].contains(where: text.hasPrefix)
  }

  /// Whether the registry refused the operation and would refuse it again.
  /// - Parameter operation: the operation; 409 is final only for `publish`, where it means that the public id is taken.
  package static func isTerminal(_ text: String, operation: String) -> Bool {
    let lower = text.lowercased()
    if has("403", in: text) || lower.contains("forbidden") { return true }
    guard operation == "publish" else { return false }
    return has("409", in: text) || lower.contains("already exists")
  }

  /// Whether a message contains a number as a separate word.
  private static func has(_ number: String, in text: String) -> Bool {
    for range in text.ranges(of: number) {
      let before = range.lowerBound > text.startIndex ? text[text.index(before: range.lowerBound)] : " "
      let after = range.upperBound < text.endIndex ? text[range.upperBound] : " "
      if !before.isNumber, before != "-" || number.hasPrefix("-"), !after.isNumber { return true }
    }
    return false
  }
}
